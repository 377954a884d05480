package dl

import (
	"errors"
	"slices"
	"testing"
)

func TestResolve(t *testing.T) {
	gone := errors.New("gone")
	addresses := map[string]uintptr{"a": 1, "b": 2, "zero": 0}
	lookup := func(name string) (uintptr, error) {
		p, ok := addresses[name]
		if !ok {
			return 0, gone
		}
		return p, nil
	}
	var a, b, zero uintptr
	optional := uintptr(7)
	err := Resolve(lookup, []Symbol{{"a", &a, false}, {"c", &optional, true}, {"b", &b, true}})
	if err != nil || a != 1 || b != 2 || optional != 7 {
		t.Errorf("a %d, b %d, one that is missing %d, error %v", a, b, optional, err)
	}
	err = Resolve(lookup, []Symbol{{"zero", &zero, false}, {"a", &a, false}, {"c", &b, false}})
	missing, ok := errors.AsType[*MissingError](err)
	if !ok || !slices.Equal(missing.Names, []string{"zero", "c"}) {
		t.Fatalf("error %v", err)
	}
	if !errors.Is(err, gone) || err.Error() != "it lacks zero, c: gone" {
		t.Errorf("error %v", err)
	}
	if err := Resolve(lookup, []Symbol{{"zero", &zero, false}}); !errors.Is(err, errZero) {
		t.Errorf("error %v", err)
	}
}
