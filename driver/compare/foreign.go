package compare

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"zonemark/invocations"
)

// collector gathers the times of rows that are told one by one.
type collector struct {
	set   Set
	index map[string]int
}

// add adds a time in nanoseconds to the measurement of a name.
func (c *collector) add(name, parameters string, ns float64) error {
	if !(ns > 0) || math.IsInf(ns, 0) {
		return fmt.Errorf("%s: the time %v is not a positive number", name, ns)
	}
	m := c.at(name, parameters)
	m.Time.Launches = append(m.Time.Launches, ns)
	return nil
}

func (c *collector) at(name, parameters string) *Measurement {
	key := name + "\x00" + parameters
	i, known := c.index[key]
	if !known {
		if c.index == nil {
			c.index = map[string]int{}
		}
		i = len(c.set.Measurements)
		c.index[key] = i
		c.set.Measurements = append(c.set.Measurements, Measurement{
			Name: name, Parameters: parameters, Status: invocations.OK,
		})
	}
	return &c.set.Measurements[i]
}

// oneProcess says that the times of each measurement come from one process.
func (c *collector) oneProcess(format string) *Set {
	for i := range c.set.Measurements {
		c.set.Measurements[i].Time.Half = processFloor
	}
	c.set.Notes = append(c.set.Notes, fmt.Sprintf("%s has repetitions of one process: another process may differ by "+
		"%.0f %%, which intervals allow for", format, 100*processFloor))
	return &c.set
}

// readGoogleBenchmark reads JSON of Google Benchmark (schema version 1). Aggregates are left out, unless there is nothing
// else: then medians, or means, count.
func readGoogleBenchmark(r io.Reader, path string) (*Set, error) {
	var file struct {
		Benchmarks []struct {
			Name          string  `json:"name"`
			RunName       string  `json:"run_name"`
			RunType       string  `json:"run_type"`
			Aggregate     string  `json:"aggregate_name"`
			RealTime      float64 `json:"real_time"`
			Unit          string  `json:"time_unit"`
			ErrorOccurred bool    `json:"error_occurred"`
			Skipped       any     `json:"skipped"`
		} `json:"benchmarks"`
	}
	if err := json.NewDecoder(r).Decode(&file); err != nil {
		return nil, fmt.Errorf("%s: Google Benchmark's JSON: %w", path, err)
	}
	units := map[string]float64{"": 1, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
	var c collector
	only := func(aggregate string) error {
		for _, b := range file.Benchmarks {
			name := b.RunName
			if name == "" {
				name = b.Name
			}
			unit, known := units[b.Unit]
			switch {
			case b.RunType == "aggregate" && b.Aggregate != aggregate, b.RunType != "aggregate" && aggregate != "":
				continue
			case b.ErrorOccurred || b.Skipped == true:
				c.at(name, "").Status = invocations.Failed
				continue
			case !known:
				return fmt.Errorf("%s: %s: unknown time_unit %q", path, name, b.Unit)
			}
			if err := c.add(name, "", b.RealTime*unit); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
		return nil
	}
	for _, aggregate := range []string{"", "median", "mean"} {
		if err := only(aggregate); err != nil {
			return nil, err
		}
		if len(c.set.Measurements) > 0 {
			break
		}
	}
	return c.oneProcess("Google Benchmark"), nil
}

// readHyperfine reads hyperfine's JSON, whose times are seconds of a process each.
func readHyperfine(r io.Reader, path string) (*Set, error) {
	var file struct {
		Results []struct {
			Command    string            `json:"command"`
			Times      []float64         `json:"times"`
			Mean       float64           `json:"mean"`
			Parameters map[string]string `json:"parameters"`
		} `json:"results"`
	}
	if err := json.NewDecoder(r).Decode(&file); err != nil {
		return nil, fmt.Errorf("%s: hyperfine's JSON: %w", path, err)
	}
	var c collector
	for _, result := range file.Results {
		times := result.Times
		if len(times) == 0 {
			times = []float64{result.Mean}
		}
		for _, seconds := range times {
			if err := c.add(result.Command, ParametersText(result.Parameters), seconds*1e9); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	return &c.set, nil
}

// readBenchfmt reads results of Go's benchmarks: sec/op, which benchfmt makes of ns/op.
func readBenchfmt(r io.Reader, path string) (*Set, error) {
	var c collector
	in := benchfmt.NewReader(r, path)
	for in.Scan() {
		result, ok := in.Result().(*benchfmt.Result)
		if !ok {
			var bad *benchfmt.SyntaxError
			if bad, ok = in.Result().(*benchfmt.SyntaxError); ok {
				return nil, bad
			}
			continue
		}
		for _, v := range result.Values {
			if v.Unit != "sec/op" {
				continue
			}
			if err := c.add(result.Name.String(), "", v.Value*1e9); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c.oneProcess("the file"), nil
}

// timeColumns are the columns of times of CSV files, with their units in nanoseconds; the first that a file has counts.
var timeColumns = []struct {
	name   string
	unitNS float64
	note   string
}{
	{"median_ns", 1, ""},
	{"median-ns", 1, ""},
	{"median_of_means", 1e9, ""}, // hatlib: seconds; in milliseconds, ratios are the same
	{"total-runtime", 1, "total-runtime counts cycles: they are compared as they are"},
}

// measured are columns that hold results: they do not tell configurations apart.
var measured = []string{"first-input-idx-recorded", "last-input-idx-recorded", "average-math-utilization", "status",
	"runtime-source", "Test-ID"}

// readCSV reads tables with a row for each configuration: of hatlib, of operation sweeps, and of zonemark itself.
func readCSV(r io.Reader, path string) (*Set, error) {
	in := csv.NewReader(r)
	in.FieldsPerRecord = -1
	header, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	at, unit, note := -1, 0.0, ""
	for _, column := range timeColumns {
		if at = slices.Index(header, column.name); at >= 0 {
			unit, note = column.unitNS, column.note
			break
		}
	}
	if at < 0 {
		var names []string
		for _, column := range timeColumns {
			names = append(names, column.name)
		}
		return nil, fmt.Errorf("%s: line 1: no column of times (%s)", path, strings.Join(names, ", "))
	}
	var c collector
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		line, _ := in.FieldPos(0)
		if len(row) <= at {
			return nil, fmt.Errorf("%s: line %d: %d cells, the header has %d", path, line, len(row), len(header))
		}
		name, parameters := nameOfRow(header, row, at)
		if status := cellOf(header, row, "status"); status != "" && status != string(invocations.OK) {
			c.at(name, parameters).Status = invocations.Status(status)
			continue
		}
		cell := strings.TrimSpace(row[at])
		if cell == "" || cell == "N/A" {
			c.at(name, parameters).Status = invocations.Failed
			continue
		}
		v, err := strconv.ParseFloat(cell, 64)
		if err == nil {
			err = c.add(name, parameters, v*unit)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: line %d, column %s: %w", path, line, header[at], err)
		}
	}
	s := &c.set
	if note != "" {
		s.Notes = append(s.Notes, note)
	}
	return s, nil
}

// nameOfRow returns what a row measures: its name or function, or what its columns before the time say.
func nameOfRow(header, row []string, at int) (name, parameters string) {
	if name = cellOf(header, row, "name"); name != "" {
		return name, cellOf(header, row, "params")
	}
	if name = cellOf(header, row, "function_name"); name != "" {
		return name, ""
	}
	var words []string
	for i, column := range header {
		if i < at && i < len(row) && row[i] != "" && !slices.Contains(measured, column) {
			words = append(words, column+"="+row[i])
		}
	}
	return strings.Join(words, " "), ""
}

func cellOf(header, row []string, column string) string {
	if i := slices.Index(header, column); i >= 0 && i < len(row) {
		return row[i]
	}
	return ""
}
