package trace

import (
	"errors"
	"iter"
)

var errCut = errors.New("cut off")

// zonesOf is a source of zones that ends with an error, if there is one.
func zonesOf(err error, zones ...Zone) iter.Seq2[Zone, error] {
	return func(yield func(Zone, error) bool) {
		for _, z := range zones {
			if !yield(z, nil) {
				return
			}
		}
		if err != nil {
			yield(Zone{}, err)
		}
	}
}

// repeated is one zone after another of a location, with these durations and no children.
func repeated(l *Location, durations ...int64) (zones []Zone) {
	at := int64(0)
	for _, ns := range durations {
		zones = append(zones, Zone{Ordinal: int64(len(zones)), Parent: -1, Location: l, StartNS: at, DurationNS: ns, SelfNS: ns})
		at += ns
	}
	return zones
}
