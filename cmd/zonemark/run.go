package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/measureflags"
	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/executor/iree"
	"zonemark/invocations"
)

const runIntro = "Measure suites (.toml) and artifacts (C functions, IREE modules, HAT packages), " +
	"each function in a sandboxed child process, or whole commands, after --.\n" + `
Usage: zonemark run [flags] [PATH…]
       zonemark run [flags] -- PROGRAM [ARGUMENT…] [::: PROGRAM [ARGUMENT…]]…

` + "Without a path, the shipped microbenchmarks for IREE are compiled and measured. " +
	"If IREE is missing, it is installed into zonemark's cache." + `

Examples:
  zonemark run                                   the shipped microbenchmarks, with their dispatches
` + "  zonemark run model.mlir -t model.tracy -d model.csv   compile, measure, trace; " +
	"keep the capture and a row for each dispatch" + `
  zonemark run model.vmfb --mode dispatch        each dispatch alone, without a runtime around it
  zonemark run suite.toml -o results.ndjson      a suite, with a journal that survives anything
  zonemark run suite.toml -o results.ndjson --resume
  zonemark run kernels.hat --mode cold --param M=64,128 --format csv
  zonemark run kernels.c --function 'void scale(long n, float a, float x[n])' --param n=4096 --param a=2
  zonemark run --group -- grep -c x words.txt ::: rg -c x words.txt   two commands, compared
`

func runCommand(ctx context.Context, p program.Program, args []string) int {
	f := measureflags.New("run", p, nil)
	paths, err := f.Parse(args, runIntro)
	if errors.Is(err, cli.ErrHelp) {
		return cli.ExitOK
	}
	if err == nil {
		err = cmp.Or(parameterMisspelt(args), functionPattern(args), threadsOfCall(f.Set, args), kindOfFile(f.Set, args),
			leftOut(args), moduleMeasured(p, f.Set, args))
	} else if err != nil {
		err = cmp.Or(leftOut(args), referenceOf(args), libraryByFlag(p, args), commandWithFlags(args),
			formatMeant(p, f.Set, args), meantByRun(p, f.Set, args, err))
	}
	if err != nil {
		return p.Misused("run --help", err)
	}
	var commands [][]string
	if at := f.Set.ArgsLenAtDash(); at >= 0 {
		if commands, err = measuring.SplitCommands(paths[at:]); err != nil {
			return p.Misused("run --help", err)
		}
		if err := commandInOneWord(args, commands); err != nil && !f.Set.Changed("shell") {
			return p.Misused("run --help", err)
		}
		if paths = paths[:at]; len(paths) > 0 {
			if err := f.CheckValueApart(paths[len(paths)-1]); err != nil {
				return p.Misused("run --help", err)
			}
		}
	}
	if len(paths) > 0 && len(commands) == 0 {
		if err := cmp.Or(fileOfAnother(args, paths), pageNotFile(args, paths),
			commandNotFile(p, f.Set, args, paths[0]), separatorNotFile(args, paths),
			parameterNotFile(args, paths), functionNotFile(p, args, paths),
			ofAnotherVerb(p, "run", paths[0])); err != nil {
			return p.Misused("run --help", err)
		}
	}
	if len(paths) == 0 && len(commands) == 0 {
		example, err := shippedExample(ctx, p, f)
		if err != nil {
			return p.Fail("%v", err)
		}
		paths = []string{example}
	}
	m := measuring.New(&f.Task, paths)
	m.Commands = commands
	status := m.Run(ctx)
	if command := separatedCommands(args, commands, status); command != "" {
		p.Say("note: ::: stands between two commands:\n  %s", command)
	} else if command := flagsBehind(p, args, commands, status); command != "" {
		p.Say("note: flags of zonemark stand before the command:\n  %s", command)
	}
	return status
}

// shippedExample returns what is measured when no path is given: the microbenchmarks for IREE, or, on a machine without
// IREE that cannot install it, the dispatches of precompiled kernels, which need no runtime.
func shippedExample(ctx context.Context, p program.Program, f *measureflags.Flags) (string, error) {
	folder, err := unpackExample(p.Cache())
	if err != nil {
		return "", err
	}
	source := invocations.Invocation{Runtime: iree.Name, Artifact: invocations.Artifact{Path: "mlp.mlir"}}
	missing := measuring.New(&f.Task, nil).Provide(ctx, []invocations.Invocation{source})
	if missing == nil {
		return filepath.Join(folder, "micro.toml"), nil
	}
	kernels := filepath.Join(folder, "kernels_"+runtime.GOARCH+".vmfb")
	if _, err := os.Stat(kernels); err != nil || ctx.Err() != nil {
		return "", missing
	}
	p.Say("%v", missing)
	p.Say("without IREE: measuring precompiled kernels, each dispatch alone (--mode dispatch)")
	f.SetOption(iree.OptionProvider, iree.ProviderDispatch)
	return kernels, nil
}
