package measuring

import (
	"testing"

	"zonemark/cmd/zonemark/internal/program"
	"zonemark/driver/plan"
	"zonemark/invocations"
)

// settled returns the launches that the first one of so many variants has at least, and at most in a race.
func settled(s Settings, variants int, edit func(*plan.Entry)) (least, most int) {
	check := (&Measurement{Task: NewTask(program.Program{}, s)}).checks()
	list := make([]plan.Entry, variants)
	for i := range list {
		list[i].Invocation = invocations.Invocation{Name: "f", Group: "g", Measure: s.Base.Measure}
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
	launches := func(s *Settings) { s.Base.Measure.Launches = 7 }
	for _, c := range []struct {
		name     string
		ask      func(*Settings)
		variants int
		edit     func(*plan.Entry)
		least    int
		most     int
	}{
		{"alone", nil, 1, as, 0, 0},
		{"two", nil, 2, as, 10, 0},
		{"a small group", nil, 16, as, 10, 0},
		{"a large group", nil, 17, as, 10, 30},
		{"no races", func(s *Settings) { s.Race = RaceOff }, 500, as, 10, 0},
		{"races", func(s *Settings) { s.Race = RaceOn }, 2, as, 10, 30},
		{"launches", launches, 17, as, 7, 0},
		{"launches of a race", func(s *Settings) { launches(s); s.Race = RaceOn }, 17, as, 7, 7},
		{"a check", func(s *Settings) { s.Base.Measure.CheckOnly = true }, 17, as, 10, 0},
		{"a fixed number of calls", nil, 17, func(p *plan.Entry) { p.Invocation.Measure.Iterations = 5 }, 10, 0},
		{"a verdict", nil, 17, func(p *plan.Entry) { p.Verdict = invocations.Skipped }, 10, 0},
		{"no group", nil, 17, func(p *plan.Entry) { p.Invocation.Group = "" }, 0, 0},
		{"several hosts", func(s *Settings) { s.Spread, s.Via = true, []string{"a", "b"} }, 17, as, 10, 0},
	} {
		s := DefaultSettings()
		s.Group = BySignature
		if c.ask != nil {
			c.ask(&s)
		}
		if least, most := settled(s, c.variants, c.edit); least != c.least || most != c.most {
			t.Errorf("%s, %d variants: %d launches, %d at most; want %d and %d", c.name, c.variants, least, most,
				c.least, c.most)
		}
	}
}
