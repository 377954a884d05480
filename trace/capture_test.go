package trace

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"zonemark/invocations/race"
	"zonemark/invocations/testsize"
	"zonemark/trace/internal/tracytest"
)

// captures returns the paths of all captures of testdata.
func captures(t testing.TB) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.tracy")
	if err != nil || len(paths) < 6 {
		t.Fatalf("%d captures in testdata, %v", len(paths), err)
	}
	return paths
}

func openCapture(t testing.TB, path string) *File {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// readText reads a file of testdata, or the compressed one of that name. ok is false when there is neither.
func readText(t *testing.T, path string) (text string, ok bool) {
	t.Helper()
	var in io.ReadCloser
	in, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		if in, err = os.Open(path + ".gz"); errors.Is(err, os.ErrNotExist) {
			return "", false
		}
		if err == nil {
			in, err = gzip.NewReader(in)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	b, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(b), true
}

// exporterRow matches a row of "-u" without believing in its quoting: the name may hold commas, and the value anything.
var exporterRow = regexp.MustCompile(`^(.*?,[^,]*,\d+,\d+,-?\d+,\d+),`)

// TestZonesAreTheExporters compares names, files, lines, starts, durations and threads with what tracy-csvexport
// printed. It leaves out zones that are still open.
func TestZonesAreTheExporters(t *testing.T) {
	compared := 0
	for _, path := range captures(t) {
		f := openCapture(t, path)
		zones := mustCollect(t, f.Zones())
		if info := f.Info(); int64(len(zones)) != info.ZoneCount || info.Partial {
			t.Errorf("%s: %d zones of %d; partial %t, %q", path, len(zones), info.ZoneCount, info.Partial,
				info.Warnings)
		}
		text, ok := readText(t, strings.TrimSuffix(path, ".tracy")+".u.csv")
		if !ok {
			continue
		}
		compared++
		var want, got []string
		for line := range strings.Lines(text) {
			if m := exporterRow.FindStringSubmatch(line); m != nil {
				want = append(want, m[1])
			}
		}
		for _, z := range zones {
			if !z.Unfinished {
				got = append(got, fmt.Sprintf("%s,%s,%d,%d,%d,%d", z.Location.Label(), z.Location.File, z.Location.Line,
					z.StartNS, z.DurationNS, z.Thread))
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" || len(want) < 1000 {
			t.Errorf("%s: %d rows (-exporter +ours):\n%s", path, len(want), diff)
		}
	}
	if compared != 5 {
		t.Errorf("compared with %d files of the exporter", compared)
	}
}

// TestSelfTimes compares sums with the exporter's aggregates, and checks what Zones promises about order and nesting.
func TestSelfTimes(t *testing.T) {
	f := openCapture(t, "testdata/z100k_0112.tracy")
	type sum struct{ count, total int64 }
	got := map[string]sum{}
	seen, roots, self := map[int64]Zone{}, int64(0), int64(0)
	for z, err := range f.Zones() {
		if err != nil {
			t.Fatal(err)
		}
		s := got[z.Location.Label()]
		got[z.Location.Label()] = sum{s.count + 1, s.total + z.DurationNS}
		self += z.SelfNS
		if z.Parent < 0 {
			roots += z.DurationNS
		}
		if _, early := seen[z.Parent]; early || z.Parent >= z.Ordinal {
			t.Fatalf("zone %d comes after its parent %d", z.Ordinal, z.Parent)
		}
		seen[z.Ordinal] = z
	}
	if self != roots {
		t.Errorf("self times sum to %d, the outermost zones to %d", self, roots)
	}
	for _, z := range seen {
		if parent, ok := seen[z.Parent]; z.Parent >= 0 &&
			(!ok || parent.Thread != z.Thread || parent.Depth+1 != z.Depth || parent.StartNS > z.StartNS ||
				parent.EndNS() < z.EndNS()) {
			t.Fatalf("%+v is not within %+v", z, parent)
		}
	}
	text, _ := readText(t, "testdata/z100k_0112.agg.csv")
	rows := regexp.MustCompile(`(?m)^(.*),([^,]*),(\d+),(\d+),([\d.e+-]+),(\d+),\d+,\d+,\d+,[^,\n]*$`).
		FindAllStringSubmatch(text, -1)
	for _, row := range rows {
		total, _ := strconv.ParseInt(row[4], 10, 64)
		count, _ := strconv.ParseInt(row[6], 10, 64)
		if want := (sum{count, total}); got[row[1]] != want {
			t.Errorf("%s: %+v, exporter %+v", row[1], got[row[1]], want)
		}
	}
	if len(rows) != len(got) || len(rows) != 104 {
		t.Errorf("%d names, %d of the exporter", len(got), len(rows))
	}
}

func TestMessagesAreTheExporters(t *testing.T) {
	for _, name := range []string{"small_0112", "small_0140"} {
		got := []string{"MessageName,total_ns"}
		for _, m := range mustCollect(t, openCapture(t, "testdata/"+name+".tracy").Messages()) {
			got = append(got, fmt.Sprintf("%s,%d", m.Text, m.TimeNS))
			if m.Thread <= 0 {
				t.Errorf("%q is from thread %d", m.Text, m.Thread)
			}
		}
		text, _ := readText(t, "testdata/"+name+".m.csv")
		if diff := cmp.Diff(strings.Split(strings.TrimSpace(text), "\n"), got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func TestPlotsAreTheExporters(t *testing.T) {
	text, _ := readText(t, "testdata/small_0140.up.csv")
	var want, got []string
	for _, m := range regexp.MustCompile(`(?m)^(\w+),,,(\d+),,,(.*)$`).FindAllStringSubmatch(text, -1) {
		want = append(want, fmt.Sprintf("%s %s %s", m[1], m[2], m[3]))
	}
	for _, p := range mustCollect(t, openCapture(t, "testdata/small_0140.tracy").Plots()) {
		got = append(got, fmt.Sprintf("%s %d %f", p.Plot.Name, p.TimeNS, p.Value))
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" || len(want) != 3 {
		t.Errorf("%d exported:\n%s", len(want), diff)
	}
}

// TestDispatchesOfTaskScheduler finds the names that the exporter leaves out.
func TestDispatchesOfTaskScheduler(t *testing.T) {
	counts, exported := map[string]int{}, 0
	for z, err := range openCapture(t, "testdata/iree_mlp_local-task.tracy").Zones() {
		if err != nil {
			t.Fatal(err)
		}
		if z.Location.Label() == "iree_hal_cmd_execute_dispatch_tiles" {
			counts[z.Name()]++
		}
		if strings.Contains(z.Location.Label(), "_dispatch_0_") {
			exported++
		}
	}
	want := map[string]int{"mlp_dispatch_0_matmul_64x512x256_f32": 40, "mlp_dispatch_1_matmul_64x128x512_f32": 40,
		"mlp_dispatch_2_softmax_64x128xf32_dispatch_tensor_store": 160}
	if diff := cmp.Diff(want, counts); diff != "" || exported != 0 {
		t.Errorf("%d by location:\n%s", exported, diff)
	}
}

// drain reads everything there is, and returns the number of zones and the first error.
func drain(f *File) (zones int64, first error) {
	for _, err := range f.Zones() {
		if first = err; err == nil {
			zones++
		}
	}
	note := func(err error) {
		if first == nil {
			first = err
		}
	}
	for _, err := range f.GPUZones() {
		note(err)
	}
	for _, err := range f.Plots() {
		note(err)
	}
	for _, err := range f.Messages() {
		note(err)
	}
	for _, err := range f.Frames() {
		note(err)
	}
	return zones, first
}

// checkFormatError fails unless err says where and why.
func checkFormatError(t *testing.T, err error) {
	t.Helper()
	if e, ok := errors.AsType[*FormatError](err); !ok || e.Section == "" || e.Offset < 0 || e.Err == nil {
		t.Errorf("%v says too little", err)
	}
}

func TestCutCaptures(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, path := range captures(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		whole := openCapture(t, path).Info().ZoneCount
		cuts, large := testsize.Of(8, 20), strings.Contains(path, "z100k")
		if large {
			cuts = testsize.Of(40, 100)
		}
		if race.Enabled {
			cuts /= 5
		}
		partial := 0
		for range cuts {
			n := random.IntN(len(data))
			f, err := openBytes(t, data[:n])
			if err != nil {
				checkFormatError(t, err)
				if !errors.Is(err, ErrTruncated) && n >= 6 {
					t.Errorf("%s, %d bytes: %v", path, n, err)
				}
				continue
			}
			zones, err := drain(f)
			if err != nil {
				checkFormatError(t, err)
			}
			if info := f.Info(); !info.Partial || len(info.Warnings) == 0 || zones > whole {
				t.Errorf("%s, %d bytes: %d zones, %v, %+v", path, n, zones, err, info)
			}
			if zones > 0 && zones < whole {
				partial++
			}
			f.Close()
		}
		if large && partial == 0 {
			t.Error("no cut yielded a part of the zones")
		}
	}
}

// TestCutStreams cuts the inflated stream, so that the container is whole and every section is cut.
func TestCutStreams(t *testing.T) {
	stream := tracytest.Small(uint32(version0_14))
	form := tracytest.Forms()[2]
	for n := range len(stream) - 233 { // the last 233 bytes are of sections that are not read
		f, err := openBytes(t, form.Pack(t, stream[:n]))
		if err == nil {
			_, err = drain(f)
			f.Close()
		}
		if !errors.Is(err, ErrTruncated) && n > 0 {
			t.Fatalf("%d bytes of %d: %v", n, len(stream), err)
		}
		checkFormatError(t, err)
	}
}

func TestFlippedBytes(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	refused := 0
	for _, path := range captures(t) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		flips := testsize.Of(15, 40)
		if race.Enabled {
			flips /= 5
		}
		for range flips {
			damaged := slices.Clone(data)
			damaged[random.IntN(len(data))] ^= byte(1 + random.IntN(255))
			f, err := openBytes(t, damaged)
			if err == nil {
				_, err = drain(f)
				f.Close()
			}
			if err != nil {
				refused++
				checkFormatError(t, err)
			}
		}
	}
	if refused == 0 {
		t.Error("no flip was noticed in any capture")
	}
}

// TestFlippedStreams damages each byte of the inflated stream, where compression notices nothing. In the small size, the
// lowest and the highest bit take turns.
func TestFlippedStreams(t *testing.T) {
	stream := tracytest.Small(uint32(version0_13_4))
	form := tracytest.Forms()[2]
	for i := range stream {
		for bit, flip := range []byte{1, 0x80} {
			if !testsize.Large() && i%2 != bit {
				continue
			}
			damaged := slices.Clone(stream)
			damaged[i] ^= flip
			f, err := openBytes(t, form.Pack(t, damaged))
			if err == nil {
				_, err = drain(f)
				f.Close()
			}
			if err != nil {
				checkFormatError(t, err)
			}
		}
	}
}

func TestForeignFiles(t *testing.T) {
	future, past := tracytest.Small(uint32(version0_14)), tracytest.Small(uint32(version0_9))
	future[7]++
	past[6] = 8
	form := tracytest.Forms()[4]
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"empty":       {nil, "container, byte 0 of the file: the file is empty"},
		"text":        {[]byte("name,src_file"), "not a Tracy capture"},
		"compression": {[]byte{'t', 'r', 0xFD, 'P', 2, 1}, "byte 4 of the file: unknown compression 2"},
		"streams":     {[]byte{'t', 'r', 0xFD, 'P', 1, 0}, "byte 5 of the file: no streams"},
		"header only": {[]byte{'t', 'r', 0xFD, 'P', 1, 1}, "ends too early"},
		"newer": {form.Pack(t, future), "header, byte 8 of the inflated stream: version 0.14.1: the capture " +
			"is newer"},
		"older":       {form.Pack(t, past), "version 0.8.0: the capture is older"},
		"not a trace": {form.Pack(t, make([]byte, 100)), "does not begin with"},
	} {
		_, err := openBytes(t, c.data)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "memory.tracy: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Error(err)
	}
	if _, err := Open("testdata/none.tracy"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
