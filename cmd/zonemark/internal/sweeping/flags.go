// Package sweeping is the verb sweep: it sweeps operations over their variables on a runtime, keeps the rows in the
// folders and files that Tenstorrent's operation sweeps have, and fits cost models to them. Operations, programs and
// rows are the business of package sweep, measuring is that of package measuring, and models are that of package
// fitting; this package knows flags, the order of the work, and progress.
package sweeping

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/measureflags"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver/sweep/operations"
	programs "zonemark/driver/sweep/program"

	"github.com/spf13/pflag"
)

// The folders of the older tool.
const (
	defaultSweeps = "build/test/perf_lib/op_model/data"
	defaultRaw    = "build/test/perf_lib/op_model/perf_data/raw/data"
	defaultParams = "build/test/perf_lib/op_model/params"
)

// A sweep has hundreds of configurations, and a fit averages over them: each is measured for less long than others.
const (
	defaultMinTime = 50 * time.Millisecond
	defaultMaxTime = 500 * time.Millisecond
)

// architectureVariable names the architecture whose rows and parameters are written.
const architectureVariable = "ARCH_NAME"

const intro = `Sweep operations over their variables (blocks, tiles, formats, fidelities) on a PJRT device, on IREE or on both, and
fit cost models to the results, with the flags, folders and tables of Budabackend's run_sweep.py. Each configuration is a
program of its own, whose results are checked before it is timed.

Usage: zonemark sweep [flags]

Rows are kept in OPERATION/perf_sweep_summary.csv below --perf-sweep-output-dir as they come, with journals of all
results beside them. A finished operation is copied to --raw-data-output-dir.

Examples:
  zonemark sweep --dry-run                                       how many configurations there are
  zonemark sweep --op-name exp --plugin cpu
  zonemark sweep --op-type binary --runtime iree --continue-run  finish what was interrupted
  zonemark sweep --op-name exp --plugin cpu --runtime tt,iree    two runtimes beside each other
  zonemark sweep --print-operations > mine.json                  operations to begin with
  zonemark sweep --operations-cfg mine.json --force-clean
  ARCH_NAME=wormhole_b0 zonemark sweep --skip-perf-sweep         fit models to tables that are there
`

// Flags are the flags of the verb sweep.
type Flags struct {
	*measureflags.Flags

	operationsFile string
	opType, opName string
	forceClean     bool
	continueRun    bool
	skipSweep      bool
	skipModel      bool
	out            string // folder with a folder for each operation
	raw            string // folder of the finished tables, with a folder for each architecture
	configs        string // folder that op_config_file is relative to, with a folder for each architecture
	params         string // folder of the parameter files
	architecture   string
	emulate        bool
	keepPrograms   bool
	print          bool
	dryRun         bool
	runtimes       string
	backends       []backend // the runtimes that --runtime names
	format         string    // of the comparison of several runtimes
}

// NewFlags returns the flags of the verb with their defaults.
func NewFlags(p program.Program) *Flags {
	f := &Flags{runtimes: programs.PJRT}
	f.Flags = measureflags.NewMaker("sweep", p, func(shared *measureflags.Flags) {
		m := &shared.Base.Measure
		m.MinTimeNS, m.MaxTimeNS = int64(defaultMinTime), int64(defaultMaxTime)
		f.add(shared.Set)
	})
	f.AddSpread(f.Set)
	return f
}

// add adds the flags that only sweeps have.
func (f *Flags) add(s *pflag.FlagSet) {
	s.StringVar(&f.operationsFile, "operations-cfg", "", "JSON file with the operations (default: those that "+
		"--print-operations prints)")
	s.StringVar(&f.opType, "op-type", "", "only operations of this op_type: "+operationTypes())
	s.StringVar(&f.opName, "op-name", "", "only the operation of this op_name")
	f.addRuntimes(s)
	s.BoolVar(&f.forceClean, "force-clean", false, "delete the folder of the sweep first")
	s.BoolVar(&f.continueRun, "continue-run", false, "keep the rows that are there and measure what is missing")
	s.BoolVar(&f.skipSweep, "skip-perf-sweep", false, "measure nothing; only fit models to the tables that are there")
	s.BoolVar(&f.skipModel, "skip-performance-model", false, "fit no models")
	s.StringVar(&f.out, "perf-sweep-output-dir", defaultSweeps, "folder of the sweep, with a folder for each operation")
	s.StringVar(&f.raw, "raw-data-output-dir", defaultRaw,
		"folder of the finished tables: ARCH/DATA_FILE for each operation")
	s.StringVar(&f.configs, "config-dir", "", "folder that op_config_file is relative to; files in its folder ARCH "+
		"come first")
	s.StringVar(&f.params, "params-dir", defaultParams,
		"folder for ARCH_params.yaml, or the next version if it is there, and the models beside it")
	s.StringVar(&f.architecture, "arch", "", "name of the architecture in paths (default: $"+architectureVariable+
		", else runtime and device)")
	s.BoolVar(&f.emulate, "emulate-formats", false, "where the device lacks a block format, round to it in float32: "+
		"shows its accuracy, not its speed")
	s.BoolVar(&f.keepPrograms, "keep-programs", false, "keep the programs, their inputs and expected results, which "+
		"are deleted when their rows are written")
	s.BoolVar(&f.print, "print-operations", false, "print the operations as a file for --operations-cfg, and stop")
	s.BoolVar(&f.dryRun, "dry-run", false, "show how many configurations there are, and stop")
	cli.AddTopics(s, []cli.Topic{{Name: "folders", Summary: "where files are read and written", Flags: []string{
		"perf-sweep-output-dir", "raw-data-output-dir", "config-dir", "params-dir", "arch", "keep-programs",
	}}})
	s.StringVar(&f.format, "format", rowtext.Text, "how several runtimes are shown beside each other, on standard output: "+
		strings.Join(formats(), ", "))
	cli.Takes(s, "format", formats())
}

func operationTypes() string {
	var names []string
	for _, t := range operations.Types() {
		names = append(names, string(t))
	}
	return strings.Join(names, ", ")
}

// Parse reads the arguments and checks what needs no device. It returns cli.ErrHelp if it has printed the help.
func (f *Flags) Parse(args []string) error {
	rest, err := f.Flags.Parse(args, intro)
	if err != nil {
		return err
	}
	switch {
	case len(rest) > 0:
		return fmt.Errorf("sweep takes no arguments, and %q is one; --operations-cfg names a file of operations",
			rest[0])
	case f.forceClean && f.continueRun:
		return errors.New("--force-clean deletes the rows that --continue-run keeps; give one of them")
	case f.skipSweep && f.skipModel:
		return errors.New("--skip-perf-sweep and --skip-performance-model leave nothing to do; give one of them")
	case f.skipSweep && (f.forceClean || f.continueRun):
		return errors.New("--skip-perf-sweep measures nothing: --force-clean and --continue-run do not go with it")
	case strings.ContainsAny(f.architecture, `/\`):
		return fmt.Errorf("--arch %q: want a name such as wormhole_b0", f.architecture)
	}
	if err := f.settleRuntimes(); err != nil {
		return err
	}
	return f.checkFolders()
}

// checkFolders looks whether folders would get into each other's way.
func (f *Flags) checkFolders() error {
	folders := []struct{ flag, path string }{
		{"--perf-sweep-output-dir", f.out}, {"--raw-data-output-dir", f.raw}, {"--params-dir", f.params},
	}
	for i := range folders {
		path, err := filepath.Abs(folders[i].path)
		if err != nil {
			return fmt.Errorf("%s: %w", folders[i].flag, err)
		}
		folders[i].path = path
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return fmt.Errorf("%s %s: this is a file; give the name of a folder", folders[i].flag, path)
		}
	}
	out := folders[0].path + string(filepath.Separator)
	for _, other := range folders[1:] {
		if strings.HasPrefix(other.path+string(filepath.Separator), out) {
			return fmt.Errorf("%s %s lies in the folder of the sweep, %s, which --force-clean deletes; name another "+
				"folder", other.flag, other.path, f.out)
		}
	}
	return nil
}

// operations returns the operations that are asked for, and those that are left out since their types are not known.
func (f *Flags) operations() (list, left []operations.Operation, err error) {
	list = operations.Default()
	if f.operationsFile != "" {
		if list, err = operations.Read(f.operationsFile); err != nil {
			return nil, nil, fmt.Errorf("--operations-cfg: %w", err)
		}
	}
	return operations.Select(list, operations.Type(f.opType), f.opName)
}
