package pjrt

import (
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// XSpace is what a profiler has collected: planes of devices and of the host. A plane holds lines, such as threads or
// streams, and a line holds events. It mirrors tsl's xplane.proto, as far as it tells where time was spent.
type XSpace struct {
	Planes           []XPlane
	Errors, Warnings []string // the profiler's own
}

// XPlane is a device ("/device:TPU:0") or the host ("/host:CPU").
type XPlane struct {
	Name  string
	Lines []XLine
}

// XLine is a sequence of events. Events may enclose each other.
type XLine struct {
	Name   string
	Events []XEvent
}

// XEvent is something that took time.
type XEvent struct {
	Name       string
	StartPS    int64 // picoseconds after the start of the earliest line of the plane
	DurationPS int64
	// Operation is the event's operation of the compiled program, from the statistic "hlo_op". It is empty if the event
	// is no operation.
	Operation string
}

// These are field numbers of tsl/profiler/protobuf/xplane.proto.
const (
	spacePlanes, spaceErrors, spaceWarnings = 1, 2, 3

	planeName, planeLines, planeEventMetadata, planeStatMetadata = 2, 3, 4, 5

	lineName, lineTimestampNS, lineEvents, lineDisplayName = 2, 3, 4, 11

	eventMetadata, eventOffsetPS, eventDurationPS, eventStats, eventOccurrences = 1, 2, 3, 4, 5

	metadataName, metadataDisplayName, metadataStats = 2, 4, 5

	statMetadata, statText, statReference = 1, 5, 7
)

const (
	operationStat = "hlo_op"
	maxTimePS     = math.MaxInt64 / 4 // a month, so that sums do not overflow
)

// ParseXSpace reads a serialized XSpace. The error names where it is truncated or impossible.
func ParseXSpace(data []byte) (XSpace, error) {
	var s XSpace
	err := messageFields(unpadded(data), func(field protowire.Number, _ uint64, bytes []byte) error {
		switch {
		case bytes == nil:
		case field == spaceErrors:
			s.Errors = append(s.Errors, limited(bytes))
		case field == spaceWarnings:
			s.Warnings = append(s.Warnings, limited(bytes))
		case field == spacePlanes:
			p, err := parsePlane(bytes)
			if err != nil {
				return fmt.Errorf("plane %d, %q: %w", len(s.Planes), p.Name, err)
			}
			s.Planes = append(s.Planes, p)
		}
		return nil
	})
	if err != nil {
		return XSpace{}, fmt.Errorf("profile: %w", err)
	}
	return s, nil
}

// unpadded returns a message without the zero that XLA's profiler leaves behind it.
func unpadded(message []byte) []byte {
	for at := 0; at < len(message); {
		_, _, n := protowire.ConsumeField(message[at:])
		switch last := len(message) - 1; {
		case n < 0 && at == last && message[last] == 0:
			return message[:last]
		case n < 0:
			return message
		}
		at += n
	}
	return message
}

func limited(text []byte) string { return string(text[:min(len(text), maxMessage)]) }

// planeNames holds what the events of a plane refer to by number.
type planeNames struct {
	events map[int64]eventKind
	stats  map[int64]string
}

// eventKind holds what events of one number have in common.
type eventKind struct {
	name  string
	stats [][]byte
}

func parsePlane(data []byte) (XPlane, error) {
	var p XPlane
	names := planeNames{events: map[int64]eventKind{}, stats: map[int64]string{}}
	var lines [][]byte
	err := messageFields(data, func(field protowire.Number, _ uint64, bytes []byte) error {
		if bytes == nil {
			return nil
		}
		switch field {
		case planeName:
			p.Name = limited(bytes)
		case planeLines:
			lines = append(lines, bytes)
		case planeEventMetadata:
			return mapEntry(bytes, func(key int64, kind eventKind) { names.events[key] = kind })
		case planeStatMetadata:
			return mapEntry(bytes, func(key int64, kind eventKind) { names.stats[key] = kind.name })
		}
		return nil
	})
	if err != nil {
		return p, err
	}
	var starts []int64
	for i, line := range lines {
		l, start, err := parseLine(line, names)
		if err != nil {
			return p, fmt.Errorf("line %d, %q: %w", i, l.Name, err)
		}
		p.Lines, starts = append(p.Lines, l), append(starts, start)
	}
	return p, p.align(starts)
}

// align gives the events of all lines one origin. Lines state their start in nanoseconds, and events state theirs in
// picoseconds after that.
func (p *XPlane) align(startsNS []int64) error {
	earliest := int64(math.MaxInt64)
	for i, start := range startsNS {
		if len(p.Lines[i].Events) > 0 {
			earliest = min(earliest, start)
		}
	}
	for i, start := range startsNS {
		events := p.Lines[i].Events
		if len(events) == 0 {
			continue
		}
		after := uint64(start) - uint64(earliest) // does not overflow: start is not before earliest
		if after > maxTimePS/1000 {
			return fmt.Errorf("line %d, %q: it begins %d ns after the first one", i, p.Lines[i].Name, after)
		}
		for j := range events {
			events[j].StartPS += int64(after) * 1000
		}
	}
	return nil
}

// mapEntry reads an entry of event_metadata or stat_metadata. Both have number and name in the same fields.
func mapEntry(data []byte, found func(key int64, kind eventKind)) error {
	var key int64
	var kind eventKind
	var display string
	err := messageFields(data, func(field protowire.Number, value uint64, bytes []byte) error {
		if field == mapKey && bytes == nil {
			key = int64(value)
		}
		if field != mapValue || bytes == nil {
			return nil
		}
		return messageFields(bytes, func(field protowire.Number, _ uint64, bytes []byte) error {
			switch {
			case bytes == nil:
			case field == metadataName:
				kind.name = limited(bytes)
			case field == metadataDisplayName:
				display = limited(bytes)
			case field == metadataStats:
				kind.stats = append(kind.stats, bytes)
			}
			return nil
		})
	})
	if display != "" { // used if the name is a whole instruction
		kind.name = display
	}
	found(key, kind)
	return err
}

func parseLine(data []byte, names planeNames) (l XLine, startNS int64, err error) {
	err = messageFields(data, func(field protowire.Number, value uint64, bytes []byte) error {
		switch {
		case bytes == nil && field == lineTimestampNS:
			startNS = int64(value)
		case bytes == nil:
		case field == lineName && l.Name == "", field == lineDisplayName:
			l.Name = limited(bytes)
		case field == lineEvents:
			e, timed, err := parseEvent(bytes, names)
			if err != nil {
				return fmt.Errorf("event %d: %w", len(l.Events), err)
			}
			if timed {
				l.Events = append(l.Events, e)
			}
		}
		return nil
	})
	return l, startNS, err
}

// parseEvent reads an event. timed is false for an event that stands for several occurrences and does not state when
// they happened.
func parseEvent(data []byte, names planeNames) (e XEvent, timed bool, err error) {
	timed = true
	var stats [][]byte
	err = messageFields(data, func(field protowire.Number, value uint64, bytes []byte) error {
		switch {
		case bytes != nil && field == eventStats:
			stats = append(stats, bytes)
		case bytes != nil:
		case field == eventMetadata:
			kind := names.events[int64(value)]
			e.Name = kind.name
			stats = append(stats, kind.stats...)
		case field == eventOffsetPS:
			e.StartPS = int64(value)
		case field == eventDurationPS:
			e.DurationPS = int64(value)
		case field == eventOccurrences:
			timed = false
		}
		return nil
	})
	if err != nil {
		return e, false, err
	}
	if e.DurationPS < 0 || e.DurationPS > maxTimePS || e.StartPS < -maxTimePS || e.StartPS > maxTimePS {
		return e, false, errors.New("its time is impossible")
	}
	for _, s := range stats {
		name, text, err := parseStat(s, names)
		if err != nil {
			return e, false, err
		}
		if name == operationStat {
			e.Operation = text
		}
	}
	return e, timed, nil
}

// parseStat reads a statistic whose value is a string: its own, or one that the plane holds.
func parseStat(data []byte, names planeNames) (name, text string, err error) {
	err = messageFields(data, func(field protowire.Number, value uint64, bytes []byte) error {
		switch {
		case bytes == nil && field == statMetadata:
			name = names.stats[int64(value)]
		case bytes == nil && field == statReference:
			text = names.stats[int64(value)]
		case bytes != nil && field == statText:
			text = limited(bytes)
		}
		return nil
	})
	return name, text, err
}
