package driver

import (
	"strings"
	"time"

	"zonemark/driver/combine"
	"zonemark/driver/journal"
	"zonemark/driver/launch"
	"zonemark/driver/machine"
	"zonemark/driver/plan"
	"zonemark/driver/schedule"
	"zonemark/invocations"
)

// Progress tells how far a run has come.
type Progress struct {
	Finished, Total  int
	Name             string              // of the invocation that is being measured
	Launch, Launches int                 // number of the launch, 0-based, and of all planned ones; 0: as many as it takes
	Record           *invocations.Record // set if an invocation has just ended
	Tracing          bool                // in the traced pass, before measuring
	MedianNS         float64             // of the launches of the invocation so far, per call; 0: not known
	Elapsed          time.Duration       // since the run began to measure
	Left             time.Duration       // how long it will still take; 0: not known
	AtMost           bool                // Left follows from the limits only

	least time.Duration // that the invocation will still take
}

// recorder keeps what a session finds: it folds the launches of an invocation into its record, writes that into the
// journal, and tells how far the session has come. Only the goroutine that decides uses it.
type recorder struct {
	*session
	profiles map[string]invocations.Profile // by id: results of the traced passes
	records  *journal.Results               // by position in the plan; none: not finished
	partial  []invocations.Record           // of invocations that were interrupted between their launches; in no journal
	spread   *spreading                     // what each host has measured; nil: one host measures each invocation
	finished int
	forecast forecast
}

func newRecorder(s *session) *recorder {
	r := &recorder{session: s, records: s.journal.Results(s.done, s.plan.IDs()),
		forecast: forecast{begun: time.Now(), workers: max(1, len(s.Hosts))}}
	if s.Spread {
		r.spread = newSpreading(s.Hosts)
	}
	return r
}

// refuse records the invocations that shall not run, counts those that are finished, and foresees the others.
func (r *recorder) refuse() error {
	times := 1
	if r.Spread {
		times = len(r.Hosts)
	}
	for i, p := range r.plan.All() {
		switch {
		case r.records.Has(i):
			r.finished++
		case p.Verdict != "":
			record := invocations.NewRecord(p.Invocation, invocations.Result{ID: p.Invocation.ID, Status: p.Verdict,
				Error: p.Reason, Calling: invocations.Calling{Mode: p.Invocation.Measure.Mode}})
			if err := r.keep(i, &record); err != nil {
				return err
			}
		default:
			r.forecast.add(&p.Invocation.Measure, times)
		}
	}
	return nil
}

// launching tells that a launch of an invocation begins.
func (r *recorder) launching(l *schedule.Launch, s *schedule.Series) {
	p := Progress{Name: s.Name}
	if l.Kind != schedule.Called {
		p.Launch, p.MedianNS = l.Number, s.MedianNS()
		p.Launches, p.least = s.Planned(l.Number)
	}
	r.report(p)
}

// launched adds the result of a launch to its series, with what the plan and the machine say of it, and learns what it
// tells of the machine.
func (r *recorder) launched(m *member, s *schedule.Series, p *plan.Entry, result invocations.Result, a *launch.Answer) {
	timed := m.made.Kind != schedule.Called
	if known := m.site.Known; known != nil && timed && result.Status == invocations.OK {
		known.Observe(result.Canary)
	}
	if !s.Measure.CheckOnly {
		r.forecast.launched(a.Took)
	}
	if p.Note != "" {
		combine.AddNew(&result.Notes, []string{p.Note})
	}
	if p.Lacks != "" && result.Status == invocations.OK {
		combine.AddNew(&result.Notes, []string{"ran although this CPU lacks what the artifact asks for: " + p.Lacks})
	}
	if timed && strings.HasPrefix(a.Counters, "none") && !strings.HasPrefix(r.plan.Environment["counters"], "none") {
		combine.AddNew(&result.Notes, []string{"counters: " + a.Counters})
	}
	s.Took(result, a.Took)
}

// finish makes a record of the launches of an invocation that a member has measured, and keeps it.
func (r *recorder) finish(m *member, f schedule.Finished) error {
	result := f.Result(m.site.Known)
	switch {
	case f.AlsoRan:
		result.LeaveOut(*f.Dropped)
	case f.Dropped != nil:
		result.Drop(*f.Dropped)
	}
	return r.keepResult(m, f.Index, result)
}

// keepResult keeps the result of the invocation at a position, which a member has measured.
func (r *recorder) keepResult(m *member, i int, result invocations.Result) error {
	if t, ok := r.profiles[result.ID]; ok && result.Status == invocations.OK {
		addProfile(&result, &t)
	}
	if m.site.Known != nil {
		m.site.Known.Remember(result.ID, &result)
	}
	result.AuditTrace()
	p := r.plan.At(i)
	r.forecast.finished(&p.Invocation.Measure, time.Duration(result.SpentNS))
	if r.spread == nil {
		return r.keep(i, m.record(p, result))
	}
	record := r.deliver(m, i, p, &result)
	if record == nil {
		return nil
	}
	return r.keep(i, record)
}

// record returns the record of a result that a member has measured.
func (m *member) record(p *plan.Entry, result invocations.Result) *invocations.Record {
	record := invocations.NewRecord(p.Invocation, result)
	if m.host != nil {
		record.Host, record.Machine = m.host.Name, machine.Fingerprint(m.host.Environment)
	}
	return &record
}

// deliver takes what a member has measured if all hosts measure everything. The last host's result completes the
// record; before, it returns nil.
func (r *recorder) deliver(m *member, i int, p *plan.Entry, result *invocations.Result) *invocations.Record {
	if r.Part != nil {
		r.Part(m.number, i, m.record(p, *result))
	}
	// it waits for the others, and is a share of what all keep
	parts := r.spread.add(m.number, i, combine.ShareOf(result, p.Invocation.Measure, len(r.Hosts)))
	r.report(Progress{Name: p.Invocation.Name})
	if parts == nil {
		return nil
	}
	record := invocations.NewRecord(p.Invocation, combine.Hosts(r.spread.names(), parts))
	for h, part := range parts {
		record.AddHost(r.Hosts[h].Name, machine.Fingerprint(r.Hosts[h].Environment), part)
	}
	return &record
}

// keep puts the record of an invocation into its place and into the journal.
func (r *recorder) keep(i int, record *invocations.Record) error {
	place := r.plan.Place(i)
	record.Place, record.Replaces = &place, r.done.ReplacedBy(record.ID)
	if err := r.records.Put(i, record); err != nil {
		return err
	}
	r.finished++
	r.report(Progress{Name: record.Name, Record: record})
	return nil
}

// keepPartial keeps what is known of an invocation that was interrupted between its launches. The journal does not
// have it: --resume measures it anew.
func (r *recorder) keepPartial(m *member, s *schedule.Series) {
	if s.MedianNS() == 0 {
		return
	}
	if result := s.Result(m.site.Known); result.Status == invocations.OK {
		r.partial = append(r.partial, *m.record(r.plan.At(s.Index), result))
	}
}

// has reports whether there is a result of the invocation at a position in the plan: if each member measures
// everything, that of a member.
func (r *recorder) has(m *member, i int) bool { return r.records.Has(i) || r.spread.has(i, m.number) }

// failed reports whether the invocation at a position is finished, and has not ended well.
func (r *recorder) failed(i int) bool {
	return r.records.Has(i) && r.records.Status(i) != invocations.OK
}

// report tells how far the session has come.
func (r *recorder) report(p Progress) {
	if r.Progress != nil {
		p.Finished, p.Total = r.finished, r.plan.Len()
		p.Elapsed = time.Since(r.forecast.begun)
		p.Left, p.AtMost = r.forecast.left(p.least)
		r.Progress(p)
	}
}
