package hatbench

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/plan"
	"zonemark/driver/report"
	"zonemark/driver/report/hatcsv"
	"zonemark/executor/hat"
	"zonemark/invocations"
	"zonemark/invocations/files"
)

// checkWritable returns an error, before anything is measured, if the results cannot be kept.
func (f *Flags) checkWritable(plan *plan.Plan) error {
	if f.resultsFile != "" {
		if err := (cli.Output{Flag: "--results-file", Path: f.resultsFile}).Check(); err != nil {
			return err
		}
		check := hatcsv.CheckAppendable
		if f.resultsFormat != hatCSV {
			check = checkCreatable
		}
		if err := check(f.resultsFile); err != nil {
			return fmt.Errorf("--results-file: %w", err)
		}
	}
	if !f.store {
		return nil
	}
	seen := map[string]string{}
	for _, p := range plan.All() {
		inv := p.Invocation
		key := inv.Artifact.Path + "\x00" + inv.Function
		if other, twice := seen[key]; twice {
			return fmt.Errorf("--store-in-hat: %s and %s would be stored in the same place; measure one size at a time",
				other, inv.Name)
		}
		seen[key] = inv.Name
		if err := hat.CheckWritable(inv.Artifact.Path); err != nil {
			return fmt.Errorf("--store-in-hat: %w", err)
		}
	}
	return nil
}

// checkCreatable returns an error if a file cannot be written. It leaves no new file behind.
func checkCreatable(path string) error {
	file, err := files.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		return errors.Join(file.Close(), os.Remove(path))
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	if file, err = files.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0); err != nil {
		return err
	}
	return file.Close()
}

// keep writes what the flags ask for beside the report.
func (f *Flags) keep(run report.Run) error {
	var errs []error
	if f.resultsFile != "" {
		errs = append(errs, f.writeResults(run))
	}
	if f.store {
		errs = append(errs, storeDurations(run.Records))
	}
	return errors.Join(errs...)
}

// storeDurations writes the durations of records into their packages.
func storeDurations(records *invocations.Records) error {
	byPackage := map[string]map[string]hat.Durations{}
	for r, err := range records.All() {
		if err != nil {
			return err
		}
		if r.Status != invocations.OK || r.MedianNS == nil || r.MeanNS == nil {
			continue
		}
		if byPackage[r.Artifact] == nil {
			byPackage[r.Artifact] = map[string]hat.Durations{}
		}
		byPackage[r.Artifact][r.Function] = hat.Durations{ // without overhead, times of empty functions can be below zero
			MedianSeconds: max(0, *r.MedianNS) / 1e9, MeanSeconds: max(0, *r.MeanNS) / 1e9,
		}
	}
	var errs []error
	for _, path := range slices.Sorted(maps.Keys(byPackage)) {
		errs = append(errs, hat.StoreDurations(path, byPackage[path]))
	}
	return errors.Join(errs...)
}

func (f *Flags) writeResults(run report.Run) error {
	if f.resultsFormat == hatCSV {
		return hatcsv.Append(f.resultsFile, run.Records, f.milliseconds)
	}
	format, err := f.Formats.Lookup(f.resultsFormat)
	if err != nil {
		return err
	}
	file, err := files.OpenFile(f.resultsFile, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	if err := format.Write(file, run); err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", f.resultsFile, err), file.Close())
	}
	return file.Close()
}
