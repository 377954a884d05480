// Package doctoring carries out the verb doctor: it reports what disturbs measurements on this machine, and tries how
// small a difference comparisons find here. Package driver/doctor examines the machine, package measuring measures, and
// package driver/compare compares. This package knows flags and reports.
package doctoring

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/remoting"
	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver/doctor"
	"zonemark/executor/native"
	"zonemark/executor/sandbox"
	"zonemark/invocations/cgroups"
)

const intro = `Show what disturbs measurements on this machine, with the evidence and the command
that mends it; nothing is changed. Then measure kernels of about 10 ns, 1 µs,
100 µs and 10 ms several times, compare each run with each other one, and show how
often equal code is called faster or slower, and how large a difference must be to
be found. "zonemark compare" quotes the result.

Usage: zonemark doctor [flags]

Examples:
  zonemark doctor
  zonemark doctor --trial 5m       runs that take longer find smaller differences
  zonemark doctor --trial 0        only look at the machine
  zonemark doctor --via 'ssh HOST' another machine, which needs no zonemark
`

// Run is the verb: it reads the arguments, does what they say and returns the exit status.
func Run(ctx context.Context, p program.Program, args []string) int {
	v := visit{Program: p, format: rowtext.Text, length: int64(time.Minute), runs: equalRuns}
	set := cli.NewFlagSet("doctor")
	v.add(set)
	err := cli.Parse(set, p.Streams, args, intro)
	if err == nil {
		err = v.check(set)
	}
	if err != nil {
		return p.Misused("doctor --help", err)
	}
	return v.run(ctx)
}

// visit is one call of the verb.
type visit struct {
	program.Program
	format string
	length int64 // of the trial, in nanoseconds; 0: none
	runs   int   // of the trial
	watch  int64 // in nanoseconds
	quiet  bool
	via    []string // the command that leads to the host that is examined; none: this machine is
}

func (v *visit) add(set *pflag.FlagSet) {
	set.Var(cli.Duration(&v.length), "trial", "how long the kernels are measured, all together; 0: not at all")
	cli.Formerly(set, "trial", "time")
	v.watch = int64(2 * time.Second)
	set.Var(cli.Duration(&v.watch), "watch", "how long the load is watched first")
	set.Var(cli.Choice(&v.format, []string{rowtext.Text, rowtext.NDJSON}), "format",
		"report on standard output")
	set.Var(cli.List(&v.via, "command"), "via", "examine another host, where this command runs a shell: "+
		"'ssh HOST', 'srun -u -N1 -w NODE'")
	set.BoolVarP(&v.quiet, "quiet", "q", false, "no progress and no messages but errors and warnings")
}

// leastTime is the shortest trial: runs of fewer milliseconds say nothing about those of users.
const leastTime = 2 * time.Second

func (v *visit) check(set *pflag.FlagSet) error {
	if set.NArg() > 0 {
		return fmt.Errorf("doctor takes no arguments, and %q is one", set.Arg(0))
	}
	if v.length > 0 && v.length < int64(leastTime) {
		return fmt.Errorf("--trial %v: want at least %v, or 0 for no trial", time.Duration(v.length), leastTime)
	}
	if len(v.via) > 1 {
		return errors.New("--via: doctor examines one host; start it once for each")
	}
	return remoting.Check(v.via, "")
}

// examine looks at the machine, or has the host of --via do so.
func (v *visit) examine(ctx context.Context, line *cli.ProgressLine) ([]doctor.Finding, error) {
	if len(v.via) > 0 {
		return v.ask(ctx, v.via[0], line)
	}
	return doctor.Examine(ctx, doctor.System{
		Files: os.DirFS("/"), Watch: time.Duration(v.watch), PID: os.Getpid(), Given: given(),
	})
}

// run examines, tries and reports. It returns the exit status.
func (v *visit) run(ctx context.Context) int {
	line := cli.NewProgressLine(v.Err, v.quiet)
	defer line.Clear()
	if line.Due() {
		line.Draw(fmt.Sprintf("watching the load for %v", time.Duration(v.watch)))
	}
	found, err := v.examine(ctx, line)
	line.Clear()
	switch {
	case ctx.Err() != nil:
		return v.Fail("interrupted")
	case err != nil:
		return v.Fail("%v", err)
	}
	if err := v.showFindings(found); err != nil {
		return v.Fail("%v", err)
	}
	if v.length == 0 {
		return cli.ExitOK
	}
	trial, err := v.try(ctx, line)
	line.Clear()
	switch {
	case ctx.Err() != nil:
		return v.Fail("interrupted; the findings above hold")
	case err != nil:
		return v.Fail("equal runs could not be compared: %v", err)
	}
	return v.Done(v.showTrial(trial))
}

// given returns what this process finds out by trying.
func given() doctor.Given {
	clock, support := native.CalibrateClock(20*time.Millisecond), sandbox.Probe()
	g := doctor.Given{
		Clock: clock.Name, ClockNote: clock.Note, ResolutionNS: clock.ResolutionNS, Missing: map[string]string{},
	}
	if why, none := strings.CutPrefix(hosting.TryCounters(hosting.CountersAuto), "none: "); none {
		g.Counters = why
	}
	for _, l := range support.Layers {
		g.Layers = append(g.Layers, string(l))
	}
	for l, why := range support.Missing {
		g.Missing[string(l)] = why
	}
	if _, err := cgroups.FindMemory(); err != nil {
		g.NoGroup = err.Error()
	} else {
		g.Layers = append(g.Layers, hosting.LayerGroup)
	}
	return g
}
