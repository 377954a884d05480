//go:build linux

package slurmtest

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Program is the TB of a program that is no test: what fails is told on standard error and ends Run.
type Program struct {
	cleanups []func()
	failed   bool
}

// ended is the panic that ends Run.
type ended struct{ why string }

// ErrUnable tells that there can be no cluster on this machine.
var ErrUnable = errors.New("no Slurm cluster here")

// Run calls f, and then what Cleanup was given, the last one first. It returns f's error, an ErrUnable if there can be
// no cluster, or an error if something has failed.
func (p *Program) Run(f func() error) (err error) {
	defer func() {
		for _, cleanup := range slices.Backward(p.cleanups) {
			cleanup()
		}
		if err == nil && p.failed {
			err = errors.New("the Slurm cluster did not end well")
		}
	}()
	defer func() {
		switch why := recover().(type) {
		case nil:
		case ended:
			err = errors.New(why.why)
			if !p.failed {
				err = fmt.Errorf("%w: %s", ErrUnable, why.why)
			}
		default:
			panic(why)
		}
	}()
	return f()
}

func (p *Program) Helper()          {}
func (p *Program) Cleanup(f func()) { p.cleanups = append(p.cleanups, f) }
func (p *Program) Failed() bool     { return p.failed }
func (p *Program) Log(args ...any)  { fmt.Fprintln(os.Stderr, args...) }
func (p *Program) Skip(args ...any) { panic(ended{text(args)}) }

func (p *Program) Error(args ...any) {
	p.failed = true
	p.Log(args...)
}

func (p *Program) Fatal(args ...any) {
	p.failed = true
	panic(ended{text(args)})
}

func (p *Program) Fatalf(format string, args ...any) { p.Fatal(fmt.Sprintf(format, args...)) }

func text(args []any) string { return strings.TrimSpace(fmt.Sprintln(args...)) }
