package ttsim

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"zonemark/invocations"
)

// cyclesKept limits the counts from which the median is taken.
const cyclesKept = 1 << 12

// word returns a word of the mailbox after a call.
func (r *coreRun) word(at int) uint32 { return binary.LittleEndian.Uint32(r.words[at:]) }

// counted reports whether the core has read its cycle counter. The counters of all cores are one.
func (r *coreRun) counted() bool { return r.word(mailboxBegin) != r.word(mailboxEnd) }

// bounds returns the begin of the first core of the last call by the counter, and the cycles from there to the end of
// the last one. ok is false if no core has read the counter. A counter may have wrapped during a call.
func (k *kernel) bounds() (begin uint32, cycles int64, ok bool) {
	for i := range k.runs {
		r := &k.runs[i]
		if r.counted() && (!ok || int32(r.word(mailboxBegin)-begin) < 0) {
			begin, ok = r.word(mailboxBegin), true
		}
	}
	for i := range k.runs {
		if r := &k.runs[i]; r.counted() {
			cycles = max(cycles, int64(r.word(mailboxEnd)-begin))
		}
	}
	return begin, cycles, ok
}

// span returns the cycles of the last call, from the first core's begin to the last one's end; 0 if none was counted.
func (k *kernel) span() int64 {
	_, cycles, _ := k.bounds()
	return cycles
}

// count records the cycles of a call. Programs that do not read the counter have none.
func (k *kernel) count(cycles int64) {
	if cycles == 0 {
		return
	}
	if len(k.cycles) < cyclesKept {
		if k.cycles == nil {
			k.cycles = make([]int64, 0, cyclesKept) // allocated once, because nothing is allocated during a measurement
		}
		k.cycles = append(k.cycles, cycles)
		return
	}
	k.cycles[k.next] = cycles
	k.next = (k.next + 1) % cyclesKept
}

// median returns the median of the cycles of the calls so far, or 0 if there are none.
func (k *kernel) median() int64 {
	if len(k.cycles) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(k.cycles))
	return sorted[len(sorted)/2]
}

// keepZones reads the zones of the last call, before the memory is restored.
func (k *kernel) keepZones() {
	for i := range k.runs {
		for j, z := range k.runs[i].of.image.layout.zones {
			k.program.card.readMemory(k.runs[i].at, z.address, k.runs[i].zones[j])
		}
	}
}

// timeline returns what each core did in the last call, in cycles from the first one's begin. It returns nil if no core
// has read the counter.
func (k *kernel) timeline() (list []invocations.SimulatedCore) {
	first, _, ok := k.bounds()
	if !ok {
		return nil
	}
	if !k.ready {
		k.keepZones()
	}
	for i := range k.runs {
		r := &k.runs[i]
		if !r.counted() {
			continue
		}
		begin := int64(r.word(mailboxBegin) - first)
		list = append(list, invocations.SimulatedCore{
			Chip: r.at.chip, Column: r.tile.column, Row: r.tile.row, Core: r.of.core.name, Program: r.of.name,
			Begin: begin, End: begin + int64(r.word(mailboxEnd)-r.word(mailboxBegin)), Zones: r.marked(first),
		})
	}
	return list
}

// marked returns the zones of a core, from the counter first. Pairs that the program has not written are left out.
func (r *coreRun) marked(first uint32) (list []invocations.SimulatedZone) {
	for i, z := range r.of.image.layout.zones {
		for data := range slices.Chunk(r.zones[i], zoneBytes) {
			begin, end := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[wordBytes:])
			if begin == 0 && end == 0 {
				continue
			}
			at := int64(int32(begin - first))
			list = append(list, invocations.SimulatedZone{
				Name: strings.TrimPrefix(z.name, zonePrefix), Begin: at, End: at + int64(end-begin),
			})
		}
	}
	slices.SortStableFunc(list, func(a, b invocations.SimulatedZone) int { return cmp.Compare(a.Begin, b.Begin) })
	return list
}
