// Package peaking is the verb "peaks": it measures what the processor can do at most, shows it, and keeps it for
// pictures of how near to it a function comes. The kernels are those of the runtime executor/peaks, measuring is
// package measuring's, and package driver/peaks keeps the file; this package knows flags, requests and the table.
package peaking

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/measureflags"
	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/driver/machine"
	"zonemark/driver/peaks"
	"zonemark/driver/report"
	kernels "zonemark/executor/peaks"
	"zonemark/invocations"
)

const intro = `Measure the highest rates of this processor: operations a second by type of numbers and instructions,
bytes a second by level of the caches, each on one CPU and on all that zonemark may use.

Usage: zonemark peaks [flags]

The kernels are zonemark's own. They are measured like functions of users, with launches, intervals and verdicts. The
peaks are kept in the cache for this machine. "zonemark report" draws them as the roofs above its results. With --via,
this machine keeps the peaks of each host.

Examples:
  zonemark peaks
  zonemark peaks --quick                    less exact, in a few seconds
  zonemark peaks --filter '^(read|copy)' --format csv
`

// The times of a measurement, unless flags give others.
const (
	minTime, maxTime           = 100 * time.Millisecond, time.Second
	quickMinTime, quickMaxTime = 5 * time.Millisecond, 20 * time.Millisecond
	quickLaunches              = 2
)

// verb is a call of the verb.
type verb struct {
	*measureflags.Flags
	quick bool
}

// Run is the verb: it reads the arguments, does what they say and returns the exit status.
func Run(ctx context.Context, p program.Program, args []string) int {
	p.Formats = slices.Clone(p.Formats)
	v := &verb{}
	p.Formats[0].Write = func(w io.Writer, run report.Run) error { return v.writeTable(w, run) }
	v.Flags = measureflags.NewFixed("peaks", p, func(shared *measureflags.Flags) {
		base, s := &shared.Base, shared.Set
		base.Runtime, base.Measure.MinTimeNS, base.Measure.MaxTimeNS = kernels.Name, int64(minTime), int64(maxTime)
		s.BoolVar(&v.quick, "quick", false, "measure a part of the peaks for a short time: those of the widest "+
			"instructions, and reading")
		cli.Refuse(s, "spread", "peaks are measured and kept for each host of --via anyway")
	})
	rest, err := v.Parse(args, intro)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%q: peaks takes flags only", rest)
	}
	if err != nil {
		return p.Misused("peaks --help", err)
	}
	if v.quick {
		v.settleQuick()
	}
	v.Spread = len(v.Via) > 1
	m := measuring.New(&v.Task, nil)
	m.Make, m.Finish = v.requests, v.keep
	return m.Run(ctx)
}

// settleQuick sets what the user has not given to what takes little time.
func (v *verb) settleQuick() {
	m := &v.Base.Measure
	if !v.Set.Changed("min-time") && !v.Set.Changed("max-time") {
		m.MinTimeNS, m.MaxTimeNS = int64(quickMinTime), int64(quickMaxTime)
	}
	if !v.Set.Changed("launches") {
		m.Launches = quickLaunches
	}
	m.MinIterations = 1
}

// requests returns an invocation for each peak. Their artifact is this program, which holds the kernels.
func (v *verb) requests(context.Context) (list []invocations.Invocation, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("the kernels are in zonemark's own file, which cannot be found: %w", err)
	}
	cases := kernels.Cases()
	for _, c := range cases {
		if v.quick && !quickly(c, cases) {
			continue
		}
		inv := v.Base
		inv.Name, inv.Function, inv.Artifact.Path = c.Name(), c.Name(), self
		list = append(list, inv)
	}
	if len(list) == 0 {
		return nil, kernels.ErrNone
	}
	return list, nil
}

// quickly reports whether a case is among those of --quick: it reads, or no later case computes the same with wider
// instructions.
func quickly(c kernels.Case, all []kernels.Case) bool {
	if c.Moves() {
		return c.What == kernels.Read
	}
	last := c
	for _, other := range all {
		if other.What == c.What && other.CPUs == c.CPUs && !other.Moves() {
			last = other
		}
	}
	return last.Using == c.Using
}

// keep keeps the peaks for each machine that measured them.
func (v *verb) keep(run report.Run) error {
	measured := map[string][]peaks.Peak{} // by fingerprint
	for r, err := range run.Records.All() {
		if err != nil {
			return err
		}
		on := cmp.Or(r.Machine, machine.Fingerprint(run.Environment))
		if p, ok := v.peakOf(r); ok && len(r.Hosts) == 0 {
			measured[on] = append(measured[on], p)
		}
		for _, h := range r.Hosts {
			own := ofHost(r, h)
			if p, ok := v.peakOf(&own); ok {
				measured[h.Machine] = append(measured[h.Machine], p)
			}
		}
	}
	folder, err := v.Cache().Folder("")
	for on, list := range measured {
		if err == nil {
			err = peaks.Keep(filepath.Join(folder, peaks.File), on, list)
		}
	}
	return err
}

// ofHost returns a record of what one of several hosts has measured.
func ofHost(r *invocations.Record, h invocations.HostRecord) invocations.Record {
	own := *r
	own.Status, own.Error, own.Verdicts = h.Status, h.Error, h.Verdicts
	own.MedianNS, own.CILowNS, own.CIHighNS = h.MedianNS, h.CILowNS, h.CIHighNS
	own.FLOPPerS, own.BytePerS = ratePerS(r.FLOP, h.MedianNS), ratePerS(r.Bytes, h.MedianNS)
	own.Launches, own.ClockGHz = h.Launches, nil // the clock is that of all hosts
	return own
}

// ratePerS returns how much is done in a second, nil if that is not known.
func ratePerS(work, ns *float64) *float64 {
	if work == nil || ns == nil || !(*ns > 0) {
		return nil
	}
	rate := *work / *ns * 1e9
	return &rate
}

// peakOf returns the peak that a record shows; false if it has none.
func (v *verb) peakOf(r *invocations.Record) (peaks.Peak, bool) {
	c, known := kernels.CaseOf(r.Function)
	if !known || r.Status != invocations.OK || r.MedianNS == nil {
		return peaks.Peak{}, false
	}
	work, rate := r.FLOP, r.FLOPPerS
	if c.Moves() {
		work, rate = r.Bytes, r.BytePerS
	}
	if work == nil || rate == nil {
		return peaks.Peak{}, false
	}
	p := peaks.Peak{
		Name: c.Name(), What: c.What, Using: c.Using, Level: c.Level, CPUs: c.CPUs, Quick: v.quick,
		PerS: *rate, Verdicts: r.Verdicts, Measured: time.Now().UTC(),
	}
	if r.CIHighNS != nil && *r.CIHighNS > 0 {
		p.LowPerS = min(*rate, *work / *r.CIHighNS * 1e9)
	}
	if r.CILowNS != nil && *r.CILowNS > 0 { // else the rate has no upper end
		p.HighPerS = max(*rate, *work / *r.CILowNS * 1e9)
	}
	return p, true
}
