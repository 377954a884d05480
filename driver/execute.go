// Package driver carries plans out: it has executors on this machine or on others measure invocations, launch by
// launch. It knows nothing of runtimes, native code or traces.
package driver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"zonemark/driver/executors"
	"zonemark/driver/journal"
	"zonemark/driver/plan"
	"zonemark/driver/schedule"
	"zonemark/invocations"
)

// Execution holds what Execute needs, beside the plan. Executor and Build are required.
type Execution struct {
	Executor executors.Starter // of sandboxed executors that measure
	Emulator executors.Starter // of executors that start emulators; nil: those of Executor
	Hosts    []*Host           // that measure instead of Executor and Emulator; empty: these do
	Spread   bool              // every invocation is measured on all Hosts, and the result is of all of them
	Build    string            // of zonemark, for the handshake and the journal
	Words    executors.Words   // of remedies; may be nil
	Command  []string          // command line, for the journal
	Commit   string            // of the sources, for the journal; may be empty
	Seed     uint64            // of the order
	Journal  JournalFile       // where the results are kept
	Pairs    *Pairs            // nil: every invocation is measured for itself
	Top      int               // number of the best that races look for; 0: one
	Passes   []DispatchPass    // run in order before anything is measured
	Machines string            // file with the knowledge of machines, which is updated; may be empty
	Progress func(Progress)    // called before each launch, and with each result when the journal has it; may be nil
	// Loaded returns the files that executors load for an invocation. If one changes while it is measured, the invocation
	// fails. May be nil.
	Loaded func(*invocations.Invocation) []string
	// Part is called with what each host has measured, with Spread: the numbers of the host in Hosts, and of the
	// invocation in the plan. May be nil.
	Part func(host, position int, record *invocations.Record)
	// Note receives what a user should know beside the results, in sentences; may be nil.
	Note func(format string, args ...any)
}

// Pairs has invocations measured two by two, to compare them.
type Pairs = schedule.Pairs

// JournalFile tells which journal keeps the results. If the path is empty, there is no journal.
type JournalFile struct {
	Path              string
	Resume, Overwrite bool // continue what it holds, or replace it
	Silent            bool // do not tell how much of the plan it holds
}

// DispatchPass finds out where the time of invocations goes. It runs before measuring, so that a result is complete
// when it is written. It returns profiles by the ids of the plan's invocations; invocations in done are finished. A
// failure of one invocation becomes a note of its result; an error ends the run.
type DispatchPass func(
	ctx context.Context, plan *plan.Plan, done *journal.Done,
) (map[string]invocations.Profile, error)

// Execute carries out a plan for every verb that measures. It opens the journal, makes the passes that time dispatches,
// measures what is not in the journal, saves what it learned about the machine, and closes the journal. It returns the
// results so far even with an error. It makes the passes only after an executor has started, and then begins the
// journal, so that a refused run leaves no new journal, no traces, and an old journal unchanged.
func Execute(ctx context.Context, plan *plan.Plan, e Execution) (Outcome, error) {
	started := time.Now()
	s := &session{Execution: e, plan: plan}
	if err := s.open(ctx); err != nil {
		return Outcome{Started: started, Environment: plan.Environment, refused: true}, err
	}
	outcome, err := s.measure(ctx)
	outcome.Started, outcome.journal, outcome.planned = started, e.Journal.Path, plan.Len()
	err = errors.Join(err, s.journal.Close(outcome.Complete))
	outcome.removed = s.journal.Removed()
	return outcome, err
}

// longRun is the number of invocations from which a journal has what its results have in common once. The lines of
// shorter ones are whole, so that scripts which read single lines find everything in them.
const longRun = 1000

// open opens the journal, a temporary one if none is wanted, and reads what is done already.
func (s *session) open(ctx context.Context) (err error) {
	header := journal.Header{Build: s.Build, Started: time.Now(), Environment: s.plan.Environment, Command: s.Command,
		Commit: s.Commit, Shard: s.plan.Shard}
	switch {
	case s.Journal.Path == "":
		s.journal = journal.Temporary()
	case s.Journal.Resume:
		s.journal, s.done, err = journal.Resume(ctx, s.Journal.Path, header)
	default:
		s.journal, err = journal.Create(s.Journal.Path, header, s.Journal.Overwrite)
	}
	if err != nil {
		return err
	}
	if s.plan.Len() >= longRun {
		s.journal.ShareCommons()
	}
	if s.done == nil {
		return nil
	}
	if err := s.tellDone(); err != nil {
		return errors.Join(err, s.journal.Close(false))
	}
	return nil
}

// tellDone tells how much of the plan the journal holds. What had failed there is measured again.
func (s *session) tellDone() (err error) {
	s.plan.Adopt(s.done)
	for _, note := range s.journal.Notes {
		s.note("%s", note)
	}
	again := 0
	if s.journal.Count(invocations.Failed) > 0 {
		if again, err = s.done.ForgetFailed(s.plan.Verdicts()); err != nil {
			return err
		}
	}
	if s.Journal.Silent {
		return nil
	}
	kept := 0
	for _, p := range s.plan.All() {
		if s.done.Has(p.Invocation.ID) {
			kept++
		}
	}
	all, failed := s.plan.Len(), ""
	if again > 0 {
		failed = fmt.Sprintf(", of which %d had failed", again)
	}
	s.note("%s: %d of %d invocations are done; measuring %d%s", s.Journal.Path, kept, all, all-kept, failed)
	return nil
}

func (e *Execution) note(format string, args ...any) {
	if e.Note != nil {
		e.Note(format, args...)
	}
}

// Outcome is the result of a run.
type Outcome struct {
	Started     time.Time
	Records     *invocations.Records // in the plan's order, without those that were not reached; the caller closes them
	Partial     *invocations.Records // what is known of those that were interrupted between their launches; in no journal
	Executors   int                  // number of executors that were started to measure
	Complete    bool                 // every invocation has its record
	Environment map[string]string    // the plan's, with the counters of the executors that measured

	refused bool   // no executor started: the journal is unchanged
	journal string // path of the journal; empty if there is none
	removed bool   // the journal was removed during the run
	planned int    // number of invocations in the plan
	kept    int    // of them that have their result, be it readable or not
}

// LeftOver tells the user what a run that ended early has kept and how to continue it.
func (o *Outcome) LeftOver() string {
	switch {
	case o.refused:
		return "nothing was measured"
	case o.removed:
		return fmt.Sprintf("%d of %d invocations were finished, and are in no journal", o.kept, o.planned)
	case o.journal == "":
		return fmt.Sprintf("%d of %d invocations were finished; with -o FILE they would have been kept",
			o.kept, o.planned)
	}
	return fmt.Sprintf("%d of %d invocations are in %s; the same command with --resume goes on from there",
		o.kept, o.planned, o.journal)
}
