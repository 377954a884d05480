package report

import (
	"iter"
	"slices"

	"zonemark/invocations"
)

// overview tells what the text report has to show. It is made in one pass over the records, since each of them is read
// from the journal.
type overview struct {
	options, modes, layers []string // the different texts of the records, in order of appearance

	statuses            []invocations.Status // in order of display; those of a later zonemark come last
	count               map[invocations.Status]int
	measured            int                          // records with a time, or with counts of an emulator
	untimed             map[invocations.Status][]int // places of records without a time
	dispatched, counted []int                        // places of records with dispatches, and with counts of an emulator
	notes               []*noted                     // in order of appearance
	severalModes        bool                         // the records differ in their modes
	severalHosts        bool                         // they were measured on several hosts, but not each on all of them
	onAll, cores        bool                         // some were measured on all hosts, some by several simulated cores
	reference           referenceColumns             // of the table of times
	otherCounters       []string                     // that the report does not know, sorted
	ranked              map[int]bool                 // places of the records that rankings have
}

// noted is a note with the name of the first record that has it, and the number of others.
type noted struct {
	note, first string
	more        int
}

// overviewOf makes the overview of a run.
func overviewOf(run Run) (*overview, error) {
	o := &overview{
		statuses: slices.Clone(invocations.Statuses[:]),
		count:    map[invocations.Status]int{}, untimed: map[invocations.Status][]int{}, ranked: map[int]bool{},
	}
	for _, ranking := range run.Rankings {
		for _, row := range ranking.Rows {
			o.ranked[row.Variant] = true
		}
	}
	options, modes, layers := newTexts(optionsText), newTexts(modeText), newTexts(layersText)
	var reference referenceSeen
	others, notes := map[string]bool{}, map[string]*noted{}
	var first *invocations.Record
	for i := range run.Records.Len() {
		r, err := run.Records.At(i)
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = r
		}
		o.severalModes, o.severalHosts = o.severalModes || r.Mode != first.Mode, o.severalHosts || r.Host != first.Host
		o.onAll, o.cores = o.onAll || len(r.Hosts) > 0, o.cores || len(r.SimulatedCores) > 1
		for _, texts := range []*texts{options, modes, layers} {
			texts.add(r)
		}
		o.addOutcome(i, r)
		if o.inTimes(i, r) {
			reference.add(r)
		}
		addOtherCounters(others, r)
		for _, note := range r.Notes {
			if n := notes[note]; n != nil {
				n.more++
				continue
			}
			notes[note] = &noted{note: note, first: r.Name}
			o.notes = append(o.notes, notes[note])
		}
	}
	o.options, o.modes, o.layers = options.all(), modes.all(), layers.all()
	o.reference, o.otherCounters = reference.columns(), sortedKeys(others)
	return o, nil
}

// addOutcome takes note of how an invocation ended.
func (o *overview) addOutcome(i int, r *invocations.Record) {
	if o.count[r.Status]++; !slices.Contains(o.statuses, r.Status) {
		o.statuses = append(o.statuses, r.Status)
	}
	if r.Timed() || r.HexagonPackets != nil {
		o.measured++
	}
	if r.Status != invocations.OK || !r.Timed() && r.HexagonPackets == nil {
		o.untimed[r.Status] = append(o.untimed[r.Status], i)
	}
	if r.Status == invocations.OK && r.HexagonPackets != nil {
		o.counted = append(o.counted, i)
	}
	if r.DispatchSource != invocations.NoSource && r.TracedNS != nil {
		o.dispatched = append(o.dispatched, i)
	}
}

// inTimes reports whether the table of times has a record: one with a time that no ranking has.
func (o *overview) inTimes(i int, r *invocations.Record) bool {
	return !o.ranked[i] && r.Status == invocations.OK && r.Timed()
}

// notRanked iterates over the records that no ranking has, until one cannot be read. Others are not read.
func (o *overview) notRanked(run Run) iter.Seq2[*invocations.Record, error] {
	return func(yield func(*invocations.Record, error) bool) {
		for i := range run.Records.Len() {
			if o.ranked[i] {
				continue
			}
			if r, err := run.Records.At(i); !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// texts are the different texts of records, in order of appearance.
type texts struct {
	of   func(*invocations.Record) string
	seen map[string]bool
	list []string
}

func newTexts(of func(*invocations.Record) string) *texts {
	return &texts{of: of, seen: map[string]bool{"": true}}
}

func (t *texts) add(r *invocations.Record) {
	if text := t.of(r); !t.seen[text] {
		t.seen[text] = true
		t.list = append(t.list, Printable(text))
	}
}

// all returns the texts; "-" if there are none.
func (t *texts) all() []string {
	if len(t.list) == 0 {
		return []string{"-"}
	}
	return t.list
}
