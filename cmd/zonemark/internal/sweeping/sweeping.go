package sweeping

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/driver/filehash"
	"zonemark/driver/report"
	"zonemark/driver/sweep"
	"zonemark/driver/sweep/operations"
	"zonemark/invocations/figures"
	"zonemark/invocations/files"
)

// Sweep is one run of the verb.
type Sweep struct {
	*Flags
	sides      []*side
	operations []*swept
	clock      clock
	line       *cli.ProgressLine
	tally      tally
}

// swept is an operation with its configurations.
type swept struct {
	*operations.Operation
	configurations []operations.Configuration
	product        int              // configurations before constraints; 0 for those of a file
	results        []*sweep.Results // on each of Sweep.sides
}

// missing returns the configurations that have no row yet on at least one runtime, in their order.
func (o *swept) missing() (list []*operations.Configuration) {
	without := map[int]bool{}
	for _, r := range o.results {
		for _, c := range r.Missing() {
			without[c.Index] = true
		}
	}
	for i := range o.configurations {
		if without[o.configurations[i].Index] {
			list = append(list, &o.configurations[i])
		}
	}
	return list
}

// rows returns how many rows there are, on all runtimes.
func (o *swept) rows() (n int) {
	for _, r := range o.results {
		n += len(o.configurations) - len(r.Missing())
	}
	return n
}

// Run does what the flags say, and returns the exit status.
func (f *Flags) Run(ctx context.Context) int { return New(f).Run(ctx) }

// New returns a run of what the flags say.
func New(f *Flags) *Sweep {
	return &Sweep{Flags: f, line: cli.NewProgressLine(f.Err, f.Quiet)}
}

// Run sweeps, fits, and returns the exit status.
func (s *Sweep) Run(ctx context.Context) int {
	if s.print {
		return s.printOperations()
	}
	err := s.span()
	if err == nil && s.dryRun {
		err = s.show()
	} else if err == nil {
		err = s.carryOut(ctx)
	}
	s.line.Clear()
	switch {
	case err != nil && ctx.Err() != nil:
		return s.Fail("interrupted%s", s.leftOver())
	case err != nil:
		return s.Fail("%v%s", err, s.leftOver())
	case s.dryRun:
		return s.tally.status()
	}
	if s.several() && !s.skipSweep {
		if err := s.writeBeside(); err != nil {
			return s.Fail("%v", err)
		}
	}
	if s.skipModel {
		return s.tally.status()
	}
	return max(s.fit(ctx), s.tally.status())
}

func (s *Sweep) printOperations() int {
	if _, err := s.Out.Write(operations.DefaultJSON()); err != nil {
		return s.Fail("%v", err)
	}
	return cli.ExitOK
}

// span reads the operations and spans their configurations.
func (s *Sweep) span() error {
	list, left, err := s.Flags.operations()
	if err != nil {
		return err
	}
	for _, o := range left {
		s.note("left out: %v", o.Unknown)
	}
	architecture, err := s.chosenArchitecture()
	if err != nil {
		return err
	}
	s.sides = s.newSides(architecture)
	if s.skipSweep {
		for i := range list {
			s.operations = append(s.operations, &swept{Operation: &list[i]})
		}
		return nil
	}
	for i := range list {
		o := &swept{Operation: &list[i]}
		var space *operations.Space
		if o.configurations, space, err = sweep.Configurations(&list[i], s.configFolder(&list[i], architecture)); err != nil {
			return err
		}
		if space != nil {
			o.product = space.Product
		}
		if len(list[i].Ignored) > 0 && s.operationsFile != "" {
			s.note("operation %s: flags of an older tool in additional_arguments have no effect: %s", o.Name,
				strings.Join(list[i].Ignored, " "))
		}
		s.operations = append(s.operations, o)
	}
	return nil
}

// configFolder returns the folder that the op_config_file of an operation is relative to: that of the architecture if
// the file is there, else --config-dir itself.
func (s *Sweep) configFolder(o *operations.Operation, architecture string) string {
	own := filepath.Join(s.configs, architecture)
	if o.ConfigFile != "" {
		if _, err := os.Stat(filepath.Join(own, o.ConfigFile)); err == nil {
			return own
		}
	}
	return s.configs
}

// chosenArchitecture returns the architecture that rows and parameters belong to. With several runtimes it is empty
// unless the user has named one.
func (s *Sweep) chosenArchitecture() (string, error) {
	name := s.Flags.architecture
	if name == "" {
		name = s.Variables.Lookup(architectureVariable)
	}
	if name != "" {
		if name != filepath.Base(name) || name == "." || name == ".." {
			return "", fmt.Errorf("$%s %q: want a name such as wormhole_b0", architectureVariable, name)
		}
		return name, nil
	}
	if s.several() {
		return "", nil
	}
	return s.backends[0].architecture, nil
}

// show lists the operations with the number of their configurations.
func (s *Sweep) show() error {
	t := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "operation\ttype\tconfigurations\tdata file\t")
	for _, o := range s.operations {
		count := report.Grouped(int64(len(o.configurations)))
		if o.product > len(o.configurations) {
			count += " of " + report.Grouped(int64(o.product))
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t\n", report.Printable(o.Name), o.Type, count, report.Printable(o.DataFile))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	s.note("%s; nothing was measured (--dry-run)", s.countText())
	return nil
}

// countText is how many configurations there are.
func (s *Sweep) countText() string {
	n := 0
	for _, o := range s.operations {
		n += len(o.configurations)
	}
	return fmt.Sprintf("%s with %s", report.Counted(len(s.operations), "operation"),
		report.Counted(n, "configuration"))
}

// carryOut measures what is missing.
func (s *Sweep) carryOut(ctx context.Context) (err error) {
	if err := s.checkParameters(); err != nil || s.skipSweep {
		return err
	}
	s.note("%s for %s", s.countText(), s.architectures())
	start := sweep.Fresh
	if s.continueRun {
		start = sweep.Continue
	} else if s.forceClean {
		start = sweep.ForceClean
	}
	if err := sweep.CheckFolder(s.out, start); err != nil {
		return err
	}
	if err := s.checkWritable(); err != nil {
		return err
	}
	m := measuring.New(&s.Task, nil)
	m.Working = func(string, ...any) {}
	ghz, err := s.probe(ctx, m)
	if err != nil {
		return err
	}
	if err := sweep.OpenFolder(s.out, start); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := s.open(ghz); err != nil {
		return err
	}
	s.clock.begin(s.operations, s.sides)
	for _, o := range s.operations {
		if err := s.measure(ctx, m, o); err != nil {
			return err
		}
	}
	s.line.Clear()
	s.note("%s in %s", s.tally.text(), figures.Duration(s.clock.elapsed()))
	return nil
}

// checkWritable returns an error, before anything is measured, if results could not be written.
func (s *Sweep) checkWritable() error {
	folders := []string{s.out, s.raw}
	if !s.skipModel {
		folders = append(folders, s.params)
	}
	for _, folder := range folders {
		if err := files.CheckWritable(folder); err != nil {
			return err
		}
	}
	return nil
}

// open opens the results of all operations, so that what is there is known before anything is measured.
func (s *Sweep) open(ghz float64) error {
	hashes, err := s.Cache().Folder("hashes")
	if err != nil {
		return err
	}
	hasher := filehash.New(hashes)
	build := func(path string) string {
		sum, err := hasher.SHA256(path)
		if err != nil {
			return filepath.Base(path) // the device told what is wrong with it
		}
		return sweep.Build(path, sum)
	}
	for _, op := range s.operations {
		for _, side := range s.sides {
			results, err := sweep.OpenResults(s.out, op.Operation, op.configurations, sweep.Options{Target: side.target,
				Builds: s.Runtimes.EachFile(side.target.Options, build), ClockGHz: ghz, Folder: side.folder, Spread: s.Spread})
			if err != nil {
				return err
			}
			op.results = append(op.results, results)
			for _, note := range results.Notes {
				s.note("%s", note)
			}
		}
	}
	return nil
}

func (s *Sweep) close() (err error) {
	for _, o := range s.operations {
		for _, results := range o.results {
			err = errors.Join(err, results.Close())
		}
	}
	return err
}

// leftOver tells what a sweep that ended early has kept and how to finish it.
func (s *Sweep) leftOver() string {
	rows, all := 0, 0
	for _, o := range s.operations {
		if o.results == nil {
			return ""
		}
		rows, all = rows+o.rows(), all+len(o.configurations)*len(o.results)
	}
	if all == 0 || rows == all {
		return ""
	}
	return fmt.Sprintf("\n%s of %s are in %s; the same command with --continue-run goes on from there",
		report.Grouped(int64(rows)), report.Counted(all, "row"), s.out)
}

// note prints a message unless --quiet.
func (s *Sweep) note(format string, args ...any) {
	if !s.Quiet {
		s.line.Clear()
		s.Say(format, args...)
	}
}
