package measuring

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestSplitCommands(t *testing.T) {
	for _, c := range []struct {
		words string
		want  [][]string // nil: an error
	}{
		{"a b c", [][]string{{"a", "b", "c"}}},
		{"a ::: b -x ::: c", [][]string{{"a"}, {"b", "-x"}, {"c"}}},
		{"a -- b", [][]string{{"a", "--", "b"}}},
		{"", nil}, {"a :::", nil}, {"::: a", nil}, {"a ::: ::: b", nil},
	} {
		got, err := SplitCommands(strings.Fields(c.words))
		if (err != nil) != (c.want == nil) || !reflect.DeepEqual(got, c.want) && err == nil {
			t.Errorf("%q: %q, error %v", c.words, got, err)
		}
	}
	if _, err := SplitCommands([]string{"", "a"}); err == nil {
		t.Error("an empty program is taken")
	}
}

func TestFilled(t *testing.T) {
	got, err := filled([]string{"run", "{n}", "--x={n}-{m}", "{o}"}, map[string]string{"n": "1", "m": "{n}"})
	if err != nil {
		t.Fatal(err)
	}
	// A value is not searched for places, and other names in braces stay.
	if want := []string{"run", "1", "--x=1-{n}", "{o}"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if _, err := filled([]string{"run"}, map[string]string{"n": "1"}); err == nil {
		t.Error("a parameter without a place is taken")
	}
}
