// Command zonemark measures native kernels, and the dispatches inside them, in a sandboxed child process.
//
// The README shows every subcommand; "zonemark help" lists them.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/commands"
	"zonemark/cmd/zonemark/internal/comparing"
	"zonemark/cmd/zonemark/internal/doctoring"
	"zonemark/cmd/zonemark/internal/estimating"
	"zonemark/cmd/zonemark/internal/farming"
	"zonemark/cmd/zonemark/internal/fitting"
	"zonemark/cmd/zonemark/internal/hatbench"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/installing"
	"zonemark/cmd/zonemark/internal/modelbench"
	"zonemark/cmd/zonemark/internal/peaking"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/remoting"
	"zonemark/cmd/zonemark/internal/searching"
	"zonemark/cmd/zonemark/internal/sweeping"
	"zonemark/cmd/zonemark/internal/traceverbs"
	"zonemark/invocations/files"
)

// verb returns a verb that reads its arguments itself.
func verb(name, summary string, run func(ctx context.Context, p program.Program, args []string) int) program.Verb {
	return program.Verb{Name: name, Summary: summary, Run: run}
}

// group are verbs that help shows below a title.
type group struct {
	title string // empty: they are not shown
	verbs []program.Verb
}

// groups returns the table of everything that zonemark can do, in the order of the help text.
func groups() []group {
	return []group{
		{"Measure", []program.Verb{
			verb("run", "measure suites, artifacts and commands; without a path, the shipped microbenchmarks", runCommand),
			program.VerbOf("sweep", "sweep operations over their variables on a PJRT device or IREE, and fit cost models",
				sweeping.NewFlags),
			program.VerbOf("tune", "find the best of many variants, and by how much it beats the default", searching.NewFlags),
			verb("peaks", "measure what this processor can do at most: operations and bytes a second", peaking.Run),
		}},
		{"Judge and show", []program.Verb{
			program.VerbOf("compare", "say whether what was measured twice became faster or slower", comparing.NewFlags),
			verb("history", "say how measurements went over many runs, and where they became slower", comparing.History),
			verb("replay", "measure again what a bundle of run --bundle holds, and say what differs", comparing.Replay),
			verb("report", "write a page (HTML) about the results in journals", reportCommand),
		}},
		{"Inspect", []program.Verb{
			verb("list", "show what is inside artifacts and suites", listCommand),
			verb("trace", "inspect Tracy captures and tt-metal's tables: "+strings.Join(traceverbs.Family().Names(), ", "),
				traceverbs.Family().Run),
		}},
		{"Cost models", []program.Verb{
			program.VerbOf("fit", "fit cost models to sweeps of operations, with cross-validated errors", fitting.NewFlags),
			program.VerbOf("estimate", "estimate what an operation costs, by parameters or fitted models", estimating.NewFlags),
		}},
		{"Machines", []program.Verb{
			verb("doctor", "say what disturbs measurements on this machine, and what comparisons can find here",
				doctoring.Run),
			verb("setup", "install the runtimes that are measured; list and remove them", installing.Run),
			verb("farm", "write scripts for clusters, which measure in shards on many machines", farmFamily().Run),
			verb("merge", "join the journals of shards, which run --shards measured on several machines", farming.Merge),
		}},
		{"With the flags of other tools", []program.Verb{
			verb("hat", "measure HAT packages, with the flags of the older HAT tools", hatbench.Run),
			program.VerbOf("bench", "measure models end to end on PJRT devices and IREE, with the flags of PyBuda's benchmark",
				modelbench.NewFlags),
			verb("halide", "build, measure and compare schedules of Halide benchmarks, and tune the autoscheduler",
				halideFamily().Run),
		}},
		{"This program", []program.Verb{
			verb("completion", "print a script that completes command lines, for bash, zsh or fish", completionCommand),
			verb("help", "show the flags and examples of a verb; write manual pages", helpCommand),
			verb("version", "print the version", versionCommand),
		}},
		{"", []program.Verb{
			verb("run_sweep", "", program.VerbOf("sweep", "", sweeping.NewFlags).Run),      // the older name
			verb("performance_model", "", program.VerbOf("fit", "", fitting.NewFlags).Run), // the older name
			verb(commands.Verb, "", candidatesCommand),
			verb(executorVerb, "", executorCommand),
			verb(remoting.Verb, "", remoting.Serve),
		}},
	}
}

// subcommands returns those of all groups.
func subcommands() (list []program.Verb) {
	for _, g := range groups() {
		list = append(list, g.verbs...)
	}
	return list
}

func main() {
	executor := isExecutor(os.Args[1:])
	if !executor {
		hosting.KeepInherited()
	}
	ctx, stop := contextFor(os.Args[1:])
	defer stop()
	p := program.Standard()
	if !executor { // whose driver ends it
		files.Use(files.Until(ctx, func(what string) { p.Say("zonemark: %s", what) }))
	}
	os.Exit(doMain(ctx, p, os.Args[1:]))
}

// contextFor returns a context that ends when the process is asked to end. An executor makes its own if it needs one.
func contextFor(args []string) (context.Context, context.CancelFunc) {
	if isExecutor(args) {
		return context.WithCancel(context.Background())
	}
	return cli.NotifyContext()
}

// isExecutor reports whether zonemark has started this process as an executor.
func isExecutor(args []string) bool { return len(args) > 0 && args[0] == executorVerb }

// doMain does the work of main and returns the exit status. Tests call it.
func doMain(ctx context.Context, p program.Program, args []string) int {
	if len(args) == 0 {
		usage(p.Err)
		return cli.ExitError
	}
	p.Arguments = args
	switch args[0] {
	case "--help", "-h":
		if len(args) > 1 {
			return helpCommand(ctx, p, args[1:])
		}
		usage(p.Out)
		return cli.ExitOK
	case "--version", "-V":
		return versionCommand(ctx, p, nil)
	}
	for _, c := range subcommands() {
		if c.Name == args[0] {
			return c.Run(ctx, p, args[1:])
		}
	}
	return p.Misused("help", signpost(p, args))
}

func commandNames() (names []string) {
	for _, c := range subcommands() {
		if c.Summary != "" {
			names = append(names, c.Name)
		}
	}
	return names
}

func usage(w io.Writer) {
	fmt.Fprint(w, `zonemark measures native kernels, and the dispatches inside them, in a sandboxed child process.

Usage: zonemark SUBCOMMAND [flags] [PATH…]

`)
	for _, g := range groups() {
		if g.title == "" {
			continue
		}
		fmt.Fprintf(w, "%s:\n", g.title)
		for _, c := range g.verbs {
			fmt.Fprintf(w, "  %-10s %s\n", c.Name, c.Summary)
		}
	}
	fmt.Fprint(w, `
Examples:
  zonemark run kernels.c                                   the functions of a C file
  zonemark run --group -- sleep 0.1 ::: sleep 0.2          two commands, compared
  zonemark run model.mlir                                  an IREE module, with its dispatches
  zonemark compare --measure old.c new.c                   faster or slower, measured now
  zonemark run kernels.c -o new.ndjson --html new.html     keep the results, and make a page
  zonemark trace stats run.tracy                           where the time of a Tracy capture went

"zonemark help SUBCOMMAND" shows its flags. Reports go to standard output, progress and messages to standard error.
Exit status: 0 good, 1 error or bad usage, 2 an invocation did not end ok; of compare and replay also 3 something is
slower or broken, 4 some rows are undecided.
`)
}
