package trace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zonemark/trace/internal/tracytest"
)

// openBytes opens a capture in memory.
func openBytes(tb testing.TB, data []byte) (*File, error) {
	f, err := Read("memory.tracy", bytes.NewReader(data), int64(len(data)))
	if err == nil {
		tb.Cleanup(func() { f.Close() })
	}
	return f, err
}

// collect takes everything from an iterator, up to an error.
func collect[T any](seq iter.Seq2[T, error]) (all []T, err error) {
	for v, err := range seq {
		if err != nil {
			return all, err
		}
		all = append(all, v)
	}
	return all, nil
}

func mustCollect[T any](t *testing.T, seq iter.Seq2[T, error]) []T {
	t.Helper()
	all, err := collect(seq)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestEveryVersionReadsTheSame(t *testing.T) {
	for _, v := range [][3]uint8{{0, 9, 0}, {0, 9, 1}, {0, 9, 2}, {0, 10, 0}, {0, 11, 0}, {0, 11, 1}, {0, 11, 2},
		{0, 11, 3}, {0, 12, 0}, {0, 12, 2}, {0, 12, 3}, {0, 12, 4},
		{0, 13, 0}, {0, 13, 1}, {0, 13, 2}, {0, 13, 3}, {0, 13, 4}, {0, 13, 5}, {0, 13, 6}, {0, 14, 0}} {
		version := versionOf(v[0], v[1], v[2])
		t.Run(fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]), func(t *testing.T) {
			for _, form := range tracytest.Forms() {
				f, err := openBytes(t, form.Pack(t, tracytest.Small(uint32(version))))
				if err != nil {
					t.Fatal(form.Name, err)
				}
				if f.Info().Version != v || f.Info().OnDemand != (version >= version0_9_2) {
					t.Errorf("%s: %+v", form.Name, f.Info())
				}
				checkSynthetic(t, f)
			}
		})
	}
}

func checkSynthetic(t *testing.T, f *File) {
	t.Helper()
	plain := Location{Function: "run()", File: "main.c", Line: 11, Color: 0xFF00}
	named := Location{Name: "outer", Function: "run()", File: "main.c", Line: 10, Color: 0xFF00}
	dynamic := Location{Name: "kernel", Function: "run()", File: "main.c", Line: 99}
	same := func(what string, got, want any) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	same("locations", f.Locations(), []Location{{}, plain, named, dynamic})
	same("threads", f.Threads(), []Thread{{}, {ID: 500}, {ID: 501, Name: "worker"}})
	outer := Zone{Ordinal: 0, Parent: -1, Thread: 1, Location: &named, DynamicName: "own name",
		Text: "inv=7\n42 [0x2a]", Color: 0xABCDEF, StartNS: 1000,
		DurationNS: 8000, SelfNS: 8000 - 90 - 7800, Unfinished: true}
	zones := []Zone{
		{Ordinal: 1, Parent: 0, Depth: 1, Thread: 1, Location: &plain, StartNS: 1010, DurationNS: 90, SelfNS: 90},
		{Ordinal: 2, Parent: 0, Depth: 1, Thread: 1, Location: &dynamic, StartNS: 1200, DurationNS: 7800, SelfNS: 7800,
			Unfinished: true},
		outer,
		{Ordinal: 5, Parent: 4, Depth: 2, Thread: 2, Location: &named, StartNS: 2200, DurationNS: 300, SelfNS: 300},
		{Ordinal: 4, Parent: 3, Depth: 1, Thread: 2, Location: &plain, StartNS: 2100, DurationNS: 500, SelfNS: 200},
		{Ordinal: 3, Parent: -1, Thread: 2, Location: &dynamic, StartNS: 2000, DurationNS: 1000, SelfNS: 500},
	}
	same("plots before zones", mustCollect(t, f.Plots()), []PlotPoint{
		{&Plot{Name: "a plot", Min: 1, Max: 2, Sum: 3, PointCount: 2}, 7, 1},
		{&Plot{Name: "a plot", Min: 1, Max: 2, Sum: 3, PointCount: 2}, 10, 2},
		{&Plot{Name: "CPU usage", Kind: PlotCPUUsage, Min: 5, Max: 5, Sum: 5, PointCount: 1}, 8, 5},
	})
	same("zones", mustCollect(t, f.Zones()), zones)
	same("zones, again", mustCollect(t, f.Zones()), zones)
	same("messages", mustCollect(t, f.Messages()), []Message{
		{TimeNS: 1000, Text: `said, "twice"`, Thread: -1}, {TimeNS: 2000, Text: `said, "twice"`, Color: 1, Thread: 1}})
	same("GPU zones", mustCollect(t, f.GPUZones()), []GPUZone{
		{ContextName: "Vulkan queue", Thread: 1, Location: &dynamic, CPUStartNS: 1110, CPUEndNS: 1120, StartNS: 1170,
			DurationNS: 100, SelfNS: 100, Depth: 1},
		{ContextName: "Vulkan queue", Thread: 1, Location: &plain, CPUStartNS: 1100, CPUEndNS: 1150, StartNS: 1150,
			DurationNS: 150, SelfNS: 50},
		{Context: 1, ContextName: "CUDA 1", Thread: 2, Location: &named, CPUStartNS: 5000, CPUEndNS: 5050,
			StartNS: 5100, Unfinished: true},
	})
	program, part := &FrameSet{Name: "Frame", Continuous: true}, &FrameSet{Name: "frames"}
	same("frames", mustCollect(t, f.Frames()), []Frame{
		{program, 0, 10, 5, false}, {program, 1, 15, 7, false}, {program, 2, 22, 8978, true}, {part, 0, 100, 20, false},
		{part, 1, 150, 8850, true}})
	info := f.Info()
	same("warnings", info.Warnings, []string{"2 zones were still open when the capture ended"})
	if info.Partial || info.ZoneCount != 6 || info.MessageCount != 2 || info.FrameCount != 5 || info.PID != 4711 ||
		info.Program != "program" ||
		info.CaptureName != "capture" || info.Host != "host" || info.CaptureTime.Unix() != 1700000000 ||
		info.ResolutionNS != 15 || info.LastTimeNS != 9000 {
		t.Errorf("%+v", info)
	}
}

// TestManyBlocks reads a stream of many blocks in every form of container: records lie across block boundaries, LZ4 and
// zstd refer to earlier blocks.
func TestManyBlocks(t *testing.T) {
	const n = 60_000
	stream := tracytest.Repeated(uint32(version0_14), n)
	for _, form := range tracytest.Forms() {
		f, err := openBytes(t, form.Pack(t, stream))
		if err != nil {
			t.Fatal(form.Name, err)
		}
		var count int
		var total, self int64
		for z, err := range f.Zones() {
			if err != nil {
				t.Fatal(form.Name, err)
			}
			count++
			self += z.SelfNS
			if z.Depth == 0 {
				total += z.DurationNS
			}
		}
		var want int64
		for i := range n / 2 {
			want += int64(10 + i%7 + 100 + i%90 + 5)
		}
		if count != n || total != want || self != want {
			t.Errorf("%s: %d zones, total %d, self %d; want %d, %d", form.Name, count, total, self, n, want)
		}
	}
}

// TestStopping leaves iterations early; closing must not hang.
func TestStopping(t *testing.T) {
	f, err := openBytes(t, tracytest.Forms()[3].Pack(t, tracytest.Repeated(uint32(version0_14), 60_000)))
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		for z, err := range f.Zones() {
			if err != nil || z.Ordinal == 99 {
				break
			}
		}
		for range f.GPUZones() {
			break
		}
		for range f.Plots() {
			break
		}
		for range f.Frames() {
			break
		}
		for range f.Messages() {
			break
		}
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// TestWarnings reads captures that are whole as files but lack something: Tracy stores no word about it, so what they
// hold must tell.
func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		writer  tracytest.Stream
		warning string
		partial bool
	}{
		{tracytest.Stream{Version: uint32(version0_9_2)}, "2 zones were still open when the capture ended", false},
		{tracytest.Stream{Version: uint32(version0_14), Dynamic: 32766},
			"instrumentation failure: too many source locations (3 static, 32767 dynamic)", true},
		{tracytest.Stream{Version: uint32(version0_14), Dynamic: 32765}, "2 zones", false},
		{tracytest.Stream{Version: uint32(version0_14), Crash: []any{uint64(500), int64(8000), uint64(88), uint32(0)}},
			"the program crashed at 8000 ns in thread 500: a plot", true},
	} {
		c.writer.Everything()
		f, err := openBytes(t, tracytest.Forms()[4].Pack(t, c.writer.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		mustCollect(t, f.Zones())
		mustCollect(t, f.Zones())
		if info := f.Info(); info.Partial != c.partial || !strings.HasPrefix(info.Warnings[0], c.warning) ||
			len(info.Warnings) > 2 {
			t.Errorf("%t, %q; want %q", info.Partial, info.Warnings, c.warning)
		}
	}
	stream := tracytest.Small(uint32(version0_14))
	// zones, lists of children
	i := bytes.Index(stream, binary.LittleEndian.AppendUint64([]byte{6, 0, 0, 0, 0, 0, 0, 0}, 3))
	stream[i] = 7
	f, err := openBytes(t, tracytest.Forms()[2].Pack(t, stream))
	if err != nil {
		t.Fatal(err)
	}
	mustCollect(t, f.Zones())
	if info := f.Info(); !info.Partial || info.Warnings[0] != "the file announces 7 zones and holds 6" {
		t.Errorf("%+v", info)
	}
}

// TestLateExtras: a capture that ends at a limit may hold a zone whose extra came when all extras had been written.
func TestLateExtras(t *testing.T) {
	stream := tracytest.Small(uint32(version0_14))
	at := bytes.Index(stream, []byte{1, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}) // location, start, no extra
	whole, err := openBytes(t, tracytest.Forms()[2].Pack(t, stream))
	if err != nil {
		t.Fatal(err)
	}
	stream[at+10] = 2 // of 2
	late, err := openBytes(t, tracytest.Forms()[2].Pack(t, stream))
	if err != nil {
		t.Fatal(err)
	}
	want, got := mustCollect(t, whole.Zones()), mustCollect(t, late.Zones())
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the zone has nothing of its own (-want +got):\n%s", diff)
	}
	info := late.Info()
	if info.Partial || !slices.Contains(info.Warnings,
		"the file does not hold the texts and names of 1 zones, which came while it was written") {
		t.Errorf("%+v", info)
	}
}

// TestZonesOfUnknownThings damages what a zone refers to.
func TestZonesOfUnknownThings(t *testing.T) {
	head := func(location int16, extra uint32) []byte {
		b := binary.LittleEndian.AppendUint16(nil, uint16(location))
		return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(b, 10), extra)
	}
	for want, damaged := range map[string][]byte{
		"source location 3; there are 3 static and 1 dynamic ones":  head(3, 0),
		"source location -2; there are 3 static and 1 dynamic ones": head(-2, 0),
		"zone extra 1002 of 2": head(1, 1002),
	} {
		stream := tracytest.Small(uint32(version0_14))
		at := bytes.Index(stream, head(1, 0))
		copy(stream[at:], damaged)
		f, err := openBytes(t, tracytest.Forms()[2].Pack(t, stream))
		if err != nil {
			t.Fatal(err)
		}
		zones, err := collect(f.Zones())
		var format *FormatError
		if !errors.As(err, &format) || format.Section != "zones" || format.Offset < int64(at) ||
			format.Err.Error() != want || len(zones) != 0 {
			t.Errorf("%v; want %s", err, want)
		}
		if !f.Info().Partial {
			t.Error("not partial")
		}
	}
}
