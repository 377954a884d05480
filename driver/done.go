package driver

import "zonemark/invocations"

// Done are the results that a journal holds, by id. Nil holds none.
type Done struct {
	records *invocations.Records
	at      map[string]int32 // by id
}

// NewDone returns the results of a list. The last one of an id counts.
func NewDone(records *invocations.Records) *Done {
	d := &Done{records, make(map[string]int32, records.Len())}
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

// Of returns a list with a place for each invocation of a plan, which has the invocation's result if there is one. The
// list shares memory with the results of the journal, to which nobody may add afterwards.
func (d *Done) Of(plan *Plan) *invocations.Records {
	if d == nil {
		d = NewDone(&invocations.Records{})
	}
	places := make([]int32, 0, plan.Len())
	for _, p := range plan.All() {
		at, known := d.at[p.Invocation.ID]
		if !known {
			at = -1
		}
		places = append(places, at)
	}
	return d.records.Reordered(plan.Len(), func(i int) int { return int(places[i]) })
}

// Find returns a copy of the result of an id. It is nil if there is none.
func (d *Done) Find(id string) *invocations.Record {
	if !d.Has(id) {
		return nil
	}
	return d.records.At(int(d.at[id]))
}

// adopt lets an id have the result of a former one, if it has none itself.
func (d *Done) adopt(id, former string) {
	if former != "" && !d.Has(id) && d.Has(former) {
		d.at[id] = d.at[former]
	}
}
