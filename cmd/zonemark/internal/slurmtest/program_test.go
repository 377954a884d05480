//go:build linux

package slurmtest

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// A program learns why it ended, and everything that was begun is ended in either case.
func TestProgram(t *testing.T) {
	own := errors.New("of the program")
	for _, c := range []struct {
		name   string
		f      func(p *Program) error
		want   string
		unable bool
	}{
		{"well", func(*Program) error { return nil }, "", false},
		{"its own error", func(*Program) error { return own }, own.Error(), false},
		{"no cluster", func(p *Program) error { p.Skip("no", "munge"); return nil }, "no munge", true},
		{"a daemon failed", func(p *Program) error { p.Fatalf("waited %d s", 30); return nil }, "waited 30 s", false},
		{"it did not end well", func(p *Program) error { p.Error("for the log"); return nil }, "did not end well", false},
	} {
		var p Program
		var ended []int
		err := p.Run(func() error {
			for n := range 2 {
				p.Cleanup(func() { ended = append(ended, n) })
			}
			return c.f(&p)
		})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if errors.Is(err, ErrUnable) != c.unable || !slices.Equal(ended, []int{1, 0}) {
			t.Errorf("%s: %v, unable %v; ended in the order %v", c.name, err, c.unable, ended)
		}
	}
}
