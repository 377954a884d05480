package drawing

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func label(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

func ExampleSteps() {
	fmt.Println(Steps(0, 7, 4), Steps(0.5, 0.62, 3))
	// Output: [0 2 4 6] [0.5 0.55 0.6000000000000001]
}

// within fails for points of a path that are outside of the frame.
func within(t *testing.T, d Drawing, path string) (points int) {
	t.Helper()
	for _, m := range regexp.MustCompile(`[ML]([^ ]+) ([0-9.]+)`).FindAllStringSubmatch(path, -1) {
		x, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		y, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		if x < d.Left || x > d.Right || y < d.Top || y > d.Bottom {
			t.Errorf("%v %v is outside of the frame", x, y)
		}
		points++
	}
	return points
}

func TestCurves(t *testing.T) {
	long := make([]float64, 5000)
	for i := range long {
		long[i] = 1 + 100/float64(i+1)
	}
	short := []float64{math.NaN(), 4, 0, 2, math.Inf(1)}
	d := Curves("title", "x", "y", []Curve{{"long", long}, {"short", short}}, label)
	if n := within(t, d, d.Lines[0].Path); n < mostCurvePoints || n > mostCurvePoints+1 {
		t.Errorf("%d points of a long curve", n)
	}
	if n := within(t, d, d.Lines[1].Path); n != 2 {
		t.Errorf("%d points of a short curve: %s", n, d.Lines[1].Path)
	}
	if n := within(t, d, d.Lines[1].Points); n != 2 || d.Lines[0].Points != "" {
		t.Errorf("%d dots: %s", n, d.Lines[1].Points)
	}
	if !slices.Equal(d.Legend, []string{"long", "short"}) {
		t.Errorf("legend %q", d.Legend)
	}
	if !slices.ContainsFunc(d.XTicks, func(tick Tick) bool { return tick.Text == "3000" }) {
		t.Errorf("ticks %v", d.XTicks)
	}
	one := Curves("title", "x", "y", []Curve{{"best", []float64{3}}}, label)
	if one.Legend != nil || len(one.XTicks) != 1 || one.XTicks[0].Text != "1" || within(t, one, one.Lines[0].Points) != 1 {
		t.Errorf("%+v", one)
	}
	none := Curves("title", "x", "y", []Curve{{"none", []float64{0}}}, label)
	if none.Lines != nil || none.YTicks != nil || none.Missing != "no y above zero is known" {
		t.Errorf("%+v", none)
	}
}

func TestComparing(t *testing.T) {
	d := Comparing([]float64{1, 2, 100}, []float64{0.9, 3, 80}, "ms", label)
	if n := within(t, d, d.Points); n != 3 || d.XTitle != "measured, ms" || len(d.XTicks) != len(d.YTicks) {
		t.Errorf("%+v", d)
	}
	same := Comparing([]float64{5}, []float64{5}, "ms", label)
	if n := within(t, same, same.Points); n != 1 || len(same.XTicks) == 0 {
		t.Errorf("%+v", same)
	}
}

func TestTemplate(t *testing.T) {
	page, err := Template("page", `<style>{{template "style"}}</style>{{template "drawing" .}}`)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	d := Curves("<title>", "x", "y", []Curve{{"a", []float64{1, 2}}, {"b", []float64{3}}}, label)
	if err := page.Execute(&out, d); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"&lt;title&gt;", `class="line1"`, `style="height:314px"`, `class="dots"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %s in %s", want, out.String())
		}
	}
	if _, err := Template("page", "{{"); err == nil || !strings.Contains(err.Error(), "template of the page") {
		t.Errorf("%v", err)
	}
}
