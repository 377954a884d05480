package sweep

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"zonemark/driver/sweep/operations"
	"zonemark/driver/sweep/program"
	"zonemark/invocations"
	"zonemark/invocations/files"
	"zonemark/invocations/foreign"
)

// Names of the files of an operation's folder.
const (
	configsFile = "test_configs.yaml"
	summaryFile = "perf_sweep_summary.csv"
	journalFile = "results.ndjson"
	lockFile    = ".lock"
)

// Results are the rows of an operation in perf_sweep_summary.csv. A row is on the disk when Add returns. A process that
// is killed leaves whole rows and at most a torn one, which does not count.
//
// What is done is known by configuration, not by position: a row counts if its configuration is still wanted, wherever
// it stands. It is not safe for use by several goroutines.
type Results struct {
	// Notes are what a user should know about the opening, a sentence each.
	Notes []string

	operation      *operations.Operation
	configurations []operations.Configuration
	target         string
	former         string // the target as rows of earlier versions tell it: without the contents of its files
	ghz            float64

	folder  string
	columns []column
	rows    map[string][]string // by configuration
	summary files.File
	lines   *files.Appended // of the summary
	unlock  func() error
	lock    files.File
}

// Options say how results are written.
type Options struct {
	Target program.Target
	// Builds are the target's options with the names and the contents of files, as Build returns them, in place of paths.
	// Nil: they are known by their names only.
	Builds map[string]string
	// ClockGHz converts nanoseconds to cycles; 0 stands for 1, so that cycles are nanoseconds. Rows that are there
	// decide: those of an operation have one clock.
	ClockGHz float64
	// Folder is the folder in the operation's that the files are in, where a sweep measures on several targets, each
	// with a folder of its own. Empty: they are in the operation's folder itself.
	Folder string
	// Spread says that each of several hosts measures every case. Rows have columns about the hosts.
	Spread bool
}

// OpenResults opens the results of an operation in the output folder of a sweep, and makes what is not there. Without
// test_configs.yaml, rows that are there do not count. It is an error if other rows are there than a sweep of this
// target has written, or if another process writes to them.
func OpenResults(out string, o *operations.Operation, list []operations.Configuration, opts Options) (*Results, error) {
	r := &Results{
		operation: o, configurations: list,
		target: targetText(&opts.Target, opts.Builds), former: targetText(&opts.Target, nil),
		ghz:    cmp.Or(opts.ClockGHz, 1),
		folder: filepath.Join(out, o.Name, opts.Folder), columns: columns(o, opts.Spread), rows: map[string][]string{},
	}
	if err := r.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("results of %s: %w", o.Name, err), r.Close())
	}
	return r, nil
}

// Build returns a text that is equal for files with the same name and the same contents, of which sha256 is the hash in
// hexadecimal digits.
func Build(path, sha256 string) string {
	const digits = 12 // enough to tell the builds of a user
	return filepath.Base(path) + "@" + sha256[:min(digits, len(sha256))]
}

// targetText identifies a target in a column: rows of two targets are not comparable.
func targetText(t *program.Target, builds map[string]string) string {
	parts := []string{t.Runtime, t.Device}
	keys := make([]string, 0, len(t.Options))
	for k, v := range t.Options {
		text := filepath.Base(v)
		if build, known := builds[k]; known {
			text = build
		}
		keys = append(keys, k+"="+text)
	}
	slices.Sort(keys)
	parts = append(parts, keys...)
	if t.Emulate {
		parts = append(parts, "emulated formats")
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

func (r *Results) open() error {
	if err := os.MkdirAll(r.folder, 0o777); err != nil {
		return err
	}
	var err error
	if r.lock, err = files.OpenFile(filepath.Join(r.folder, lockFile), os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return err
	}
	unsupported := new(files.UnsupportedError)
	if r.unlock, err = files.Lock(r.lock); errors.As(err, &unsupported) {
		r.unlock = nil
		r.Notes = append(r.Notes, unsupported.Error()+": do not sweep into one folder twice at a time")
	} else if err != nil {
		return err
	}
	path := filepath.Join(r.folder, summaryFile)
	for _, name := range []string{configsFile, summaryFile} {
		if err := files.RemoveUnfinished(filepath.Join(r.folder, name)); err != nil {
			return err
		}
	}
	data, err := files.Read(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := os.Stat(filepath.Join(r.folder, configsFile)); errors.Is(err, fs.ErrNotExist) && len(data) > 0 {
		r.Notes = append(r.Notes, r.folder+" has rows but no "+configsFile+": its sweep starts over")
		data = nil
	}
	if err := r.read(path, data); err != nil {
		return err
	}
	var configs bytes.Buffer
	if err := operations.WriteConfigurations(&configs, r.configurations); err != nil {
		return err
	}
	if err := files.Write(filepath.Join(r.folder, configsFile), 0o644, configs.Bytes()); err != nil {
		return err
	}
	if whole := r.file(); !bytes.Equal(whole, data) { // a torn row goes, and a new file begins with its header
		if err := files.Write(path, 0o644, whole); err != nil {
			return err
		}
	}
	if err := files.SyncName(path); err != nil { // and that of the configurations; rows are then synced one by one
		return err
	}
	if r.summary, err = files.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o666); err != nil {
		return err
	}
	info, err := r.summary.Stat()
	if err == nil {
		r.lines = files.Append(r.summary, info.Size(), true)
	}
	return err
}

// read takes the rows of a summary that count.
func (r *Results) read(path string, data []byte) error {
	header := names(r.columns)
	lines := bytes.SplitAfter(data, []byte{'\n'})
	first, err := fields(lines[0])
	switch {
	case err != nil: // nothing is there, or a torn header
		if len(lines) > 1 {
			return fmt.Errorf("%s:1: it does not begin with the columns of a sweep", path)
		}
		return nil
	case !slices.Equal(first, header):
		if spread := slices.Contains(first, betweenHostsColumn); spread != slices.Contains(header, betweenHostsColumn) {
			how := "without"
			if spread {
				how = "with"
			}
			return fmt.Errorf("%s:1: it was measured %s --spread; continue it so, delete it with --force-clean, or name "+
				"another folder", path, how)
		}
		return fmt.Errorf("%s:1: its columns are not those of this operation; delete it with --force-clean, "+
			"or name another folder", path)
	}
	wanted := map[string]int{}
	for i := range r.configurations {
		wanted[r.configurations[i].Key()] = r.configurations[i].Index
	}
	key, target := position(header, configurationColumn), position(header, targetColumn)
	source := position(header, sourceColumn)
	torn, stale, former := 0, 0, 0
	for n, line := range lines[1:] {
		row, err := fields(line)
		index, counts := 0, false
		if err == nil && len(row) == len(header) {
			index, counts = wanted[foreign.Uncell(row[key])]
		}
		switch {
		case len(line) == 0: // after the last line
		case err != nil || len(row) != len(header):
			torn++
		case !r.on(foreign.Uncell(row[target])):
			return fmt.Errorf("%s:%d: the row was measured on %q, not on %q; continue it there, delete it with --force-clean, "+
				"or name another folder", path, n+2, row[target], r.target)
		case !counts:
			stale++
		case r.rows[foreign.Uncell(row[key])] == nil:
			if foreign.Uncell(row[target]) != r.target {
				former++
			}
			row[0] = strconv.Itoa(index)
			r.rows[foreign.Uncell(row[key])] = row
			r.ghz = cmp.Or(clockOf(row[source]), r.ghz)
		}
	}
	if torn > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s: %d torn rows do not count", path, torn))
	}
	if former > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s: %d rows of an earlier version do not tell which build of %q they are of; "+
			"if it has changed since then, delete them with --force-clean", path, former, r.former))
	}
	if stale > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s: %d rows of configurations that are no longer wanted are dropped",
			path, stale))
	}
	return nil
}

// on reports whether a row tells of the target. Those of earlier versions know files by their names only.
func (r *Results) on(target string) bool { return target == r.target || target == r.former }

var errTorn = errors.New("the line has no end")

// fields splits a line, which has to have its end.
func fields(line []byte) ([]string, error) {
	if !bytes.HasSuffix(line, []byte{'\n'}) {
		return nil, errTorn
	}
	reader := csv.NewReader(bytes.NewReader(line))
	row, err := reader.Read()
	if err != nil {
		return nil, err
	}
	if _, err := reader.Read(); !errors.Is(err, io.EOF) {
		return nil, errTorn
	}
	return row, nil
}

// file returns the summary: the header, and the rows that are there in the order of the configurations.
func (r *Results) file() []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	rows := [][]string{names(r.columns)}
	for i := range r.configurations {
		if row := r.rows[r.configurations[i].Key()]; row != nil {
			rows = append(rows, row)
		}
	}
	_ = w.WriteAll(rows) // a buffer takes everything
	return b.Bytes()
}

// Missing returns the configurations that have no row yet, in their order.
func (r *Results) Missing() []*operations.Configuration {
	var list []*operations.Configuration
	for i := range r.configurations {
		if r.rows[r.configurations[i].Key()] == nil {
			list = append(list, &r.configurations[i])
		}
	}
	return list
}

// Has says whether a case has its row.
func (r *Results) Has(c *Case) bool { return r.rows[c.Configuration.Key()] != nil }

// Add writes the row of a case with the record of its invocation, nil if the case has none because the target does not
// apply the configuration. A record that did not end ok gives a row without a runtime. When Add returns, the row is on
// the disk; when it fails, the file is as it was before. A case that has a row keeps it.
func (r *Results) Add(c *Case, record *invocations.Record) error {
	o := &outcome{c: c.Configuration, record: record, ghz: r.ghz, target: r.target}
	switch {
	case c.Refusal != nil:
		o.notApplied, o.record = []program.NotApplied{c.Refusal.NotApplied}, nil
	case record == nil:
		return fmt.Errorf("results of %s: test %d has no record", r.operation.Name, c.Configuration.Index)
	default:
		o.notApplied, o.bytes = c.Program.NotApplied, c.Program.Bytes
	}
	key := c.Configuration.Key()
	if r.rows[key] != nil {
		return nil
	}
	row := make([]string, len(r.columns))
	for i := range r.columns {
		row[i] = foreign.Value(r.columns[i].text(o))
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.WriteAll([][]string{row}) // a buffer takes everything
	if err := r.lines.WriteSynced(b.Bytes()); err != nil {
		return fmt.Errorf("results of %s: %w", r.operation.Name, err)
	}
	r.rows[key] = row
	return nil
}

// Finish puts the rows in the order of the configurations and copies the summary to raw/arch/data_file. It is an error
// if rows are missing.
func (r *Results) Finish(raw, arch string) (path string, err error) {
	if missing := r.Missing(); len(missing) > 0 {
		return "", fmt.Errorf("results of %s: %d of %d rows are missing, the first is that of test %d",
			r.operation.Name, len(missing), len(r.configurations), missing[0].Index)
	}
	whole := r.file()
	if err := r.closeSummary(); err != nil {
		return "", err
	}
	if err := files.Write(filepath.Join(r.folder, summaryFile), 0o644, whole); err != nil {
		return "", fmt.Errorf("results of %s: %w", r.operation.Name, err)
	}
	folder := filepath.Join(raw, arch)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", fmt.Errorf("results of %s: %w", r.operation.Name, err)
	}
	path = filepath.Join(folder, r.operation.DataFile)
	if err := files.Write(path, 0o644, whole); err != nil {
		return "", fmt.Errorf("results of %s: %w", r.operation.Name, err)
	}
	return path, nil
}

func (r *Results) closeSummary() error {
	if r.summary == nil {
		return nil
	}
	err := r.summary.Close()
	r.summary = nil
	return err
}

// Close lets go of the files. Rows stay.
func (r *Results) Close() error {
	err := r.closeSummary()
	if r.unlock != nil {
		err = errors.Join(err, r.unlock())
	}
	if r.lock != nil {
		err = errors.Join(err, r.lock.Close())
	}
	r.unlock, r.lock = nil, nil
	return err
}
