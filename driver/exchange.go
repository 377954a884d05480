package driver

import "os"

// Exchange is memory that two executors have, in two parts. Each uses one of them at a time for arguments, and they
// change parts within a launch. Which physical pages an array has decides how its lines share caches and banks of
// memory, and the same pages return in launch after launch: one side had up to 7 % more time than its twin. When the
// arrays change sides, the difference does too.
type Exchange struct {
	bytes    int64
	launches int // that have begun with it
	parts    []*os.File
}

const (
	// exchangeLeast is the size of arguments from which on their physical pages matter: smaller ones fit into the first
	// cache, whose sets do not depend on them.
	exchangeLeast    = 32 << 10
	exchangeLaunches = 8       // that have the same exchange
	exchangeMost     = 1 << 30 // more would take long to fill in each launch
	hugePage         = 2 << 20
)

// Files are the parts, for an executor to inherit. A nil exchange has none.
func (x *Exchange) Files() []*os.File {
	if x == nil {
		return nil
	}
	return x.parts
}

// close gives the memory back as soon as no executor has it any more.
func (x *Exchange) close() {
	for _, f := range x.Files() {
		f.Close() // it holds nothing that could be lost
	}
}

// lend returns the memory that the executors of both sides of a pair exchange; nil if their arguments would not profit
// from it. What was lent before is not lent any more.
func (r *run) lend(p *paired) *Exchange {
	bytes := r.exchangeBytes(p)
	switch {
	case bytes == 0:
		return nil
	case r.exchange == nil || r.exchange.bytes < bytes:
		r.exchange.close()
		r.exchange = newExchange(bytes)
	}
	return r.exchange
}

// renewExchange has the next launch exchange other memory than some before it, so that a result holds for more pages
// than those of one exchange. New pages cost time, which further launches need more than each its own.
func (r *run) renewExchange() {
	x := r.exchange
	if x == nil {
		return
	}
	if x.launches++; x.launches == exchangeLaunches {
		r.exchange = newExchange(x.bytes)
		x.close()
	}
}

// exchangeBytes returns how much memory the arguments of each side need, with some for how they are placed; 0 if their
// physical pages hardly matter, or if exchanged memory would have smaller pages than their own.
func (r *run) exchangeBytes(p *paired) int64 {
	var most int64
	for _, side := range p.sides {
		most = max(most, side.results[0].SetBytes)
	}
	huge := r.plan.At(p.sides[0].index).Invocation.Measure.HugePages || hugePagesAlways()
	if most < exchangeLeast || most > exchangeMost || huge && most >= hugePage/2 {
		return 0
	}
	return most + 2*int64(os.Getpagesize())
}
