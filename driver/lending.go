package driver

import (
	"os"
	"strings"

	"zonemark/driver/executors"
	"zonemark/invocations"
)

const (
	// exchangeLeast is the size of arguments from which on their physical pages matter: smaller ones fit into the first
	// cache, whose sets do not depend on them.
	exchangeLeast    = 32 << 10
	exchangeLaunches = 8 // that have the same exchange
)

// lend returns the memory that the executors of both sides of a pair exchange, and whether their arguments are in it:
// they may not profit from it. If there are no steps either, it returns nil. Some launches have the same memory, and then
// there is other one, so that a result holds for more pages than those of one exchange: new pages cost time, which further
// launches need more than each its own. What was lent before is closed then: it is not lent any more.
func (r *run) lend(p *paired) (x *executors.Exchange, moves bool) {
	bytes := r.exchangeBytes(p)
	switch {
	case bytes == 0 && !r.stepwise(p):
		return nil, false
	case r.exchange == nil || r.exchange.Bytes() < bytes:
		r.exchange.Close()
		r.exchange = r.newExchange(max(bytes, int64(os.Getpagesize())))
	case r.exchange.Launches == exchangeLaunches:
		r.exchange.Close()
		r.exchange = r.newExchange(r.exchange.Bytes())
	}
	if r.exchange == nil {
		return nil, false
	}
	r.exchange.Launches++
	return r.exchange, bytes > 0
}

// newExchange returns memory of the machine that measures.
func (r *run) newExchange(bytes int64) *executors.Exchange {
	if r.host != nil {
		return executors.NamedExchange(bytes)
	}
	return executors.NewExchange(bytes)
}

// exchangeBytes returns how much memory the arguments of each side need, with some for how they are placed; 0 if their
// physical pages hardly matter, or if exchanged memory would have smaller pages than their own.
func (r *run) exchangeBytes(p *paired) int64 {
	var most, room int64
	for _, side := range p.sides {
		first := &side.Results[0]
		most = max(most, first.SetBytes)
		room = max(room, int64(first.Sets)*int64(len(first.Places))*invocations.PlacementPage) // between the arrays
	}
	huge := r.plan.At(p.sides[0].index).Invocation.Measure.HugePages || r.hugePagesAlways()
	if most < exchangeLeast || most > executors.MostExchanged || room > executors.HugePage || huge && most >= executors.HugePage/2 {
		return 0
	}
	return most + room + 2*int64(os.Getpagesize())
}

// hugePagesAlways reports whether the machine that measures gives huge pages to memory that nobody asked them for. It does
// not do so for memory that is exchanged.
func (r *run) hugePagesAlways() bool {
	said := ""
	if r.host != nil {
		said = r.host.Environment["transparent_hugepages"]
	} else {
		said = executors.HugePages()
	}
	return strings.Contains(said, "[always]")
}
