package serving

import (
	"fmt"
	"slices"
	"strings"

	"zonemark/invocations"
)

// Refusal is a system call that the sandbox has refused to native code.
type Refusal struct {
	Call  string // its name
	Path  string // that it was about; empty if that is not known
	Times int64
	Allow string // for people: what allows it
}

// what returns the call for people, such as "openat of /etc/hostname".
func (r *Refusal) what() string {
	if r.Path == "" {
		return r.Call
	}
	return r.Call + " of " + r.Path
}

// Supervision tells what the sandbox sees of native code. Its functions may be nil: nothing is seen then.
type Supervision struct {
	// Refused returns the system calls that were refused since it was called last.
	Refused func() []Refusal
	// Slowed returns how many calls since it was called last took longer because of the supervision itself.
	Slowed func() int64
	// Slower is by which fraction the shortest call of the system takes longer than outside of the sandbox; 0: not known.
	Slower float64
}

// refused returns the refused calls since it was called last.
func (s *Supervision) refused() []Refusal {
	if s.Refused == nil {
		return nil
	}
	return s.Refused()
}

// slowed reports whether supervision has slowed native code down since it was called last.
func (s *Supervision) slowed() bool { return s.Slowed != nil && s.Slowed() > 0 }

// refusalNote returns what a reader should know of calls that were refused during the calls of a function; empty if
// none was. calls is the number of these; 0 if it is not known.
func refusalNote(refused []Refusal, calls int64) string {
	var list []string
	for i := range refused {
		one := &refused[i]
		text := one.what()
		switch {
		case calls > 0 && one.Times%calls == 0:
			text += fmt.Sprintf(", %d a call", one.Times/calls)
		case calls > 0:
			text += fmt.Sprintf(", %d in %d calls", one.Times, calls)
		}
		list = append(list, text+" ("+one.Allow+")")
	}
	if len(list) == 0 {
		return ""
	}
	return "refused: " + strings.Join(list, "; ") + "; the time is that of calls that went on without it"
}

// explaining returns those of refused calls that may explain an error. Runtimes ask whether there are rings of io_uring, and
// go on without them, so a refused ring explains an error only if that names it.
func explaining(refused []Refusal, err string) []Refusal {
	err = strings.ToLower(err)
	named := strings.Contains(err, "io_uring") || strings.Contains(err, "operation not permitted")
	return slices.DeleteFunc(slices.Clone(refused), func(r Refusal) bool { return r.Call == "io_uring_setup" && !named })
}

// refusalText returns the end of an error during which the sandbox has refused calls; empty if it has refused none.
func refusalText(refused []Refusal) (text string) {
	for len(refused) > 0 {
		allow := refused[0].Allow
		var names []string
		for i := range refused {
			if refused[i].Allow == allow && !slices.Contains(names, refused[i].what()) {
				names = append(names, refused[i].what())
			}
		}
		refused = slices.DeleteFunc(slices.Clone(refused), func(r Refusal) bool { return r.Allow == allow })
		text += "; the sandbox refused " + strings.Join(names, ", ") + ": " + allow
	}
	return text
}

// tell adds to a result what was refused during its calls; see refusalNote. It is then never clean. What was told
// before is not told again.
func (s *Server) tell(r *invocations.Result, calls int64) {
	fresh := s.Supervision.refused()
	known := func(one Refusal) bool {
		return slices.ContainsFunc(s.refused, func(before Refusal) bool { return before.what() == one.what() })
	}
	untold := slices.DeleteFunc(slices.Clone(fresh), known)
	s.refused = append(s.refused, untold...)
	if note := refusalNote(untold, calls); note != "" {
		r.Notes = append(r.Notes, note)
	}
	if len(s.refused) > 0 {
		r.AddVerdict(invocations.Refused)
	}
}
