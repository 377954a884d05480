package dl

import (
	"errors"
	"slices"
	"testing"
)

// part is embedded by a struct of addresses.
type part struct {
	inPart uintptr `c:"a"`
}

func TestFill(t *testing.T) {
	gone := errors.New("gone")
	addresses := map[string]uintptr{"a": 1, "b": 2, "zero": 0}
	lookup := func(name string) (uintptr, error) {
		p, ok := addresses[name]
		if !ok {
			return 0, gone
		}
		return p, nil
	}
	var good struct {
		part
		a        uintptr `c:"a"`
		other    string
		optional uintptr `c:"c,optional"`
		b        uintptr `c:"b,optional"`
	}
	good.other, good.optional = "left alone", 7
	err := Fill(lookup, &good)
	if err != nil || good.a != 1 || good.inPart != 1 || good.b != 2 || good.optional != 7 || good.other != "left alone" {
		t.Errorf("%+v, error %v", good, err)
	}
	var bad struct {
		zero uintptr `c:"zero"`
		a    uintptr `c:"a"`
		c    uintptr `c:"c"`
	}
	err = Fill(lookup, &bad)
	missing, ok := errors.AsType[*MissingError](err)
	if !ok || !slices.Equal(missing.Names, []string{"zero", "c"}) || bad.a != 1 || bad.zero != 0 || bad.c != 0 {
		t.Fatalf("%+v, error %v", bad, err)
	}
	if !errors.Is(err, gone) || err.Error() != "it lacks zero, c: gone" {
		t.Errorf("error %v", err)
	}
	addresses["c"] = 3
	if err := Fill(lookup, &bad); !errors.Is(err, errZero) {
		t.Errorf("error %v", err)
	}
}
