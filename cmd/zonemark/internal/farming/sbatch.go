package farming

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/measureflags"
	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/driver/farm"
	"zonemark/invocations/files"

	"github.com/spf13/pflag"
)

const sbatchIntro = `Write a script for Slurm's sbatch that measures suites and artifacts in shards, as the tasks of an array: each task runs
"zonemark run --shards N --shard I". The folder of the journals and logs, which all nodes must see, is made at once.
A task that Slurm requeues, or that is submitted again, continues where it was.

Usage: zonemark farm sbatch [flags] PATH… --shards N [-- OPTION-OF-SBATCH…]

Options of sbatch after --, such as --mem=4G, are written into the script. The other flags are those of "zonemark run",
and are passed on to it.

Examples:
  zonemark farm sbatch suite.toml --shards 12 | sbatch
  zonemark farm sbatch suite.toml --shards 12 --time 2:00:00 --partition short -o job.sh -- --mem=4G
  zonemark merge shards -o all.ndjson                                            when all tasks have ended
`

// batch is a call of the verb farm sbatch.
type batch struct {
	*measureflags.Flags
	script          farm.Script
	paths           []string // that are measured
	time, partition string
	output          string
	overwrite       bool
}

// Sbatch writes a script for an array of jobs.
func Sbatch(ctx context.Context, p program.Program, args []string) int {
	b := &batch{}
	var own []string
	b.Flags = measureflags.NewShard("farm sbatch", p, func(shared *measureflags.Flags) {
		s := shared.Set
		s.StringVar(&b.script.Results, "folder", "shards", "folder for the journals and logs of the shards; it is made")
		s.StringVar(&b.time, "time", "", "limit of time of a task, as sbatch takes it: 2:00:00")
		s.StringVar(&b.partition, "partition", "", "partition of the cluster")
		s.StringVar(&b.script.Program, "program", "", "zonemark on the nodes (default: the path of this program)")
		s.BoolVar(&b.script.Share, "share-nodes", false, "other jobs may run on a node while a shard is measured there, which "+
			"disturbs it")
		s.StringVarP(&b.output, "output", "o", "", "write the script to this file, not to standard output")
		s.BoolVar(&b.overwrite, "overwrite", false, "replace the file of -o if it is there")
		cli.Refuse(s, "spread", "farm sbatch has each shard measured on one node; --spread has each of several hosts "+
			"measure everything: zonemark run SUITE --via COMMAND --via COMMAND --spread")
		s.VisitAll(func(f *pflag.Flag) { own = append(own, f.Name) })
	})
	paths, err := b.Parse(args, sbatchIntro)
	if err == nil {
		err = b.settle(paths, args, own)
	}
	if err != nil {
		return p.Misused("farm sbatch --help", err)
	}
	return p.Done(b.run(ctx))
}

// settle completes the script from the command line. own are the flags that are not passed on.
func (b *batch) settle(paths, args, own []string) (err error) {
	var options []string
	for _, o := range [][2]string{{"time", b.time}, {"partition", b.partition}} {
		if o[1] != "" {
			options = append(options, "--"+o[0]+"="+o[1])
		}
	}
	b.paths = paths
	if at := b.Set.ArgsLenAtDash(); at >= 0 {
		b.paths, options = paths[:at], append(options, paths[at:]...)
	}
	switch {
	case len(b.paths) == 0:
		return errors.New("farm sbatch needs the path of a suite, or of artifacts")
	case b.Shards == 0:
		return errors.New("farm sbatch needs the number of tasks: --shards N")
	}
	if err := b.checkHosts(); err != nil {
		return err
	}
	b.script.Shards = int(b.Shards)
	if b.script.Options, err = farm.SbatchOptions(options); err != nil {
		return err
	}
	words := &b.script.Words
	*words = append(*words, b.paths...)
	return b.Set.ParseAll(args, func(f *pflag.Flag, value string) error { // again, to see how they were given
		switch {
		case slices.Contains(own, f.Name) || f.Name == "shards": // the script has it
		case f.NoOptDefVal == value:
			*words = append(*words, "--"+f.Name)
		default:
			*words = append(*words, "--"+f.Name+"="+value)
		}
		return nil
	})
}

// checkHosts returns an error if tasks would measure on other hosts than their nodes, all of them on the same.
func (b *batch) checkHosts() error {
	if len(b.Via) == 0 && !b.Spread {
		return nil
	}
	return errors.New("farm sbatch: each task measures on the node that Slurm gives it; with via, all tasks would " +
		"measure on the same hosts at once and disturb each other: leave out via and spread, or measure without tasks: " +
		"zonemark run SUITE --via COMMAND")
}

func (b *batch) run(ctx context.Context) (err error) {
	if err := (cli.Output{Flag: "-o", Path: b.output, Kept: !b.overwrite}).Check(); err != nil {
		return err
	}
	script := &b.script
	if script.Folder, err = os.Getwd(); err != nil {
		return err
	}
	if script.Program == "" {
		if script.Program, err = os.Executable(); err != nil {
			return fmt.Errorf("%w; name zonemark with --program", err)
		}
	}
	text, err := script.Text()
	if err != nil {
		return err
	}
	division, err := measuring.New(&b.Task, b.paths).Divide(ctx)
	if err == nil {
		err = b.checkHosts() // those of suites
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(script.Results, 0o755); err != nil {
		return err
	}
	if b.output == "" {
		_, err = fmt.Fprint(b.Out, text)
	} else {
		err = files.Write(b.output, 0o755, []byte(text))
	}
	if err == nil && !b.Quiet {
		b.Say("%s; submit the script with sbatch, and when all tasks have ended: %s", division, script.MergeCommand())
	}
	return err
}
