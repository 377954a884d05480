package sweeping

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/fitting"
	"zonemark/driver/report"
)

// checkParameters returns an error, before anything is measured, if the parameters of the sweep could not be written,
// or if there is nothing to fit to.
func (s *Sweep) checkParameters() error {
	if s.skipModel {
		return nil
	}
	if err := fitting.CheckParameters(s.params, s.architecture); err != nil {
		return fmt.Errorf("--params-dir: %w", err)
	}
	if s.skipSweep && len(s.tables(func(string, ...any) {})) == 0 {
		return fmt.Errorf("--skip-perf-sweep: %s has no table of the operations: nothing can be fitted",
			filepath.Join(s.raw, s.architecture))
	}
	return nil
}

// tables returns the tables of the operations that are there, and says which are not.
func (s *Sweep) tables(say func(format string, args ...any)) []string {
	var paths []string
	for _, o := range s.operations {
		path := filepath.Join(s.raw, s.architecture, o.DataFile)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			say("warning: %s: no table: %s is not fitted", report.Printable(path), report.Printable(o.Name))
			continue
		}
		paths = append(paths, path)
	}
	return paths
}

// fit fits models to the tables, writes them, and returns the exit status.
func (s *Sweep) fit(ctx context.Context) int {
	f := fitting.NewFlags(s.Program)
	args := append([]string{"--arch", s.architecture, "--params-dir", s.params, "--"}, s.tables(s.Say)...)
	if s.Quiet {
		args = append([]string{"--quiet"}, args...)
	}
	err := f.Set.Parse(args)
	if err == nil {
		err = f.Check()
	}
	if err != nil {
		return s.Fail("%v", err)
	}
	if status := f.Run(ctx); status != cli.ExitOK {
		return status
	}
	return cli.ExitOK
}
