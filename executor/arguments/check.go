package arguments

import (
	"fmt"
	"slices"
	"strings"

	"zonemark/invocations"
)

// Check compares what calls of a function write with what is expected of them, and with what a reference writes.
type Check struct {
	Of     string // the function, for errors
	Verify invocations.Verification
	Note   func(string) // is told what to know of the first comparison
	// Reference calls the reference on arguments of its own; nil: there is none.
	Reference func() (Written, error)
	// Fresh calls the function on arguments of its own, and Measured on those of the timed calls, whose first contents it
	// restores.
	Fresh, Measured func() (Written, error)
}

// Written is what a call has written, until it is released.
type Written struct {
	Compared []Output // with what the reference has written
	Outputs  []Output // of which something may be expected
	Release  func()
}

// First is what Verify of an executor.Call does.
func (c *Check) First(phase func(string)) (mismatch string, err error) {
	return c.run(phase, c.Fresh, c.Note)
}

// Again is what VerifyAgain of an executor.Call does.
func (c *Check) Again(phase func(string)) (mismatch string, err error) {
	return c.run(phase, c.Measured, nil)
}

func (c *Check) run(
	phase func(string), call func() (Written, error), note func(string),
) (mismatch string, err error) {
	how := Comparison{Tolerance: c.Verify.Tolerance, Note: note}
	var want Written
	if c.Reference != nil {
		phase("reference")
		if want, err = c.Reference(); err != nil {
			return "", fmt.Errorf("reference of %s: %w", c.Of, err)
		}
		defer want.Release()
	}
	phase("verify")
	got, err := call()
	if err != nil {
		return "", err
	}
	defer got.Release()
	var differences []string
	if c.Reference != nil {
		differences = append(differences, how.Compare(got.Compared, want.Compared))
	}
	unexpected, err := how.Expected(got.Outputs, c.Verify.Expected)
	if err != nil {
		return "", fmt.Errorf("%s: %w", c.Of, err)
	}
	differences = append(differences, unexpected)
	return strings.Join(slices.DeleteFunc(differences, func(text string) bool { return text == "" }), "; "), nil
}
