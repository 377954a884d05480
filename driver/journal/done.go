package journal

import (
	"iter"

	"zonemark/invocations"
)

// Done are the results that a journal holds, by id. Nil holds none.
type Done struct {
	store *store
	at    map[string]int32 // numbers of results, by id
	// replaced are the ids of failed results, by those of the invocations of a plan that take their places.
	replaced map[string]string
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
	_, known := d.number(id)
	return known
}

func (d *Done) number(id string) (number int32, known bool) {
	if d == nil {
		return 0, false
	}
	number, known = d.at[id]
	return number, known
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

// ForgetFailed forgets the results of invocations that have failed, so that they are measured again: what kept them
// from being called, such as a compiler that was killed, may be over. It is handed the invocations of a plan with the
// verdicts that the plan has. It keeps the results of invocations that, by these verdicts, would fail again.
// Invocations whose artifact could not be read had other ids then: those of the plan take their places by name. It
// returns how many invocations of the plan are to be measured again. The error tells that a result cannot be read.
func (d *Done) ForgetFailed(plan iter.Seq2[*invocations.Invocation, invocations.Status]) (again int, err error) {
	failed := map[int32]bool{}
	for number := range int32(d.store.len()) {
		if d.store.status(number) == invocations.Failed {
			failed[number] = true
		}
	}
	for inv, verdict := range plan {
		if number, known := d.at[inv.ID]; known && failed[number] {
			if delete(failed, number); verdict != invocations.Failed {
				delete(d.at, inv.ID)
				again++
			}
		}
	}
	replaced, err := d.replaceByName(plan, failed)
	return again + replaced, err
}

// replaceByName lets invocations of a plan that have no result take the places of failed ones that the plan does not
// have. It returns how many do.
func (d *Done) replaceByName(
	plan iter.Seq2[*invocations.Invocation, invocations.Status], failed map[int32]bool,
) (replaced int, err error) {
	byName := map[string]string{} // ids of failed results
	key := func(name, artifact string) string { return name + "\x00" + artifact }
	for number := range failed {
		r, err := d.store.read(number, true)
		if err != nil {
			return 0, err
		}
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
	return replaced, nil
}
