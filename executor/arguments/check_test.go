package arguments

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"zonemark/invocations"
)

// A check calls the reference first, tells both kinds of differences, and releases what calls have written.
func TestCheck(t *testing.T) {
	released := 0
	writes := func(values ...byte) func() (Written, error) {
		return func() (Written, error) {
			list := []Output{{Label: "x", Element: invocations.Uint8, Shape: []int64{int64(len(values))}, Data: values}}
			return Written{Compared: list, Outputs: list, Release: func() { released++ }}, nil
		}
	}
	c := &Check{Of: "f", Verify: invocations.Verification{Expected: []string{"2xui8=7"}},
		Reference: writes(7, 7), Fresh: writes(7, 8), Measured: writes(7, 7)}
	var phases []string
	phase := func(name string) { phases = append(phases, name) }
	mismatch, err := c.First(phase)
	if err != nil || !strings.HasPrefix(mismatch, "x: 1 of 2 elements") || !strings.Contains(mismatch, "; x is not as expected: ") {
		t.Errorf("mismatch %q, error %v", mismatch, err)
	}
	if !slices.Equal(phases, []string{"reference", "verify"}) || released != 2 {
		t.Errorf("phases %v, %d released", phases, released)
	}
	if mismatch, err := c.Again(phase); mismatch != "" || err != nil {
		t.Errorf("again: mismatch %q, error %v", mismatch, err)
	}
	failed := errors.New("it failed")
	c.Reference = func() (Written, error) { return Written{}, failed }
	if _, err := c.First(phase); !errors.Is(err, failed) || err.Error() != "reference of f: it failed" {
		t.Errorf("error %v", err)
	}
}
