package modelbench

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"zonemark/cmd/zonemark/internal/remoting"
)

// checkVia returns an error for what --via and --spread cannot do.
func (f *Flags) checkVia() error {
	if err := remoting.Check(f.Via, f.SandboxCache); err != nil {
		return err
	}
	switch {
	case f.Spread && len(f.Via) < 2:
		return errors.New("--spread measures on several hosts and compares them: give --via for each of them " +
			"(--via env is this machine)")
	case !f.Spread && len(f.Via) > 1:
		return errors.New("--via: a model is measured as a whole, so that hosts cannot share the work: --spread measures " +
			"it on each of them; or give --via once")
	}
	return nil
}

// connect connects to the hosts of --via, for the whole benchmark.
func (b *Benchmark) connect(ctx context.Context) (err error) {
	if len(b.Via) == 0 {
		return nil
	}
	b.hosts, err = remoting.Connect(ctx, remoting.Options{
		Via: b.Via, Hosting: b.Hosting(b.Variables, ""), Runtimes: namesOf(b.backends), Say: b.progress.Say,
		Line: b.progress.Line,
	})
	if err != nil {
		return err
	}
	b.environment = b.hosts.Environment()
	for n, h := range b.hosts.List() {
		for _, t := range b.onHost(n) {
			t.record.MachineName, t.record.Zonemark.Environment = h.Name, h.Environment
		}
	}
	return nil
}

// onHost returns the runtimes on a host, in their order. Without --via, there is one host, this machine.
func (b *Benchmark) onHost(number int) (list []*target) {
	for _, t := range b.targets {
		if t.host == number {
			list = append(list, t)
		}
	}
	return list
}

// hostCount is the number of machines that measure everything.
func (f *Flags) hostCount() int { return max(1, len(f.Via)) }

// byRuntime returns the targets of a target's runtime on all hosts.
func (t *target) byRuntime() []*target {
	at := slices.Index(t.targets, t) - t.host
	return t.targets[at : at+t.hostCount()]
}

// name returns what tells a target from the others: its runtime, its host, or both. It is empty if there is no other.
func (t *target) name() string {
	if !t.Spread {
		return t.runtimeName()
	}
	host := cmp.Or(t.record.MachineName, t.Via[t.host])
	if t.several() {
		return t.backend.name + " on " + host
	}
	return host
}

// runtimeName returns the name of the runtime if there are several.
func (t *target) runtimeName() string {
	if t.several() {
		return t.backend.name
	}
	return ""
}

// alike reports whether all hosts of a target's runtime agree on something.
func (t *target) alike(agree func(a, b *target) bool) bool {
	return !slices.ContainsFunc(t.byRuntime(), func(other *target) bool { return !agree(t, other) })
}
