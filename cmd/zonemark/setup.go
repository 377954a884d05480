package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/report"
	"zonemark/driver/setup"
	"zonemark/invocations/spelling"

	"github.com/spf13/pflag"
)

const setupIntro = `Install the runtimes that zonemark measures, pinned and checked by hash, into its cache ($ZONEMARK_HOME, else the user's cache folder).

Usage: zonemark setup [flags] COMPONENT…

Components:
%s
An environment of your own that holds IREE is used instead when --python or $ZONEMARK_IREE_PYTHON names it, or when it is activated ($VIRTUAL_ENV); one that holds JAX and
Keras likewise, by --python or $ZONEMARK_MODELS_PYTHON.
An installation that was interrupted goes on when it is started again.

Examples:
  zonemark setup iree                     what "run" does on first use of an IREE module
  zonemark setup pjrt-cpu                 the same for StableHLO on the CPU (--runtime tt --plugin cpu)
  zonemark setup models                   JAX and Keras, which the models of "zonemark bench" are written with
  zonemark setup --list                   what is installed, where, which version, how large
  zonemark setup --missing                what is not installed, in one line with the commands that install it
  zonemark setup --remove iree
  eval "$(zonemark setup --env)"          the variables that tell where IREE, PJRT plugins and the models' Python are, for a shell
`

// setupFlags are the flags of the subcommand setup.
type setupFlags struct {
	set       *pflag.FlagSet
	python    string
	list, env bool
	missing   bool
	remove    []string
	quiet     bool
}

func newSetupFlags() *setupFlags {
	f := &setupFlags{set: pflag.NewFlagSet("setup", pflag.ContinueOnError)}
	f.set.SortFlags = false
	f.set.SetOutput(io.Discard) // we print errors and help ourselves
	f.set.StringVar(&f.python, "python", "", "interpreter or virtual environment: used as it is when it holds what is asked for, else to make the private environment")
	f.set.BoolVar(&f.list, "list", false, "show what is installed: name, version, state, size, place")
	f.set.BoolVar(&f.missing, "missing", false, "name what is not installed, in one line; installs nothing")
	f.set.StringArrayVar(&f.remove, "remove", nil, "remove this component, all versions of it, or one as NAME-VERSION; repeatable")
	f.set.BoolVar(&f.env, "env", false, "print the variables that tell where IREE, PJRT plugins and the models' Python are, as lines for a POSIX shell; installs nothing")
	f.set.BoolVarP(&f.quiet, "quiet", "q", false, "no progress and no messages but errors")
	return f
}

func setupHelp(f *setupFlags) string {
	var table strings.Builder
	names, summaries := setup.Names()
	for i, name := range names {
		fmt.Fprintf(&table, "  %-10s %s\n", name, summaries[i])
	}
	return fmt.Sprintf(setupIntro, table.String()) + "\nFlags:\n" + f.set.FlagUsages()
}

func setupCommand(ctx context.Context, s cli.Streams, args []string) int {
	f := newSetupFlags()
	if err := f.set.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			fmt.Fprint(s.Out, setupHelp(f))
			return cli.ExitOK
		}
		return s.Misused("setup --help", cli.FlagError(err, f.set))
	}
	wanted := f.set.Args()
	modes := 0
	for _, on := range []bool{f.list, f.missing, f.env, len(f.remove) > 0, len(wanted) > 0} {
		if on {
			modes++
		}
	}
	if modes > 1 {
		return s.Misused("setup --help", errors.New("setup does one thing at a time: components to install, --list, --missing, --env or --remove"))
	}
	names, _ := setup.Names()
	for _, name := range wanted {
		if !slices.Contains(names, name) {
			return s.Misused("setup --help", fmt.Errorf("setup has no component %q%s", name, spelling.Suggest(name, names)))
		}
	}
	progress := newSetupProgress(s, f.quiet)
	o := progress.options()
	o.Python = f.python
	var err error
	switch {
	case f.list:
		err = setupList(s, o)
	case f.missing:
		err = setupMissing(s, o)
	case f.env:
		err = setupEnvironment(s, o)
	case len(f.remove) > 0:
		err = setupRemove(s, o, f.remove)
	case len(wanted) > 0:
		err = setupInstall(ctx, s, o, f.quiet, wanted)
	default:
		fmt.Fprint(s.Err, setupHelp(f))
		return cli.ExitError
	}
	progress.line.Clear()
	if errors.Is(err, context.Canceled) {
		return s.Fail("setup was interrupted; nothing half-installed is used, and \"zonemark setup %s\" goes on", strings.Join(wanted, " "))
	}
	if err != nil {
		return s.Fail("%v", err)
	}
	return cli.ExitOK
}

// setupInstall installs components, one after the other.
func setupInstall(ctx context.Context, s cli.Streams, o setup.Options, quiet bool, names []string) error {
	for _, name := range names {
		var version, place string
		switch name {
		case "iree":
			found, err := setup.InstallIREE(ctx, o)
			if err != nil {
				return err
			}
			version, place = found.Version, found.Interpreter
			if found.NoLibPython != "" {
				s.Say("%s", found.NoLibPython)
			}
		case "iree-capi":
			path, err := setup.InstallCAPI(ctx, o)
			if err != nil {
				return err
			}
			place = path
		case "pjrt-cpu":
			path, err := setup.InstallPJRTCPU(ctx, o)
			if err != nil {
				return err
			}
			place = path
		case "models":
			found, err := setup.InstallModels(ctx, o)
			if err != nil {
				return err
			}
			version, place = "(jax "+found.JAX+", keras "+found.Keras+")", found.Interpreter
		}
		if !quiet {
			s.Say("%s is ready: %s", strings.TrimSpace(name+" "+version), report.Printable(place))
		}
	}
	return nil
}

// setupList prints a table of what is installed and what could be.
func setupList(s cli.Streams, o setup.Options) error {
	all, err := setup.List(o)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(s.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "name\tversion\tstate\tsize\tplace")
	for _, c := range all {
		size, place := "–", "–"
		if c.Bytes > 0 {
			size = megabytes(c.Bytes)
		}
		if c.Folder != "" {
			place = report.Printable(c.Folder)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", c.Name, report.Printable(c.Version), c.State, size, place)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, c := range all {
		if c.Note != "" {
			s.Say("%s %s: %s", c.Name, report.Printable(c.Version), c.Note)
		}
	}
	return nil
}

// setupMissing names the components that are not installed, each with the command that installs it.
func setupMissing(s cli.Streams, o setup.Options) error {
	missing, err := setup.Missing(o)
	if err != nil {
		return err
	}
	if len(missing) == 0 {
		fmt.Fprintln(s.Out, "every runtime is installed")
		return nil
	}
	for i, name := range missing {
		missing[i] = fmt.Sprintf("%s (zonemark setup %s)", name, name)
	}
	fmt.Fprintf(s.Out, "not installed: %s\n", strings.Join(missing, ", "))
	return nil
}

// setupRemove removes components.
func setupRemove(s cli.Streams, o setup.Options, names []string) error {
	for _, name := range names {
		removed, err := setup.Remove(o, name)
		for _, c := range removed {
			s.Say("removed %s %s, %s, from %s", c.Name, report.Printable(c.Version), megabytes(c.Bytes), report.Printable(c.Folder))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// setupEnvironment prints the variables of what is found.
func setupEnvironment(s cli.Streams, o setup.Options) error {
	cpu, noCPU := setup.FindPJRTCPU(o)
	models, noModels := setup.FindModels(o)
	found, err := setup.FindIREE(o)
	if err != nil && noCPU != nil && noModels != nil {
		return err
	}
	if noModels == nil {
		printVariable(s, setup.ModelsPythonVariable, models.Interpreter)
	}
	if noCPU == nil {
		printVariable(s, setup.PJRTCPUVariable, cpu)
	}
	if err != nil {
		s.Say("%v", err)
		return nil
	}
	if found.NoLibPython != "" {
		s.Say("%s", found.NoLibPython)
	}
	for _, entry := range found.Environment() {
		name, value, _ := strings.Cut(entry, "=")
		printVariable(s, name, value)
	}
	return nil
}

// printVariable prints a variable as a line for a POSIX shell.
func printVariable(s cli.Streams, name, value string) {
	if value == "" {
		fmt.Fprintf(s.Out, "unset %s\n", name)
		return
	}
	fmt.Fprintf(s.Out, "export %s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
}

// megabytes writes a size for people.
func megabytes(bytes int64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

// setupProgress shows how an installation goes: a line that is written over on a terminal, else a line a step.
type setupProgress struct {
	s     cli.Streams
	quiet bool
	line  *cli.ProgressLine
}

func newSetupProgress(s cli.Streams, quiet bool) *setupProgress {
	return &setupProgress{s, quiet, cli.NewProgressLine(s.Err, quiet)}
}

// options are those of package setup that let this tell.
func (p *setupProgress) options() setup.Options {
	return setup.Options{Getenv: os.Getenv, Say: p.say, Progress: p.show}
}

func (p *setupProgress) say(format string, args ...any) {
	p.line.Clear()
	if !p.quiet {
		p.s.Say(format, args...)
	}
}

func (p *setupProgress) show(now setup.Progress) {
	if !p.line.Due() {
		return
	}
	text := now.Component + ": " + now.Step
	switch {
	case now.Total > 0:
		text += fmt.Sprintf(" %d of %d", now.Done, now.Total)
	case now.TotalBytes > 0:
		text += fmt.Sprintf(" %s of about %s", megabytes(now.Bytes), megabytes(now.TotalBytes))
	}
	p.line.Draw(text)
}
