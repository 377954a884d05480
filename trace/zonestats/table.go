package zonestats

import "math/bits"

// groupList is a growing list of groups that stay where they are. To find one takes no look at a list of pointers, which
// would be one more wait for memory.
type groupList struct {
	pages [][]Group
	count int
}

const (
	groupPageBits = 8
	groupPageMask = 1<<groupPageBits - 1
)

// add returns a new group, the last of the list.
func (l *groupList) add() *Group {
	if l.count&groupPageMask == 0 {
		l.pages = append(l.pages, make([]Group, 1<<groupPageBits))
	}
	l.count++
	return l.at(l.count - 1)
}

func (l *groupList) at(i int) *Group { return &l.pages[i>>groupPageBits][i&groupPageMask] }

// pointers returns the groups in their order.
func (l *groupList) pointers() []*Group {
	list := make([]*Group, l.count)
	for i := range list {
		list[i] = l.at(i)
	}
	return list
}

// groupTable finds groups by the hash of what their zones have in common. It is a hash table with linear probing, which
// takes a fifth of the memory of a map whose keys are strings. The zero value is empty.
type groupTable struct {
	entries []groupEntry // a power of two of them, at most half of them in use
	count   int
}

type groupEntry struct {
	hash  uint32
	group uint32 // index + 1 in the list of groups; 0: the entry is not in use
}

// probe looks for a hash: next steps through the entries among which it is.
type probe struct {
	entries []groupEntry
	at      uint32
	hash    uint32
}

func (t *groupTable) probe(hash uint32) probe {
	return probe{t.entries, hash>>bits.LeadingZeros32(uint32(len(t.entries)-1)) - 1, hash}
}

// next steps to the next entry of the hash and returns its group. It returns false if there is none.
func (p *probe) next() (index int, ok bool) {
	for len(p.entries) > 0 {
		p.at++
		e := p.entries[p.at&uint32(len(p.entries)-1)]
		if e.group == 0 || e.hash == p.hash {
			return int(e.group) - 1, e.group > 0
		}
	}
	return -1, false
}

// add adds a group by its index. It does not look whether the table has it.
func (t *groupTable) add(hash uint32, index int) {
	if 2*t.count >= len(t.entries) {
		before := t.entries
		t.entries = make([]groupEntry, max(1<<8, 2*len(before)))
		for _, e := range before {
			if e.group > 0 {
				t.put(e)
			}
		}
	}
	t.put(groupEntry{hash, uint32(index + 1)})
	t.count++
}

// put puts an entry into the first free place.
func (t *groupTable) put(e groupEntry) {
	mask := uint32(len(t.entries) - 1)
	at := e.hash >> bits.LeadingZeros32(mask)
	for t.entries[at&mask].group > 0 {
		at++
	}
	t.entries[at&mask] = e
}
