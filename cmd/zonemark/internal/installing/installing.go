// Package installing carries out the verb setup: it installs, lists and removes the components that package setup
// knows, and prints the variables that tell where they are. All that it knows comes from the rows of the components.
package installing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/driver/report"
	"zonemark/driver/setup"

	"github.com/spf13/pflag"
)

const introFormat = "Install the runtimes that zonemark measures, pinned and checked by hash, into its cache " +
	"($ZONEMARK_HOME, else the user's cache folder)." + `

Usage: zonemark setup [flags] COMPONENT…

Components:
%s
%s
An installation that was interrupted goes on when it is started again.

Examples:
%s  zonemark setup --list                   what is installed, where, which version, how large
  zonemark setup --missing                what is not installed, in one line with the commands that install it
  zonemark setup --remove iree
  eval "$(zonemark setup --print-env)"    the variables that tell where %s are, for a shell
`

// verb is one run of the verb setup: its flags and its program.
type verb struct {
	program.Program
	set       *pflag.FlagSet
	python    string
	list, env bool
	missing   bool
	dryRun    bool
	remove    []string
	quiet     bool
}

func newVerb(p program.Program) *verb {
	v := &verb{Program: p, set: cli.NewFlagSet("setup")}
	v.set.StringVar(
		&v.python,
		"python",
		"",
		"interpreter or virtual environment: used as it is when it holds what is asked for, else to make the private "+
			"environment",
	)
	v.set.BoolVar(&v.list, "list", false, "show what is installed: name, version, state, size, place")
	v.set.BoolVar(&v.dryRun, "dry-run", false, "show the state of the components that would be installed, and stop")
	v.set.BoolVar(&v.missing, "missing", false, "name what is not installed, in one line; installs nothing")
	v.set.StringArrayVar(&v.remove, "remove", nil,
		"remove this component, all versions of it, or one as NAME-VERSION; repeatable")
	v.set.BoolVar(&v.env, "print-env", false, "print the variables that tell where "+v.places()+
		" are, as lines for a POSIX shell; installs nothing")
	cli.Formerly(v.set, "print-env", "env")
	v.set.BoolVarP(&v.quiet, "quiet", "q", false, "no progress and no messages but errors")
	return v
}

// places names the things whose places the components' variables tell: "IREE, PJRT plugins and the models' Python".
func (v *verb) places() string {
	var list []string
	for _, c := range v.Components {
		if c.Help.Places != "" {
			list = append(list, c.Help.Places)
		}
	}
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " and " + list[last]
}

// intro returns the help text above the flags.
func (v *verb) intro() string {
	var table, examples strings.Builder
	var own []string
	for _, c := range v.Components {
		fmt.Fprintf(&table, "  %-10s %s\n", c.Name, c.Summary)
		if c.Help.Example != "" {
			fmt.Fprintf(&examples, "  %-39s %s\n", "zonemark setup "+c.Name, c.Help.Example)
		}
		if c.Help.Own != "" {
			own = append(own, c.Help.Own)
		}
	}
	paragraph := ""
	if len(own) > 0 {
		paragraph = cli.Wrapped(strings.Join(own, " "), 170)
	}
	return fmt.Sprintf(introFormat, table.String(), paragraph, examples.String(), v.places())
}

// Run carries out the verb and returns the exit status.
func Run(ctx context.Context, p program.Program, args []string) int {
	v := newVerb(p)
	if err := cli.Parse(v.set, p.Streams, args, v.intro()); err != nil {
		return v.Misused("setup --help", err)
	}
	wanted := v.set.Args()
	if err := v.check(wanted); err != nil {
		return v.Misused("setup --help", err)
	}
	installing := v.Installing(v.quiet)
	o := installing.Options(v.python)
	var err error
	switch {
	case v.list:
		err = v.show(o, nil)
	case v.missing:
		err = v.showMissing(o)
	case v.env:
		err = v.environment(o)
	case len(v.remove) > 0:
		err = v.removeAll(o)
	case v.dryRun:
		err = v.show(o, wanted)
	case len(wanted) > 0:
		err = v.install(ctx, o, wanted)
	default:
		fmt.Fprint(v.Err, v.intro(), "\nFlags:\n", v.set.FlagUsages())
		return cli.ExitError
	}
	installing.Line.Clear()
	if errors.Is(err, context.Canceled) {
		return v.Fail("setup was interrupted; nothing half-installed is used, and \"zonemark setup %s\" goes on",
			strings.Join(wanted, " "))
	}
	return v.Done(err)
}

// check returns an error if the command line asks for two things at once, or for an unknown component.
func (v *verb) check(wanted []string) error {
	modes := 0
	for _, on := range []bool{v.list, v.missing, v.env, len(v.remove) > 0, len(wanted) > 0} {
		if on {
			modes++
		}
	}
	if v.dryRun && len(wanted) == 0 {
		return errors.New("--dry-run: name the components that would be installed; --list shows all")
	}
	if modes > 1 {
		return errors.New("setup does one thing at a time: components to install, --list, --missing, --print-env or --remove")
	}
	for _, name := range wanted {
		if _, found := v.Components.Lookup(name); !found {
			return cli.Misspelt(fmt.Sprintf("setup has no component %q", name), name, v.Components.Names())
		}
	}
	return nil
}

// install installs components, one after the other.
func (v *verb) install(ctx context.Context, o setup.Options, names []string) error {
	for _, name := range names {
		component, _ := v.Components.Lookup(name) // check has done so, too
		found, err := component.Ensure(ctx, o)
		if err != nil {
			return err
		}
		for _, note := range found.Notes {
			v.Say("%s", note)
		}
		if !v.quiet {
			v.Say("%s is ready: %s", strings.TrimSpace(name+" "+found.Version), report.Printable(found.Place))
		}
	}
	return nil
}

// show prints a table of the installed components and of those that can be installed: of all, or of those with these
// names.
func (v *verb) show(o setup.Options, names []string) error {
	all, err := v.Components.List(o)
	if err != nil {
		return err
	}
	if len(names) > 0 {
		all = slices.DeleteFunc(all, func(s setup.Status) bool { return !slices.Contains(names, s.Name) })
	}
	w := tabwriter.NewWriter(v.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "name\tversion\tstate\tsize\tplace")
	for _, c := range all {
		size, place := "–", "–"
		if c.Bytes > 0 {
			size = cli.Megabytes(c.Bytes)
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
			v.Say("%s %s: %s", c.Name, report.Printable(c.Version), c.Note)
		}
	}
	return nil
}

// showMissing names the components that are not installed, each with the command that installs it.
func (v *verb) showMissing(o setup.Options) error {
	missing, err := v.Components.Missing(o)
	if err != nil {
		return err
	}
	if len(missing) == 0 {
		fmt.Fprintln(v.Out, "every runtime is installed")
		return nil
	}
	for i, name := range missing {
		missing[i] = fmt.Sprintf("%s (zonemark setup %s)", name, name)
	}
	fmt.Fprintf(v.Out, "not installed: %s\n", strings.Join(missing, ", "))
	return nil
}

// removeAll removes components.
func (v *verb) removeAll(o setup.Options) error {
	for _, name := range v.remove {
		removed, err := v.Components.Remove(o, name)
		for _, c := range removed {
			v.Say("removed %s %s, %s, from %s",
				c.Name, report.Printable(c.Version), cli.Megabytes(c.Bytes), report.Printable(c.Folder))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// environment prints the variables of the components that are found.
func (v *verb) environment(o setup.Options) error {
	entries, notes, err := v.Components.FindAll(o)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name, value, _ := strings.Cut(entry, "=")
		v.printVariable(name, value)
	}
	for _, note := range notes {
		v.Say("%s", note)
	}
	return nil
}

// printVariable prints a variable as a line for a POSIX shell.
func (v *verb) printVariable(name, value string) {
	if value == "" {
		fmt.Fprintf(v.Out, "unset %s\n", name)
		return
	}
	fmt.Fprintf(v.Out, "export %s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
}
