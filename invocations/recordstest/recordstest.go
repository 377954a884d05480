// Package recordstest reads lists of records in tests, which end if a record cannot be read.
package recordstest

import (
	"iter"
	"testing"

	"zonemark/invocations"
)

// At returns the record in a place.
func At(t testing.TB, records *invocations.Records, place int) *invocations.Record {
	t.Helper()
	r, err := records.At(place)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// All iterates over the records with their places.
func All(t testing.TB, records *invocations.Records) iter.Seq2[int, *invocations.Record] {
	t.Helper()
	return func(yield func(int, *invocations.Record) bool) {
		for place := range records.Len() {
			if !yield(place, At(t, records, place)) {
				return
			}
		}
	}
}

// List returns copies of all records.
func List(t testing.TB, records *invocations.Records) []invocations.Record {
	t.Helper()
	list, err := records.List()
	if err != nil {
		t.Fatal(err)
	}
	return list
}
