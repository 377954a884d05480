package native

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
)

// Event is something that a processor counts. The numbers are those of perf_event_attr in linux/perf_event.h.
type Event struct {
	Name                     string // "instructions", …, or as the user wrote it
	Type                     uint32 // perf_event_attr.type
	Config, Config1, Config2 uint64
}

// Types of events: perf_type_id in linux/perf_event.h.
const (
	eventHardware = 0
	eventSoftware = 1
	eventRaw      = 4
)

// Config of the hardware events: perf_hw_id in linux/perf_event.h.
const (
	hardwareCycles       = 0
	hardwareInstructions = 1
	hardwareReferences   = 2
	hardwareMisses       = 3
	hardwareBranches     = 4
	hardwareBranchMisses = 5
)

// StandardEvents returns the events that the kernel knows on every processor: cycles, instructions, branches,
// branch_misses, cache_references and cache_misses. What the last two count differs between processors; usually it is
// the last-level cache.
func StandardEvents() []Event {
	return []Event{
		{Name: "cycles", Type: eventHardware, Config: hardwareCycles},
		{Name: "instructions", Type: eventHardware, Config: hardwareInstructions},
		{Name: "branches", Type: eventHardware, Config: hardwareBranches},
		{Name: "branch_misses", Type: eventHardware, Config: hardwareBranchMisses},
		{Name: "cache_references", Type: eventHardware, Config: hardwareReferences},
		{Name: "cache_misses", Type: eventHardware, Config: hardwareMisses},
	}
}

// ParseEvent reads the name of a standard event, with '_' or '-', or an event of the processor as perf writes it:
// "r01c2" or "cpu/r01c2/" with the hexadecimal config, or "cpu/event=0xc2,umask=0x01/" with the fields event, umask,
// cmask, inv, edge and config. On other processors than amd64, config is the only field. Errors name the text and what
// is expected.
func ParseEvent(text string) (Event, error) { return parseEvent(text, runtime.GOARCH == "amd64") }

// parseEvent reads an event as ParseEvent does, with or without the fields of an x86 event register.
func parseEvent(text string, x86 bool) (Event, error) {
	name := strings.ReplaceAll(text, "-", "_")
	for _, e := range StandardEvents() {
		if e.Name == name {
			return e, nil
		}
	}
	body, inCPU := strings.CutPrefix(text, "cpu/")
	if inCPU {
		var closed bool
		if body, closed = strings.CutSuffix(body, "/"); !closed {
			return Event{}, fmt.Errorf("event %q: the last '/' is missing; want for example cpu/r01c2/", text)
		}
	}
	if digits, raw := strings.CutPrefix(body, "r"); raw {
		if config, err := strconv.ParseUint(digits, 16, 64); err == nil {
			return Event{Name: text, Type: eventRaw, Config: config}, nil
		}
	}
	if !inCPU {
		return Event{}, fmt.Errorf("event %q: unknown; want %s, r01c2 (hexadecimal) or cpu/…/", text, standardNames())
	}
	config, err := parseFields(body, x86)
	if err != nil {
		return Event{}, fmt.Errorf("event %q: %w", text, err)
	}
	return Event{Name: text, Type: eventRaw, Config: config}, nil
}

func standardNames() string {
	var names []string
	for _, e := range StandardEvents() {
		names = append(names, e.Name)
	}
	return strings.Join(names, ", ")
}

// eventField is a part of the config of a raw event.
type eventField struct {
	name  string
	shift int
	bits  int
}

// x86Fields are the fields of an x86 event register: Intel SDM volume 3, IA32_PERFEVTSELx; AMD APM volume 2, PERF_CTL.
// AMD has the bits 8 to 11 of the event at 32 to 35; see x86Event.
var x86Fields = [...]eventField{{"event", 0, 12}, {"umask", 8, 8}, {"edge", 18, 1}, {"inv", 23, 1}, {"cmask", 24, 8}}

// parseFields reads "event=0xc2,umask=0x01". Numbers are decimal, or hexadecimal after 0x; a field without a number is
// 1.
func parseFields(body string, x86 bool) (config uint64, err error) {
	fields, wanted := []eventField{{"config", 0, 64}}, "config"
	if x86 {
		fields, wanted = append(fields, x86Fields[:]...), "event, umask, cmask, inv, edge or config"
	}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(body, ",") {
		name, number, hasNumber := strings.Cut(part, "=")
		field, known := findField(fields, name)
		switch {
		case !known:
			return 0, fmt.Errorf("field %q is unknown; want %s, or r and the hexadecimal config", name, wanted)
		case seen[name]:
			return 0, fmt.Errorf("field %s is given twice", name)
		}
		seen[name] = true
		if !hasNumber {
			number = "1"
		}
		n, err := strconv.ParseUint(number, 0, field.bits)
		if err != nil {
			return 0, fmt.Errorf("field %s: %q is not a number of up to %d bits", name, number, field.bits)
		}
		if name == "event" {
			n = x86Event(n)
		}
		config |= n << field.shift
	}
	if seen["config"] && len(seen) > 1 {
		return 0, fmt.Errorf("field config stands for all others; want it alone")
	}
	return config, nil
}

func findField(fields []eventField, name string) (eventField, bool) {
	for _, f := range fields {
		if f.name == name {
			return f, true
		}
	}
	return eventField{}, false
}

// x86Event places the number of an event: bits 0 to 7 stay, bits 8 to 11 go to 32 to 35.
func x86Event(n uint64) uint64 { return n&0xff | n>>8<<32 }
