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

// Find returns the result of an id. The result is nil if there is none.
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
