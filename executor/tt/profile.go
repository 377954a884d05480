package tt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"zonemark/executor"
	"zonemark/executor/tt/pjrt"
	"zonemark/invocations"
	"zonemark/invocations/stats"
)

// profile makes calls under the plugin's profiler and returns where their time was spent. Problems of the profiler
// become notes, because the call has been measured without it. It makes at least minProfiled calls, and more of them
// within the budget.
func (s *argumentSet) profile(calls int64, budget time.Duration) (invocations.Profile, error) {
	var callNS []float64
	var failed error
	var quiet executor.QuietCalls
	data, err := s.program.client.Plugin().Profile(func() error {
		begin := time.Now()
		quiet.Begin()
		for made := range calls {
			start := time.Now()
			if made >= minProfiled && start.Sub(begin) >= budget {
				break
			}
			if failed = s.invoke(); failed != nil {
				return failed
			}
			callNS = append(callNS, float64(time.Since(start)))
			quiet.Next()
		}
		return nil
	})
	if failed != nil {
		return invocations.Profile{}, outOfMemory(failed)
	}
	p := invocations.Profile{CallNS: stats.Median(callNS)}
	var space pjrt.XSpace
	if err == nil {
		space, err = pjrt.ParseXSpace(data)
	}
	if err != nil {
		p.Partial, p.Notes = true, []string{fmt.Sprintf("no times of operations: %v", err)}
		return p, nil
	}
	p = operationProfile(space, callNS)
	p.Made, p.Quiet = quiet.Made, quiet.Quiet
	return p, nil
}

const minProfiled = 3

// operation is one executed operation of the program on one device.
type operation struct {
	name           string
	startPS, endPS int64
}

// operations returns the operations of a profile in the order of their starts. They are those of one device, or of the
// host if the host is the device. plane is its name, others the number of planes of other devices.
func operations(space pjrt.XSpace) (list []operation, plane string, others int) {
	for _, p := range space.Planes {
		if !strings.HasPrefix(p.Name, "/device:") {
			continue
		}
		found := planeOperations(p, deviceLine(p), func(e pjrt.XEvent) string { return cmp.Or(e.Operation, e.Name) })
		switch {
		case len(found) == 0:
		case plane == "":
			list, plane = found, p.Name
		default:
			others++
		}
	}
	if plane != "" {
		return list, plane, others
	}
	for _, p := range space.Planes { // threads of the host: their events name their operations
		all := func(string) bool { return true }
		if found := planeOperations(p, all, func(e pjrt.XEvent) string { return e.Operation }); len(found) > 0 {
			return found, p.Name, 0
		}
	}
	return nil, "", 0
}

// deviceLine chooses the lines of a device that hold its operations: the line with that name, or else all lines except
// the summaries that XLA adds to streams.
func deviceLine(p pjrt.XPlane) func(name string) bool {
	const named = "XLA Ops"
	if slices.ContainsFunc(p.Lines, func(l pjrt.XLine) bool { return l.Name == named }) {
		return func(name string) bool { return name == named }
	}
	summaries := []string{"Steps", "XLA Modules", "Framework Ops", "Framework Name Scope", "Source code", "Source",
		"XLA TraceMe", "Launch Stats", "TensorFlow Ops", "TensorFlow Name Scope"}
	return func(name string) bool { return !slices.Contains(summaries, name) }
}

// planeOperations returns the named events of the chosen lines that enclose no others. A loop is represented by its
// contents.
func planeOperations(p pjrt.XPlane, chosen func(line string) bool, name func(pjrt.XEvent) string) (list []operation) {
	for _, l := range p.Lines {
		if !chosen(l.Name) {
			continue
		}
		var line []operation
		for _, e := range l.Events {
			if n := name(e); n != "" && e.DurationPS > 0 {
				line = append(line, operation{n, e.StartPS, e.StartPS + e.DurationPS})
			}
		}
		list = append(list, innermost(line)...)
	}
	slices.SortStableFunc(list, func(a, b operation) int { return cmp.Compare(a.startPS, b.startPS) })
	return list
}

// innermost drops operations that enclose others of their line.
func innermost(line []operation) (list []operation) {
	slices.SortStableFunc(line, func(a, b operation) int {
		return cmp.Or(cmp.Compare(a.startPS, b.startPS), cmp.Compare(b.endPS, a.endPS))
	})
	for i, o := range line {
		if i+1 < len(line) && line[i+1].startPS < o.endPS && line[i+1].endPS <= o.endPS {
			continue
		}
		list = append(list, o)
	}
	return list
}

// operationProfile returns where the time of calls was spent, from the operations of a profile. The program did the
// same in each call.
func operationProfile(space pjrt.XSpace, callNS []float64) invocations.Profile {
	p := invocations.Profile{CallNS: stats.Median(callNS)}
	for _, text := range slices.Concat(space.Errors, space.Warnings) {
		p.Notes = append(p.Notes, "the plugin's profiler says: "+text)
	}
	p.Partial = len(space.Errors) > 0
	all, plane, others := operations(space)
	if len(all) == 0 {
		p.UnexplainedNS = p.CallNS
		p.Partial, p.Notes = true, append(p.Notes, "the plugin's profiler has recorded no operations")
		return p
	}
	if others > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("the operations are those of %s, one of %d devices", plane, others+1))
	}
	if err := addCalls(&p, all, callNS); err != nil {
		p.Partial, p.Notes = true, append(p.Notes,
			fmt.Sprintf("%v: operations are added up by name, and gaps are not known", err))
		p.Dispatches = byName(all)
	}
	return p
}

// maxRows is the number of operations of a call above which operations of one name become one row. Loops repeat theirs.
const maxRows = 256

// occurrence is an operation of a call: the k-th of its name.
type occurrence struct {
	name string
	k    int
}

// addCalls divides the operations into as many equal calls as were made, and adds up each operation over all of them.
func addCalls(p *invocations.Profile, all []operation, callNS []float64) error {
	calls := len(callNS)
	each := len(all) / max(1, calls)
	if calls == 0 || each == 0 || len(all)%calls != 0 {
		return fmt.Errorf("the profile has %d operations of %d calls, which are not alike", len(all), calls)
	}
	first := occurrences(all[:each])
	durations := map[occurrence][]float64{}
	var gap, host []float64
	for i := range calls {
		call := all[i*each : (i+1)*each]
		names := occurrences(call)
		if !sameOccurrences(first, names) {
			return fmt.Errorf("the profile's call %d has other operations than the first", i)
		}
		for j, o := range call {
			durations[names[j]] = append(durations[names[j]], nanoseconds(o.endPS-o.startPS))
		}
		span, busy := spanPS(call)
		gap = append(gap, nanoseconds(span-busy))
		host = append(host, max(0, callNS[i]-nanoseconds(span)))
	}
	p.GapNS, p.HostNS = stats.Median(gap), stats.Median(host)
	if each > maxRows {
		p.Dispatches = byName(all)
		return nil
	}
	for i, o := range first {
		p.Dispatches = append(p.Dispatches, dispatch(o.name, i, durations[o]))
	}
	return nil
}

// occurrences returns the operations of a call, numbered by name.
func occurrences(call []operation) []occurrence {
	seen := map[string]int{}
	list := make([]occurrence, len(call))
	for i, o := range call {
		list[i] = occurrence{o.name, seen[o.name]}
		seen[o.name]++
	}
	return list
}

// sameOccurrences reports whether two calls have the same operations, in any order, because threads may overtake each
// other.
func sameOccurrences(a, b []occurrence) bool {
	there := map[occurrence]bool{}
	for _, o := range a {
		there[o] = true
	}
	return !slices.ContainsFunc(b, func(o occurrence) bool { return !there[o] })
}

// spanPS returns the time from the first start to the last end, and the part of it in which some operation ran. The
// operations must be in the order of their starts.
func spanPS(call []operation) (span, busy int64) {
	end := call[0].startPS
	for _, o := range call {
		busy += max(0, o.endPS-max(o.startPS, end))
		end = max(end, o.endPS)
	}
	return end - call[0].startPS, busy
}

// byName adds operations up by name, in the order in which the names first appear.
func byName(all []operation) (list []invocations.Dispatch) {
	var names []string
	durations := map[string][]float64{}
	for _, o := range all {
		if durations[o.name] == nil {
			names = append(names, o.name)
		}
		durations[o.name] = append(durations[o.name], nanoseconds(o.endPS-o.startPS))
	}
	for i, name := range names {
		list = append(list, dispatch(name, i, durations[name]))
	}
	return list
}

func dispatch(name string, ordinal int, ns []float64) invocations.Dispatch {
	d := invocations.Dispatch{Name: name, Ordinal: ordinal}
	d.Time(ns)
	return d
}

func nanoseconds(ps int64) float64 { return float64(ps) / 1e3 }

// withProfile gives a call its profile if the plugin has a profiler. If it has none and the profile is wanted, it adds
// a note.
func (s *argumentSet) withProfile(call *executor.Call, m invocations.Measure) {
	if m.ProfileCalls <= 0 {
		return
	}
	if !s.program.client.Plugin().HasProfiler() {
		call.Notes = append(call.Notes, fmt.Sprintf("no times of operations: %v", pjrt.ErrNoProfiler))
		return
	}
	call.Profile = func(calls int64) (invocations.Profile, error) {
		return s.profile(calls, m.MaxTime())
	}
}
