package driver

import (
	"context"
	"errors"
	"fmt"

	"zonemark/driver/executors"
	"zonemark/driver/launch"
	"zonemark/invocations"
)

// Host is a machine that measures, over a connection that may be lost.
type Host struct {
	Name               string            // for people, and for the journal
	Environment        map[string]string // its fingerprint
	Executor, Emulator executors.Starter // see Execution
	// Reconnect connects again after the connection was lost. Then the starters start executors again.
	Reconnect func(context.Context) error
}

// lost handles that a launch was not made. If its host was lost, others may measure what it has not finished, while it
// is connected again. What was being measured when a host was lost for the second time is finished: it may be the
// reason.
func (f *fleet) lost(ctx context.Context, a answer) error {
	m := a.member
	if !errors.Is(a.Err, executors.ErrHostLost) || ctx.Err() != nil || f.Pairs != nil {
		return a.Err
	}
	if one := m.made.Series[0]; a.Asked {
		if why, blame := m.queue.Lost(one.Index, a.Err); blame {
			err := f.recorder.keepResult(m, one.Index, invocations.Result{ID: f.plan.At(one.Index).Invocation.ID, Merged: 1,
				Calling: invocations.Calling{Mode: one.Measure.Mode}, Status: invocations.Crashed, Error: why})
			if err != nil {
				return err
			}
		}
	}
	m.strategy = nil
	m.queue.Done()
	count := m.queue.GiveBack(m.taken, m.class, func(i int) bool { return f.recorder.has(m, i) })
	f.note("%v\nwhat it had not finished (%d) is measured again", a.Err, count)
	trying, cancel := context.WithCancel(ctx)
	m.callOff = cancel
	f.await(m, func() launch.Answer {
		m.worker.Close()
		err := m.host.Reconnect(trying)
		if trying.Err() != nil { // interrupted, or it is not needed any more
			err = trying.Err()
		}
		return launch.Answer{Err: err}
	})
	return nil
}

// reconnected handles that a lost host is back, or not.
func (f *fleet) reconnected(ctx context.Context, m *member, err error) error {
	m.callOff()
	m.callOff = nil
	if err == nil {
		f.note("host %s is back", m.host.Name)
		return nil
	}
	if !errors.Is(err, context.Canceled) {
		f.gone = fmt.Errorf("host %s is gone: %w", m.host.Name, err)
		f.note("%v", f.gone)
	}
	m.left = true
	m.queue.Leave()
	return f.recorder.spread.without(m.host, ctx.Err())
}
