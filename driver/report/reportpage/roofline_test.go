package reportpage

import (
	"strings"
	"testing"
	"time"

	"zonemark/driver/peaks"
	"zonemark/driver/report"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
)

func somePeaks() []peaks.Peak {
	peak := func(what, using, level string, cpus int, perS float64) peaks.Peak {
		return peaks.Peak{Name: what + using + level, What: what, Using: using, Level: level, CPUs: cpus, PerS: perS,
			LowPerS: perS, HighPerS: perS, Verdicts: []invocations.Verdict{invocations.Clean}, Measured: time.Unix(1e9, 0)}
	}
	vague := peak("read", "", "L2", 1, 90e9)
	vague.LowPerS, vague.HighPerS = 50e9, 130e9
	return []peaks.Peak{
		vague, peak("float32", "scalar", "", 1, 10e9), peak("float32", "avx2", "", 1, 100e9), peak("int8", "avx2", "", 1, 300e9),
		peak("float32", "avx2", "", 4, 400e9), peak("read", "", "L1", 1, 200e9), peak("copy", "", "L1", 1, 250e9),
		peak("read", "", "memory", 1, 20e9), peak("read", "", "memory", 4, 40e9),
		peak("read", "", "L1", 4, 150e9), // other work had some of the CPUs
	}
}

// working returns a record of a function of float32 with known operations and, unless it is 0, a number of bytes.
func working(name string, bytes float64) invocations.Record {
	r := measured(invocations.Invocation{ID: "0123456789abcdef", Name: name}, 1e6, 2, 20) // 1e6 operations in 1 ms
	ns := 1e6
	if r.MedianNS = &ns; bytes > 0 {
		r.Bytes = &bytes
	}
	r.Arguments = []invocations.ArgumentRecord{{Element: invocations.Int64, ByValue: true},
		{Element: invocations.Float32}}
	return r
}

func TestRoofline(t *testing.T) {
	size, flop, ns := int64(4e6), 2.0*64*64*64, 1e5
	byArguments := working("arguments", 0)
	byArguments.SetBytes = &size
	dispatching := working("dispatching", 0)
	dispatching.Dispatches = []invocations.DispatchRecord{
		{Name: "f_dispatch_0_matmul_64x64x64_f32", FLOP: &flop, MedianNS: &ns, Threads: 1},
		{Name: "f_dispatch_2_matmul_64x64x64_i8xi8xi32", FLOP: &flop, MedianNS: &ns, Threads: 2},
		{Name: "f_dispatch_3_matmul_64x64x64_f16", FLOP: &flop, MedianNS: &ns, Threads: 1},
		{Name: "f_dispatch_1_conv_64x64x64_f32", FLOP: &flop, MedianNS: &ns}, // its bytes are not known
	}
	failed := working("failed", 1e6)
	failed.Status = invocations.Failed
	run := report.Run{Complete: true, Records: invocations.RecordsOf(working("bytes", 1e5), byArguments, dispatching,
		failed)}
	page := written(t, Source{Run: run, Peaks: somePeaks()})
	for _, want := range []string{
		`href="#id-0123456789abcdef"`,
		"bytes: 1.00 GFLOP/s, 10.00 for each byte, 0.25 % of the roof of float32", // of 400 Gop/s
		"(bytes of its arguments)",
		"of dispatching: 5.24 GFLOP/s, 10.67 for each byte, 5.2 % of the roof of float32 on 1 thread",
		"21.33 for each byte, 0.87 % of the roof of int8 on 2 threads", // of twice 300 Gop/s
		"no roof of float16 is known",
		"float32 with avx2 on 1 CPU: 100 Gop/s",
		"read memory on 4 CPUs: 40.0 GB/s", "read L2 on 1 CPU", "L2, vague", `class="roof vague"`,
		"1 of them are vague",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, other := range []string{"float64 with", "copy L1", "float32 with scalar", "read L1 on 4",
		"dispatch_1_conv_64x64x64_f32 of", "failed: "} {
		if strings.Contains(page, "<title>"+other) {
			t.Errorf("the roofline has %q", other)
		}
	}
	if n := strings.Count(page, `class="point line0" cx=`); n != 5 {
		t.Errorf("%d points, want 5", n)
	}
}

// Without peaks, the page says how to get them; without known operations, it says nothing.
func TestRooflineMissing(t *testing.T) {
	run := report.Run{Complete: true, Records: invocations.RecordsOf(working("bytes", 1e5))}
	page := written(t, Source{Run: run})
	if !strings.Contains(page, "zonemark peaks") || strings.Contains(page, `class="roof`) {
		t.Error("the page does not say how peaks are measured")
	}
	recordstest.At(t, run.Records, 0).FLOP = nil
	if page := written(t, Source{Run: run, Peaks: somePeaks()}); strings.Contains(page, "machine&#39;s peaks") ||
		strings.Contains(page, "near to the machine") {
		t.Error("the page has a roofline without points")
	}
}

// A point is compared with what its own type and its threads can do, be it computing or reading. A vague roof is said to
// be one.
func TestCeilings(t *testing.T) {
	c := ceilingsOf(somePeaks())
	for _, w := range []struct {
		element   invocations.ElementType
		threads   int
		intensity float64
		want      float64
	}{
		{invocations.Float32, 1, 1e3, 100e9}, {invocations.Float32, 2, 1e3, 200e9}, {invocations.Float32, 4, 1e3, 400e9},
		{invocations.Float32, 64, 1e3, 400e9}, {invocations.Float32, 0, 1e3, 400e9},
		{invocations.Int8, 1, 1e3, 300e9}, {invocations.Float16, 1, 1e3, 0}, {"", 1, 1e3, 0},
		{invocations.Float32, 1, 0.25, 50e9}, // L1 of one CPU; that of all was disturbed
	} {
		if got, vague := c.above(&work{element: w.element, threads: w.threads}, w.intensity); got != w.want || vague {
			t.Errorf("%s on %d threads: %g, vague %v; want %g", w.element, w.threads, got, vague, w.want)
		}
	}
	var open []peaks.Peak // intervals without an upper end
	for _, p := range somePeaks() {
		p.HighPerS = 0
		open = append(open, p)
	}
	w := work{element: invocations.Float32, threads: 1, flop: 1e6, bytes: 1e3, ns: 1e6, name: "f"}
	if p := w.point(ceilingsOf(open)); !strings.HasSuffix(p.Title, "1.0 % of the roof of float32 on 1 thread, which is vague") {
		t.Errorf("%s", p.Title)
	}
	for _, roof := range ceilingsOf(open).roofs([]work{w}) {
		if !roof.Vague || !strings.Contains(roof.Title, "… ?") {
			t.Errorf("%+v is drawn as if it were known", roof)
		}
	}
}
