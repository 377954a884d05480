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

	"zonemark/invocations"
)

// Limits of what is read from files of other tools. They keep memory below 3 GB.
const (
	mostRows = 1_000_000
	mostName = 1 << 16 // bytes of a name with its parameters
)

// shownSpoiled is how many bad items of a file are named.
const shownSpoiled = 5

// collector gathers the times of rows that are told one by one. One bad item costs one item: its measurement has failed,
// and the set says so. Errors are for what ends the reading.
type collector struct {
	set     Set
	index   map[string]int
	spoiled int     // bad items
	why     []error // the first of them
}

// add adds a time in nanoseconds to the measurement of a name. Place says where it stands, for what is said of a bad one.
func (c *collector) add(place, name, parameters string, ns float64) error {
	if !(ns > 0) || math.IsInf(ns, 0) {
		return c.spoil(name, parameters,
			fmt.Errorf("%s%.100s: the time %v is not a positive number", place, name, ns))
	}
	m, err := c.at(name, parameters)
	if err == nil {
		m.Time.Launches = append(m.Time.Launches, ns)
	}
	return err
}

// spoil marks the measurement of a name as failed, since an item of it cannot be read. An empty name is not known.
func (c *collector) spoil(name, parameters string, why error) error {
	if c.spoiled++; len(c.why) < shownSpoiled {
		c.why = append(c.why, why)
	}
	if name == "" {
		return nil
	}
	return c.bad(name, parameters, invocations.Failed)
}

// done returns the set with what is said of bad items. If nothing else is in the file, the first one is the error.
func (c *collector) done(path string) (*Set, error) {
	good := func(m Measurement) bool { return m.Status == invocations.OK }
	if c.spoiled > 0 && !slices.ContainsFunc(c.set.Measurements, good) {
		return nil, fmt.Errorf("%s: %w", path, c.why[0])
	}
	for _, why := range c.why {
		c.set.Notes = append(c.set.Notes, why.Error()+"; this one is left out")
	}
	if more := c.spoiled - len(c.why); more > 0 {
		c.set.Notes = append(c.set.Notes, fmt.Sprintf("%d more items could not be read", more))
	}
	return &c.set, nil
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
func (c *collector) oneProcess(format string) {
	for i := range c.set.Measurements {
		c.set.Measurements[i].Time.Half = processFloor
	}
	c.set.Notes = append(c.set.Notes, fmt.Sprintf("%s has repetitions of one process: another process may differ by "+
		"%.0f %%, which intervals allow for", format, 100*processFloor))
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
		if misfit := (*csv.ParseError)(nil); errors.As(err, &misfit) {
			_ = c.spoil("", "", err) // it has no name that could be too long
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		line, _ := in.FieldPos(0)
		if len(row) <= at {
			_ = c.spoil("", "", fmt.Errorf("line %d: %d cells, the header has %d", line, len(row), len(header)))
			continue
		}
		name, parameters := nameOfRow(header, row, at)
		status, cell := cellOf(header, row, "status"), strings.TrimSpace(row[at])
		place := fmt.Sprintf("line %d, column %s: ", line, header[at])
		switch {
		case status != "" && status != string(invocations.OK):
			err = c.bad(name, parameters, invocations.Status(status))
		case cell == "" || cell == "N/A":
			err = c.bad(name, parameters, invocations.Failed)
		default:
			v, misfit := strconv.ParseFloat(cell, 64)
			if misfit != nil {
				err = c.spoil(name, parameters, fmt.Errorf("%s%.100s: %.100q is no number", place, name, cell))
				break
			}
			err = c.add(place, name, parameters, v*unit)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %s%w", path, place, err)
		}
	}
	if note != "" {
		c.set.Notes = append(c.set.Notes, note)
	}
	return c.done(path)
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
