package suite

import (
	"strings"
	"testing"

	"zonemark/invocations"
)

// TestWhere: an error that is found after a suite was expanded gets the line that sets what it is about.
func TestWhere(t *testing.T) {
	s, err := ParseText("s.toml", `[defaults]
verify.reference = "f"
[[invocation]]
artifact = "k.hat"
name = "a"
params.K = 64
arguments.x = "zeros"
axes.M = [1, 2]

[[invocation]]
artifact = "k.hat"
name = "b"
axes = { N = [1, 2, 3] }
`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Where(0, "params", "M"); got != "s.toml" {
		t.Errorf("before Expand: %q", got)
	}
	list, err := s.Expand(invocations.Invocation{}, nil)
	if err != nil || len(list) != 5 {
		t.Fatalf("%d invocations, %v", len(list), err)
	}
	for _, c := range []struct {
		invocation        int
		table, name, want string
	}{
		{0, "params", "M", "s.toml:8: invocation.axes.M"},
		{1, "params", "K", "s.toml:6: invocation.params.K"},
		{1, "arguments", "x", "s.toml:7: invocation.arguments.x"},
		{1, "verify", "reference", "s.toml:2: defaults.verify.reference"},
		{1, "params", "N", "s.toml:3: invocation"},
		{2, "params", "N", "s.toml:13: invocation.axes.N"},
		{4, "", "artifact", "s.toml:11: invocation.artifact"},
		{5, "", "artifact", "s.toml"},
	} {
		if got := s.Where(c.invocation, c.table, c.name); got != c.want {
			t.Errorf("%d, %s.%s: %q, want %q", c.invocation, c.table, c.name, got, c.want)
		}
	}
}

// TestWhereWhileYielding: the place of a point is known as soon as it is yielded, also of the entry's last one.
func TestWhereWhileYielding(t *testing.T) {
	s, err := ParseText("s.toml", "[[invocation]]\nartifact = 'a.hat'\naxes.M = [1, 2]\n[[invocation]]\n"+
		"artifact = 'b.hat'\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		var got []string
		for _, err := range s.Points(invocations.Invocation{}, nil) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, s.Where(len(got), "", "artifact"))
		}
		want := "s.toml:2: invocation.artifact s.toml:2: invocation.artifact s.toml:5: invocation.artifact"
		if text := strings.Join(got, " "); text != want {
			t.Errorf("got %s, want %s", text, want)
		}
	}
}

// TestModeOfOption: a word of the key mode may stand for an option. The way of measuring is then that of the defaults.
func TestModeOfOption(t *testing.T) {
	options := []invocations.Option{{Name: "provider", Mode: "dispatch", ModeValue: "single"}}
	const entry = "[[invocation]]\nartifact = 'k.vmfb'\n"
	expand := func(text string) ([]invocations.Invocation, error) {
		s, err := ParseText("s.toml", text, options)
		if err != nil {
			return nil, err
		}
		return s.Expand(invocations.Invocation{Measure: invocations.Measure{Mode: invocations.Warm}}, nil)
	}
	list, err := expand(entry + "axes.mode = ['dispatch', 'cold']\n")
	if err != nil || len(list) != 2 {
		t.Fatalf("%v, %v", list, err)
	}
	if v := list[0]; v.Measure.Mode != invocations.Warm || v.Artifact.Options["provider"] != "single" {
		t.Errorf("dispatch: %+v", v)
	}
	if v := list[1]; v.Measure.Mode != invocations.Cold || v.Artifact.Options["provider"] != "" {
		t.Errorf("cold: %+v", v)
	}
	if _, err := expand(entry + "mode = 'dispach'"); err == nil || !strings.Contains(err.Error(),
		`s.toml:3: invocation.mode: dispach is no mode; did you mean "dispatch"?; want one of warm, cold, flush, serialized, `+
			"dispatch") {
		t.Errorf("%v", err)
	}
	if text := Reference(AllKeys(options)); !strings.Contains(text, `; dispatch: the same as provider = "single"`) {
		t.Errorf("the reference does not explain the word:\n%s", text)
	}
}
