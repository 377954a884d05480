package hosting

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/executor/native"
)

// The values of the flag --counters that are not a list of events.
const (
	CountersAuto = "auto"
	CountersOff  = "off"
)

// counterEvents returns the events that a value of --counters asks for, none for "off". Commas inside a pair of slashes
// belong to an event.
func counterEvents(text string) ([]native.Event, error) {
	switch text {
	case CountersAuto, "":
		return native.StandardEvents(), nil
	case CountersOff:
		return nil, nil
	}
	var events []native.Event
	for _, name := range splitEvents(text) {
		e, err := native.ParseEvent(strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(events, func(other native.Event) bool { return other.Name == e.Name }) {
			return nil, fmt.Errorf("%s is given twice", e.Name)
		}
		events = append(events, e)
	}
	return events, nil
}

// splitEvents splits at commas outside slashes.
func splitEvents(text string) (names []string) {
	inside, begin := false, 0
	for i, c := range text {
		switch {
		case c == '/':
			inside = !inside
		case c == ',' && !inside:
			names, begin = append(names, text[begin:i]), i+1
		}
	}
	return append(names, text[begin:])
}

// openCounters opens the events on the calling thread. The text names those that are counted, or says why there are
// none.
func openCounters(text string) (*native.Counters, string) {
	events, err := counterEvents(text)
	if err != nil {
		return nil, "none: " + err.Error()
	}
	if len(events) == 0 {
		return nil, "none: switched off by --counters=off"
	}
	c, err := native.OpenCounters(events)
	var none *native.CountersError
	if errors.As(err, &none) {
		return nil, "none: " + none.Reason
	}
	if err != nil {
		return nil, "none: " + err.Error()
	}
	missing := c.Missing()
	var names []string
	for _, e := range events {
		if missing[e.Name] == "" {
			names = append(names, e.Name)
		}
	}
	said := strings.Join(names, ", ")
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		said += fmt.Sprintf("; without %s: %s", name, missing[name])
	}
	return c, said
}

// CountersFlag returns the flag --counters, which sets list: auto, off, or a list of events.
func CountersFlag(list *string) cli.FlagValue {
	return cli.FlagValue{Kind: "auto|off|list", Text: func() string { return *list }, Keep: func(text string) error {
		if _, err := counterEvents(text); err != nil {
			return err
		}
		*list = text
		return nil
	}}
}

// TryCounters returns which hardware counters of a value of --counters this process can open, or, after "none: ", why
// it can open none.
func TryCounters(text string) string {
	c, said := openCounters(text)
	if c != nil {
		_ = c.Close() // nothing was counted
	}
	return said
}
