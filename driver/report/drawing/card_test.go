package drawing

import "testing"

// Short words stay whole, also with hyphens; long ones are broken behind separators.
func TestBreakable(t *testing.T) {
	for name, want := range map[string]string{
		"run 4":       "run 4",
		"a<b":         "a&lt;b",
		"run-30.json": `<span class="whole">run-30.json</span>`,
		"later-30.ndjson against run-30.ndjson": `<span class="whole">later-30.ndjson</span> against ` +
			`<span class="whole">run-30.ndjson</span>`,
		"main_graph$async_dispatch_20": "main_<wbr>graph$<wbr>async_<wbr>dispatch_<wbr>20",
		"product/cflags=-O3/D.TILE=16": `product/<wbr><span class="whole">cflags=-O3/</span><wbr>D.TILE=16`,
	} {
		if got := string(breakable(name)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestJoined(t *testing.T) {
	const space = "\u00a0"
	for text, want := range map[string]string{
		"+11.8 % (+11.4 to +12.1 %)": "+11.8" + space + "% (+11.4 to +12.1" + space + "%)",
		"8.855 µs ± 0.28 %, 3 sets":  "8.855" + space + "µs ± 0.28" + space + "%, 3 sets",
		"2 CPUs; 4.1 GHz":            "2 CPUs; 4.1" + space + "GHz",
		"slower at 2026-11-11 03:00": `slower at <span class="whole">2026-11-11</span> 03:00`,
	} {
		if got := string(joined(text)); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
