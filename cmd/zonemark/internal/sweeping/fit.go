package sweeping

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"zonemark/cmd/zonemark/internal/fitting"
	"zonemark/driver/report"
)

// checkParameters returns an error, before anything is measured, if the parameters of the sweep could not be written,
// or if there is nothing to fit to.
func (s *Sweep) checkParameters() error {
	if s.skipModel {
		return nil
	}
	for _, side := range s.sides {
		if err := fitting.CheckParameters(s.params, side.architecture); err != nil {
			return fmt.Errorf("--params-dir: %w", err)
		}
		if s.skipSweep && len(s.tables(side, func(string, ...any) {})) == 0 {
			return fmt.Errorf("--skip-perf-sweep: %s has no table of the operations: nothing can be fitted",
				filepath.Join(s.raw, side.architecture))
		}
	}
	return nil
}

// tables returns the tables of the operations on a runtime that are there, and says which are not.
func (s *Sweep) tables(on *side, say func(format string, args ...any)) []string {
	var paths []string
	for _, o := range s.operations {
		path := filepath.Join(s.raw, on.architecture, o.DataFile)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			say("warning: %s: no table: %s is not fitted", report.Printable(path), report.Printable(o.Name))
			continue
		}
		paths = append(paths, path)
	}
	return paths
}

// fit fits models to the tables of each runtime, writes them, and returns the exit status.
func (s *Sweep) fit(ctx context.Context) (status int) {
	for _, side := range s.sides {
		status = max(status, s.fitTo(ctx, side))
	}
	return status
}

func (s *Sweep) fitTo(ctx context.Context, on *side) int {
	p := s.Program
	if s.several() { // standard output has the comparison
		p.Out = p.Err
	}
	f := fitting.Defaults(p)
	f.Paths, f.Architecture, f.ParamsDir, f.Quiet = s.tables(on, s.Say), on.architecture, s.params, s.Quiet
	f.Versioned, f.Scratch = true, s.forceClean
	if err := f.Check(); err != nil {
		return s.Fail("%v", err)
	}
	status := f.Run(ctx)
	if s.params != defaultParams {
		return status
	}
	if err := fitting.LinkNewest(s.params, on.architecture); err != nil {
		s.note("warning: no link to the newest parameters: %v", err) // a file system may have none
	}
	return status
}
