package executor

import (
	"errors"
	"time"

	"zonemark/executor/tracy"
	"zonemark/invocations"
)

const (
	// A trace has fewestTraced calls however long they take, and goes on until it has enoughTraced of them in tracedTime, so that the first ones, which find
	// caches cold and clocks low, do not weigh much.
	fewestTraced = 3
	enoughTraced = 50
	tracedTime   = 20 * time.Millisecond
	// connectPatience is how long the first traced invocation waits for the capture tool; what is emitted before would not be lost, but a
	// client that nobody listens to keeps it in memory.
	connectPatience = 10 * time.Second
	connectLook     = 5 * time.Millisecond
)

// trace makes calls, each inside a bracket zone with the invocation's id, and measures nothing: traced times are not the times.
func (s *Server) trace(ses *session, calls int64, started func(phase string)) (invocations.Result, error) {
	client, err := s.tracyClient(ses)
	if err != nil {
		return invocations.Result{}, err
	}
	started("trace")
	if ses.call.Reset != nil {
		ses.call.Reset()
	}
	start := time.Now()
	made := int64(0)
	for ; made < calls; made++ {
		spent := time.Since(start)
		if made >= fewestTraced && spent >= time.Duration(ses.inv.Measure.MaxTimeNS) || made >= enoughTraced && spent >= tracedTime {
			break
		}
		zone := client.Begin(ses.inv.ID)
		if made == 0 {
			zone.Text("name=" + ses.inv.Name) // once: for whoever reads the capture without the run
		}
		_, err := ses.timer.run(1, 1)
		zone.End()
		if err != nil {
			return invocations.Result{}, err
		}
		ses.settle()
	}
	return invocations.Result{Status: invocations.OK, Stop: invocations.StopTrace, Iterations: made, Notes: ses.call.Notes}, nil
}

var errUncaptured = errors.New("no capture tool is connected to the runtime's Tracy client")

// captureState is what is known of the capture tool.
type captureState int

const (
	captureUnknown captureState = iota
	captureSeen                 // it was connected
	captureLost                 // it was, and is not any more
	captureNever                // it has not come in time
)

// CaptureLost says whether a traced session has ended up without a capture tool; nothing can be sent any more, and nobody should wait until it is.
func (s *Server) CaptureLost() bool { return s.capture == captureLost || s.capture == captureNever }

// tracyClient is the client of the session's program, with a capture attached.
func (s *Server) tracyClient(ses *session) (*tracy.Client, error) {
	p := s.programs[programKey(&ses.inv.Artifact, ses.inv.Runtime)]
	traced, ok := p.Program.(Traced)
	if !ok || traced.TracyClient() == nil {
		return nil, &UnsupportedError{"its native code carries no Tracy client"}
	}
	client := traced.TracyClient()
	for end := time.Now().Add(connectPatience); !client.Connected(); time.Sleep(connectLook) {
		if s.capture == captureSeen {
			s.capture = captureLost
		} else if time.Now().After(end) {
			s.capture = captureNever
		}
		if s.CaptureLost() { // nobody comes again, however often we wait
			return nil, errUncaptured
		}
	}
	s.capture = captureSeen
	return client, nil
}

// profile fills the dispatches of a measured invocation in, where the runtime has a profiler and they were asked for.
func (s *session) profile(r *invocations.Result, started func(phase string)) error {
	calls := s.inv.Measure.ProfileCalls
	if calls <= 0 || s.call.Profile == nil {
		return nil
	}
	started("profile")
	p, err := s.call.Profile(calls)
	if err != nil {
		return err
	}
	enterProfile(r, p)
	return nil
}
