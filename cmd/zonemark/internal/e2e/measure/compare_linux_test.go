package measure

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/invocations/race"
	"zonemark/invocations/testsize"
)

// grown writes a file that consists of begin, lines until there are so many bytes, and end.
func grown(t *testing.T, name string, size int, begin string, line func(i int) string,
	end func(lines int) string) string {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(begin)
	n := 0
	for ; b.Len() < size; n++ {
		b.WriteString(line(n))
	}
	b.WriteString(end(n))
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCompareLarge compares large files with themselves: what it takes of memory is bounded, and what cannot be
// compared is said in a sentence.
func TestCompareLarge(t *testing.T) {
	if race.Enabled {
		t.Skip("memory is counted, and that of the race detector is much of it")
	}
	size := testsize.Of(1<<18, 1<<20)
	ns := func(i int) float64 { return 100 + float64(i*7919%1000)/100 }
	nothing := func(int) string { return "" }
	closed := func(int) string { return "]}" }
	repeated := func(text string) func(int) string { return func(int) string { return text } }
	row := `{"kind":"result","id":"%016x","name":"f%[1]d","runtime":"hat","artifact":"k","function":"f","status":"ok",` +
		`"mode":"warm","median_ns":%[2]g,"samples_ns":[%[2]g],"launch_medians_ns":[%[2]g,%[3]g,%[2]g],` +
		`"notes":["` + strings.Repeat("x", 600) + `"]}` + "\n"
	for name, c := range map[string]struct {
		perByte int // of memory, for a byte of the file
		begin   string
		line    func(i int) string
		end     func(lines int) string
		want    string // a regular expression
	}{
		"journal.ndjson": {10, `{"kind":"header","version":1}` + "\n",
			func(i int) string { return fmt.Sprintf(row, i, ns(i), ns(i)+1) },
			func(n int) string { return fmt.Sprintf(`{"kind":"end","results":%d,"by_status":{"ok":%[1]d}}`+"\n", n) },
			"undecided"},
		"google.json": {5, `{"context":{},"benchmarks":[{"name":"first","real_time":1}`, func(i int) string {
			return fmt.Sprintf(",\n"+`{"name":"f/%d","run_name":"f/%[1]d","run_type":"iteration","repetitions":10,"threads":1,`+
				`"iterations":1000,"real_time":%g,"cpu_time":1,"time_unit":"ns"}`, i/10, ns(i))
		}, closed, "undecided"},
		"hyperfine.json": {30, `{"results":[{"command":"x","mean":1}`, func(i int) string {
			return fmt.Sprintf(`,{"command":"sleep %d","times":[%g,%g,%g]}`, i, ns(i), ns(i+1), ns(i+2))
		}, closed, "undecided|sleep [0-9]+: more than 1000000 measurements: compare parts of the file"},
		"go.txt": {15, "goos: linux\n", func(i int) string {
			return fmt.Sprintf("BenchmarkF%d-2 100 %g ns/op\n", i/10, ns(i))
		}, nothing, "undecided"},
		"repeated.csv": {5, "name,median_ns\n",
			func(i int) string { return fmt.Sprintf("f%d,%g\n", i%1000, ns(i)) }, nothing, "same"},
		"sweep.csv": {120, "op,M,N,median_ns\n",
			func(i int) string { return fmt.Sprintf("mul,%d,%d,%g\n", i/1000, i%1000, ns(i)) }, nothing,
			"undecided|line 1000002, column median_ns: .* more than 1000000 measurements: compare parts of the file"},
		"name.csv": {5, "name,median_ns\n", repeated(strings.Repeat("n", 1<<20)), repeated(",5\n"),
			"line 2, column median_ns: n+…: a name of [0-9]+ bytes, want at most 65536"},
		"quoted.csv": {5, "name,median_ns\n\"", repeated("a line\n"), nothing, "line [0-9]+, column [0-9]+: .*quote"},
		"line.json": {5, `{"benchmarks":[{"name":"`, repeated("nnnnnnnn"), nothing,
			"JSON before byte [0-9]+: unexpected EOF"},
		"zeros.bin": {5, "\x00", repeated("\x00\x00\x00\x00\x00\x00\x00\x00"), nothing, "not text in UTF-8"},
	} {
		path := grown(t, name, size, c.begin, c.line, c.end)
		cmd := e2e.Command(t, "compare", path, path, "--undecided-ok")
		out, _ := cmd.CombinedOutput() // what it says tells whether it is an error
		usage, _ := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		used := int(usage.Maxrss) << 10
		t.Logf("%s: %d MB, CPU %v", name, used>>20, cmd.ProcessState.UserTime().Round(time.Millisecond))
		if !regexp.MustCompile(c.want).Match(out) || len(out) > 20_000 {
			t.Errorf("%s: want %s: %.2000s", name, c.want, out)
		}
		if limit := min(100<<20+c.perByte*size, 3<<30); used > limit {
			t.Errorf("%s: %d bytes of memory for %d bytes, want at most %d", name, used, size, limit)
		}
	}
}

// TestCompareInterrupted: an interrupt ends a comparison that waits for a pipe to which nobody writes.
func TestCompareInterrupted(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := e2e.Command(t, "compare", path, path)
	var out bytes.Buffer
	cmd.Stderr = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killer := time.AfterFunc(time.Minute, func() { t.Error("it does not end", cmd.Process.Kill()) })
	defer killer.Stop()
	pipe, err := os.OpenFile(path, os.O_WRONLY, 0) // waits until the program reads
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(out.String(), "interrupted while reading "+path) {
		t.Errorf("%v, %q", err, out.String())
	}
}
