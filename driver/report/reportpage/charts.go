package reportpage

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"zonemark/driver/report"
	"zonemark/driver/report/drawing"
	"zonemark/invocations"
)

// chart is a drawing of times over variables: lines, or a table with colours. It is drawn when the lines of all journals
// are known.
type chart struct {
	Lines *drawing.Drawing
	Heat  *drawing.Heat

	title, variable string // of the lines
	series          []drawing.Series
}

const (
	mostCharts    = 60
	mostHeatCells = 24 // in a direction
)

// chartsOf draws the times of all families over their variables: over one as lines, over two as a table with colours,
// too. Lines of up to drawing.MostSets journals share a drawing, if there are the same lines in each. more is the number
// of charts beyond mostCharts, which are left out.
func chartsOf(sources []Source) (charts []chart, more int) {
	type key struct {
		title, variable string
		part            int // which journals
	}
	at := map[key]int{}
	for n, s := range sources {
		set, suffix := n%drawing.MostSets, ""
		if len(sources) > 1 {
			suffix = " — " + s.name()
		}
		own := map[key]bool{} // drawings of this journal: two of one title are of different things
		for _, lineUp := range together(familiesOf(s.records)) {
			for _, c := range lineUp.charts() {
				if c.Heat != nil {
					c.Heat.Title += suffix
					charts = append(charts, c)
					continue
				}
				for i := range c.series {
					c.series[i].Set = set
					c.series[i].Name = strings.TrimSpace(c.series[i].Name + strings.Replace(suffix, " — ", " ", 1))
				}
				k := key{c.title, c.variable, n / drawing.MostSets}
				if i, there := at[k]; there && !own[k] && len(charts[i].series) == set*len(c.series) {
					charts[i].series = append(charts[i].series, c.series...)
					own[k] = true
					continue
				}
				if _, there := at[k]; !there {
					at[k] = len(charts)
				}
				own[k] = true
				charts = append(charts, c)
			}
		}
	}
	more = max(0, len(charts)-mostCharts)
	charts = charts[:len(charts)-more]
	for i := range charts {
		if c := &charts[i]; c.Heat == nil {
			if len(c.series) == 1 && len(sources) > 1 { // a line alone has no legend
				c.title += " — " + c.series[0].Name
			}
			d := drawing.Lines(c.title, c.variable, "median", c.series, report.Number, report.ShortTime)
			c.Lines = &d
		}
	}
	return charts, more
}

// lineUp is families that are drawn together: variants of one group over the same variable.
type lineUp []*family

// together joins families of one group that have the same only variable.
func together(families []*family) []lineUp {
	type key struct {
		group, variable string
		mode            invocations.Mode
	}
	var all []lineUp
	at := map[key]int{}
	for _, f := range families {
		group := groupOf(f)
		if group == "" || len(f.numbers) != 1 || len(f.words) > 0 {
			all = append(all, lineUp{f})
			continue
		}
		k := key{group, f.numbers[0], f.mode}
		if i, there := at[k]; there && len(all[i]) < drawing.MostLines {
			all[i] = append(all[i], f)
			continue
		}
		at[k] = len(all)
		all = append(all, lineUp{f})
	}
	return all
}

// groupOf returns the name of the group that all points share, without the values of axes; "" if there is none.
func groupOf(f *family) string {
	group := ""
	for i, p := range f.points {
		var kept []string
		for segment := range strings.SplitSeq(p.Group, "/") {
			if !strings.Contains(segment, "=") {
				kept = append(kept, segment)
			}
		}
		name := strings.Join(kept, "/")
		if i > 0 && name != group {
			return ""
		}
		group = name
	}
	return group
}

// charts draws the families over their first variable and, if they have a second one, over both.
func (l lineUp) charts() []chart {
	if len(l) > 1 {
		var series []drawing.Series
		for _, f := range l {
			series = append(series, seriesOf(f.name, f.points, f.numbers[0]))
		}
		title := report.Printable(groupOf(l[0]))
		return []chart{lines(title, l[0].numbers[0], series)}
	}
	f := l[0]
	if len(f.numbers) == 1 {
		return f.lines(f.points, f.words, f.name)
	}
	var charts []chart
	parts, texts := split(f.points, slices.Concat(f.numbers[2:], f.words))
	for i, part := range parts {
		title := strings.TrimSpace(f.name + " " + texts[i])
		if heat, ok := heatOf(title, part, f.numbers[0], f.numbers[1]); ok {
			charts = append(charts, chart{Heat: &heat})
		}
		charts = append(charts, f.lines(part, f.numbers[1:2], title)...)
	}
	return charts
}

// lines draws points over the first variable, with a line for each value of the others. Lines that are too many go to
// further charts.
func (f *family) lines(points []point, others []string, title string) []chart {
	parts, texts := split(points, others)
	var series []drawing.Series
	for i, part := range parts {
		if s := seriesOf(texts[i], part, f.numbers[0]); len(s.X) > 1 {
			series = append(series, s)
		}
	}
	var charts []chart
	for some := range slices.Chunk(series, drawing.MostLines) {
		if len(some) == 1 && some[0].Name != "" {
			name := some[0].Name
			some[0].Name = ""
			charts = append(charts, lines(title+", "+name, f.numbers[0], some))
			continue
		}
		charts = append(charts, lines(title, f.numbers[0], some))
	}
	return charts
}

func lines(title, variable string, series []drawing.Series) chart {
	return chart{title: title, variable: report.Printable(variable), series: series}
}

// seriesOf returns the medians of points over a variable, with their intervals.
func seriesOf(name string, points []point, variable string) drawing.Series {
	sorted := slices.Clone(points)
	slices.SortStableFunc(sorted, func(a, b point) int { return cmp.Compare(a.number(variable), b.number(variable)) })
	s := drawing.Series{Name: name}
	for _, p := range sorted {
		summary := p.Summary()
		s.X, s.Y = append(s.X, p.number(variable)), append(s.Y, summary.MedianNS)
		low, high := summary.CILowNS, summary.CIHighNS
		if !(low > 0) || !(high >= low) {
			low, high = math.NaN(), math.NaN()
		}
		s.Low, s.High = append(s.Low, low), append(s.High, high)
	}
	return s
}

// heatOf returns a table of the medians over two variables; false if it would be too large, or nearly empty.
func heatOf(title string, points []point, across, down string) (drawing.Heat, bool) {
	columns, rows := valuesOf(points, across), valuesOf(points, down)
	if len(columns) < 2 || len(rows) < 2 || len(columns) > mostHeatCells || len(rows) > mostHeatCells ||
		2*len(points) < len(columns)*len(rows) {
		return drawing.Heat{}, false
	}
	values := make([][]float64, len(rows))
	for i := range values {
		values[i] = slices.Repeat([]float64{math.NaN()}, len(columns))
	}
	for i := range points {
		column, _ := slices.BinarySearch(columns, points[i].number(across))
		row, _ := slices.BinarySearch(rows, points[i].number(down))
		values[row][column] = *points[i].MedianNS
	}
	return drawing.NewHeat(title, report.Printable(across), report.Printable(down), labels(columns), labels(rows),
		values, report.Time), true
}

func labels(values []float64) (texts []string) {
	for _, v := range values {
		texts = append(texts, report.Number(v))
	}
	return texts
}
