package compare

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"zonemark/invocations"
)

// eachOf calls the functions for the members of a JSON object, by their names. A function reads the member's value. Other
// members are passed over. An error tells where it is.
func eachOf(dec *json.Decoder, path string, read map[string]func(*json.Decoder) error) error {
	err := members(dec, read)
	switch {
	case errors.Is(err, io.EOF):
		err = io.ErrUnexpectedEOF
		fallthrough
	case err != nil:
		return fmt.Errorf("%s: JSON before byte %d: %w", path, dec.InputOffset(), err)
	}
	return nil
}

// figure is a number; NaN if it is not known. It is read of text that numbers has passed on.
type figure float64

func (f *figure) UnmarshalJSON(text []byte) error {
	if *f = figure(math.NaN()); text[0] == '"' || string(text) == "null" {
		return nil
	}
	return json.Unmarshal(text, (*float64)(f))
}

// numbers reads JSON as Google Benchmark and Python write it: NaN, Infinity and -Infinity, which are no JSON, become empty
// strings of the same length, so that places in the text stay.
type numbers struct {
	in       *bufio.Reader
	inString bool
	escaped  bool
	pending  []byte // to be handed out
}

func newNumbers(r io.Reader) *numbers { return &numbers{in: bufio.NewReader(r)} }

// notFinite are the words for numbers that JSON has not, the longest that begins another one first.
var notFinite = []string{"-Infinity", "Infinity", "-NaN", "NaN"}

func (n *numbers) Read(p []byte) (int, error) {
	for i := range p {
		if len(n.pending) > 0 {
			p[i], n.pending = n.pending[0], n.pending[1:]
			continue
		}
		b, err := n.in.ReadByte()
		if err != nil {
			return i, err
		}
		p[i] = n.pass(b)
	}
	return len(p), nil
}

// pass returns a byte as it is passed on.
func (n *numbers) pass(b byte) byte {
	switch {
	case n.escaped:
		n.escaped = false
	case n.inString:
		n.escaped, n.inString = b == '\\', b != '"'
	case b == '"':
		n.inString = true
	case b == '-' || b == 'I' || b == 'N':
		for _, word := range notFinite {
			rest := word[1:]
			if next, _ := n.in.Peek(len(rest)); b == word[0] && string(next) == rest {
				_, _ = n.in.Discard(len(rest)) // they were there
				n.pending = append(n.pending[:0], `"`+strings.Repeat(" ", len(rest)-1)...)
				return '"'
			}
		}
	}
	return b
}

func members(dec *json.Decoder, read map[string]func(*json.Decoder) error) error {
	if err := expect(dec, '{'); err != nil {
		return err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		one := read[fmt.Sprint(name)]
		if one == nil {
			one = func(dec *json.Decoder) error { return dec.Decode(new(json.RawMessage)) }
		}
		if err := one(dec); err != nil {
			return err
		}
	}
	return expect(dec, '}')
}

// elements calls f for each element of the list that comes next. Misfit says that a part of the element has another type;
// the other parts are there.
func elements[T any](dec *json.Decoder, f func(one T, misfit error) error) error {
	if err := expect(dec, '['); err != nil {
		return err
	}
	for dec.More() {
		var one T
		err := dec.Decode(&one)
		if misfit := (*json.UnmarshalTypeError)(nil); err != nil && !errors.As(err, &misfit) {
			return err
		}
		if err := f(one, err); err != nil {
			return err
		}
	}
	return expect(dec, ']')
}

func expect(dec *json.Decoder, want json.Delim) error {
	token, err := dec.Token()
	if err == nil && token != want {
		err = fmt.Errorf("%v, want %v", token, want)
	}
	return err
}

// googleBenchmark is an element of "benchmarks".
type googleBenchmark struct {
	Name          string `json:"name"`
	RunName       string `json:"run_name"`
	RunType       string `json:"run_type"`
	Aggregate     string `json:"aggregate_name"`
	RealTime      figure `json:"real_time"`
	Unit          string `json:"time_unit"`
	ErrorOccurred bool   `json:"error_occurred"`
	Skipped       any    `json:"skipped"`
}

// timeUnits are those of Google Benchmark, in nanoseconds.
var timeUnits = map[string]float64{"": 1, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}

// addTo adds the time, or how it ended, to the measurement of its name.
func (b googleBenchmark) addTo(c *collector, misfit error) error {
	name := b.RunName
	if name == "" {
		name = b.Name
	}
	unit, known := timeUnits[b.Unit]
	switch {
	case misfit != nil:
		return c.spoil(name, "", fmt.Errorf("%.100s: %w", name, misfit))
	case b.ErrorOccurred || b.Skipped == true:
		return c.bad(name, "", invocations.Failed)
	case !known:
		return c.spoil(name, "", fmt.Errorf("%.100s: unknown time_unit %.100q", name, b.Unit))
	}
	return c.add("", name, "", float64(b.RealTime)*unit)
}

// readGoogleBenchmark reads JSON of Google Benchmark (schema version 1): one document, or several, one after the other, as
// several programs write them into one file.
func readGoogleBenchmark(r io.Reader, path string) (*Set, error) {
	var all collector
	dec := json.NewDecoder(newNumbers(r))
	for documents := 0; ; documents++ {
		one, err := readGoogleDocument(dec, path)
		switch {
		case documents == 0 && err != nil:
			return nil, err
		case err != nil:
			all.set.Notes = append(all.set.Notes, fmt.Sprintf("document %d cannot be read: %v; it and what follows are "+
				"left out", documents+1, err))
		}
		if err := all.take(one); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if err != nil || !dec.More() {
			break
		}
	}
	all.oneProcess("Google Benchmark")
	return all.done(path)
}

// readGoogleDocument reads one document, even if there is an error, as far as it goes. Aggregates are left out, unless
// there is nothing else: then medians, or means, count.
func readGoogleDocument(dec *json.Decoder, path string) (*collector, error) {
	var single, medians, means collector
	var environment map[string]string
	err := eachOf(dec, path, map[string]func(*json.Decoder) error{
		"context": func(dec *json.Decoder) (err error) {
			environment, err = googleContext(dec)
			return err
		},
		"benchmarks": func(dec *json.Decoder) error {
			return elements(dec, func(b googleBenchmark, misfit error) error {
				switch to := map[string]*collector{"median": &medians, "mean": &means}[b.Aggregate]; {
				case b.RunType != "aggregate":
					return b.addTo(&single, misfit)
				case to != nil:
					return b.addTo(to, misfit)
				}
				return nil
			})
		},
	})
	c := &single
	for _, other := range []*collector{&medians, &means} {
		if len(c.set.Measurements) == 0 && c.spoiled == 0 {
			c = other
		}
	}
	c.set.Environment = environment
	return c, err
}

// take adds what another collector has gathered.
func (c *collector) take(other *collector) error {
	if c.set.Environment == nil {
		c.set.Environment = other.set.Environment
	} else if differ := environments(c.set.Environment, other.set.Environment); len(differ) > 0 {
		c.set.Notes = append(c.set.Notes, "its documents are of several machines: "+strings.Join(differ, "; "))
	}
	for i := range other.set.Measurements {
		from := &other.set.Measurements[i]
		m, err := c.at(from.Name, from.Parameters)
		if err != nil {
			return err
		}
		m.Time.Launches = append(m.Time.Launches, from.Time.Launches...)
		if from.Status != invocations.OK {
			m.Status = from.Status
		}
	}
	c.spoiled += other.spoiled
	c.why = append(c.why, other.why[:min(len(other.why), shownSpoiled-len(c.why))]...)
	return nil
}

// googleContext reads what Google Benchmark tells of the machine, in the words of journals.
func googleContext(dec *json.Decoder) (map[string]string, error) {
	var context struct {
		Host   string `json:"host_name"`
		CPUs   int    `json:"num_cpus"`
		MHz    figure `json:"mhz_per_cpu"`
		Caches []struct {
			Type  string `json:"type"`
			Level int    `json:"level"`
			Size  int64  `json:"size"`
		} `json:"caches"`
	}
	if err := dec.Decode(&context); err != nil {
		return nil, err
	}
	e := map[string]string{"host": context.Host}
	if context.CPUs > 0 {
		e["cpus"] = strconv.Itoa(context.CPUs)
	}
	if context.MHz > 0 {
		e["mhz_per_cpu"] = strconv.FormatFloat(float64(context.MHz), 'g', -1, 64)
	}
	var caches []string
	for _, cache := range context.Caches {
		if cache.Type != "Instruction" {
			caches = append(caches, fmt.Sprintf("L%d %dK", cache.Level, cache.Size>>10))
		}
	}
	e["caches"] = strings.Join(caches, ", ")
	return e, nil
}

// readHyperfine reads hyperfine's JSON, whose times are seconds of a process each.
func readHyperfine(r io.Reader, path string) (*Set, error) {
	type result struct {
		Command    string            `json:"command"`
		Times      []figure          `json:"times"`
		Mean       figure            `json:"mean"`
		Parameters map[string]string `json:"parameters"`
	}
	var c collector
	dec := json.NewDecoder(newNumbers(r))
	err := eachOf(dec, path, map[string]func(*json.Decoder) error{"results": func(dec *json.Decoder) error {
		return elements(dec, func(one result, misfit error) error {
			times, parameters := one.Times, invocations.ParametersText(one.Parameters)
			if misfit != nil {
				return c.spoil(one.Command, parameters, fmt.Errorf("%.100s: %w", one.Command, misfit))
			}
			if len(times) == 0 {
				times = []figure{one.Mean}
			}
			for _, seconds := range times {
				if err := c.add("", one.Command, parameters, float64(seconds)*1e9); err != nil {
					return err
				}
			}
			return nil
		})
	}})
	if err != nil {
		return nil, err
	}
	return c.done(path)
}
