package trace

// pages is a growing list that is never copied: what it takes follows what was read, not what a file promised.
type pages[T any] struct {
	page  [][]T
	count int
}

const (
	pageBits = 12
	pageMask = 1<<pageBits - 1
)

func (p *pages[T]) append(v T) {
	if p.count&pageMask == 0 {
		p.page = append(p.page, make([]T, 0, 1<<pageBits))
	}
	last := len(p.page) - 1
	p.page[last] = append(p.page[last], v)
	p.count++
}

func (p *pages[T]) at(i int) *T { return &p.page[i>>pageBits][i&pageMask] }
