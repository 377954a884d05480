package measureflags

import (
	"errors"
	"fmt"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/driver/farm"
)

// addRace adds how the best of a group are found.
func (f *Flags) addRace() {
	s := f.Set
	s.Var(cli.Choice(&f.Race, []measuring.Race{measuring.RaceAuto, measuring.RaceOn, measuring.RaceOff}), "race",
		fmt.Sprintf("drop variants of a group as soon as they cannot be the best, and measure the others precisely; off: "+
			"measure all precisely; auto: on for groups of %d or more, unless --launches is given", measuring.RaceVariants))
	s.Int64Var(&f.Top, "top", f.Top, "number of the best that a race looks for; turns races on")
}

// checkRace checks the flags about races against each other.
func (f *Flags) checkRace() error {
	if f.Set.Changed("top") {
		if f.Race == measuring.RaceOff {
			return errors.New("--top is the number of the best that a race looks for; leave out --race off, or --top")
		}
		f.Race = measuring.RaceOn
	}
	launches := f.Base.Measure.Launches
	switch {
	case f.Race != measuring.RaceOn:
	case f.Top < 1:
		return errors.New("--top: want 1 or more")
	case launches > 0 && launches < measuring.LeastRaced:
		return fmt.Errorf("--launches %d: a race needs %d at least, to drop anything with certainty", launches, measuring.LeastRaced)
	case f.Spread:
		return errors.New("--spread has each host measure everything, and a race measures what may be the best; leave " +
			"out one of them")
	case f.Base.Measure.Iterations > 0 || f.Base.Measure.CheckOnly:
		return errors.New("a race measures until it is decided, not a fixed number of calls; leave out --race and --top")
	}
	return nil
}

// addShards adds the flags that divide a plan into parts for several runs, and that say which of them to measure.
func (f *Flags) addShards() {
	f.addDivision()
	f.Set.Int64Var(&f.Shard, "shard", 0, "the part to measure, from 0 to one less than --shards")
}

// addDivision adds the flags that divide a plan into parts.
func (f *Flags) addDivision() {
	s := f.Set
	s.Int64Var(&f.Shards, "shards", 0, "divide what is measured into this many parts of nearly equal cost, each for a run of "+
		"its own; groups stay whole; \"zonemark merge\" joins the journals")
	s.StringVar(&f.Costs, "costs", "", "divide by the times that invocations took in the run of this journal, instead of by "+
		"their limits of time; all parts need the same journal")
}

// checkShards checks the flags about shards against each other.
func (f *Flags) checkShards() error {
	given := f.Set.Changed
	switch {
	case !given("shards") && given("shard"):
		return errors.New("--shard needs the number of all parts: --shards N")
	case !given("shards") && given("costs"):
		return errors.New("--costs is for dividing: it needs --shards N")
	case !given("shards"):
		return nil
	case f.Shards < 1 || f.Shards > farm.MostShards:
		return fmt.Errorf("--shards: want 1 to %d", farm.MostShards)
	case f.Set.Lookup("shard") == nil: // the verb measures none
		return nil
	case !given("shard"):
		return fmt.Errorf("--shards needs the part that this run measures: --shard I, from 0 to %d", f.Shards-1)
	case f.Shard < 0 || f.Shard >= f.Shards:
		return fmt.Errorf("--shard %d: there is no such part: %d are counted from 0 to %d", f.Shard, f.Shards, f.Shards-1)
	}
	return nil
}
