package native

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// Counters are hardware counters of one thread. Each event is open twice: for the thread alone, and for the thread
// together with all threads that it starts from then on. Events that the processor cannot count at the same time are in
// different passes. Only the thread that opened the counters may use them.
type Counters struct {
	events  []Event           // those that are open; cycles and instructions first
	alone   []openEvent       // of the thread, in the order of events
	inherit []openEvent       // of the thread and those that it starts
	passes  [][]int           // indices of events
	missing map[string]string // reasons by name

	selected []int       // the pass that counts; nil before Select and after Close
	counting []openEvent // alone or inherit
	start    []reading   // of the selected events, taken by Select; nil if they have not started
	now      []reading   // of the selected events, reused
}

// CountersError is the reason why nothing can be counted.
type CountersError struct{ Reason string } // one line

func (e *CountersError) Error() string { return "hardware counters: " + e.Reason }

// openEvent is an event that the kernel can count, stopped at first.
type openEvent interface {
	enable() error
	disable() error
	read() (reading, error) // io.EOF after the event has lost its counter
	page() uintptr          // address of the page by which rdpmc reads the counter; 0 if that is not allowed
	close() error
}

// reading is what read(2) returns for one event with PERF_FORMAT_TOTAL_TIME_ENABLED and PERF_FORMAT_TOTAL_TIME_RUNNING:
// the count, the nanoseconds in which the event should have counted, and those in which it did.
type reading struct{ Count, Enabled, Running uint64 }

// eventOpener opens an event for the calling thread, alone or with the threads that it starts. The error is a *refusal
// if other events may still open.
type eventOpener func(e Event, inherit bool) (openEvent, error)

// refusal is the reason why one event cannot be opened on this machine.
type refusal struct{ reason string }

func (r *refusal) Error() string { return r.reason }

// Passes returns how many passes it takes to count all events.
func (c *Counters) Passes() int { return len(c.passes) }

// Missing returns the events that this machine does not count, with the reasons.
func (c *Counters) Missing() map[string]string { return c.missing }

// Select starts the events of a pass, of the thread alone or with the threads that it starts, and stops all others.
// Their counts begin at zero.
func (c *Counters) Select(pass int, inherit bool) error {
	if pass < 0 || pass >= len(c.passes) {
		return fmt.Errorf("hardware counters: there is no pass %d of %d", pass, len(c.passes))
	}
	if err := c.begin(c.passes[pass], inherit); err != nil {
		return fmt.Errorf("hardware counters: %w", err)
	}
	return nil
}

// begin stops the selected events, selects and starts these, and takes their first readings.
func (c *Counters) begin(events []int, inherit bool) error {
	if err := c.stop(); err != nil {
		return err
	}
	c.selected, c.counting, c.now = events, c.alone, make([]reading, len(events))
	if inherit {
		c.counting = c.inherit
	}
	for _, i := range events {
		if err := c.counting[i].enable(); err != nil {
			return fmt.Errorf("start %s: %w", c.events[i].Name, err)
		}
	}
	// The first readings come after all events have started: until then the kernel may move them between counters.
	start := make([]reading, len(events))
	if err := c.readings(start); err != nil {
		return err
	}
	c.start = start
	return nil
}

// stop stops the selected events. Afterwards none is selected.
func (c *Counters) stop() error {
	var failed []error
	for _, i := range c.selected {
		if err := c.counting[i].disable(); err != nil {
			failed = append(failed, fmt.Errorf("stop %s: %w", c.events[i].Name, err))
		}
	}
	c.selected, c.counting, c.start = nil, nil, nil
	return errors.Join(failed...)
}

// readings reads the selected events.
func (c *Counters) readings(into []reading) error {
	for k, i := range c.selected {
		r, err := c.counting[i].read()
		if err == io.EOF {
			return &notCounted{c.events[i].Name + " has lost its counter"}
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", c.events[i].Name, err)
		}
		into[k] = r
	}
	return nil
}

// Selected returns the events of the selected pass in the order of Pages and Read: cycles and instructions if the
// machine has them, then others.
func (c *Counters) Selected() []Event {
	var events []Event
	for _, i := range c.selected {
		events = append(events, c.events[i])
	}
	return events
}

// Pages returns the addresses of the pages by which rdpmc reads the selected events, valid until Close. It returns nil
// if the kernel forbids rdpmc for one of them, on other processors than amd64, and for events that threads inherit. If
// an event has lost its counter, its count stands still, which only Read reports.
func (c *Counters) Pages() []uintptr {
	var pages []uintptr
	for _, i := range c.selected {
		p := c.counting[i].page()
		if p == 0 {
			return nil
		}
		pages = append(pages, p)
	}
	return pages
}

// Read stores the counts of the selected events since Select. It fails if there is no room for all, or if one of them
// was not counted the whole time.
func (c *Counters) Read(into []uint64) error {
	if err := c.read(into); err != nil {
		return fmt.Errorf("hardware counters: %w", err)
	}
	return nil
}

func (c *Counters) read(into []uint64) error {
	switch {
	case c.start == nil:
		return errors.New("no pass is selected")
	case len(into) < len(c.selected):
		return fmt.Errorf("room for %d counts, %d events are selected", len(into), len(c.selected))
	}
	if err := c.readings(c.now); err != nil {
		return err
	}
	for k, r := range c.now {
		enabled, running := r.Enabled-c.start[k].Enabled, r.Running-c.start[k].Running
		if enabled != running {
			name := c.events[c.selected[k]].Name
			return &notCounted{fmt.Sprintf("%s was counted for %d of %d ns", name, running, enabled)}
		}
		into[k] = r.Count - c.start[k].Count
	}
	return nil
}

// notCounted is the error of an event that was not counted the whole time.
type notCounted struct{ what string }

func (e *notCounted) Error() string {
	return e.what + "; another program, such as perf, may use the counters"
}

// Close closes all events. Closing again does nothing.
func (c *Counters) Close() error {
	var failed []error
	for _, e := range slices.Concat(c.alone, c.inherit) {
		failed = append(failed, e.close())
	}
	*c = Counters{missing: c.missing}
	if err := errors.Join(failed...); err != nil {
		return fmt.Errorf("hardware counters: close: %w", err)
	}
	return nil
}
