// Package chrome writes captures as trace-event JSON, which the Perfetto UI and Chrome's tracing page open.
package chrome

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"
	"unicode/utf8"

	"zonemark/trace"
)

// Trace is what Write writes. Sequences that are nil are left out.
type Trace struct {
	Program   string
	PID       uint64
	Threads   []trace.Thread
	Zones     iter.Seq2[trace.Zone, error]
	Messages  iter.Seq2[trace.Message, error]
	GPUZones  iter.Seq2[trace.GPUZone, error]
	Plots     iter.Seq2[trace.PlotPoint, error]
	OtherData map[string]string // about the capture; shown among the trace's metadata
}

// gpuPID is the process under which GPU contexts are shown, each as a thread: they have none of their own.
const gpuPID = math.MaxInt32 - 1

// Write writes the JSON object form of Chrome's trace-event format, which the Perfetto UI opens: zones as complete
// events ("ph":"X", times in microseconds with three decimals), messages as instants, plots as counters, threads named
// by metadata. What a zone has of text, source and function is in its args. Events are streamed in the order in which
// they come; the format asks for none. The output is complete JSON also when reading a sequence ends with an error,
// which is returned and noted in otherData.
func Write(w io.Writer, t Trace) error {
	c := &eventWriter{w: bufio.NewWriterSize(w, 1<<16), pid: t.PID, threads: t.Threads}
	if c.pid == 0 || c.pid > math.MaxInt32-2 { // Perfetto's ids have 32 bits
		c.pid = 1
	}
	c.tids = threadIDs(t.Threads)
	c.raw(`{"displayTimeUnit":"ns","traceEvents":[`)
	c.names(t.Program)
	err := c.events(t)
	other := map[string]string{"written by": "zonemark"}
	for k, v := range t.OtherData {
		other[k] = v
	}
	if err != nil {
		other["incomplete"] = err.Error()
	}
	text, jsonErr := json.Marshal(other)
	if jsonErr != nil {
		return jsonErr
	}
	c.raw("\n],\"otherData\":" + string(text) + "}\n")
	if flushErr := c.w.Flush(); flushErr != nil {
		return fmt.Errorf("write the trace: %w", flushErr)
	}
	return err
}

// chromeWriter holds one event at a time. Errors of writing stay in w until the end, except that they stop reading.
type eventWriter struct {
	w       *bufio.Writer
	buf     []byte
	pid     uint64
	threads []trace.Thread
	tids    []uint64
	count   int
}

// chromeThreadIDs are the threads' own ids where they are distinct and have at most 31 bits, as Perfetto wants them;
// the others count down from above every id that a system gives out.
func threadIDs(threads []trace.Thread) []uint64 {
	ids := make([]uint64, len(threads))
	seen := map[uint64]bool{}
	for i, t := range threads {
		ids[i] = t.ID
		if t.ID == 0 || t.ID > unknownThread/2 || seen[t.ID] {
			ids[i] = unknownThread - 1 - uint64(i)
		}
		seen[t.ID] = true
	}
	return ids
}

// unknownThread stands for threads that the capture does not list.
const unknownThread = math.MaxInt32 - 1

func (c *eventWriter) tid(thread int) uint64 {
	if thread < 0 || thread >= len(c.tids) {
		return unknownThread
	}
	return c.tids[thread]
}

func (c *eventWriter) raw(s string) {
	_, _ = c.w.WriteString(s) // bufio keeps the error for Flush
}

// begin starts an event; end writes it.
func (c *eventWriter) begin(phase, name string, pid, tid uint64) {
	c.buf = c.buf[:0]
	if c.count > 0 {
		c.buf = append(c.buf, ',')
	}
	c.count++
	c.buf = append(c.buf, "\n{\"ph\":\""...)
	c.buf = append(c.buf, phase...)
	c.buf = append(c.buf, `","name":`...)
	c.buf = appendJSON(c.buf, name)
	c.buf = append(c.buf, `,"pid":`...)
	c.buf = strconv.AppendUint(c.buf, pid, 10)
	c.buf = append(c.buf, `,"tid":`...)
	c.buf = strconv.AppendUint(c.buf, tid, 10)
}

func (c *eventWriter) micros(key string, ns int64) {
	c.buf = append(append(append(c.buf, `,"`...), key...), `":`...)
	c.buf = appendMicros(c.buf, ns)
}

func (c *eventWriter) end() error {
	c.buf = append(c.buf, '}')
	_, err := c.w.Write(c.buf)
	return err
}

// args writes the arguments of an event that have a value.
type eventArguments struct {
	c     *eventWriter
	count int
}

func (a *eventArguments) key(name string) {
	if a.count == 0 {
		a.c.buf = append(a.c.buf, `,"args":{`...)
	} else {
		a.c.buf = append(a.c.buf, ',')
	}
	a.count++
	a.c.buf = append(appendJSON(a.c.buf, name), ':')
}

func (a *eventArguments) text(name, value string) {
	if value != "" {
		a.key(name)
		a.c.buf = appendJSON(a.c.buf, value)
	}
}

func (a *eventArguments) location(l *trace.Location) {
	a.text("function", l.Function)
	a.text("file", l.File)
	if l.File != "" {
		a.key("line")
		a.c.buf = strconv.AppendUint(a.c.buf, uint64(l.Line), 10)
	}
}

func (a *eventArguments) close() {
	if a.count > 0 {
		a.c.buf = append(a.c.buf, '}')
	}
}

// names writes the metadata events. Their errors surface with the first event, or at the end.
func (c *eventWriter) names(program string) {
	c.label("process_name", program, c.pid, 0)
	for i, t := range c.threads {
		name := t.Name
		if name == "" && (t.ID != 0 || i > 0) { // index 0 without an id stands for no thread
			name = fmt.Sprintf("thread %d", i)
		}
		c.label("thread_name", name, c.pid, c.tids[i])
	}
}

func (c *eventWriter) label(kind, name string, pid, tid uint64) {
	if name == "" {
		return
	}
	c.begin("M", kind, pid, tid)
	args := eventArguments{c: c}
	args.text("name", name)
	args.close()
	_ = c.end() // bufio keeps the error
}

func (c *eventWriter) events(t Trace) error {
	if err := each(t.Zones, c.zone); err != nil {
		return err
	}
	if err := each(t.Messages, c.message); err != nil {
		return err
	}
	contexts := map[int]bool{}
	if err := each(t.GPUZones, func(z trace.GPUZone) error { return c.gpuZone(z, contexts) }); err != nil {
		return err
	}
	return each(t.Plots, c.point)
}

// each hands every value to write; without a sequence it does nothing.
func each[T any](values iter.Seq2[T, error], write func(T) error) error {
	if values == nil {
		return nil
	}
	for v, err := range values {
		if err != nil {
			return err
		}
		if err := write(v); err != nil {
			return err
		}
	}
	return nil
}

func (c *eventWriter) zone(z trace.Zone) error {
	c.begin("X", z.Name(), c.pid, c.tid(z.Thread))
	c.micros("ts", z.StartNS)
	c.micros("dur", max(0, z.DurationNS))
	args := eventArguments{c: c}
	args.text("text", z.Text)
	args.location(z.Location)
	if z.Unfinished {
		args.text("unfinished", "yes: still open when the capture ended")
	}
	args.close()
	return c.end()
}

func (c *eventWriter) message(m trace.Message) error {
	c.begin("i", m.Text, c.pid, c.tid(m.Thread))
	c.micros("ts", m.TimeNS)
	c.buf = append(c.buf, `,"s":"t"`...)
	return c.end()
}

func (c *eventWriter) gpuZone(z trace.GPUZone, contexts map[int]bool) error {
	tid := uint64(max(0, z.Context)) + 1
	if !contexts[z.Context] {
		if len(contexts) == 0 {
			c.label("process_name", "GPU", gpuPID, 0)
		}
		contexts[z.Context] = true
		name := z.ContextName
		if name == "" {
			name = fmt.Sprintf("context %d", z.Context)
		}
		c.label("thread_name", name, gpuPID, tid)
	}
	c.begin("X", z.Location.Label(), gpuPID, tid)
	c.micros("ts", z.StartNS)
	c.micros("dur", max(0, z.DurationNS))
	args := eventArguments{c: c}
	args.location(z.Location)
	args.close()
	return c.end()
}

// point leaves out values that JSON cannot hold.
func (c *eventWriter) point(p trace.PlotPoint) error {
	if math.IsNaN(p.Value) || math.IsInf(p.Value, 0) {
		return nil
	}
	c.begin("C", p.Plot.Name, c.pid, 0)
	c.micros("ts", p.TimeNS)
	c.buf = append(c.buf, `,"args":{"value":`...)
	c.buf = strconv.AppendFloat(c.buf, p.Value, 'g', -1, 64)
	c.buf = append(c.buf, '}')
	return c.end()
}

// appendMicros writes nanoseconds as microseconds, to the nanosecond.
func appendMicros(b []byte, ns int64) []byte {
	whole, rest := ns/1000, ns%1000
	if ns < 0 {
		b = append(b, '-')
		whole, rest = -whole, -rest
	}
	b = strconv.AppendInt(b, whole, 10)
	return append(b, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
}

// appendJSON writes a string as JSON; what is no UTF-8 becomes the replacement character.
func appendJSON(b []byte, s string) []byte {
	plain := true
	for i := range len(s) {
		if s[i] < ' ' || s[i] == '"' || s[i] == '\\' || s[i] >= utf8.RuneSelf {
			plain = false
			break
		}
	}
	if plain { // nearly all strings, and 10 million of them in a long capture
		return append(append(append(b, '"'), s...), '"')
	}
	text, err := json.Marshal(s)
	if err != nil {
		return append(b, `""`...) // cannot happen: every string has a JSON form
	}
	return append(b, text...)
}
