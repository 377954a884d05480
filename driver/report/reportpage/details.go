package reportpage

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"zonemark/driver/report"
	"zonemark/invocations"
)

// contents is what the page's script reads: the details of all invocations, in order of the table. Texts stand once,
// since those of invocations repeat; details hold their positions.
type contents struct {
	Texts   []string  `json:"texts"`
	Details []details `json:"details"`

	position map[string]int
}

// details are what the page shows when a row is opened.
type details struct {
	Unit       string        `json:"unit,omitempty"`
	Median     float64       `json:"median,omitempty"`
	Low        float64       `json:"low,omitempty"` // of the median's interval
	High       float64       `json:"high,omitempty"`
	Samples    *samples      `json:"samples,omitempty"`
	Call       *int          `json:"call,omitempty"` // text about the dispatches
	Calls      []tracedCall  `json:"calls,omitempty"`
	Dispatches []dispatchRow `json:"dispatches,omitempty"`
	Counters   [][2]int      `json:"counters,omitempty"` // names with texts
	Facts      [][2]int      `json:"facts,omitempty"`    // names with texts
	Notes      []int         `json:"notes,omitempty"`
}

// dispatchRow is a name, its time in nanoseconds, its number of dispatches (0: one), and what else is known, as a text.
type dispatchRow [4]float64

// tracedCall is a call on its own axis of time, in nanoseconds.
type tracedCall struct {
	Title int          `json:"title"` // text
	Span  float64      `json:"span"`
	Spans [][3]float64 `json:"spans"` // name (text), start, length
}

// The number of columns into which samples are binned is chosen so that all invocations together have allColumns.
const (
	allColumns   = 60_000
	leastColumns = 40
	mostColumns  = 400
	// The same for the dispatches of a timeline.
	allPlaced   = 20_000
	leastPlaced = 20
)

// mostDispatches is the number of rows of dispatches that an invocation has on the page.
const mostDispatches = 30

// dataOf returns the details of records as JSON that can stand in a script element.
func dataOf(list []listed) ([]byte, error) {
	n := len(list)
	c := &contents{position: map[string]int{}, Texts: []string{}, Details: make([]details, 0, n)}
	columns := min(mostColumns, max(leastColumns, allColumns/max(1, n)))
	placed := min(invocations.MostPlaced, max(leastPlaced, allPlaced/max(1, n)))
	for i := range list {
		c.Details = append(c.Details, c.detailsOf(list[i].Record, columns, placed))
	}
	return json.Marshal(c) // escapes what could end the element
}

// text returns the position of a text.
func (c *contents) text(s string) int {
	s = report.Printable(s)
	at, there := c.position[s]
	if !there {
		at = len(c.Texts)
		c.position[s] = at
		c.Texts = append(c.Texts, s)
	}
	return at
}

// detailsOf returns the details of a record, with samples in so many columns and so many dispatches in each timeline.
func (c *contents) detailsOf(r *invocations.Record, columns, placed int) details {
	var d details
	if r.Timed() {
		s := r.Summary()
		unit, ns := report.UnitOf(s.MedianNS)
		d.Unit, d.Median, d.Low, d.High = unit, rounded(s.MedianNS/ns), rounded(s.CILowNS/ns), rounded(s.CIHighNS/ns)
		d.Samples = binned(r, ns, columns)
	}
	if r.DispatchSource != invocations.NoSource && r.TracedNS != nil {
		c.addDispatches(&d, r)
	}
	c.addCalls(&d, r, placed)
	for _, counter := range report.CountersOf(r) {
		text := counter.PerCall
		if counter.Exact {
			text += " (the same in every launch)"
		}
		d.Counters = append(d.Counters, [2]int{c.text(strings.ReplaceAll(counter.Name, "_", " ")), c.text(text)})
	}
	for _, f := range factsOf(r) {
		d.Facts = append(d.Facts, [2]int{c.text(f.Name), c.text(f.Text)})
	}
	for _, note := range r.Notes {
		d.Notes = append(d.Notes, c.text(note))
	}
	return d
}

func (c *contents) addDispatches(d *details, r *invocations.Record) {
	text := c.text(report.CallText(r))
	d.Call = &text
	for _, p := range report.PartsOf(r, report.DispatchOptions{Limit: mostDispatches}) {
		if p.NS != 0 || p.Workgroups != 0 {
			d.Dispatches = append(d.Dispatches, dispatchRow{float64(c.text(p.Name)), rounded(p.NS), float64(p.Issues),
				float64(c.text(partText(&p)))})
		}
	}
}

// addCalls adds the single calls that a capture shows, with at most so many dispatches each: the longest.
func (c *contents) addCalls(d *details, r *invocations.Record, most int) {
	for i, one := range r.TracedCalls {
		kind := "a call of median length"
		if i > 0 {
			kind = "the longest call"
		}
		title := fmt.Sprintf("Timeline of %s: number %d, %s", kind, one.Number+1, report.Time(one.NS))
		placed := slices.DeleteFunc(slices.Clone(one.Dispatches), func(p invocations.PlacedDispatchRecord) bool {
			return !(p.StartNS >= 0 && p.WallNS >= 0 && p.StartNS+p.WallNS < math.MaxFloat32)
		})
		if len(placed) > most {
			title += fmt.Sprintf(" (the %d longest of %s dispatches)", most, report.Grouped(int64(len(placed))))
			slices.SortStableFunc(placed, func(a, b invocations.PlacedDispatchRecord) int {
				return cmp.Compare(b.WallNS, a.WallNS)
			})
			placed = placed[:most]
			slices.SortStableFunc(placed, func(a, b invocations.PlacedDispatchRecord) int {
				return cmp.Compare(a.StartNS, b.StartNS)
			})
		}
		call := tracedCall{Title: c.text(title), Span: rounded(one.NS)}
		for _, p := range placed {
			call.Span = max(call.Span, p.StartNS+p.WallNS)
			call.Spans = append(call.Spans, [3]float64{float64(c.text(p.Name)), rounded(p.StartNS), rounded(p.WallNS)})
		}
		if call.Span > 0 && call.Span < math.MaxFloat32 && len(call.Spans) > 0 {
			d.Calls = append(d.Calls, call)
		}
	}
}

// partText says what is known of a part beside its time.
func partText(p *report.Part) string {
	var texts []string
	if p.Workgroups > 0 {
		texts = append(texts, report.Counted(p.Workgroups, "workgroup"))
	}
	if p.Threads > 0 {
		texts = append(texts, report.Counted(p.Threads, "thread"))
	}
	if scatter := p.ScatterText(); scatter != "" {
		texts = append(texts, fmt.Sprintf("%s in four of five of %s", scatter, report.Counted(int(p.Calls), "issue")))
	}
	if p.FLOPPerS > 0 {
		texts = append(texts, report.Rate(p.FLOPPerS)+"FLOP/s by name")
	}
	if p.PeakBytes > 0 {
		texts = append(texts, report.Bytes(p.PeakBytes)+" at most")
	}
	if p.Place != "" {
		texts = append(texts, p.Place)
	}
	return strings.Join(texts, ", ")
}

// factsOf returns how an invocation was measured, and what it is.
func factsOf(r *invocations.Record) []fact {
	var all []fact
	add := func(name, text string) {
		if text != "" {
			all = append(all, fact{Name: name, Text: text})
		}
	}
	add("error", r.Error)
	add("crash", crashText(r.Crash))
	add("function", r.Function)
	add("artifact", r.Artifact)
	add("runtime", strings.TrimSpace(r.Runtime+" "+invocations.ParametersText(r.Options)))
	add("parameters", invocations.ParametersText(r.Parameters))
	for i := range r.Arguments {
		add(fmt.Sprintf("argument %d", i+1), argumentText(&r.Arguments[i]))
	}
	add("stopped because", enough[r.Stop])
	add("iterations", whole(r.Iterations))
	add("calls per batch", whole(r.CallsPerBatch))
	add("batches set apart", whole(r.Discarded))
	if r.OverheadNS != nil {
		add("overhead", report.Time(*r.OverheadNS)+" a call, subtracted")
	}
	if ref := r.Reference(); ref.Known() && r.ReferenceAt != nil {
		within := ""
		if !math.IsNaN(ref.Half()) {
			within = fmt.Sprintf(" (%s … %s)", report.Time(ref.Low), report.Time(ref.High))
		}
		add("at the reference clock", fmt.Sprintf("%s%s at %.3g GHz", report.Time(ref.Value), within, *r.ReferenceAt))
	}
	if r.WithinNS != nil && r.BetweenNS != nil {
		add("spread", fmt.Sprintf("%s within a launch, %s between launches", report.Time(*r.WithinNS),
			report.Time(*r.BetweenNS)))
	}
	add("properties", invocations.ParametersText(r.Properties))
	add("sandbox", strings.Join(r.Layers, " + "))
	add("profile of the sandbox", r.SandboxProfile)
	add("allowed by the sandbox", strings.Join(r.SandboxAllowed, ", "))
	add("id", r.ID)
	return all
}

func crashText(c *invocations.CrashRecord) string {
	if c == nil {
		return ""
	}
	text := c.Signal
	if c.ExitCode != nil {
		text = "exit status " + strconv.Itoa(*c.ExitCode)
	}
	if c.Phase != "" {
		text += " in phase " + c.Phase
	}
	if len(c.Stderr) > 0 {
		text += "; it wrote: " + strings.Join(c.Stderr, " | ")
	}
	return text
}

func argumentText(a *invocations.ArgumentRecord) string {
	text := strings.TrimSpace(a.Name + " " + string(a.Usage) + " " + string(a.Element))
	if a.ByValue {
		text += " by value"
	} else {
		for i, n := range a.Shape {
			separator := "×"
			if i == 0 {
				separator = " "
			}
			text += separator + strconv.FormatInt(n, 10)
		}
	}
	if a.Contents != "" {
		text += " = " + a.Contents
	}
	return text
}

func whole(n *int64) string {
	if n == nil {
		return ""
	}
	return report.Grouped(*n)
}

// enough has why nothing more was measured.
var enough = map[invocations.Stop]string{
	invocations.StopPrecision: "launches agreed (--precision)", invocations.StopMaxTime: "the time was over (--max-time)",
	invocations.StopMinimum: "the least time and number of calls were reached", invocations.StopIterations: "the number of calls was reached",
	invocations.StopLaunches: "the number of launches was reached (--launches)", invocations.StopCheck: "outputs were compared only",
	invocations.StopTrace: "calls were made for a capture", invocations.StopProfile: "calls were made under a profiler",
	invocations.StopDropped: "it cannot be the best any more",
	invocations.StopAlsoRan: "it is hardly 1 % better than another variant, so that the race left it out",
}
