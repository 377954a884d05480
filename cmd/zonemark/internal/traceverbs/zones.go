package traceverbs

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"iter"
	"slices"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver/report"
	"zonemark/trace"
)

const zonesIntro = `List single zones. Every condition that is given must hold.

Usage: zonemark trace zones [flags] FILE

Without --sort, zones come in the order of the file: thread by thread, and in a thread by the times of their ends. ` +
	`Zones of GPUs come last, with the name of their context as the thread, and the times on the GPU.

Examples:
  zonemark trace zones run.tracy --sort duration --limit 20          the longest
  zonemark trace zones run.tracy --filter matmul --min-duration 1ms
  zonemark trace zones run.tracy --thread worker --from 1s --to 1.5s --depth 2
  zonemark trace zones run.tracy --text inv=7 --format csv
`

// The orders of zones.
const (
	zonesAsStored   = "stored"
	zonesByStart    = "start"
	zonesByDuration = "duration"
	zonesBySelf     = "self"
)

// Rows of the text format: the default limit, and those that are aligned with each other when there are more.
const (
	defaultTextZones = 100
	zonesAPage       = 1000
)

func zonesVerb() verb {
	return verb{
		name: "zones", summary: "single zones, by name, text, thread, time, duration or depth",
		example: "zonemark trace zones run.tracy --filter matmul --min-duration 1ms",
		intro:   zonesIntro, least: 1, most: 1,
		declare: func(f *flags) action {
			v := &showingZones{flags: f, order: zonesAsStored}
			v.declare()
			return v
		},
	}
}

// showingZones is what the verb zones does.
type showingZones struct {
	*flags
	name, text string
	filter     trace.Filter
	levels     int64
	order      string
	limit      int64

	kept              []trace.Zone // to be sorted; at most twice the limit
	last              *zonePlace   // of the last one that can be shown; nil: not known yet
	selected, written int64
}

func (v *showingZones) declare() {
	v.tabular()
	set := v.set
	set.StringVar(&v.name, "filter", "", filterUsage)
	cli.Formerly(set, "filter", "name")
	set.StringVar(&v.text, "text", "", "only zones whose text matches this regular expression")
	set.StringVar(&v.filter.Thread, "thread", "",
		"only zones of the thread of this index or id, or of threads whose name matches this regular expression")
	set.Var(cli.Duration(&v.filter.FromNS), "from",
		"only zones that end after this time, counted from the beginning of the capture")
	set.Var(cli.Duration(&v.filter.ToNS), "to", "only zones that begin before this time; 0: no limit")
	set.Var(cli.Duration(&v.filter.MinDurationNS), "min-duration", "only zones that last at least this long")
	set.Var(cli.Count(&v.levels), "depth",
		"only this many levels: 1 for zones that no other zone encloses, 2 for their children as well; 0: no limit")
	orders := []string{zonesAsStored, zonesByStart, zonesByDuration, zonesBySelf}
	set.Var(cli.Choice(&v.order, orders), "sort",
		"as stored; by start, the first first; by duration or self time, the longest first. "+
			"Without --limit, sorting holds all selected zones in memory")
	set.Var(cli.Count(&v.limit), "limit",
		fmt.Sprintf("show at most this many zones; 0: all (default %d for text, else all)", defaultTextZones))
}

func (v *showingZones) settle([]string) (err error) {
	if v.filter.Name, err = optionalRE("--filter", v.name); err != nil {
		return err
	}
	if v.filter.Text, err = optionalRE("--text", v.text); err != nil {
		return err
	}
	if v.format == rowtext.Text && !v.set.Changed("limit") {
		v.limit = defaultTextZones
	}
	v.filter.Levels = int(min(v.levels, 1<<30))
	if v.filter.ToNS > 0 && v.filter.ToNS <= v.filter.FromNS {
		return fmt.Errorf("--to is not after --from")
	}
	return nil
}

func (v *showingZones) run(c *call) int {
	r, err := c.open(c.paths[0])
	if err != nil {
		return c.fail(err)
	}
	defer r.Close()
	zones, err := r.selected(v.filter, v.needs)
	if err != nil {
		return c.refuse(fmt.Errorf("--thread: %w", err))
	}
	w := bufio.NewWriter(c.Out)
	readErr, writeErr := v.write(w, r, zones, cli.TerminalWidth(c.Out))
	if writeErr == nil {
		writeErr = w.Flush()
	}
	if writeErr != nil {
		return c.fail(writeErr)
	}
	if v.format == rowtext.Text && !v.quiet {
		c.Say("%s%s", report.Counted(int(v.selected), "zone"), notShown(int(v.selected-v.written)))
	}
	return r.settle(readErr)
}

// write writes the zones that match, in their order. An error of reading ends what is written, but not before what was
// read.
func (v *showingZones) write(
	w io.Writer, r *openCapture, zones iter.Seq2[*trace.Zone, error], width int,
) (readErr, writeErr error) {
	on := &zoneTracks{threads: r.Threads()}
	out := newZoneWriter(w, v.format, on, width)
	take := func(z *trace.Zone) error {
		if v.order != zonesAsStored {
			v.keep(z)
			return nil
		}
		v.written++
		return out.write(z)
	}
	for z, err := range zones {
		if err != nil {
			readErr = err
			break
		}
		if err := take(z); err != nil {
			return readErr, err
		}
	}
	if readErr == nil {
		if readErr, writeErr = v.takeGPU(r, on, take); writeErr != nil {
			return readErr, writeErr
		}
	}
	v.sort()
	for i := range rowtext.Limited(v.kept, v.limit) {
		v.written++
		if err := out.write(&v.kept[i]); err != nil {
			return readErr, err
		}
	}
	return readErr, out.end()
}

// takeGPU takes the zones of GPUs that match: those of a context are like those of one more thread.
func (v *showingZones) takeGPU(r *openCapture, on *zoneTracks, take func(*trace.Zone) error) (readErr, writeErr error) {
	contexts, err := r.gpuContexts()
	if len(contexts) == 0 {
		return err, nil
	}
	match, err := v.filter.Compile(on.add(contexts))
	if err != nil {
		return err, nil // a regular expression that was good for the threads
	}
	for z, err := range r.GPUZones() {
		if err != nil {
			return err, nil
		}
		zone := z.Zone()
		zone.Thread = len(on.threads) + z.Context
		if match(zone) && v.needs(placeOf(zone)) {
			if err := take(zone); err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

// needs counts a selected zone and reports whether it may be among those that are shown, as far as is known yet.
func (v *showingZones) needs(at zonePlace) bool {
	v.selected++
	if v.order == zonesAsStored {
		return v.limit == 0 || v.written < v.limit
	}
	return v.last == nil || v.compare(at, *v.last) < 0
}

// keep keeps a zone that is to be sorted, and no more than can be shown.
func (v *showingZones) keep(z *trace.Zone) {
	v.kept = append(v.kept, *z)
	if v.limit > 0 && int64(len(v.kept)) >= 2*v.limit {
		v.sort()
		v.kept = v.kept[:v.limit]
		last := placeOf(&v.kept[v.limit-1])
		v.last = &last
	}
}

func (v *showingZones) sort() {
	slices.SortStableFunc(v.kept, func(a, b trace.Zone) int { return v.compare(placeOf(&a), placeOf(&b)) })
}

// compare compares two zones by the order in which they are shown.
func (v *showingZones) compare(a, b zonePlace) int {
	order := 0
	switch v.order {
	case zonesByDuration:
		order = cmp.Compare(b.duration, a.duration)
	case zonesBySelf:
		order = cmp.Compare(b.self, a.self)
	}
	return cmp.Or(order, cmp.Compare(a.start, b.start), cmp.Compare(a.ordinal, b.ordinal))
}
