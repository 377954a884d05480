package journal

import (
	"iter"

	"zonemark/invocations"
)

// Results are the results of a plan, by position, in the journal of its run. Memory holds where they are. Only one
// goroutine at a time may use them.
type Results struct {
	journal *Writer
	numbers []int32 // of results in the journal, from 1; 0: there is none
}

// Results returns the results of a plan with these ids, as far as earlier runs have them.
func (j *Writer) Results(done *Done, ids iter.Seq[string]) *Results {
	l := &Results{journal: j}
	for id := range ids {
		number, known := done.number(id)
		if known {
			number++
		}
		l.numbers = append(l.numbers, number)
	}
	return l
}

// Has reports whether there is a result of a position.
func (l *Results) Has(position int) bool { return l.numbers[position] > 0 }

// Status returns the status of the result of a position, empty if there is none. It reads nothing.
func (l *Results) Status(position int) invocations.Status {
	if !l.Has(position) {
		return ""
	}
	return l.journal.store.status(l.numbers[position] - 1)
}

// At reads the result of a position that has one.
func (l *Results) At(position int) (*invocations.Record, error) {
	return l.journal.store.read(l.numbers[position]-1, false)
}

// Put writes the result of a position into the journal; see Writer.Append.
func (l *Results) Put(position int, r *invocations.Record) error {
	number, err := l.journal.add(*r)
	if err == nil {
		l.numbers[position] = number + 1
	}
	return err
}

// Records returns the results that are there, in the order of the plan. They can be read after the journal was closed,
// until they are closed.
func (l *Results) Records() *invocations.Records {
	numbers := make([]int32, 0, len(l.numbers))
	for _, number := range l.numbers {
		if number > 0 {
			numbers = append(numbers, number-1)
		}
	}
	l.journal.lent = true
	return l.journal.store.list(numbers, false)
}
