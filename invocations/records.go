package invocations

import "iter"

// Records are results in an order, for example the plan's. There may be millions, so those of a run stay in its
// journal, and each is read when it is asked for. Nil is an empty list.
type Records struct {
	plain  []Record // of RecordsOf
	stored RecordStore
	count  int // of those that are stored
}

// RecordStore holds results in a file. A place is that in the list that StoredRecords makes.
type RecordStore interface {
	// Read returns a new copy of a record.
	Read(place int) (*Record, error)
	// Status and Group return fields of a record. They read nothing.
	Status(place int) Status
	Group(place int) string
	// Run returns the number of the run that measured a record, of those that wrote the file. It reads nothing.
	Run(place int) int
	// Close releases the file.
	Close() error
}

// RecordsOf makes a list of few records. At returns the records themselves, which may be changed.
func RecordsOf(list ...Record) *Records { return &Records{plain: list} }

// StoredRecords makes a list of n records that a store holds.
func StoredRecords(n int, store RecordStore) *Records { return &Records{stored: store, count: n} }

// Close releases the file that the records are in. They cannot be read afterwards.
func (l *Records) Close() error {
	if l == nil || l.stored == nil {
		return nil
	}
	return l.stored.Close()
}

// Len returns the number of records.
func (l *Records) Len() int {
	if l == nil {
		return 0
	}
	return len(l.plain) + l.count
}

// At returns the record in a place. The error tells that it cannot be read from its file.
func (l *Records) At(place int) (*Record, error) {
	if l.stored == nil {
		return &l.plain[place], nil
	}
	return l.stored.Read(place)
}

// Status returns the status of the record in a place. It reads nothing.
func (l *Records) Status(place int) Status {
	if l.stored == nil {
		return l.plain[place].Status
	}
	return l.stored.Status(place)
}

// Group returns the group of the record in a place, empty if it has none. It reads nothing.
func (l *Records) Group(place int) string {
	if l.stored == nil {
		return l.plain[place].Group
	}
	return l.stored.Group(place)
}

// Run returns the number of the run that measured the record in a place. Launches with equal numbers were made side by
// side only in one run. Records that are in no file have 0. It reads nothing.
func (l *Records) Run(place int) int {
	if l.stored == nil {
		return 0
	}
	return l.stored.Run(place)
}

// Select returns the records in some places. They can be read until the whole list is closed.
func (l *Records) Select(places ...int) *Records {
	return StoredRecords(len(places), &selection{l, places})
}

// selection is a store of records of another list.
type selection struct {
	of     *Records
	places []int
}

func (s *selection) Read(place int) (*Record, error) { return s.of.At(s.places[place]) }
func (s *selection) Status(place int) Status         { return s.of.Status(s.places[place]) }
func (s *selection) Group(place int) string          { return s.of.Group(s.places[place]) }
func (s *selection) Run(place int) int               { return s.of.Run(s.places[place]) }
func (s *selection) Close() error                    { return nil }

// All iterates over the records. An error is that of At; it ends the iteration.
func (l *Records) All() iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for place := range l.Len() {
			if r, err := l.At(place); !yield(r, err) || err != nil {
				return
			}
		}
	}
}

// List returns copies of all records.
func (l *Records) List() ([]Record, error) {
	list := make([]Record, 0, l.Len())
	for r, err := range l.All() {
		if err != nil {
			return nil, err
		}
		list = append(list, *r)
	}
	return list, nil
}

// FewBatches is a number of samples from which on no other fields follow from them in a line of the journal: their
// figures are short beside so many samples, and computing them when a journal is read would take long. Readers that need
// no values of batches may leave out those behind it.
const FewBatches = 17

// SamplesKey is the key of the samples. In lines that zonemark writes, it is before the other keys of OfBatches.
const SamplesKey = "samples_ns"

// OfBatches reports whether a key of a result's line is a list with a value for each batch, of which readers may leave
// out the end.
func OfBatches(key string) bool {
	switch key {
	case SamplesKey, "cpu_samples_ns", "apart_ns", "apart_after":
		return true
	}
	return false
}
