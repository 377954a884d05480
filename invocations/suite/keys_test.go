package suite

import (
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"zonemark/invocations"
)

// TestMadeUpKey adds a key through one row and gets parsing, bounds, axes, placeholders, errors with line and
// suggestion, the list of names and the reference. The flag is tested where flags are.
func TestMadeUpKey(t *testing.T) {
	const entry = "[[invocation]]\nartifact = 'k.hat'\n" // two lines
	keys := append(Keys(),
		Key{Name: "profile_calls", Kind: Integer,
			Field: func(v *invocations.Invocation) any { return &v.Measure.ProfileCalls },
			Least: 1, Most: 9, Usage: "calls under the profiler", Flag: "profile-calls"},
		Key{Name: "no_canary", Kind: Text, Field: func(v *invocations.Invocation) any { return &v.Artifact.SHA256 },
			Placeholders: true})
	expand := func(text string) ([]invocations.Invocation, error) {
		s, err := parse("s.toml", text, keys, maxPoints)
		if err != nil {
			return nil, err
		}
		return s.Expand(invocations.Invocation{}, nil)
	}
	list, err := expand("[defaults]\nprofile_calls = 3\n" + entry + "no_canary = 'c{M}'\naxes.M = [7]\n" +
		entry + "name = 'b'\naxes.profile_calls = [4, 5]")
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	for _, v := range list {
		got = append(got, v.Measure.ProfileCalls)
	}
	if !slices.Equal(got, []int64{3, 4, 5}) || list[0].Artifact.SHA256 != "c7" || list[2].Parameters != nil {
		t.Errorf("profile calls %v of %+v", got, list)
	}
	for text, want := range map[string]string{
		"profile_calls = 10": "s.toml:3: invocation.profile_calls: 10 is out of range: want an integer from " +
			"1 to 9",
		"profile_call = 1":           `s.toml:3: invocation.profile_call: unknown key; did you mean "profile_calls"?`,
		"axes.profile_calls = ['a']": "s.toml:3: invocation.axes.profile_calls: is a text; want an integer",
		"zzzzzzzzzzzzzzzzz = 1":      "bytes, profile_calls, no_canary, params",
	} {
		_, err := expand(entry + text)
		if fault := (*Error)(nil); !errors.As(err, &fault) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\ngot  %v\nwant %s", text, err, want)
		}
	}
	row := "| `profile_calls` | integer | calls under the profiler; `--profile-calls` |\n"
	if text := Reference(keys); !strings.Contains(text, row) {
		t.Errorf("the reference lacks %s", row)
	}
}

// TestPaths checks a key that holds a list of paths.
func TestPaths(t *testing.T) {
	const entry = "[[invocation]]\nartifact = 'k.hat'\n" // two lines
	list, err := expandText("[defaults]\nsandbox_read = ['tables']\n" + entry + entry + "name = 'b'\nsandbox_read = ['/data', '../x']")
	if err != nil {
		t.Fatal(err)
	}
	folder, err := filepath.Abs("some") // that of expandText
	if err != nil {
		t.Fatal(err)
	}
	if got := list[0].Limits.Read; !slices.Equal(got, []string{filepath.Join(folder, "tables")}) {
		t.Errorf("of the defaults: %q", got)
	}
	if got := list[1].Limits.Read; !slices.Equal(got, []string{"/data", filepath.Join(folder, "..", "x")}) {
		t.Errorf("of the entry: %q", got)
	}
	for text, want := range map[string]string{
		"sandbox_read = 'data'":     "some/suite.toml:3: invocation.sandbox_read: is a text; want a list",
		"sandbox_read = [1]":        "some/suite.toml:3: invocation.sandbox_read: 1 in the list: is an integer",
		"axes.sandbox_read = ['a']": "some/suite.toml:3: invocation.axes.sandbox_read: what may be read cannot be an axis",
		"timeout = ['1s']":          "some/suite.toml:3: invocation.timeout: is an array: write lists of values under",
	} {
		if _, err := expandText(entry + text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\ngot  %v\nwant %s", text, err, want)
		}
	}
}

// TestKeys checks the rows of the table against each other.
func TestKeys(t *testing.T) {
	names, flags := map[string]bool{}, map[string]bool{}
	for _, k := range append(Keys(), OptionKeys(testOptions())...) {
		if names[k.label()] {
			t.Errorf("%s stands twice", k.label())
		}
		names[k.label()] = true
		for _, flag := range []string{k.Flag, k.Alias} {
			if flags[flag] && flag != "" {
				t.Errorf("two keys have the flag %s", flag)
			}
			flags[flag] = true
		}
		if k.Usage == "" && k.Option == "" || k.Kind.String() == "" {
			t.Errorf("%s: no usage, or no kind", k.label())
		}
		if k.Option != "" {
			continue
		}
		from, to := new(invocations.Invocation), new(invocations.Invocation)
		field := reflect.ValueOf(k.Field(from)).Elem()
		switch field.Kind() {
		case reflect.String:
			field.SetString("x")
		case reflect.Bool:
			field.SetBool(true)
		case reflect.Float64:
			field.SetFloat(1)
		case reflect.Uint64:
			field.SetUint(1)
		case reflect.Slice:
			field.Set(reflect.ValueOf([]string{"x"}))
		default:
			field.SetInt(1)
		}
		if k.Copy(to, from); !reflect.DeepEqual(to, from) {
			t.Errorf("%s: copied %+v, want %+v", k.label(), to, from)
		}
		// No kind panics for any value.
		for _, value := range []any{"", "text", true, int64(-7), -0.5, []any{}, []any{"x", 1}, []any{"x", 1.5, []any{}}} {
			_ = k.set(to, value, "folder")
		}
	}
}
