package driver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"

	"zonemark/driver/executors"
	"zonemark/driver/launch"
	"zonemark/driver/machine"
	"zonemark/driver/plan"
	"zonemark/driver/schedule"
	"zonemark/invocations"
)

// fleet is what measures in a session: a worker on this machine, or one on each host. One goroutine, that of measure,
// decides what is launched next and records what was found. Each worker makes its launches in a goroutine of its own,
// one at a time, and answers on a channel. So nothing that is known is shared, and nothing needs a lock.
type fleet struct {
	*session
	recorder   *recorder
	references *schedule.References
	loaded     *loadedFiles
	members    []*member
	answers    chan answer
	busy       int   // members from which an answer is to come
	paired     bool  // the pairs are given to a member
	gone       error // why the host that was lost last cannot be reached again
}

// member is a worker and what it is to measure.
type member struct {
	number int // of its host
	host   *Host
	class  string // of its machine, see machine.Class
	site   *schedule.Site
	worker *launch.Worker
	queue  *schedule.Queue
	left   bool // it measures nothing more
	failed bool // it has ended the run, and was not interrupted

	taken    [][]int           // blocks that it has taken out of the queue
	strategy schedule.Strategy // by which it measures them; nil: it has none
	made     *schedule.Launch  // that its worker is making
	entries  []*plan.Entry     // of its series, in the plan
	order    *launch.Order
	busy     bool
	// callOff ends the attempts to reach its host again; nil: there are none.
	callOff context.CancelFunc
}

// answer is what a member says: what came of its launch, or of connecting again.
type answer struct {
	*member
	launch.Answer
}

// newFleet returns a fleet without executors.
func newFleet(s *session, still *launch.Standstill) *fleet {
	f := &fleet{session: s, recorder: newRecorder(s), answers: make(chan answer), loaded: newLoadedFiles(s)}
	f.references = &schedule.References{Plan: s.plan, Failed: f.recorder.failed}
	if len(s.Hosts) == 0 {
		m := &member{}
		m.worker = launch.NewWorker(launch.Machine{Executor: s.Executor, Emulator: s.Emulator,
			HugePages: executors.HugePages()}, s.Build, s.Words, still)
		m.site = s.site(0, s.plan.Environment, true)
		f.members = append(f.members, m)
	}
	for n, h := range s.Hosts {
		m := &member{number: n, host: h, class: machine.Class(h.Environment)}
		m.worker = launch.NewWorker(launch.Machine{Executor: h.Executor, Emulator: h.Emulator, Elsewhere: true,
			HugePages: h.Environment["transparent_hugepages"]}, s.Build, s.Words, still)
		m.site = s.site(n, h.Environment, h.Environment["os"] == "linux")
		f.members = append(f.members, m)
	}
	return f
}

// site returns where the member with a number measures.
func (s *session) site(number int, environment map[string]string, steps bool) *schedule.Site {
	site := &schedule.Site{Plan: s.plan, Random: rand.New(rand.NewPCG(s.Seed, uint64(number+1))), Steps: steps, Top: s.Top}
	if s.Machines != "" {
		var err error
		if site.Known, err = machine.Open(s.Machines, environment); err != nil {
			s.note("warning: %v", err)
		}
	}
	return site
}

// begin starts an executor on each machine if something is to be measured, makes the traced passes, and begins the
// journal. If it fails, nothing is left behind.
func (f *fleet) begin(ctx context.Context) error {
	for i, p := range f.plan.All() {
		if p.Verdict != "" || f.recorder.records.Has(i) {
			continue
		}
		inv := p.Invocation
		for _, m := range f.members {
			err := m.worker.Ready(ctx, &inv, p.Emulated, schedule.Supervises(&inv.Measure))
			if err != nil && m.host != nil {
				err = fmt.Errorf("host %s: %w", m.host.Name, err)
			}
			if err != nil {
				return err
			}
		}
		break
	}
	profiles, err := f.trace(ctx)
	if err != nil {
		return err
	}
	f.recorder.profiles = profiles
	return f.journal.Begin()
}

// measure measures what is not finished, when the fleet has begun.
func (f *fleet) measure(ctx context.Context) error {
	if err := f.recorder.refuse(); err != nil {
		return err
	}
	if err := f.enqueue(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var failed error
	fail := func(m *member, err error) {
		if err == nil {
			return
		}
		m.failed = m.failed || ctx.Err() == nil
		if failed == nil || errors.Is(failed, context.Canceled) { // later errors follow from the first
			failed = err
		}
		cancel()
	}
	for {
		for _, m := range f.members {
			if failed == nil {
				f.employ(ctx, m)
			}
		}
		if f.busy == 0 {
			break
		}
		a := <-f.answers
		f.busy, a.member.busy = f.busy-1, false
		fail(a.member, f.take(ctx, a))
	}
	if failed != nil {
		f.keepPartial()
		return failed
	}
	for _, m := range f.members {
		if err := m.queue.LeftBehind(f.gone); err != nil {
			return cmp.Or(ctx.Err(), err)
		}
	}
	return nil
}

// enqueue divides the plan among the members: all of them share it, or each measures everything. Pairs are not divided.
func (f *fleet) enqueue() error {
	finished := f.recorder.records.Has
	if f.Pairs != nil {
		finished = func(int) bool { return true }
	}
	var first *schedule.Queue
	for _, m := range f.members {
		if m.queue = first; first != nil && !f.Spread {
			continue
		}
		workers := len(f.members)
		if f.Spread {
			workers = 1
		}
		m.queue = schedule.NewQueue(f.plan, f.Seed, workers, finished)
		first = m.queue
		if m.host == nil {
			continue
		}
		if err := f.bindGroups(m.queue); err != nil {
			return err
		}
	}
	return nil
}

// bindGroups binds groups of which an earlier run has measured a part to machines like that.
func (f *fleet) bindGroups(q *schedule.Queue) error {
	for i, p := range f.plan.All() {
		if p.Invocation.Group == "" || p.Verdict != "" || !f.recorder.records.Has(i) {
			continue
		}
		record, err := f.recorder.records.At(i)
		if err != nil {
			return err
		}
		if record.Machine != "" {
			_, class, _ := strings.Cut(record.Machine, "; ")
			q.Bind(p.Invocation.Group, class)
		}
	}
	return nil
}

// employ has a member that is idle make its next launch, if there is one for it now.
func (f *fleet) employ(ctx context.Context, m *member) {
	for !m.busy && !m.left {
		if m.strategy != nil {
			if next := m.strategy.Next(); next != nil {
				f.launch(ctx, m, next)
				return
			}
			if m.strategy = nil; m.taken != nil {
				m.queue.Done()
			}
		}
		if !f.assign(m) {
			return
		}
	}
}

// assign gives a member something to measure. It reports false if there is nothing for it now.
func (f *fleet) assign(m *member) bool {
	if f.recorder.spread.ahead(m.number) {
		return false
	}
	if f.Pairs != nil && !f.paired {
		f.paired = true
		m.strategy = m.site.Pairs(f.Pairs, f.recorder.records.Has)
		return true
	}
	if m.taken = m.queue.Take(m.class); len(m.taken) > 0 {
		m.strategy = m.site.Blocks(m.taken)
		return true
	}
	if !m.queue.Busy() {
		f.leave(m)
	}
	return false
}

// leave has a member measure nothing more. If nothing is left, nobody tries further to reach a lost host.
func (f *fleet) leave(m *member) {
	m.left = true
	m.queue.Leave()
	if !m.queue.Empty() {
		return
	}
	for _, other := range f.members {
		if other.queue == m.queue && other.callOff != nil {
			other.callOff()
		}
	}
}

// ways are those in which launches are made.
var ways = [...]launch.Way{
	schedule.Alone: launch.Alone, schedule.Called: launch.Once, schedule.Together: launch.InTurns,
}

// launch has the worker of a member make a launch.
func (f *fleet) launch(ctx context.Context, m *member, l *schedule.Launch) {
	m.made, m.entries = l, nil
	m.order = &launch.Order{Make: ways[l.Kind], Supervised: l.Supervised, Fresh: l.Fresh, Shared: l.Shared,
		First: l.First, Turns: l.Turns, TurnNS: schedule.TurnNS, Steps: l.Steps}
	if l.Following != nil {
		m.order.Following = executors.AllowanceOf(&f.plan.At(l.Following.Index).Invocation)
		m.order.Following.Supervised = l.FollowingSupervised
	}
	for _, s := range l.Series {
		p := f.plan.At(s.Index)
		if len(s.Results) == 0 {
			f.loaded.watch(&p.Invocation)
		}
		m.entries = append(m.entries, p)
		f.recorder.launching(l, s)
		message := s.Message(l, p.Invocation, m.site.Known)
		m.order.Sides = append(m.order.Sides, launch.Side{Message: message, Lacks: p.Lacks, Emulated: p.Emulated,
			Before: s.Results})
	}
	f.refer(m)
	m.order.Begun = time.Now()
	f.send(ctx, m)
}

// refer tells the order of a member what outputs are compared with. Those of turns are not compared.
func (f *fleet) refer(m *member) {
	if m.made.Kind == schedule.Together {
		return
	}
	side := &m.order.Sides[0]
	reference, note := f.references.Of(m.made.Series[0].Index, m.entries[0])
	side.Message.Verify.Reference, side.Message.Verify.Of, side.Note = reference.Function, reference.Of, note
}

// send has a worker make the launch that it is ordered to.
func (f *fleet) send(ctx context.Context, m *member) {
	f.await(m, func() launch.Answer { return m.worker.Make(ctx, m.order) })
}

// await has a member do something in a goroutine of its own, and answer.
func (f *fleet) await(m *member, do func() launch.Answer) {
	f.busy, m.busy = f.busy+1, true
	go func() { f.answers <- answer{m, do()} }()
	runtime.Gosched() // it begins before what came of the launch before is recorded
}

// take takes the answer of a member: it keeps what was found, and records what is finished. If the user asks for one
// launch only, that waits until an executor is busy with the next one, so that no executor waits for it.
func (f *fleet) take(ctx context.Context, a answer) error {
	m := a.member
	switch {
	case m.callOff != nil:
		return f.reconnected(ctx, m, a.Err)
	case a.Err != nil:
		return f.lost(ctx, a)
	case a.Reference && f.unusable(m, a.Results[0]): // the launch is made again
		m.order.Fresh = true
		f.refer(m)
		f.send(ctx, m)
		return nil
	}
	later := true
	for k, s := range m.made.Series {
		if r := a.Results[k]; r != nil {
			p := m.entries[k]
			f.recorder.launched(m, s, p, f.loaded.kept(&p.Invocation, *r), &a.Answer)
		}
		later = later && s.Measure.Launches == 1
	}
	finished := m.strategy.Made()
	if later && len(finished) > 0 && ctx.Err() == nil {
		f.employ(ctx, m)
	}
	for _, one := range finished {
		if err := f.recorder.finish(m, one); err != nil {
			return err
		}
	}
	return nil
}

// unusable reports whether the reference that a launch was checked against has crashed, and another one takes its
// place.
func (f *fleet) unusable(m *member, r *invocations.Result) bool {
	verify := &m.order.Sides[0].Message.Verify
	which := schedule.Reference{Function: verify.Reference, Of: verify.Of}
	return f.references.Fails(m.entries[0], which, r.Error)
}

// keepPartial keeps what is known of invocations that were interrupted between their launches.
func (f *fleet) keepPartial() {
	for _, m := range f.members {
		if m.strategy == nil || m.failed {
			continue
		}
		for _, s := range m.strategy.Open() {
			f.recorder.keepPartial(m, s)
		}
	}
}

// close ends all executors, and saves what was learned about machines.
func (f *fleet) close() {
	for _, m := range f.members {
		m.worker.Close()
		if m.site.Known == nil {
			continue
		}
		if err := m.site.Known.Save(); err != nil { // the results do not depend on it
			f.note("warning: %v", err)
		}
	}
}

// starts returns how many executors were started.
func (f *fleet) starts() (n int) {
	for _, m := range f.members {
		n += m.worker.Starts()
	}
	return n
}
