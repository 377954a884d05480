package executor

import (
	"errors"
	"time"

	"zonemark/executor/platform"
	"zonemark/executor/tracy"
	"zonemark/invocations"
)

const (
	// A trace has fewestTraced calls however long they take. It goes on until it has enoughTraced of them in
	// tracedTime, so that the first ones, which find caches cold and clocks low, do not weigh much.
	fewestTraced = 3
	enoughTraced = 50
	tracedTime   = 20 * time.Millisecond
	// connectPatience is how long the first traced invocation waits for the capture tool. What is emitted before would
	// not be lost, but a client without a listener keeps it in memory.
	connectPatience = 10 * time.Second
	connectLook     = 5 * time.Millisecond
)

// trace makes calls, each inside a bracket zone with the invocation's id. It measures nothing, because traced calls
// take longer.
func (s *Server) trace(ses *session, calls int64, started func(phase string)) (invocations.Result, error) {
	client, err := s.tracyClient(ses)
	if err != nil {
		return invocations.Result{}, err
	}
	// The client's threads start on their own while the module is loaded, set up signals, and run on while they send.
	s.threads = platform.Threads(nil)
	s.left.begin(false)
	started("trace")
	if ses.call.Reset != nil {
		ses.call.Reset()
	}
	start, most := ses.now(), ses.inv.Measure.MaxTime()
	around := ses.instruments.around
	before := around.contention()
	var quiet QuietCalls
	quiet.Begin()
	made := int64(0)
	for ; made < calls; made++ {
		spent := ses.now().Sub(start)
		late := spent >= most
		if made >= fewestTraced && late || made >= enoughTraced && spent >= tracedTime {
			break
		}
		zone := client.Begin(ses.inv.ID)
		if made == 0 {
			zone.Text("name=" + ses.inv.Name) // once, for readers of the capture that do not have the run
		}
		_, err := ses.timer.run(1, 1)
		zone.End()
		if err != nil {
			return invocations.Result{}, err
		}
		quiet.Next()
		ses.call.settle()
	}
	r := invocations.Result{
		Status:     invocations.OK,
		Stop:       invocations.StopTrace,
		Iterations: made,
		Notes:      ses.call.Notes,
		Canary:     invocations.Canary{Batches: made, Quiet: quiet.Quiet, Interrupted: made - quiet.Quiet},
	}
	if keptWaiting(before, around.contention(), float64(ses.now().Sub(start))) {
		r.AddVerdict(invocations.Contended)
	}
	return r, nil
}

var errUncaptured = errors.New("no capture tool is connected to the runtime's Tracy client")

// captureState is what is known about the capture tool.
type captureState int

const (
	captureUnknown captureState = iota
	captureSeen                 // it was connected
	captureLost                 // it was connected, and is not any more
	captureNever                // it did not connect in time
)

// CaptureLost reports whether a traced session has ended up without a capture tool. Nothing can be sent any more, so
// the caller should not wait for it.
func (s *Server) CaptureLost() bool { return s.capture == captureLost || s.capture == captureNever }

// tracyClient returns the client of the session's call, with a capture tool connected.
func (s *Server) tracyClient(ses *session) (*tracy.Client, error) {
	client := ses.call.Tracy
	if client == nil {
		return nil, &UnsupportedError{"its native code carries no Tracy client"}
	}
	for end := time.Now().Add(connectPatience); !client.Connected(); time.Sleep(connectLook) {
		if s.capture == captureSeen {
			s.capture = captureLost
		} else if time.Now().After(end) {
			s.capture = captureNever
		}
		if s.CaptureLost() { // waiting again would not bring it back
			return nil, errUncaptured
		}
	}
	s.capture = captureSeen
	return client, nil
}

// profile fills in the dispatches of a measured invocation, if they were asked for and the runtime has a profiler.
func (s *session) profile(r *invocations.Result, started func(phase string)) error {
	calls := s.inv.Measure.ProfileCalls
	if calls <= 0 || s.call.Profile == nil {
		return nil
	}
	started("profile")
	around := s.instruments.around
	start, before := around.now(), around.contention()
	p, err := s.call.Profile(calls)
	if err != nil {
		return err
	}
	if keptWaiting(before, around.contention(), float64(around.now().Sub(start))) {
		p.Contended, p.Notes = true, append(p.Notes, "while its dispatches were timed, "+
			"threads waited for CPUs that other work had: the table of dispatches is that of a loaded machine")
	}
	enterProfile(r, p)
	return nil
}
