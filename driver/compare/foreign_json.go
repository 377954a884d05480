package compare

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"zonemark/invocations"
)

// eachOf calls the functions for the members of a JSON object, by their names. A function reads the member's value. Other
// members are passed over. An error tells where it is.
func eachOf(r io.Reader, path string, read map[string]func(*json.Decoder) error) error {
	dec := json.NewDecoder(r)
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

// elements calls f for each element of the list that comes next.
func elements[T any](dec *json.Decoder, f func(T) error) error {
	if err := expect(dec, '['); err != nil {
		return err
	}
	for dec.More() {
		var one T
		if err := dec.Decode(&one); err != nil {
			return err
		}
		if err := f(one); err != nil {
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
	Name          string  `json:"name"`
	RunName       string  `json:"run_name"`
	RunType       string  `json:"run_type"`
	Aggregate     string  `json:"aggregate_name"`
	RealTime      float64 `json:"real_time"`
	Unit          string  `json:"time_unit"`
	ErrorOccurred bool    `json:"error_occurred"`
	Skipped       any     `json:"skipped"`
}

// timeUnits are those of Google Benchmark, in nanoseconds.
var timeUnits = map[string]float64{"": 1, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}

// addTo adds the time, or how it ended, to the measurement of its name.
func (b googleBenchmark) addTo(c *collector) error {
	name := b.RunName
	if name == "" {
		name = b.Name
	}
	unit, known := timeUnits[b.Unit]
	switch {
	case b.ErrorOccurred || b.Skipped == true:
		return c.bad(name, "", invocations.Failed)
	case !known:
		return fmt.Errorf("%s: unknown time_unit %q", name, b.Unit)
	}
	return c.add(name, "", b.RealTime*unit)
}

// readGoogleBenchmark reads JSON of Google Benchmark (schema version 1). Aggregates are left out, unless there is nothing
// else: then medians, or means, count.
func readGoogleBenchmark(r io.Reader, path string) (*Set, error) {
	var single, medians, means collector
	broken := map[*collector]error{} // what is wrong with aggregates matters only if they count
	environment := map[string]string{}
	err := eachOf(r, path, map[string]func(*json.Decoder) error{
		"context": func(dec *json.Decoder) (err error) {
			environment, err = googleContext(dec)
			return err
		},
		"benchmarks": func(dec *json.Decoder) error {
			return elements(dec, func(b googleBenchmark) error {
				switch to := map[string]*collector{"median": &medians, "mean": &means}[b.Aggregate]; {
				case b.RunType != "aggregate":
					return b.addTo(&single)
				case to != nil && broken[to] == nil:
					broken[to] = b.addTo(to)
				}
				return nil
			})
		},
	})
	if err != nil {
		return nil, err
	}
	c := &single
	for _, other := range []*collector{&medians, &means} {
		if len(c.set.Measurements) == 0 {
			c = other
		}
	}
	if err := broken[c]; err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	c.set.Environment = environment
	return c.oneProcess("Google Benchmark"), nil
}

// googleContext reads what Google Benchmark tells of the machine, in the words of journals.
func googleContext(dec *json.Decoder) (map[string]string, error) {
	var context struct {
		Host   string  `json:"host_name"`
		CPUs   int     `json:"num_cpus"`
		MHz    float64 `json:"mhz_per_cpu"`
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
		e["mhz_per_cpu"] = strconv.FormatFloat(context.MHz, 'g', -1, 64)
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
		Times      []float64         `json:"times"`
		Mean       float64           `json:"mean"`
		Parameters map[string]string `json:"parameters"`
	}
	var c collector
	err := eachOf(r, path, map[string]func(*json.Decoder) error{"results": func(dec *json.Decoder) error {
		return elements(dec, func(one result) error {
			times := one.Times
			if len(times) == 0 {
				times = []float64{one.Mean}
			}
			for _, seconds := range times {
				if err := c.add(one.Command, ParametersText(one.Parameters), seconds*1e9); err != nil {
					return err
				}
			}
			return nil
		})
	}})
	return &c.set, err
}
