package native

import (
	"strings"
	"testing"
)

func TestParseEvent(t *testing.T) {
	for _, c := range []struct {
		text string
		x86  bool
		want Event
	}{
		{"cycles", true, Event{Name: "cycles", Type: eventHardware, Config: 0}},
		{"branch-misses", false, Event{Name: "branch_misses", Type: eventHardware, Config: 5}},
		{"cache_references", true, Event{Name: "cache_references", Type: eventHardware, Config: 2}},
		{"r01c2", true, Event{Name: "r01c2", Type: eventRaw, Config: 0x1c2}},
		{"cpu/r01C2/", false, Event{Name: "cpu/r01C2/", Type: eventRaw, Config: 0x1c2}},
		{"cpu/event=0xc2,umask=0x01/", true, Event{Name: "cpu/event=0xc2,umask=0x01/", Type: eventRaw, Config: 0x1c2}},
		{"cpu/umask=3,event=60,cmask=2,inv,edge=1/", true,
			Event{Name: "cpu/umask=3,event=60,cmask=2,inv,edge=1/", Type: eventRaw, Config: 0x284033c}},
		{"cpu/event=0x1c2/", true, Event{Name: "cpu/event=0x1c2/", Type: eventRaw, Config: 0x1000000c2}},
		{"cpu/config=0x1b/", false, Event{Name: "cpu/config=0x1b/", Type: eventRaw, Config: 0x1b}},
		{"cpu/config=0xffffffffffffffff/", true,
			Event{Name: "cpu/config=0xffffffffffffffff/", Type: eventRaw, Config: 1<<64 - 1}},
	} {
		got, err := parseEvent(c.text, c.x86)
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v; want %+v", c.text, got, err, c.want)
		}
	}
}

func TestParseEventErrors(t *testing.T) {
	for _, c := range []struct {
		text string
		x86  bool
		want string
	}{
		{"", true, "want cycles, instructions"},
		{"cycle", true, "want cycles, instructions"},
		{"r", true, "unknown"},
		{"r12345678123456789", true, "unknown"},
		{"cpu/r01c2", true, "last '/'"},
		{"cpu//", true, `field "" is unknown`},
		{"cpu/r+1/", true, `field "r+1" is unknown`},
		{"cpu/event=0xc2,mask=1/", true, "want event, umask"},
		{"cpu/event=0xc2/", false, "want config, or r"},
		{"cpu/umask=0x100/", true, "up to 8 bits"},
		{"cpu/event=/", true, `"" is not a number`},
		{"cpu/event=-1/", true, `"-1" is not a number`},
		{"cpu/event=1,event=2/", true, "twice"},
		{"cpu/config=1,umask=2/", true, "alone"},
	} {
		e, err := parseEvent(c.text, c.x86)
		if err == nil {
			t.Errorf("%q is %+v, want an error", c.text, e)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%q: %q says nothing of %q", c.text, err, c.want)
		}
	}
}

func FuzzParseEvent(f *testing.F) {
	for _, text := range []string{
		"cycles", "branch-misses", "r01c2", "cpu/r01c2/", "cpu/event=0xc2,umask=0x01,inv/", "cpu/config=0x1b/",
	} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, x86 bool) {
		e, err := parseEvent(text, x86)
		if err != nil {
			if e != (Event{}) {
				t.Errorf("%q: %+v beside the error %v", text, e, err)
			}
			return
		}
		if again, err := parseEvent(e.Name, x86); err != nil || again != e {
			t.Errorf("%q is %+v, its name is %+v, %v", text, e, again, err)
		}
	})
}
