package remote

import (
	"strings"
	"testing"
	"time"

	"zonemark/driver/executors"
	"zonemark/invocations"
	"zonemark/invocations/wire"
	"zonemark/invocations/wire/wiretest"
)

// startWatched starts an executor that plays, of whose machine an invocation's name tells what is seen there: the kernel ends
// a child of "hungry", which goes on and answers, and a thread of "busy" works for longer than that says.
func startWatched() *executors.Process {
	starved, measures, worked := make(chan struct{}), make(chan struct{}), make(chan struct{})
	has := func(c chan struct{}) bool {
		select {
		case <-c:
			return true
		default:
			return false
		}
	}
	play := func(m *wire.Execute) *invocations.Result {
		r := &invocations.Result{Status: invocations.OK, Calling: invocations.Calling{Iterations: 1,
			CallsPerBatch: 1}, Batches: invocations.Batches{SamplesNS: []float64{1}}, Accounts: invocations.Accounts{AccountedNS: 1}}
		switch m.ID {
		case "hungry":
			close(starved)
		case "busy":
			select {
			case <-measures:
				close(worked)
			case <-time.After(10 * time.Second): // nobody has told the host
			}
		}
		return r
	}
	c := (&wiretest.Player{Play: play, Phase: func(*wire.Execute) string { return "measure" }}).Connect()
	return &executors.Process{
		To: c.To, From: c.From, Kill: c.End, DiscardOutput: func() {},
		Starved:   func() bool { return has(starved) },
		BeginWork: func() { close(measures) },
		WorkedNS: func() int64 {
			if has(worked) {
				return 1e9
			}
			return 0
		},
		Wait: func() executors.Exit {
			<-c.Ended
			exit := executors.Exit{Signal: "SIGKILL"}
			if has(starved) {
				exit.Exceeded = executors.Exceeded{Limit: executors.LimitMemory, Used: 1 << 29, Allowed: 1 << 29}
			}
			return exit
		},
	}
}

// What a host sees of an executor counts as much as what this machine would see. The kernel ends a child of a call because
// memory ran out, and the call, which waited, goes on and answers. A thread has worked for longer than the answer says.
func TestSeenThere(t *testing.T) {
	session, _, err := dial(t)
	if err != nil {
		t.Fatal(err)
	}
	s := &executors.Supervisor{Build: "test", Starter: session.Starter("watched", wire.ExecutorSettings{}, nil)}
	defer s.Close()
	for id, want := range map[string]struct {
		status invocations.Status
		why    string
	}{
		"hungry": {invocations.OutOfMemory, "--memory allows more"},
		"busy":   {invocations.Crashed, "a thread of it has worked for 1 s"},
		"frugal": {invocations.OK, ""},
	} {
		s.Renew()
		r, err := s.Execute(t.Context(), &wire.Execute{Invocation: invocations.Invocation{ID: id,
			Limits: invocations.Limits{TimeoutNS: 20e9}}}, "")
		if err != nil || r.Status != want.status || !strings.Contains(r.Error, want.why) {
			t.Errorf("%s: %s, %q, %v; want %v", id, r.Status, r.Error, err, want)
		}
	}
}
