package drawing

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

func someLabel(v float64) string { return strings.Repeat("x", 1+int(math.Mod(v, 3))) }

// Points lie below the roofs that they are below in numbers, and in the frame.
func TestRoofline(t *testing.T) {
	roofs := []Roof{{Name: "fast", Level: 100}, {Name: "near", Slope: 50}, {Name: "far", Slope: 5},
		{Name: "fast × 2", Level: 200, Second: true}, {Name: "far × 2", Slope: 8, Second: true}}
	points := []RoofPoint{{X: 1, Y: 4, Title: "below far", Link: "id-1"}, {X: 1000, Y: 50, Title: "below fast"}}
	r := NewRoofline("title", "x", "y", roofs, points, someLabel, someLabel)
	if len(r.Roofs) != len(roofs) || len(r.Dots) != len(points) || len(r.XTicks) == 0 || len(r.YTicks) == 0 {
		t.Fatalf("%+v", r)
	}
	for _, d := range r.Dots {
		if d.X <= r.Left || d.X >= r.Right || d.Y <= r.Top || d.Y >= r.Bottom {
			t.Errorf("%s is at %.1f, %.1f: outside of the frame", d.Title, d.X, d.Y)
		}
	}
	if fast := r.Roofs[0]; !(r.Dots[1].Y > fast.Y-18) || !fast.AtEnd || fast.Leader != "" {
		t.Errorf("the flat roof %+v is not above %+v", fast, r.Dots[1])
	}
	for i, roof := range r.Roofs { // names of slanted roofs are above the frame, and do not touch each other
		if roofs[i].Slope == 0 {
			continue
		}
		if roof.Y >= r.Top || roof.Y < r.Top-r.Above || roof.Leader == "" {
			t.Errorf("the name of the slanted roof %+v is not above the frame", roof)
		}
		for k, other := range r.Roofs[:i] {
			apart := letter * float64(utf8.RuneCountInString(roof.Name)+utf8.RuneCountInString(other.Name)) / 2
			if roofs[k].Slope > 0 && other.Y == roof.Y && math.Abs(other.X-roof.X) < apart {
				t.Errorf("the names of %+v and %+v touch", roof, other)
			}
		}
	}
	page, err := Template("test", `{{template "roofline" .}}`)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := page.Execute(&out, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`href="#id-1"`, "<title>below fast</title>", `class="roof second"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the drawing lacks %s", want)
		}
	}
}

// Roofs of one kind only, and one point, are drawn, too.
func TestRooflineOfOne(t *testing.T) {
	for _, roofs := range [][]Roof{nil, {{Level: 10}}, {{Slope: 1}}, {{Level: 10}, {Slope: 2, Second: true}}} {
		r := NewRoofline("", "", "", roofs, []RoofPoint{{X: 5, Y: 5}}, someLabel, someLabel)
		if len(r.Roofs) != len(roofs) || math.IsNaN(r.Dots[0].X) || math.IsNaN(r.Dots[0].Y) {
			t.Errorf("%v: %+v", roofs, r)
		}
		for _, line := range r.Roofs {
			if strings.Contains(line.Path, "NaN") || strings.Contains(line.Path, "Inf") {
				t.Errorf("%v: %s", roofs, line.Path)
			}
		}
	}
}
