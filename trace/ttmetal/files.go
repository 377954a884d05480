package ttmetal

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

	"zonemark/invocations/files"
)

// Files are the tables of one run of tt-metal; those that are not there are empty.
type Files struct {
	Name   string // of the report: its folder or its file
	Ops    string // ops_perf_results*.csv, or cpp_device_perf_report.csv
	Times  string // tracy_ops_times.csv
	Data   string // tracy_ops_data.csv
	Device string // profile_log_device.csv
}

// Paths are those that are there.
func (f *Files) Paths() (list []string) {
	for _, path := range []string{f.Ops, f.Times, f.Data, f.Device} {
		if path != "" {
			list = append(list, path)
		}
	}
	return list
}

// FindFiles finds the reports in what was named: files belong together, a folder has a report for each
// ops_perf_results*.csv in it or below, and one for each folder that has logs.
func FindFiles(paths []string) ([]Files, error) {
	var reports []Files
	named := map[TableKind][]string{}
	for _, path := range paths {
		status, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: there is no such file or folder; name a table of tt-metal's profiler (.csv), or a "+
				"folder with them", path)
		}
		if err != nil {
			return nil, err
		}
		if status.IsDir() {
			found, err := FilesBelow(path)
			if err != nil {
				return nil, err
			}
			reports = append(reports, found...)
			continue
		}
		kind, err := FileKind(path)
		if err != nil {
			return nil, err
		}
		if kind == NoTable {
			return nil, fmt.Errorf("%s:1: this is no profile_log_device.csv, tracy_ops_times.csv, "+
				"tracy_ops_data.csv, cpp_device_perf_report.csv or ops_perf_results*.csv of tt-metal; captures (.tracy) have verbs of their "+
				"own, see \"zonemark trace --help\"", path)
		}
		named[kind] = append(named[kind], path)
	}
	own, err := groupTables("", named, true)
	return append(reports, own...), err
}

// mostDepth is how deep below a folder tables are looked for: tt-metal has them three folders down.
const mostDepth = 8

// FilesBelow finds the reports in a folder and below it, as FindFiles does.
func FilesBelow(root string) (reports []Files, err error) {
	folders := map[string]map[TableKind][]string{}
	var order []string
	err = fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if strings.Count(path, "/") >= mostDepth {
				return fs.SkipDir
			}
			return nil
		}
		full := filepath.Join(root, filepath.FromSlash(path))
		if !entry.Type().IsRegular() || !strings.EqualFold(filepath.Ext(path), ".csv") {
			return nil
		}
		kind, err := FileKind(full)
		if err != nil || kind == NoTable {
			return err
		}
		folder := filepath.Dir(full)
		if folders[folder] == nil {
			folders[folder] = map[TableKind][]string{}
			order = append(order, folder)
		}
		folders[folder][kind] = append(folders[folder][kind], full)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, folder := range order {
		found, err := groupTables(folder, folders[folder], false)
		if err != nil {
			return nil, err
		}
		reports = append(reports, found...)
	}
	if len(reports) == 0 {
		return nil, fmt.Errorf("%s: neither it nor a folder below has a profile_log_device.csv, "+
			"tracy_ops_times.csv, tracy_ops_data.csv, cpp_device_perf_report.csv or ops_perf_results*.csv; give the folder generated/profiler "+
			"of a run under \"python -m tracy -r\"", root)
	}
	return reports, nil
}

// groupTables makes reports of the tables of one folder, or of those that were named. A device's log beside tables of
// ops is what those were made of; it is read with one only when both were named, as it may have gigabytes.
func groupTables(folder string, tables map[TableKind][]string, named bool) (reports []Files, err error) {
	one := func(kind TableKind) string {
		list := tables[kind]
		if len(list) > 1 && err == nil {
			err = fmt.Errorf("%s and %s are tables of the same kind; name the files of one run", list[0], list[1])
		}
		if len(list) == 0 {
			return ""
		}
		return list[0]
	}
	raw := Files{Name: folder, Times: one(HostTable), Data: one(DataTable), Device: one(DeviceTable)}
	if err != nil {
		return nil, err
	}
	ops := slices.Concat(tables[OpsTable], tables[DeviceOpsTable])
	if others := len(tables[OpsTable]) + len(raw.Paths()); !named && others > 0 {
		ops = tables[OpsTable] // the others say more of the same calls
	}
	slices.Sort(ops)
	for _, path := range ops {
		reports = append(reports, Files{Name: path, Ops: path})
	}
	if raw.Times == "" && raw.Data == "" && len(ops) > 0 {
		if named && len(ops) == 1 {
			reports[0].Device = raw.Device
		}
		if !named || len(ops) == 1 {
			raw.Device = ""
		}
	}
	if list := raw.Paths(); len(list) > 0 {
		if named {
			raw.Name = strings.Join(list, " + ")
		}
		reports = append(reports, raw)
	}
	return reports, nil
}

// FileKind looks at the first line of a file.
func FileKind(path string) (TableKind, error) {
	file, err := files.Open(path)
	if err != nil {
		return NoTable, err
	}
	defer file.Close()
	const longest = 64 << 10 // 139 columns take 4 KiB
	head := make([]byte, longest)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return NoTable, err
	}
	line, _, _ := strings.Cut(string(head[:n]), "\n")
	return KindOf(line), nil
}

// FileReport is a report, and the files that it comes from.
type FileReport struct {
	*Report
	Files  Files
	Broken []string // why tables could not be read to their ends
}

// Missing is everything that the report lacks, and why.
func (r *FileReport) Missing() []string { return append(slices.Clone(r.Broken), r.Problems...) }

// Watch is told how many bytes of a file have been read, again and again while it is read; size is 0 if it is not
// known.
type Watch func(path string, read, size int64)

// ReadFiles reads the tables of a report and joins them. With an error, the report has what came before
// it; it is nil if that is nothing. Reading ends with ctx. A watch of nil is not called.
func ReadFiles(ctx context.Context, files Files, watch Watch) (*FileReport, error) {
	var t Tables
	var errs []error
	read := func(path string, read func(r io.Reader) error) {
		if path == "" || ctx.Err() != nil {
			return
		}
		if err := readWatched(ctx, path, watch, read); err != nil {
			errs = append(errs, err)
		}
	}
	read(files.Ops, func(r io.Reader) (err error) { t.Ops, err = ReadOps(files.Ops, r); return err })
	read(files.Times, func(r io.Reader) (err error) { t.HostZones, err = ReadOpsTimes(files.Times, r); return err })
	read(files.Data, func(r io.Reader) (err error) { t.Messages, err = ReadOpsData(files.Data, r); return err })
	read(files.Device, func(r io.Reader) (err error) { t.Device, err = ReadDeviceLog(files.Device, r); return err })
	err := errors.Join(errs...)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("%s: interrupted", files.Name)
	}
	report := Join(t)
	if len(report.Calls) == 0 {
		if err == nil && t.Device != nil && t.Device.Rows == 0 {
			err = fmt.Errorf("%s: %s", files.Device, EmptyLogHint)
		}
		if err == nil {
			err = fmt.Errorf("%s: there is no op in it; record with TT_METAL_DEVICE_PROFILER=1 and a tt-metal that "+
				"was built with Tracy", files.Name)
		}
		return nil, err
	}
	r := &FileReport{Report: report, Files: files}
	for _, err := range errs {
		r.Partial, r.Broken = true, append(r.Broken, err.Error())
	}
	return r, err
}

// readWatched reads a file, which may be large, until ctx ends.
func readWatched(ctx context.Context, path string, watch Watch, read func(r io.Reader) error) error {
	file, err := files.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	w := &watchedReader{ctx: ctx, r: file, path: path, watch: watch}
	if status, err := file.Stat(); err == nil {
		w.size = status.Size()
	}
	return read(bufio.NewReaderSize(w, 1<<20))
}

// watchedReader tells how far it is, and fails once its context has ended.
type watchedReader struct {
	ctx        context.Context
	r          io.Reader
	path       string
	read, size int64
	watch      Watch
}

func (w *watchedReader) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	if w.watch != nil {
		w.watch(w.path, w.read, w.size)
	}
	n, err := w.r.Read(p)
	w.read += int64(n)
	return n, err
}
