// Package hatcsv appends results to files in the columns of hatlib.benchmark_hat.
package hatcsv

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"zonemark/driver/report"
	"zonemark/invocations"
	"zonemark/invocations/files"
	"zonemark/invocations/foreign"
)

// theirColumns returns the columns of hatlib.benchmark_hat 0.0.41.
func theirColumns() []string {
	return []string{"function_name", "mean", "median_of_means", "mean_of_small_means", "robust_mean", "min_of_means"}
}

// addedColumns returns the columns that zonemark adds. Times have the unit of the other columns, and the variance
// (of the batch means, over n-1) has its square. n is the number of batches. ci_low and ci_high are the 95 % confidence
// interval of the median.
func addedColumns() []string {
	return []string{"variance", "n", "ci_low", "ci_high", "status", "verdict", "mode", "arguments"}
}

// CheckAppendable returns an error if Append cannot append to path. It is for use before measuring and leaves no
// new file behind.
func CheckAppendable(path string) error {
	f, err := files.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil {
		return inFile(path, errors.Join(f.Close(), os.Remove(path)))
	}
	if !errors.Is(err, fs.ErrExist) {
		return inFile(path, err)
	}
	f, err = files.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return inFile(path, err)
	}
	_, err = readFile(f)
	return inFile(path, errors.Join(err, f.Close()))
}

// Append appends a row for each record to a CSV file of hatlib.benchmark_hat. Times are in seconds, or in
// milliseconds under the same column names, as in hatlib. A new or empty file gets a header with hatlib's columns and
// those that zonemark adds. A file with only hatlib's columns keeps exactly those; any other header is an error. The
// row of a record without a time has empty cells, so that failed functions are visible. All rows are one write, so that
// a full disk leaves the file unchanged.
func Append(path string, records *invocations.Records, milliseconds bool) error {
	f, err := files.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return inFile(path, err)
	}
	return inFile(path, errors.Join(appendRows(f, records, milliseconds), f.Close()))
}

func inFile(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("results file %s: %w", path, err)
}

func appendRows(f files.File, records *invocations.Records, milliseconds bool) error {
	existing, err := readFile(f)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if existing.unended {
		b.WriteString(existing.lineEnd())
	}
	w := csv.NewWriter(&b)
	w.UseCRLF = existing.crlf
	added := existing.columns != len(theirColumns())
	if existing.columns == 0 {
		w.Write(slices.Concat(theirColumns(), addedColumns()))
	}
	unit := 1e-9
	if milliseconds {
		unit = 1e-6
	}
	for r, err := range records.All() {
		if err != nil {
			return err
		}
		row := rowOf(r, unit)
		if !added {
			row = row[:len(theirColumns())]
		}
		w.Write(row)
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return err
	}
	if n, err := f.Write(b.Bytes()); err != nil {
		if n > 0 {
			err = errors.Join(err, f.Truncate(existing.size))
		}
		return err
	}
	return nil
}

// resultsFile describes the form of an existing results file.
type resultsFile struct {
	size    int64
	columns int  // 0: the file is empty
	crlf    bool // lines end with CR LF, as Python's csv module writes them
	unended bool // the last line lacks its end
}

func (h resultsFile) lineEnd() string {
	if h.crlf {
		return "\r\n"
	}
	return "\n"
}

// maxHeaderBytes is more than our longest header. A longer first line is not a header.
const maxHeaderBytes = 4096

func readFile(f files.File) (resultsFile, error) {
	info, err := f.Stat()
	if err != nil {
		return resultsFile{}, err
	}
	if !info.Mode().IsRegular() {
		return resultsFile{}, errors.New("not a regular file")
	}
	h := resultsFile{size: info.Size()}
	if h.size == 0 {
		return h, nil
	}
	line, err := bufio.NewReader(io.NewSectionReader(f, 0, maxHeaderBytes)).ReadString('\n')
	if err != nil && err != io.EOF {
		return resultsFile{}, err
	}
	h.crlf = strings.HasSuffix(line, "\r\n")
	header := strings.Split(strings.TrimRight(strings.TrimPrefix(line, "\ufeff"), "\r\n"), ",")
	if !slices.Equal(header, theirColumns()) && !slices.Equal(header, slices.Concat(theirColumns(), addedColumns())) {
		return resultsFile{}, fmt.Errorf("its first line is not the header of a benchmark_hat results file (%s…): "+
			"name another file", strings.Join(theirColumns()[:3], ","))
	}
	h.columns = len(header)
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, h.size-1); err != nil {
		return resultsFile{}, err
	}
	h.unended = last[0] != '\n'
	return h, nil
}

// rowOf returns the row of a record with all columns. unit is a nanosecond in the unit of the file.
func rowOf(r *invocations.Record, unit float64) []string {
	row := make([]string, len(theirColumns())+len(addedColumns()))
	row[0] = foreign.Controls(r.Function)
	tail := row[len(theirColumns()):]
	tail[4], tail[5], tail[6], tail[7] = string(r.Status), report.JoinVerdicts(r.Verdicts), string(r.Mode),
		foreign.Controls(argumentsText(r))
	if r.Status != invocations.OK || !r.Timed() {
		return row
	}
	m := newMeans(r.SamplesNS)
	cell := func(ns float64) string { return strconv.FormatFloat(ns*unit, 'g', -1, 64) }
	row[1], row[2], row[3], row[5] = cell(m.mean), cell(m.medianOfMeans), cell(m.meanOfSmallMeans), cell(m.minOfMeans)
	row[4] = "-1"
	if m.hasRobustMean {
		row[4] = cell(m.robustMean)
	}
	if len(r.SamplesNS) > 1 {
		tail[0] = strconv.FormatFloat(m.variance*unit*unit, 'g', -1, 64)
	}
	tail[1] = strconv.Itoa(len(r.SamplesNS))
	if r.CILowNS != nil && r.CIHighNS != nil {
		tail[2], tail[3] = cell(*r.CILowNS), cell(*r.CIHighNS)
	}
	return row
}

// argumentsText formats the arguments as "name:element[4x4]" and the parameters as "k=v", separated by blanks.
func argumentsText(r *invocations.Record) string {
	var parts []string
	for _, a := range r.Arguments {
		text := a.Name + ":" + string(a.Element)
		if len(a.Shape) > 0 {
			sizes := make([]string, len(a.Shape))
			for i, n := range a.Shape {
				sizes[i] = strconv.FormatInt(n, 10)
			}
			text += "[" + strings.Join(sizes, "x") + "]"
		} else if a.Extent != "" {
			text += "[" + a.Extent + "]"
		}
		parts = append(parts, text)
	}
	if p := invocations.ParametersText(r.Parameters); p != "" {
		parts = append(parts, p)
	}
	return strings.Join(parts, " ")
}
