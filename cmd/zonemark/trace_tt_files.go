package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/trace"
)

// ttFiles are the tables of one run of tt-metal; those that are not there are empty.
type ttFiles struct {
	name   string // of the report: its folder or its file
	ops    string
	times  string
	data   string
	device string
}

// paths are those that are there.
func (f *ttFiles) paths() (list []string) {
	for _, path := range []string{f.ops, f.times, f.data, f.device} {
		if path != "" {
			list = append(list, path)
		}
	}
	return list
}

// findTTReports finds the reports in what was named: files belong together, a folder has a report for each ops_perf_results*.csv in it or below, and one
// for each folder that has logs.
func findTTReports(paths []string) ([]ttFiles, error) {
	var reports []ttFiles
	named := map[trace.TTTableKind][]string{}
	for _, path := range paths {
		status, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: there is no such file", path)
		}
		if err != nil {
			return nil, err
		}
		if status.IsDir() {
			found, err := ttReportsBelow(path)
			if err != nil {
				return nil, err
			}
			reports = append(reports, found...)
			continue
		}
		kind, err := ttTableKind(path)
		if err != nil {
			return nil, err
		}
		if kind == trace.TTNoTable {
			return nil, fmt.Errorf("%s:1: this is no profile_log_device.csv, tracy_ops_times.csv, tracy_ops_data.csv or ops_perf_results*.csv of tt-metal; captures (.tracy) have verbs of their own, see \"zonemark trace --help\"", path)
		}
		named[kind] = append(named[kind], path)
	}
	own, err := groupTT("", named, true)
	return append(reports, own...), err
}

// mostTTDepth is how deep below a folder tables are looked for: tt-metal has them three folders down.
const mostTTDepth = 8

func ttReportsBelow(root string) (reports []ttFiles, err error) {
	folders := map[string]map[trace.TTTableKind][]string{}
	var order []string
	err = fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if strings.Count(path, "/") >= mostTTDepth {
				return fs.SkipDir
			}
			return nil
		}
		full := filepath.Join(root, filepath.FromSlash(path))
		if !entry.Type().IsRegular() || !strings.EqualFold(filepath.Ext(path), ".csv") {
			return nil
		}
		kind, err := ttTableKind(full)
		if err != nil || kind == trace.TTNoTable {
			return err
		}
		folder := filepath.Dir(full)
		if folders[folder] == nil {
			folders[folder] = map[trace.TTTableKind][]string{}
			order = append(order, folder)
		}
		folders[folder][kind] = append(folders[folder][kind], full)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, folder := range order {
		found, err := groupTT(folder, folders[folder], false)
		if err != nil {
			return nil, err
		}
		reports = append(reports, found...)
	}
	if len(reports) == 0 {
		return nil, fmt.Errorf("%s: neither it nor a folder below has a profile_log_device.csv, tracy_ops_times.csv, tracy_ops_data.csv or ops_perf_results*.csv; give the folder generated/profiler of a run under \"python -m tracy -r\"", root)
	}
	return reports, nil
}

// groupTT makes reports of the tables of one folder, or of those that were named. A device's log beside tables of ops is what those were made of; it is read with one
// only when both were named, as it may have gigabytes.
func groupTT(folder string, tables map[trace.TTTableKind][]string, named bool) (reports []ttFiles, err error) {
	one := func(kind trace.TTTableKind) string {
		list := tables[kind]
		if len(list) > 1 && err == nil {
			err = fmt.Errorf("%s and %s are tables of the same kind; name the files of one run", list[0], list[1])
		}
		if len(list) == 0 {
			return ""
		}
		return list[0]
	}
	raw := ttFiles{name: folder, times: one(trace.TTHostTable), data: one(trace.TTDataTable), device: one(trace.TTDeviceTable)}
	if err != nil {
		return nil, err
	}
	ops := tables[trace.TTOpsTable]
	slices.Sort(ops)
	for _, path := range ops {
		reports = append(reports, ttFiles{name: path, ops: path})
	}
	if raw.times == "" && raw.data == "" && len(ops) > 0 {
		if named && len(ops) == 1 {
			reports[0].device = raw.device
		}
		if !named || len(ops) == 1 {
			raw.device = ""
		}
	}
	if list := raw.paths(); len(list) > 0 {
		if named {
			raw.name = strings.Join(list, " + ")
		}
		reports = append(reports, raw)
	}
	return reports, nil
}

// ttTableKind looks at the first line of a file.
func ttTableKind(path string) (trace.TTTableKind, error) {
	file, err := os.Open(path)
	if err != nil {
		return trace.TTNoTable, err
	}
	defer file.Close()
	const longest = 64 << 10 // 139 columns take 4 KiB
	head := make([]byte, longest)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return trace.TTNoTable, err
	}
	line, _, _ := strings.Cut(string(head[:n]), "\n")
	return trace.TTTableKindOf(line), nil
}

// namedReport is a report, and the files that it comes from.
type namedReport struct {
	*trace.TTReport
	files  ttFiles
	broken []string // why tables could not be read to their ends
}

// missing is everything that the report lacks, and why.
func (r *namedReport) missing() []string { return append(slices.Clone(r.broken), r.Problems...) }

// readTTReport reads the tables of a report and joins them. With an error, the report has what came before it; nil: nothing.
func readTTReport(ctx context.Context, files ttFiles, progress *cli.ProgressLine) (*namedReport, error) {
	var t trace.TTTables
	var errs []error
	read := func(path string, read func(r io.Reader) error) {
		if path == "" || ctx.Err() != nil {
			return
		}
		if err := readWatched(ctx, path, progress, read); err != nil {
			errs = append(errs, err)
		}
	}
	read(files.ops, func(r io.Reader) (err error) { t.Ops, err = trace.ReadTTOps(files.ops, r); return err })
	read(files.times, func(r io.Reader) (err error) { t.HostZones, err = trace.ReadTTOpsTimes(files.times, r); return err })
	read(files.data, func(r io.Reader) (err error) { t.Messages, err = trace.ReadTTOpsData(files.data, r); return err })
	read(files.device, func(r io.Reader) (err error) { t.Device, err = trace.ReadTTDeviceLog(files.device, r); return err })
	err := errors.Join(errs...)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%s: interrupted", files.name)
	}
	report := trace.JoinTT(t)
	if len(report.Calls) == 0 {
		if err == nil {
			err = fmt.Errorf("%s: there is no op in it; record with TT_METAL_DEVICE_PROFILER=1 and a tt-metal that was built with Tracy", files.name)
		}
		return nil, err
	}
	r := &namedReport{TTReport: report, files: files}
	for _, err := range errs {
		r.Partial, r.broken = true, append(r.broken, err.Error())
	}
	return r, err
}

// readWatched reads a file, which may be large, with progress and until the command is interrupted.
func readWatched(ctx context.Context, path string, progress *cli.ProgressLine, read func(r io.Reader) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	defer progress.Clear()
	w := &watchedReader{ctx: ctx, r: file, path: path, progress: progress}
	if status, err := file.Stat(); err == nil {
		w.size = status.Size()
	}
	return read(bufio.NewReaderSize(w, 1<<20))
}

// watchedReader is a reader that shows how far it is, and fails once the command is interrupted.
type watchedReader struct {
	ctx        context.Context
	r          io.Reader
	path       string
	read, size int64
	progress   *cli.ProgressLine
}

func (w *watchedReader) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	const large = 64 << 20
	if w.size >= large && w.progress.Due() {
		w.progress.Draw(fmt.Sprintf("%s: %d of %d MiB", w.path, w.read>>20, w.size>>20))
	}
	n, err := w.r.Read(p)
	w.read += int64(n)
	return n, err
}
