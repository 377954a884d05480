package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"zonemark/invocations"
	"zonemark/invocations/files"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/stats"
	"zonemark/invocations/testsize"
)

func testHeader() Header {
	return Header{
		Build: "test", Started: time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC),
		Environment: map[string]string{"cpu": "a"}, Command: []string{"zonemark", "run"},
	}
}

func testRecord(i int) invocations.Record {
	inv := invocations.Invocation{ID: fmt.Sprintf("%016x", i+1), Name: "f/n=1", Runtime: "hat", Function: "f"}
	if i%3 == 2 {
		return invocations.NewRecord(inv, invocations.Result{
			Status: invocations.Crashed, Error: "SIGSEGV",
			Crash: &invocations.Crash{Signal: "SIGSEGV", Phase: "measure"},
		})
	}
	samples := []float64{1, 2.5, math.Pi, 0}
	return invocations.NewRecord(inv, invocations.Result{
		Status: invocations.OK, Verdicts: []invocations.Verdict{invocations.Clean},
		Batches: invocations.Batches{SamplesNS: samples}, Calling: invocations.Calling{Iterations: 40,
			CallsPerBatch: 10, OverheadNS: 2},
		Summary: stats.Summarize(samples, nil),
	})
}

// writeTestJournal writes a complete journal of n results and returns its bytes.
func writeTestJournal(t testing.TB, path string, n int) []byte {
	t.Helper()
	j, err := Create(path, testHeader(), true)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := j.Append(testRecord(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(true); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.ndjson")
	writeTestJournal(t, path, 4)
	c, err := ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := testHeader()
	want.Kind, want.Version = "header", 1
	if diff := cmp.Diff(want, c.Header); diff != "" {
		t.Errorf("header (-want +got):\n%s", diff)
	}
	records := []invocations.Record{testRecord(0), testRecord(1), testRecord(2), testRecord(3)}
	if diff := cmp.Diff(records, recordstest.List(t, c.Records)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if !c.Complete || c.Why != "" || c.Torn != nil {
		t.Errorf("Complete %v, Why %q, Torn %q; want complete", c.Complete, c.Why, c.Torn)
	}
}

func TestCreateRefusesExisting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.ndjson")
	before := writeTestJournal(t, path, 1)
	_, err := Create(path, testHeader(), false)
	for _, want := range []string{path, "--resume", "--overwrite"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Fatalf("error %v does not name %s", err, want)
		}
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("the refused journal was changed")
	}
	j, err := Create(path, testHeader(), true)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.Begin(), j.Close(false)); err != nil {
		t.Fatal(err)
	}
	c, err := ReadFile(path)
	if err != nil || c.Records.Len() != 0 || c.Complete {
		t.Errorf("overwritten journal: %+v, %v; want an incomplete one without records", c, err)
	}
}

// A refused run leaves everything unchanged.
func TestWithdrawn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "j.ndjson")
	create := func() (*Writer, error) { return Create(path, testHeader(), false) }
	overwrite := func() (*Writer, error) { return Create(path, testHeader(), true) }
	resume := func() (*Writer, error) { j, _, err := Resume(t.Context(), path, testHeader()); return j, err }
	whole := writeTestJournal(t, filepath.Join(t.TempDir(), "whole.ndjson"), 2)
	for _, c := range []struct {
		name   string
		open   func() (*Writer, error)
		before []byte // nil: there is no file
	}{
		{"create", create, nil}, {"create in an empty file", create, []byte{}}, {"overwrite nothing", overwrite, nil},
		{"overwrite", overwrite, whole},
		{"resume nothing", resume, nil}, {"resume", resume, whole}, {"resume a torn one", resume, whole[:len(whole)-9]},
	} {
		if c.before != nil {
			if err := os.WriteFile(path, c.before, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		j, err := c.open()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if err := j.Close(false); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		after, err := os.ReadFile(path)
		if c.before == nil && !errors.Is(err, fs.ErrNotExist) ||
			c.before != nil && (err != nil || !bytes.Equal(after, c.before)) {
			t.Errorf("%s: %v, %d bytes of %d", c.name, err, len(after), len(c.before))
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(path + ".torn"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the torn line was moved: %v", err)
	}
	if err := os.WriteFile(path, []byte("notes of mine\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, open := range []func() (*Writer, error){create, resume} {
		if _, err := open(); err == nil {
			t.Error("a file that is no journal was opened")
		}
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != "notes of mine\n" {
		t.Errorf("%q, %v", after, err)
	}
}

// Runs that open and withdraw the same journal at once do not write into a removed file.
func TestWithdrawnMeanwhile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "j.ndjson")
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 200 {
				j, err := Create(path, testHeader(), false)
				if err != nil {
					continue // another one has it
				}
				if !j.inPlace() {
					t.Error("the file that is locked is gone")
				}
				if err := j.Close(false); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if info, err := os.Stat(path); err == nil && info.Size() > 0 { // an empty one belongs to no run and blocks none
		t.Errorf("%d bytes are left", info.Size())
	}
}

func TestCreateUnwritable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "j.ndjson")
	if _, err := Create(path, testHeader(), false); !errors.Is(err, fs.ErrNotExist) ||
		!strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want not-exist that names %s", err, path)
	}
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.ndjson")
	j, err := Create(path, testHeader(), false)
	if err != nil {
		t.Fatal(err)
	}
	if len(j.Notes) > 0 {
		t.Fatal(j.Notes[0])
	}
	open := map[string]func() error{
		"create": func() error { _, err := Create(path, testHeader(), true); return err },
		"resume": func() error { _, _, err := Resume(t.Context(), path, testHeader()); return err },
	}
	for name, open := range open {
		if err := open(); !errors.Is(err, files.ErrLocked) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s while locked: %v, want the lock error that names the file", name, err)
		}
	}
	if err := j.Append(testRecord(0)); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(true); err != nil {
		t.Fatal(err)
	}
	j, done, err := Resume(t.Context(), path, testHeader())
	if err != nil || done.Len() != 1 {
		t.Fatalf("after Close: %d results, %v; want the one that was written while others tried", done.Len(), err)
	}
	if err := j.Close(true); err != nil {
		t.Fatal(err)
	}
}

func TestToDevice(t *testing.T) {
	if _, err := os.Stat(os.DevNull); err != nil {
		t.Fatal(err)
	}
	j, err := Create(os.DevNull, testHeader(), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.Append(testRecord(0)), j.Close(true)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Resume(t.Context(), os.DevNull, testHeader()); err == nil {
		t.Error("a device was resumed")
	}
}

// TestCutAnywhere cuts a journal at every byte and resumes it; in the small size at those around the ends of lines, and
// at some between them. Exactly the results of the whole lines are known, and
// after the others are measured again, the journal is complete.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	const n = 3
	dir := t.TempDir()
	whole := writeTestJournal(t, filepath.Join(dir, "whole.ndjson"), n)
	path := filepath.Join(dir, "cut.ndjson")
	for cut := range len(whole) + 1 {
		around := bytes.ContainsRune(whole[max(0, cut-10):min(cut+10, len(whole))], '\n')
		if !around && cut%testsize.Of(11, 1) != 0 {
			continue
		}
		if err := os.WriteFile(path, whole[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		lines := bytes.Split(whole[:cut], []byte{'\n'})
		want := 0
		for _, line := range lines[:len(lines)-1] { // the whole ones
			if bytes.HasPrefix(line, []byte(`{"kind":"result"`)) {
				want++
			}
		}
		torn := cut - (bytes.LastIndexByte(whole[:cut], '\n') + 1)
		j, done, err := Resume(t.Context(), path, testHeader())
		if err != nil {
			t.Fatalf("cut at byte %d: %v", cut, err)
		}
		if done.Len() != want || (torn > 0) != (len(j.Notes) == 1) {
			t.Fatalf("cut at byte %d: %d results, notes %q; want %d results, %d torn bytes noted", cut, done.Len(),
				j.Notes, want, torn)
		}
		for i := range n {
			r := testRecord(i)
			got, known := found(t, done, r.ID), done.Has(r.ID)
			if known && !cmp.Equal(&r, got) || known != (i < want) {
				t.Fatalf("cut at byte %d: record %d known %v:\n%s", cut, i, known, cmp.Diff(&r, got))
			}
			if !known {
				if err := j.Append(r); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := j.Close(true); err != nil {
			t.Fatal(err)
		}
		c, err := ReadFile(path)
		if err != nil || !c.Complete || c.Results != n || len(c.Duplicates) > 0 {
			t.Fatalf("cut at byte %d: resumed journal: %+v, %v", cut, c, err)
		}
		if kept, _ := os.ReadFile(path + ".torn"); torn > 0 &&
			!bytes.Equal(kept, append(whole[cut-torn:cut:cut], '\n')) {
			t.Fatalf("cut at byte %d: torn file %q, want %q", cut, kept, whole[cut-torn:cut])
		}
		os.Remove(path + ".torn")
	}
}

func TestResumeNotes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.ndjson")
	j, err := Create(path, testHeader(), false)
	if err != nil {
		t.Fatal(err)
	}
	again := testRecord(1)
	again.ID = testRecord(0).ID
	if err := errors.Join(j.Append(testRecord(0)), j.Append(again), j.Close(true)); err != nil {
		t.Fatal(err)
	}
	h := testHeader()
	h.Environment = map[string]string{"cpu": "b"}
	j, done, err := Resume(t.Context(), path, h)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close(false)
	if diff := cmp.Diff(&again, found(t, done, again.ID)); diff != "" || done.Len() != 1 {
		t.Errorf("of duplicates the last must count (-want +got):\n%s", diff)
	}
	notes := strings.Join(j.Notes, "\n")
	for _, want := range []string{again.ID, `cpu was "a" and is "b"`} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes %q do not tell %s", notes, want)
		}
	}
}

// Each result is of the run that wrote it, in the run itself and when the journal is read.
func TestRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.ndjson")
	j, err := Create(path, testHeader(), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.Append(testRecord(0)), j.Append(testRecord(1)), j.Close(true)); err != nil {
		t.Fatal(err)
	}
	j, done, err := Resume(t.Context(), path, testHeader())
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{testRecord(0).ID, testRecord(1).ID, testRecord(2).ID}
	results, added, again := j.Results(done, slices.Values(ids)), testRecord(2), testRecord(1)
	if err := errors.Join(j.Begin(), results.Put(2, &added), results.Put(1, &again), j.Close(true)); err != nil {
		t.Fatal(err)
	}
	c, err := Reading{}.File(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Records.Close()
	continued := results.Records()
	defer continued.Close()
	for name, records := range map[string]*invocations.Records{"the continued run": continued, "the journal": c.Records} {
		var runs []int
		for place := range records.Len() {
			runs = append(runs, records.Run(place)-records.Run(0))
		}
		if !slices.Equal(runs, []int{0, 1, 1}) {
			t.Errorf("%s: runs %v after the first", name, runs)
		}
	}
}

func TestReadErrors(t *testing.T) {
	const header = `{"kind":"header","version":1,"zonemark":"t","started":"2026-11-21T05:00:00Z"}` + "\n"
	const result = `{"kind":"result","id":"1","status":"ok"}` + "\n"
	tests := []struct{ name, in, want string }{
		{"not JSON", "hello\n", "line 1 (byte 0): not a zonemark journal"},
		{"short and not JSON", "hello", "line 1 (byte 0): not a zonemark journal"},
		{"other JSON", `{"a":1}` + "\n", "not a zonemark journal"},
		{"result first", result, "not a zonemark journal"},
		{"version", `{"kind":"header","version":2}` + "\n", "version 2, this zonemark knows version 1"},
		{"garbled middle", header + "{\"kind\":\n" + result, "line 2 (byte 78): garbled line"},
		{"result without id", header + `{"kind":"result","status":"ok"}` + "\n" + result,
			"line 2 (byte 78): garbled line: a result without id"},
		{"unknown kind", header + result + `{"kind":"future"}` + "\n",
			`line 3 (byte 119): a line of unknown kind "future"`},
		{"two journals", header + header, "a second header"},
	}
	for _, test := range tests {
		_, err := Read(strings.NewReader(test.in))
		var at *Error
		if !errors.As(err, &at) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.name, err, test.want)
		}
	}
	incomplete := []struct{ name, in, want string }{
		{"empty", "", "no header"},
		{"interrupted", header + result, "no end line"},
		{"count", header + result + `{"kind":"end","results":2,"by_status":{"ok":2}}` + "\n",
			"counts 2 results, the file holds 1"},
		{"status", header + result + `{"kind":"end","results":1,"by_status":{"failed":1}}` + "\n",
			`counts 0 results with status "ok"`},
		{"after the end", header + `{"kind":"end","results":0,"by_status":{}}` + "\n" + result, "no end line"},
		{"torn", header + result[:9], "torn"},
		{"garbled", header + result[:9] + "\n", "garbled"},
		{"torn header", header[:5], "torn"},
		{"zeros, as after a loss of power", strings.Repeat("\x00", len(header)), "torn"},
		{"zeros at the end", header + result + strings.Repeat("\x00", len(result)), "torn"},
	}
	for _, test := range incomplete {
		c, err := Read(strings.NewReader(test.in))
		if err != nil || c.Complete || !strings.Contains(c.Why, test.want) {
			t.Errorf("%s: %+v, %v; want incomplete because %s", test.name, c, err, test.want)
		}
	}
}

// FuzzRead reads arbitrary input. A journal that is accepted must be equal after it is written and read again.
func FuzzRead(f *testing.F) {
	whole := writeTestJournal(f, filepath.Join(f.TempDir(), "seed.ndjson"), 4)
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte(`{"kind":"header","version":1}
{"kind":"common","common":1,"artifact":"a.hat","sets":1,"layers":["seccomp"]}
{"kind":"result","id":"a","status":"ok","samples_ns":[2],"median_ns":2,"overhead_ns":1,"launches":1,"common":1}
`))
	f.Add([]byte("{\"kind\":\"header\",\"version\":1}\n{\"kind\":\"resume\",\"version\":1}\n{\"kind\":\"end\"}\n"))
	f.Add([]byte("{\"kind\":\"header\",\"version\":1}\nnull\n"))
	f.Add([]byte(`{"kind":"header","version":1}
{"kind":"result","id":"a","name":"b","status":"ok","samples_ns":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18],"median_ns":2}
{"kind":"result","id":"a","name":"bc","status":"ok","verdict":["partial-trace"],"crash":{"phase":"call"},"error":"\u003c"}
`))
	f.Add([]byte("{\"kind\":\"header\""))
	f.Fuzz(func(t *testing.T, in []byte) {
		checkReadings(t, in)
		c, err := Read(bytes.NewReader(in))
		if err != nil {
			return
		}
		if c.WholeBytes+int64(len(c.Torn)) > int64(len(in)) || c.Complete && c.Torn != nil {
			t.Fatalf("impossible contents: %+v", c)
		}
		again, err := Read(bytes.NewReader(in[:c.WholeBytes]))
		if err != nil || again.Torn != nil || !cmp.Equal(recordstest.List(t, c.Records), recordstest.List(t, again.Records)) {
			t.Fatalf("the whole lines alone: %+v, %v", again, err)
		}
		for _, short := range []bool{false, true} {
			var lines bytes.Buffer
			if err := encodeLines(&lines, c, short); err != nil {
				if strings.Contains(err.Error(), "year outside of range") {
					return // years are read that JSON does not write
				}
				t.Fatal(err)
			}
			back, err := Read(&lines)
			if err != nil || !cmp.Equal(recordstest.List(t, c.Records), recordstest.List(t, back.Records), cmpopts.EquateEmpty()) {
				t.Fatalf("written again, short %t: %+v, %v", short, back, err)
			}
		}
	})
}

// encodeLines writes the header and the records of c, without an end line. Short ones are as a journal has them.
func encodeLines(w io.Writer, c *Stored, short bool) error {
	if c.Header.Kind == "" {
		return nil
	}
	enc := json.NewEncoder(w)
	c.Header.Kind = invocations.HeaderKind
	if err := enc.Encode(c.Header); err != nil {
		return err
	}
	known := commons{}
	for r, err := range c.Records.All() {
		if err != nil {
			return err
		}
		r.Kind = invocations.ResultKind
		if !short {
			if err := enc.Encode(r); err != nil {
				return err
			}
			continue
		}
		one, common, err := known.shorten(r)
		if common != nil {
			err = errors.Join(err, enc.Encode(common), known.add(*common))
		}
		if err := errors.Join(err, enc.Encode(one)); err != nil {
			return err
		}
	}
	return nil
}

// The end line counts the results whose trace is not whole, those of the run before too.
func TestEndCountsPartialTraces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.ndjson")
	j, err := Create(path, testHeader(), false)
	if err != nil {
		t.Fatal(err)
	}
	partial := func(n int) invocations.Record {
		r := testRecord(n)
		r.Verdicts = []invocations.Verdict{invocations.PartialTrace}
		return r
	}
	if err := errors.Join(j.Append(testRecord(0)), j.Append(partial(1)), j.Close(false)); err != nil {
		t.Fatal(err)
	}
	j, _, err = Resume(t.Context(), path, testHeader())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(j.Append(partial(2)), j.Close(true)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(text, []byte(`"partial_trace":2}`)) {
		t.Errorf("%v, %s", err, text[bytes.LastIndex(text, []byte(`{"kind"`)):])
	}
	if c, err := ReadFile(path); err != nil || !c.Complete {
		t.Errorf("%v, %+v", err, c)
	}
}
