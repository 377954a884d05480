package modelbench

import (
	"context"
	"errors"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/driver/bench"
	"zonemark/invocations/files"
)

// finish keeps the records, reports and returns the exit status. The error is one of all runtimes.
func (b *Benchmark) finish(ctx context.Context, err error) int {
	if ctx.Err() != nil {
		err = interrupted(err)
	}
	for _, t := range b.targets {
		if t.fail(err); t.failure != nil {
			t.record.Fail(t.failure)
		}
	}
	b.compare()
	keeping := b.keep(context.WithoutCancel(ctx))
	status := cli.ExitOK
	if reporting := b.report(); reporting != nil && !cli.ReaderGone(reporting) {
		status = b.Fail("write the report: %v", reporting)
	}
	for _, t := range b.targets {
		status = max(status, t.status(ctx))
		if t.failure == nil && t.stalled != nil {
			b.Fail("%s%v", prefixed(t.name()), t.stalled)
		}
		alike := t.alike(func(a, b *target) bool { return errors.Is(a.failure, b.failure) })
		switch {
		case t.failure == nil, errors.Is(t.failure, err): // what concerns all is said once
		case !alike:
			b.Fail("%s%v", prefixed(t.name()), t.failure)
		case t.host == 0:
			b.Fail("%s%v", prefixed(t.runtimeName()), t.failure)
		}
	}
	if err != nil {
		b.Fail("%v", err)
	}
	if keeping != nil {
		return b.Fail("%v", keeping)
	}
	return status
}

// interrupted returns the error of an interrupted benchmark, with what it has kept of its journal.
func interrupted(err error) error {
	var early *measuring.EarlyError
	if errors.As(err, &early) {
		return errors.New("interrupted\n" + early.LeftOver)
	}
	return errors.New("interrupted")
}

// compare compares the runtimes on each host, and the hosts of each runtime.
func (b *Benchmark) compare() {
	for host := range b.hostCount() {
		list := b.onHost(host)
		beside := bench.Compare(recordsOf(list))
		for _, t := range list {
			t.record.Zonemark.Beside = beside
		}
	}
	if !b.Spread {
		return
	}
	for _, leader := range b.onHost(0) {
		list := leader.byRuntime()
		hosts := bench.CompareHosts(recordsOf(list))
		for _, t := range list {
			t.record.Zonemark.Hosts = hosts
		}
	}
}

// keep appends the records to the file that was named.
func (b *Benchmark) keep(ctx context.Context) error {
	if b.Options.Output == "" || b.Options.DisableOutput == 1 {
		return nil
	}
	for _, t := range b.targets {
		if err := t.keep(ctx); err != nil {
			return err
		}
	}
	return nil
}

// keep appends the record to the file that was named.
func (t *target) keep(ctx context.Context) error {
	written, problem, err := bench.Append(ctx, t.options.Output, t.record)
	if err != nil {
		return err
	}
	if unlocked := new(files.UnsupportedError); errors.As(problem, &unlocked) {
		t.Say("zonemark: note: %s: %v; make sure that no other run writes to it", written, unlocked)
		problem = nil
	}
	if problem != nil {
		t.Say("zonemark: WARNING: %v; the file is left as it is, and the record is in %s", problem, written)
		return nil
	}
	if !t.Quiet {
		t.say("the record is in %s", written)
	}
	return nil
}
