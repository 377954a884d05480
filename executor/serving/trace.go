package serving

import (
	"errors"
	"time"

	"zonemark/executor"
	"zonemark/executor/platform"
	"zonemark/executor/rounds"
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
func (s *Server) trace(ses *rounds.Session, calls int64, started func(phase string)) (invocations.Result, error) {
	client, err := s.tracyClient(ses)
	if err != nil {
		return invocations.Result{}, err
	}
	// The client's threads start on their own while the module is loaded, set up signals, and run on while they send.
	s.threads = platform.Threads(nil)
	s.left.begin(false)
	started("trace")
	ses.Reset()
	inv := ses.Invocation()
	start, most := time.Now(), inv.Measure.MaxTime()
	before := platform.ReadContention()
	var quiet executor.QuietCalls
	quiet.Begin()
	made := int64(0)
	for ; made < calls; made++ {
		spent := time.Since(start)
		late := spent >= most
		if made >= fewestTraced && late || made >= enoughTraced && spent >= tracedTime {
			break
		}
		zone := client.Begin(inv.ID)
		if made == 0 {
			zone.Text("name=" + inv.Name) // once, for readers of the capture that do not have the run
		}
		err := ses.RunOnce()
		zone.End()
		if err != nil {
			return invocations.Result{}, err
		}
		quiet.Next()
		ses.Call().Settle()
	}
	r := invocations.Result{
		Status:  invocations.OK,
		Calling: invocations.Calling{Stop: invocations.StopTrace, Iterations: made},
		Notes:   ses.Call().Notes,
		Canary:  invocations.Canary{Batches: made, Quiet: quiet.Quiet, Interrupted: made - quiet.Quiet},
	}
	if platform.ReadContention().KeptWaiting(before, float64(time.Since(start))) {
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
func (s *Server) tracyClient(ses *rounds.Session) (*tracy.Client, error) {
	client := ses.Call().Tracy
	if client == nil {
		return nil, &executor.UnsupportedError{Reason: "its native code carries no Tracy client"}
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
