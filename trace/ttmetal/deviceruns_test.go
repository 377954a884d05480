package ttmetal

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ttLog writes a device's log from lines "device x risc call trace counter cycles zone type"; "-" is empty.
func ttLog(lines string) string {
	var b strings.Builder
	b.WriteString(ttLogHead)
	for line := range strings.Lines(lines) {
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		for i := range f {
			f[i] = strings.TrimPrefix(f[i], "-")
		}
		kind := map[string]string{"<": "ZONE_START", ">": "ZONE_END", "total": "ZONE_TOTAL"}[f[8]]
		fmt.Fprintf(&b, "%s, %s, 0, %s, %s, %s, %s, %s, %s, %s, 1\n", f[0], f[1], f[2], f[6], f[3], f[4], f[5], f[7],
			kind)
	}
	return b.String()
}

func TestDeviceRuns(t *testing.T) {
	run := func(device, call, start, end, kernel, cores int64) DeviceRun {
		return DeviceRun{Device: device, Call: call, TraceID: -1, TraceCounter: -1, StartCycle: start, EndCycle: end,
			KernelCycles: kernel, Cores: cores}
	}
	for _, test := range []struct {
		name, lines string
		want        []DeviceRun
	}{
		{"two cores, one of them by Ethernet", `
			0 1 BRISC 7 - - 100 BRISC-FW <
			0 1 BRISC 7 - - 110 BRISC-KERNEL <
			0 1 BRISC 7 - - 111 mine <
			0 1 BRISC 7 - - 112 mine >
			0 1 BRISC 7 - - 150 BRISC-KERNEL >
			0 1 BRISC 7 - - 150 sum total
			0 1 BRISC 7 - - 160 BRISC-FW >
			0 2 TRISC_0 7 - - 90 TRISC-FW <
			0 2 TRISC_0 7 - - 95 TRISC-KERNEL <
			0 2 TRISC_0 7 - - 105 TRISC-KERNEL >
			0 2 TRISC_0 7 - - 120 TRISC-FW >
			0 3 ERISC 7 - - 95 ERISC-FW <
			0 3 ERISC 7 - - 170 ERISC-FW >`,
			[]DeviceRun{run(0, 7, 90, 170, 55, 2)}},
		{"devices apart", `
			0 1 BRISC 7 - - 100 BRISC-FW <
			0 1 BRISC 7 - - 160 BRISC-FW >
			1 1 BRISC 7 - - 200 BRISC-FW <
			1 1 BRISC 7 - - 290 BRISC-FW >`,
			[]DeviceRun{run(0, 7, 100, 160, 0, 1), run(1, 7, 200, 290, 0, 1)}},
		{"one number three times, a processor after the other", `
			0 1 BRISC 7 - - 100 BRISC-FW <
			0 1 BRISC 7 - - 110 BRISC-FW >
			0 1 BRISC 7 - - 200 BRISC-FW <
			0 1 BRISC 7 - - 210 BRISC-FW >
			0 1 BRISC 7 - - 300 BRISC-FW <
			0 1 BRISC 7 - - 310 BRISC-FW >
			0 2 BRISC 7 - - 101 BRISC-FW <
			0 2 BRISC 7 - - 111 BRISC-FW >
			0 2 BRISC 7 - - 201 BRISC-FW <
			0 2 BRISC 7 - - 211 BRISC-FW >
			0 2 BRISC 7 - - 301 BRISC-FW <
			0 2 BRISC 7 - - 311 BRISC-FW >`,
			[]DeviceRun{run(0, 7, 100, 111, 0, 2), run(0, 7, 200, 211, 0, 2), run(0, 7, 300, 311, 0, 2)}},
		{"replays of a trace", `
			0 1 BRISC 7 5 1 100 BRISC-FW <
			0 1 BRISC 7 5 1 110 BRISC-FW >
			0 1 BRISC 7 5 2 200 BRISC-FW <
			0 1 BRISC 7 5 2 220 BRISC-FW >`,
			[]DeviceRun{
				{Call: 7, TraceID: 5, TraceCounter: 1, StartCycle: 100, EndCycle: 110, Cores: 1},
				{Call: 7, TraceID: 5, TraceCounter: 2, StartCycle: 200, EndCycle: 220, Cores: 1}}},
		{"ends are missing", `
			0 1 BRISC 7 - - 100 BRISC-FW <
			0 1 BRISC 8 - - 200 BRISC-FW <
			0 1 BRISC 8 - - 210 BRISC-KERNEL <
			0 1 BRISC 8 - - 220 BRISC-FW >
			0 1 BRISC 9 - - 300 BRISC-KERNEL >
			0 1 BRISC 9 - - 310 BRISC-FW >`,
			[]DeviceRun{
				{Call: 7, TraceID: -1, TraceCounter: -1, Cores: 1, Unpaired: 1},
				{Call: 8, TraceID: -1, TraceCounter: -1, StartCycle: 200, EndCycle: 220, Cores: 1, Unpaired: 1},
				{Call: 9, TraceID: -1, TraceCounter: -1, Cores: 1, Unpaired: 2}}},
		{"what has no number is of no op", `
			0 1 BRISC 0 - - 100 BRISC-FW <
			0 1 BRISC 0 - - 110 BRISC-FW >
			0 1 BRISC 7 - - 200 BRISC-FW <
			0 1 BRISC 7 - - 220 BRISC-FW >`,
			[]DeviceRun{run(0, 7, 200, 220, 0, 1)}},
		{"but nothing has numbers without an op library", `
			0 1 BRISC 0 - - 100 BRISC-FW <
			0 1 BRISC 0 - - 110 BRISC-FW >`,
			[]DeviceRun{run(0, 0, 100, 110, 0, 1)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			log, err := ReadDeviceLog("log", strings.NewReader(ttLog(test.lines)))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, log.Runs); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestManyProcessors: what a run remembers grows with the processors of its device, which must not be as many as rows.
func TestManyProcessors(t *testing.T) {
	var b strings.Builder
	b.WriteString(ttLogHead)
	for i := range mostProcessors + 1 {
		fmt.Fprintf(&b, "0,%d,0,BRISC,5,7,,,BRISC-FW,ZONE_START\n", i)
	}
	_, err := ReadDeviceLog("log", strings.NewReader(b.String()))
	if want := fmt.Sprintf("log:%d: device 0 has more than", mostProcessors+3); err == nil ||
		!strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}

func BenchmarkReadDeviceLog(b *testing.B) {
	var text strings.Builder
	text.WriteString(ttLogHead)
	for i := range 100_000 {
		fmt.Fprintf(&text, "0, %d, 0, BRISC, %d, %d, , , BRISC-FW, %s, 1\n", i/2%64, 1000+i, 1024*(i/128),
			[]string{"ZONE_START", "ZONE_END"}[i%2])
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if log, err := ReadDeviceLog("log", strings.NewReader(text.String())); err != nil || log.Rows != 100_000 {
			b.Fatal(err)
		}
	}
}
