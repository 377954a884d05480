package launch

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
// some arguments do not profit from it. It returns nil if there are no steps either. A few launches in a row have the
// same memory; the next ones get new memory, so that a result holds for several sets of pages. Each launch does not get
// its own, since new pages cost time that is better spent on further launches. New memory closes what was lent before.
func (w *Worker) lend(o *Order) (x *executors.Exchange, moves bool) {
	bytes := w.exchangeBytes(o)
	switch {
	case bytes == 0 && !o.Steps:
		return nil, false
	case w.exchange == nil || w.exchange.Bytes() < bytes:
		w.exchange.Close()
		w.exchange = w.newExchange(max(bytes, int64(os.Getpagesize())))
	case w.exchange.Launches == exchangeLaunches:
		w.exchange.Close()
		w.exchange = w.newExchange(w.exchange.Bytes())
	}
	if w.exchange == nil {
		return nil, false
	}
	w.exchange.Launches++
	return w.exchange, bytes > 0
}

// newExchange returns memory of the machine that measures.
func (w *Worker) newExchange(bytes int64) *executors.Exchange {
	if w.machine.Elsewhere {
		return executors.NamedExchange(bytes)
	}
	return executors.NewExchange(bytes)
}

// exchangeBytes returns how much memory the arguments of each side need, with some for how they are placed; 0 if their
// physical pages hardly matter, or if exchanged memory would have smaller pages than their own: a machine gives no huge
// pages to memory that is exchanged, even if it gives them to memory that nobody asked them for.
func (w *Worker) exchangeBytes(o *Order) int64 {
	var most, room int64
	for _, side := range o.Sides {
		first := &side.Before[0]
		most = max(most, first.SetBytes)
		room = max(room, int64(first.Sets)*int64(len(first.Places))*invocations.PlacementPage) // between the arrays
	}
	huge := o.Sides[0].Message.Measure.HugePages || strings.Contains(w.machine.HugePages, "[always]")
	if most < exchangeLeast || most > executors.MostExchanged || room > executors.HugePage ||
		huge && most >= executors.HugePage/2 {
		return 0
	}
	return most + room + 2*int64(os.Getpagesize())
}
