package histogram

import "slices"

// exactTimes is the number of times that a histogram keeps as they are; more are counted in buckets.
const exactTimes = 1024

// blockWords makes a block as long as a line of the cache.
const blockWords = 14

// A block holds times of one histogram, in words.
type block struct {
	older *block
	words [blockWords]uint32
}

// Pool is memory that many histograms share, so that hundreds of thousands of small ones take little.
// Its zero value is ready. It is not for several goroutines at once.
type Pool struct {
	chunk []block // not used yet
	free  *block  // given back
}

// blocksAChunk makes 64 KiB.
const blocksAChunk = 1024

// take returns an empty block. Without a pool it is one by itself.
func (p *Pool) take() *block {
	if p == nil {
		return &block{}
	}
	if b := p.free; b != nil {
		p.free, b.older = b.older, nil
		return b
	}
	if len(p.chunk) == 0 {
		p.chunk = make([]block, blocksAChunk)
	}
	b := &p.chunk[0]
	p.chunk = p.chunk[1:]
	return b
}

// giveBack takes back a list of blocks.
func (p *Pool) giveBack(newest *block) {
	if p == nil || newest == nil {
		return
	}
	oldest := newest
	for oldest.older != nil {
		oldest = oldest.older
	}
	oldest.older, p.free = p.free, newest
}

// exactList is a list of times, newest first. A time below escape is one word. A longer one, above 4.29 s, is three:
// escape, the low half, the high half, in the order of reading.
type exactList struct {
	newest  *block
	count   int32
	used    uint8 // words of newest
	ordered bool  // ascending in the order of reading
	pool    *Pool // nil: none; last, as few times need a block
}

const escape = 1<<32 - 1

func (l *exactList) add(ns int64) {
	if ns >= escape {
		l.push(uint32(ns >> 32))
		l.push(uint32(ns))
		l.push(escape)
	} else {
		l.push(uint32(ns))
	}
	l.count++
	l.ordered = false
}

func (l *exactList) push(word uint32) {
	if l.newest == nil || l.used == blockWords {
		b := l.pool.take()
		b.older = l.newest
		l.newest, l.used = b, 0
	}
	l.newest.words[l.used] = word
	l.used++
}

// wordReader goes over the words of a list from the newest to the oldest.
type wordReader struct {
	block *block
	at    int // behind the word that comes next
}

// next returns where the next word stands.
func (r *wordReader) next() *uint32 {
	if r.at == 0 {
		r.block, r.at = r.block.older, blockWords
	}
	r.at--
	return &r.block.words[r.at]
}

// read appends all times to list.
func (l *exactList) read(list []int64) []int64 {
	words := wordReader{l.newest, int(l.used)}
	for range l.count {
		word := *words.next()
		if word != escape {
			list = append(list, int64(word))
			continue
		}
		low := *words.next()
		list = append(list, int64(*words.next())<<32|int64(low))
	}
	return list
}

// sorted appends all times to list in ascending order, in which they stay.
func (l *exactList) sorted(list []int64) []int64 {
	list = l.read(list)
	if l.ordered {
		return list
	}
	slices.Sort(list)
	words := wordReader{l.newest, int(l.used)}
	for _, ns := range list {
		if ns < escape {
			*words.next() = uint32(ns)
			continue
		}
		*words.next() = escape
		*words.next() = uint32(ns)
		*words.next() = uint32(ns >> 32)
	}
	l.ordered = true
	return list
}

// fewTimes is how many times are read without clearing memory for all that a list may have.
const fewTimes = 32

// quantile returns the time at a rank of the ascending list, between two of its times if the rank is.
func (l *exactList) quantile(rank float64) float64 {
	if l.count <= fewTimes {
		var buffer [fewTimes]int64
		return interpolated(l.sorted(buffer[:0]), rank)
	}
	var buffer [exactTimes]int64
	return interpolated(l.sorted(buffer[:0]), rank)
}

// interpolated returns the value at a rank of a sorted list, between two of its values where the rank is.
func interpolated(sorted []int64, rank float64) float64 {
	i := int(rank)
	if i+1 >= len(sorted) {
		return float64(sorted[len(sorted)-1])
	}
	return float64(sorted[i]) + (rank-float64(i))*float64(sorted[i+1]-sorted[i])
}

// drop gives the memory back.
func (l *exactList) drop() {
	l.pool.giveBack(l.newest)
	l.newest, l.used, l.count = nil, 0, 0
}
