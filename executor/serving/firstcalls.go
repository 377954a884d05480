package serving

import (
	"zonemark/executor/dl"
	"zonemark/executor/platform"
	"zonemark/executor/rounds"
	"zonemark/invocations"
)

// faultNS is more than it takes to put a page of zeros, or of a file that is in memory, where it is touched first.
const faultNS = 3000

// firstCall finds out what the first of some calls takes of the thread's CPU time, beside page faults.
type firstCall struct {
	look   func() (cpuNS, faults int64) // of the thread up to now
	cpuNS  int64                        // when the call began
	faults int64
	began  bool
	ns     float64 // what it has taken; 0: not known
}

// onThread returns what the calling thread has used up to now.
func onThread() (cpuNS, faults int64) {
	return platform.ThreadCPUTimeNS(), platform.ThreadUsage().Faults
}

// next is called before each call and after the last one.
func (f *firstCall) next() {
	if f.ns > 0 {
		return
	}
	cpu, faults := f.look()
	if f.began {
		f.ns = float64(max(1, cpu-f.cpuNS-faultNS*(faults-f.faults)))
	}
	f.cpuNS, f.faults, f.began = cpu, faults, true
}

// firstCalls makes the first calls of a session, and tells what was refused in them and how long the first one took.
// again says that later calls would be slowed down by the supervision: the result then asks for another executor.
func (s *Server) firstCalls(ses *rounds.Session) (told invocations.Result, again bool, err error) {
	if ses.Begun() {
		return told, false, nil
	}
	s.Supervision.refused() // in loading and comparing
	s.Supervision.slowed()
	dl.ForgetUse() // in loading, which uses far more code
	first := firstCall{look: onThread}
	calls, err := ses.FirstCalls(func() {
		s.Supervision.slowed()
		first.next()
	})
	if err != nil {
		return told, false, err
	}
	if calls > 0 {
		first.next()
		told.FirstNS = first.ns
		dl.OwnUsed()
	}
	s.tell(&told, calls)
	if again = s.Supervision.slowed(); again { // in the last one
		return s.unsupervised(told), true, nil
	}
	return told, false, nil
}
