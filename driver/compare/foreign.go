package compare

import (
	"encoding/csv"
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

// Limits of what is read from files of other tools. They keep memory below 3 GB.
const (
	mostRows = 1_000_000
	mostName = 1 << 16 // bytes of a name with its parameters
)

// collector gathers the times of rows that are told one by one.
type collector struct {
	set   Set
	index map[string]int
}

// add adds a time in nanoseconds to the measurement of a name.
func (c *collector) add(name, parameters string, ns float64) error {
	if !(ns > 0) || math.IsInf(ns, 0) {
		return fmt.Errorf("%.100s: the time %v is not a positive number", name, ns)
	}
	m, err := c.at(name, parameters)
	if err == nil {
		m.Time.Launches = append(m.Time.Launches, ns)
	}
	return err
}

// bad marks the measurement of a name as one that did not end well.
func (c *collector) bad(name, parameters string, status invocations.Status) error {
	m, err := c.at(name, parameters)
	if err == nil {
		m.Status = status
	}
	return err
}

// at returns the measurement of a name.
func (c *collector) at(name, parameters string) (*Measurement, error) {
	if n := len(name) + len(parameters); n > mostName {
		return nil, fmt.Errorf("%.100s…: a name of %d bytes, want at most %d", name, n, mostName)
	}
	key := name + "\x00" + parameters
	i, known := c.index[key]
	if !known {
		if len(c.index) == mostRows {
			return nil, fmt.Errorf("%s: more than %d measurements: compare parts of the file", name, mostRows)
		}
		if c.index == nil {
			c.index = map[string]int{}
		}
		i = len(c.set.Measurements)
		c.index[key] = i
		c.set.Measurements = append(c.set.Measurements, Measurement{
			Name: name, Parameters: parameters, Status: invocations.OK,
		})
	}
	return &c.set.Measurements[i], nil
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
		if c.set.Environment == nil {
			c.set.Environment = map[string]string{"cpu": result.GetConfig("cpu"), "os": result.GetConfig("goos"),
				"arch": result.GetConfig("goarch")}
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
	"runtime-source", "Test-ID", "between-hosts-ns", "slowest-host", "slowest-ratio"}

// readCSV reads tables with a row for each configuration: of hatlib, of operation sweeps, and of zonemark itself.
func readCSV(r io.Reader, path string) (*Set, error) {
	in := csv.NewReader(r)
	in.FieldsPerRecord = -1
	header, err := in.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
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
		status, cell := cellOf(header, row, "status"), strings.TrimSpace(row[at])
		switch {
		case status != "" && status != string(invocations.OK):
			err = c.bad(name, parameters, invocations.Status(status))
		case cell == "" || cell == "N/A":
			err = c.bad(name, parameters, invocations.Failed)
		default:
			var v float64
			if v, err = strconv.ParseFloat(cell, 64); err == nil {
				err = c.add(name, parameters, v*unit)
			}
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
