package measuring

import (
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/program"
	"zonemark/driver/plan"
	"zonemark/driver/report"
	"zonemark/invocations"
)

// settled returns the launches that the first one of so many variants has at least, and at most in a race.
func settled(f *Flags, variants int, edit func(*plan.Entry)) (least, most int) {
	check := (&Measurement{Task: &f.Task}).checks()
	list := make([]plan.Entry, variants)
	for i := range list {
		list[i].Invocation = invocations.Invocation{Name: "f", Group: "g", Measure: f.Base.Measure}
		list[i].Invocation.Measure.CPU = -1
		edit(&list[i])
		check.add(&list[i])
	}
	check.settle(&list[0])
	return list[0].Invocation.Measure.Launches, list[0].MostLaunches
}

// TestSettle: variants of large groups race unless the user says otherwise, others have ten launches.
func TestSettle(t *testing.T) {
	as := func(*plan.Entry) {}
	for _, c := range []struct {
		args     string
		variants int
		edit     func(*plan.Entry)
		least    int
		most     int
	}{
		{"--group", 1, as, 0, 0},
		{"--group", 2, as, 10, 0},
		{"--group", 16, as, 10, 0},
		{"--group", 17, as, 10, 30},
		{"--group --race off", 500, as, 10, 0},
		{"--group --race on", 2, as, 10, 30},
		{"--group --top 3", 4, as, 10, 30},
		{"--group --launches 7", 17, as, 7, 0},
		{"--group --launches 7 --race on", 17, as, 7, 7},
		{"--group --check", 17, as, 10, 0},
		{"--group", 17, func(p *plan.Entry) { p.Invocation.Measure.Iterations = 5 }, 10, 0},
		{"--group", 17, func(p *plan.Entry) { p.Verdict = invocations.Skipped }, 10, 0},
		{"--group", 17, func(p *plan.Entry) { p.Invocation.Group = "" }, 0, 0},
		{"--group --spread --via a --via b", 17, as, 10, 0},
	} {
		f := NewFlags("run", program.Program{Formats: report.Formats()}, nil)
		if _, err := f.Parse(strings.Fields(c.args), ""); err != nil {
			t.Fatalf("%s: %v", c.args, err)
		}
		if least, most := settled(f, c.variants, c.edit); least != c.least || most != c.most {
			t.Errorf("%s, %d variants: %d launches, %d at most; want %d and %d", c.args, c.variants, least, most,
				c.least, c.most)
		}
	}
}

// TestRaceFlags: what contradicts a race is refused.
func TestRaceFlags(t *testing.T) {
	for args, want := range map[string]string{
		"--top 0":                                "--top: want 1 or more",
		"--top 2 --race off":                     "leave out --race off, or --top",
		"--race on --launches 2":                 "a race needs 3 at least",
		"--race on --spread --via a --via b":     "leave out one of them",
		"--race on --check":                      "not a fixed number of calls",
		"--race maybe":                           "want one of auto, on, off",
		"--race off --launches 1":                "",
		"--race auto --launches 1 --group":       "",
		"--race on --launches 3 --group --top 2": "",
	} {
		f := NewFlags("run", program.Program{Formats: report.Formats()}, nil)
		_, err := f.Parse(strings.Fields(args), "")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", args, err, want)
		}
	}
}
