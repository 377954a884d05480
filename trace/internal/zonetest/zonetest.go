// Package zonetest has zones and captures for the tests of the packages below trace.
package zonetest

import (
	"bytes"
	"errors"
	"iter"
	"testing"

	"zonemark/trace"
)

// Open opens a capture until the test ends.
func Open(t testing.TB, path string) *trace.File {
	t.Helper()
	f, err := trace.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// OpenBytes opens a capture in memory until the test ends.
func OpenBytes(t testing.TB, data []byte) (*trace.File, error) {
	f, err := trace.Read("memory.tracy", bytes.NewReader(data), int64(len(data)))
	if err == nil {
		t.Cleanup(func() { f.Close() })
	}
	return f, err
}

// ErrCut is an error for the end of Zones.
var ErrCut = errors.New("cut off")

// Zones is a sequence of zones that ends with an error, if there is one.
func Zones(err error, zones ...trace.Zone) iter.Seq2[trace.Zone, error] {
	return func(yield func(trace.Zone, error) bool) {
		for _, z := range zones {
			if !yield(z, nil) {
				return
			}
		}
		if err != nil {
			yield(trace.Zone{}, err)
		}
	}
}

// Repeated is one zone after another of a location, with these durations and no children.
func Repeated(l *trace.Location, durations ...int64) (zones []trace.Zone) {
	at := int64(0)
	for _, ns := range durations {
		zones = append(zones, trace.Zone{Ordinal: int64(len(zones)), Parent: -1, Location: l, StartNS: at,
			DurationNS: ns, SelfNS: ns})
		at += ns
	}
	return zones
}

// Family is parent(100) > child(30), child(20) named by the program, then parent(50) without children.
func Family() []trace.Zone {
	parent := &trace.Location{Function: "parent", File: "a.c", Line: 1}
	child := &trace.Location{Name: "child", Function: "f", File: "a.c", Line: 2}
	return []trace.Zone{
		{Ordinal: 1, Parent: 0, Depth: 1, Location: child, StartNS: 10, DurationNS: 30, SelfNS: 30},
		{
			Ordinal: 2, Parent: 0, Depth: 1, Location: child, DynamicName: "special", StartNS: 50, DurationNS: 20,
			SelfNS: 20, Text: "n=3",
		},
		{Ordinal: 0, Parent: -1, Location: parent, StartNS: 0, DurationNS: 100, SelfNS: 50},
		{Ordinal: 3, Parent: -1, Thread: 1, Location: parent, StartNS: 100, DurationNS: 50, SelfNS: 50},
	}
}
