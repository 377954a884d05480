package journal

import (
	"iter"

	"zonemark/invocations"
)

// Done are the results that a journal holds, by id. Nil holds none.
type Done struct {
	records *invocations.Records
	at      map[string]int32 // by id
	// replaced are the ids of failed results, by those of the invocations of a plan that take their places.
	replaced map[string]string
}

// NewDone returns the results of a list. The last one of an id counts.
func NewDone(records *invocations.Records) *Done {
	d := &Done{records: records, at: make(map[string]int32, records.Len())}
	for i, r := range records.All() {
		d.at[r.ID] = int32(i)
	}
	return d
}

// Len returns the number of ids.
func (d *Done) Len() int {
	if d == nil {
		return 0
	}
	return len(d.at)
}

// Has reports whether there is a result of an id.
func (d *Done) Has(id string) bool {
	if d == nil {
		return false
	}
	_, known := d.at[id]
	return known
}

// Of returns a list with a place for each id, which has the id's result if there is one. The list shares memory with the
// results of the journal, to which nobody may add afterwards.
func (d *Done) Of(ids iter.Seq[string]) *invocations.Records {
	if d == nil {
		d = NewDone(&invocations.Records{})
	}
	var places []int32
	for id := range ids {
		at, known := d.at[id]
		if !known {
			at = -1
		}
		places = append(places, at)
	}
	return d.records.Reordered(len(places), func(i int) int { return int(places[i]) })
}

// Find returns a copy of the result of an id. It is nil if there is none.
func (d *Done) Find(id string) *invocations.Record {
	if !d.Has(id) {
		return nil
	}
	return d.records.At(int(d.at[id]))
}

// Adopt lets an id have the result of a former one, if it has none itself.
func (d *Done) Adopt(id, former string) {
	if former != "" && !d.Has(id) && d.Has(former) {
		d.at[id] = d.at[former]
	}
}

// ReplacedBy returns the id of the failed result whose place the result of an invocation takes, empty if there is none.
func (d *Done) ReplacedBy(id string) string {
	if d == nil {
		return ""
	}
	return d.replaced[id]
}

// ForgetFailed forgets the results of invocations that have failed, so that they are measured again: what kept them from
// being called, such as a compiler that was killed, may be over. It is handed the invocations of a plan with the verdicts
// that the plan has; results of those of which it knows that they fail again are kept. Invocations whose artifact could
// not be read had other ids then: those of the plan take their places by name. It returns how many invocations of the
// plan are to be measured again.
func (d *Done) ForgetFailed(plan iter.Seq2[*invocations.Invocation, invocations.Status]) (again int) {
	failed := map[int32]*invocations.Record{}
	for i, r := range d.records.Brief() {
		if r.Status == invocations.Failed {
			failed[int32(i)] = r
		}
	}
	for inv, verdict := range plan {
		if at, known := d.at[inv.ID]; known && failed[at] != nil {
			if delete(failed, at); verdict != invocations.Failed {
				delete(d.at, inv.ID)
				again++
			}
		}
	}
	return again + d.replaceByName(plan, failed)
}

// replaceByName lets invocations of a plan that have no result take the places of failed ones that the plan does not
// have. It returns how many do.
func (d *Done) replaceByName(
	plan iter.Seq2[*invocations.Invocation, invocations.Status], failed map[int32]*invocations.Record,
) (replaced int) {
	byName := map[string]string{} // ids of failed results
	key := func(name, artifact string) string { return name + "\x00" + artifact }
	for _, r := range failed {
		byName[key(r.Name, r.Artifact)] = r.ID
	}
	d.replaced = map[string]string{}
	for inv := range plan {
		if !d.Has(inv.ID) {
			k := key(inv.Name, inv.Artifact.Path)
			if id := byName[k]; id != "" {
				delete(byName, k) // another invocation of the name has a result of its own
				d.replaced[inv.ID] = id
				replaced++
			}
		}
	}
	return replaced
}
