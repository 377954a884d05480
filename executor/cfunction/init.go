package cfunction

import (
	"cmp"
	"fmt"

	"zonemark/executor/native"
	"zonemark/invocations"
)

// InitFunction is a function without parameters that sets a library up. It is called once, before all others.
type InitFunction struct {
	Name   string
	Result invocations.ElementType // an integer type; empty if what it returns does not matter
	// Relation and Bound are what its result must obey: "==" and 0. Relation is empty if nothing is asked for.
	Relation string
	Bound    int64
}

// call calls the function at an address. It returns an error if that does not return what is asked for.
func (f *InitFunction) call(address uintptr) error {
	loop, err := native.NewLoop(native.MonotonicClock(), address, make([]native.Frame, 1))
	if err != nil {
		return err
	}
	defer loop.Close()
	if err := loop.RunChecked(1); err != nil || f.Relation == "" {
		return err
	}
	word, _ := loop.Returned()
	value := returned{integer: word}.bytes(f.Result)
	if got := integerOf(value, f.Result); !f.holds(got) {
		return fmt.Errorf("it returned %d, and %s %d was asked for", got, f.Relation, f.Bound)
	}
	return nil
}

// holds reports whether a value is as it is asked for.
func (f *InitFunction) holds(value int64) bool {
	order := cmp.Compare(value, f.Bound)
	switch f.Relation {
	case "==":
		return order == 0
	case "!=":
		return order != 0
	case ">=":
		return order >= 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order < 0
}

// callInits calls the functions that the option names.
func (p *program) callInits() error {
	for i := range p.described.Init {
		f := &p.described.Init[i]
		address, err := p.entry(f.Name)
		if err != nil {
			return err
		}
		if err := f.call(address); err != nil {
			return fmt.Errorf("%s: set-up function %s: %w", p.described.Of, f.Name, err)
		}
	}
	return nil
}
