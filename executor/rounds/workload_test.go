package rounds

import (
	"testing"

	"zonemark/executor"
	"zonemark/executor/native"
)

// TestObservedBy says for each kind of workload and each observer whether it applies.
func TestObservedBy(t *testing.T) {
	names := []string{"canary", "core speed", "thread use", "reported use", "thread counts", "all counts", "thread watch"}
	const yes, no = true, false
	for _, c := range []struct {
		kind executor.Workload
		want []bool
	}{
		//            canary speed thread reported counts all  watch
		{&executor.Native{}, []bool{yes, yes, yes, no, yes, yes, yes}},
		{&executor.Function{}, []bool{yes, yes, yes, no, yes, yes, yes}},
		{&executor.Batches{}, []bool{no, yes, no, yes, no, no, no}},
		{&executor.Process{}, []bool{no, yes, no, yes, no, yes, no}},
	} {
		if len(c.want) != len(names) || len(names) != int(byThreadWatch)+1 {
			t.Fatalf("%d of %d observers", len(c.want), int(byThreadWatch)+1)
		}
		for o, want := range c.want {
			if got := observedBy(c.kind, observation(o)); got != want {
				t.Errorf("%T is observed by %s: %t, want %t", c.kind, names[o], got, want)
			}
		}
	}
}

// TestNewObservers checks that a session has those observers that apply to its workload, and no others.
func TestNewObservers(t *testing.T) {
	with := instrumentsOf(native.CalibrateClock(calibration))
	with.counters = &madeUpCounters{names: []string{"loads"}}
	for _, kind := range []executor.Workload{&executor.Native{}, &executor.Function{}, &executor.Batches{}, &executor.Process{}} {
		o := newObservers(kind, with)
		_, thread := o.use.(*threadUse)
		_, reported := o.use.(*reportedUse)
		exists := []bool{
			byCanary:       o.canary != nil,
			byCoreSpeed:    o.speed != nil,
			byThreadUse:    thread,
			byReportedUse:  reported,
			byThreadCounts: o.counts != nil && !o.counts.all,
			byAllCounts:    o.counts != nil && o.counts.all,
			byThreadWatch:  o.threads != nil,
		}
		for which, is := range exists {
			want := observedBy(kind, observation(which))
			switch observation(which) {
			case byCanary:
				want = want && with.newCanary() != nil
			case byAllCounts: // of the thread's own calls only once the watch has found threads
				want = want && !observedBy(kind, byThreadCounts)
			}
			if is != want {
				t.Errorf("%T: observer %d exists: %t, want %t", kind, which, is, want)
			}
		}
		if (o.why == "") != (o.canary != nil) {
			t.Errorf("%T: canary %t, because %q", kind, o.canary != nil, o.why)
		}
	}
}

// Others that do part of the work take the canary away, and have the counters count them, too.
func TestObserversOfOthersWork(t *testing.T) {
	with := instrumentsOf(native.CalibrateClock(calibration))
	with.counters = &madeUpCounters{names: []string{"loads"}}
	o := newObservers(&executor.Native{}, with)
	o.othersWork(threadsWork)
	if o.canary != nil || o.why != threadsWork || !o.counts.all || !o.threads.others || len(o.all()) != 3 {
		t.Errorf("%+v", o)
	}
}
