package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"zonemark/invocations"
	"zonemark/invocations/recordstest"
)

// wholly reads a journal and decodes each line of it as it comes.
func wholly(text []byte) (all []invocations.Record, err error) {
	at := map[string]int{}
	_, err = Reading{Each: func(_ int, r *invocations.Record) error {
		place, again := at[r.ID]
		if replaced, known := at[r.Replaces]; !again && r.Replaces != "" && known {
			delete(at, r.Replaces)
			place, again = replaced, true
		}
		if !again {
			place, all = len(all), append(all, invocations.Record{})
		}
		at[r.ID], all[place] = place, *r
		return nil
	}}.From(context.Background(), bytes.NewReader(text))
	return all, err
}

// checkReadings checks that each way of reading a journal finds what decoding each line does.
func checkReadings(t *testing.T, text []byte) {
	t.Helper()
	whole, failed := Read(bytes.NewReader(text))
	all, err := wholly(text)
	if fmt.Sprint(err) != fmt.Sprint(failed) {
		t.Fatalf("the error is %v, want %v", failed, err)
	}
	path := filepath.Join(t.TempDir(), "j.ndjson")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	keep := func(name string) bool { return len(name)%2 == 0 }
	for _, c := range []struct {
		name    string
		reading Reading
		want    func() []invocations.Record
	}{
		{"all", Reading{}, func() []invocations.Record { return all }},
		{"figures", Reading{Figures: true}, func() []invocations.Record { return onlyFigures(all) }},
		{"kept", Reading{Keep: keep}, func() (list []invocations.Record) { return named(all, keep) }},
		{"kept figures", Reading{Keep: keep, Figures: true},
			func() []invocations.Record { return onlyFigures(named(all, keep)) }},
	} {
		got, err := c.reading.File(t.Context(), path)
		if err != nil || failed != nil {
			var at *Error
			if errors.As(failed, &at) {
				at.Path = path
			}
			if fmt.Sprint(err) != fmt.Sprint(failed) {
				t.Fatalf("%s: the error is %v, want %v", c.name, err, failed)
			}
			continue
		}
		if diff := cmp.Diff(c.want(), recordstest.List(t, got.Records), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%s: (-want +got)\n%s", c.name, diff)
		}
		if got.Results != whole.Results || got.Complete != whole.Complete || got.Why != whole.Why ||
			got.WholeBytes != whole.WholeBytes || !bytes.Equal(got.Torn, whole.Torn) || got.partial != whole.partial ||
			!cmp.Equal(got.byStatus, whole.byStatus) || !cmp.Equal(got.Header, whole.Header) ||
			c.reading.Keep == nil && !(slices.Equal(got.Duplicates, whole.Duplicates) &&
				cmp.Equal(got.position, whole.position)) {
			t.Fatalf("%s: %+v, want %+v", c.name, got, whole)
		}
	}
}

func named(all []invocations.Record, keep func(string) bool) (list []invocations.Record) {
	for _, r := range all {
		if keep(r.Name) {
			list = append(list, r)
		}
	}
	return list
}

// onlyFigures returns records without what Reading.Figures leaves out.
func onlyFigures(all []invocations.Record) (list []invocations.Record) {
	first := func(values []float64) []float64 { return values[:min(len(values), invocations.FewBatches)] }
	for _, r := range all {
		if len(r.SamplesNS) <= invocations.FewBatches {
			list = append(list, r)
			continue
		}
		r.SamplesNS, r.CPUSamplesNS, r.ApartNS = first(r.SamplesNS), first(r.CPUSamplesNS), first(r.ApartNS)
		r.ApartAfter = r.ApartAfter[:min(len(r.ApartAfter), invocations.FewBatches)]
		list = append(list, r)
	}
	return list
}

func TestReadings(t *testing.T) {
	header := `{"kind":"header","version":1}` + "\n"
	common := `{"kind":"common","common":1,"artifact":"a.hat","sets":1,"layers":["seccomp"]}` + "\n"
	result := func(id, name, rest string) string {
		return `{"kind":"result","id":"` + id + `","name":"` + name + `","status":"ok"` + rest + "}\n"
	}
	many := strings.TrimSuffix(strings.Repeat("1.5,", 40), ",")
	lists := `,"samples_ns":[` + many + `],"cpu_samples_ns":[` + many + `],"apart_ns":[` + many + `],"median_ns":1.5`
	for name, text := range map[string]string{
		"nothing":        "",
		"no journal":     "text\n",
		"few samples":    header + common + result("a", "add", `,"samples_ns":[2],"median_ns":2,"launches":1,"common":1`),
		"many samples":   header + common + result("a", "add", lists) + result("b", "adds", lists+`,"common":1`),
		"exactly enough": header + result("a", "adds", `,"samples_ns":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17],"median_ns":1`),
		"one more":       header + result("a", "adds", `,"samples_ns":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18],"median_ns":1`),
		"other numbers": header + common + result("a", "adds", `,"common":1`) +
			strings.Replace(common, "a.hat", "b.hat", 1) + result("b", "adds", `,"common":1`),
		"no such number": header + result("a", "adds", `,"common":1`) + result("b", "adds", ""),
		"twice":          header + result("a", "adds", "") + result("b", "add", "") + result("a", "adds", `,"median_ns":3`),
		"renamed":        header + result("a", "adds", "") + result("b", "add", "") + result("a", "add", "") + result("b", "adds", ""),
		"partial":        header + result("a", "adds", `,"verdict":["clean","partial-trace"]`),
		"spelled partly": header + result("a", "adds", `,"verdict":["\u0070artial-trace"]`),
		"unknown keys":   header + result("a", "adds", `,"later":[1,{"a":2}],"median_ns":1e2`),
		"spaces":         header + `{"kind":"result", "id":"a", "name":"adds", "status":"ok"}` + "\n",
		"escapes":        header + result(`\u0061`, `add\u003c`, "") + result("a", "µ", ""),
		"no id":          header + result("", "adds", "") + result("b", "adds", ""),
		"garbled":        header + result("a", "adds", `,"samples_ns":[1,,2]`) + result("b", "adds", ""),
		"wrong type":     header + result("a", "adds", `,"samples_ns":["1"]`) + result("b", "adds", ""),
		"too large":      header + result("a", "adds", `,"samples_ns":[1e999]`) + result("b", "adds", ""),
		"torn":           header + result("a", "adds", "") + `{"kind":"result","id":"b","na`,
		"garbled end":    header + result("a", "adds", "") + `{"kind":"result","id":"b","na` + "\n",
		"long lines": header + result("a", "adds", `,"error":"`+strings.Repeat("x", 3*batchBytes)+`"`) +
			strings.Repeat(result("b", "add", ""), batchBytes/50) + result("c", "adds", ""),
		"end": header + result("a", "adds", "") + `{"kind":"end","results":1,"by_status":{"ok":1}}` + "\n",
	} {
		t.Run(name, func(t *testing.T) { checkReadings(t, []byte(text)) })
	}
}

// TestReadingIsInterrupted checks that the end of a context ends reading, although more could be read.
func TestReadingIsInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	endless := io.MultiReader(strings.NewReader(`{"kind":"header","version":1}`+"\n"), &repeated{cancel: cancel,
		line: `{"kind":"result","id":"a","name":"add","status":"ok"}` + "\n"})
	_, err := Reading{Each: func(int, *invocations.Record) error { return nil }}.From(ctx, endless)
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "interrupted while it was read") {
		t.Errorf("reading ended with %v", err)
	}
}

// repeated is a line without end. It cancels a context when some of it was read.
type repeated struct {
	line   string
	cancel context.CancelFunc
	at     int
}

func (r *repeated) Read(p []byte) (n int, err error) {
	for n < len(p) {
		copied := copy(p[n:], r.line[r.at%len(r.line):])
		n, r.at = n+copied, r.at+copied
	}
	if r.at > 4*batchBytes {
		r.cancel()
	}
	return n, nil
}

// TestChangedJournal changes a journal behind the back of the run that continues it. The results are not mistaken for
// others, and the error says what happened.
func TestChangedJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.ndjson")
	text := writeTestJournal(t, path, 3)
	for name, changed := range map[string][]byte{
		"truncated": text[:len(text)/2], "overwritten": bytes.Repeat([]byte{'x'}, len(text)),
	} {
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		c, err := ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, changed, 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := c.Records.At(2)
		if failed := new(UnreadableError); !errors.As(err, &failed) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: the last result is %+v, %v", name, r, err)
		}
	}
}
