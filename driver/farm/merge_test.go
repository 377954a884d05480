package farm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"zonemark/driver/journal"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
)

// shards writes the journals of a plan of equal invocations, as runs of its shards would. It returns their paths, and the
// records of the plan in its order.
func shards(t testing.TB, count, size int) (paths []string, all []invocations.Record) {
	t.Helper()
	d := NewDivider(size, nil)
	median := 12.5
	for place := range size {
		inv := invocations.Invocation{Name: fmt.Sprintf("row %d", place), Runtime: "hat", Function: "f"}
		inv.Seal()
		r := invocations.NewRecord(inv, invocations.Result{ID: inv.ID, Status: invocations.OK,
			Calling: invocations.Calling{Mode: invocations.Warm}})
		r.Place, r.MedianNS, r.SamplesNS = &place, &median, []float64{12.5, 12.5, 13}
		all = append(all, r)
		d.Add(idOf(t, inv.ID), &inv)
	}
	division, err := d.Divide(count)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for index := range count {
		path := filepath.Join(folder, fmt.Sprint(index, ".ndjson"))
		shard := division.Shard(index)
		j, err := journal.Create(path, journal.Header{
			Build: "devel", Started: time.Unix(int64(1000-index), 0).UTC(), Shard: &shard,
			Environment: map[string]string{"host": fmt.Sprint("n", index%2), "os": "linux"},
			Command:     []string{"zonemark", "run", "s.toml", "--shard", fmt.Sprint(index), "-o", "d/" + fmt.Sprint(index)},
		}, false)
		if err != nil {
			t.Fatal(err)
		}
		for place, r := range all {
			if division.Of(place) != index {
				continue
			}
			if err := j.Append(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := j.Close(true); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths, all
}

func idOf(t testing.TB, text string) (id uint64) {
	t.Helper()
	if _, err := fmt.Sscanf(text, "%x", &id); err != nil {
		t.Fatal(err)
	}
	return id
}

func merged(t *testing.T, m *Merged) *journal.Stored {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(t.Context(), &b, []string{"zonemark", "merge"}); err != nil {
		t.Fatal(err)
	}
	stored, err := journal.Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

// byPlace returns records in the order of the plan, as JSON.
func byPlace(t *testing.T, records *invocations.Records) []string {
	list := recordstest.List(t, records)
	slices.SortFunc(list, func(a, b invocations.Record) int { return *a.Place - *b.Place })
	var lines []string
	for i := range list {
		line, err := json.Marshal(list[i])
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	return lines
}

// The journals of all shards become one complete journal with every record as it was.
func TestMerge(t *testing.T) {
	paths, all := shards(t, 3, 20)
	slices.Reverse(paths) // the order of the paths does not matter
	m, err := Read(t.Context(), paths)
	if err != nil {
		t.Fatal(err)
	}
	if m.Gaps != nil || m.Results != 20 || m.Of != 20 {
		t.Errorf("%d of %d results, gaps %v", m.Results, m.Of, m.Gaps)
	}
	stored := merged(t, m)
	if !stored.Complete || len(stored.Duplicates) > 0 {
		t.Errorf("not complete: %s; doubles %v", stored.Why, stored.Duplicates)
	}
	want := byPlace(t, invocations.RecordsOf(all...))
	if got := byPlace(t, stored.Records); !slices.Equal(got, want) {
		t.Errorf("merged:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	h := stored.Header
	if h.Shard != nil || h.Started.Unix() != 998 || len(h.Environment) != 1 || h.Environment["os"] != "linux" {
		t.Errorf("header %+v", h)
	}
	if len(stored.Resumes) != 3 || stored.Resumes[1].Environment["host"] != "n1" || stored.Resumes[1].Shard.Index != 1 {
		t.Errorf("the runs of the shards: %+v", stored.Resumes)
	}
	if len(m.Machines) != 2 || !slices.Equal(m.Machines[0].Shards, []int{0, 2}) {
		t.Errorf("machines %+v", m.Machines)
	}
	if got := m.Differences(); !slices.Equal(got, []string{`host is "n0", "n1"`}) {
		t.Errorf("differences %q", got)
	}
}

// In long runs, results lack what they have in common, under numbers that are the same in each shard.
func TestMergeCommons(t *testing.T) {
	paths, _ := shards(t, 2, 4)
	for i, path := range paths {
		edit(t, path, func(lines []string) []string {
			common := fmt.Sprintf(`{"kind":"common","common":1,"runtime":"runtime of %d","artifact":"a","mode":"warm"}`, i)
			for k := range lines {
				lines[k] = strings.Replace(lines[k], `,"runtime":"hat","artifact":""`, `,"common":1`, 1)
				lines[k] = strings.Replace(lines[k], `,"mode":"warm"`, "", 1)
			}
			return slices.Insert(lines, 1, common)
		})
	}
	m, err := Read(t.Context(), paths)
	if err != nil {
		t.Fatal(err)
	}
	stored := merged(t, m)
	for _, r := range recordstest.All(t, stored.Records) {
		if want := fmt.Sprintf("runtime of %d", m.seen[*r.Place].shard-1); r.Runtime != want || r.Mode != "warm" {
			t.Errorf("%s has runtime %q, mode %q; want %q", r.Name, r.Runtime, r.Mode, want)
		}
	}
	if stored.Records.Len() != 4 || !stored.Complete {
		t.Errorf("%d results, complete %v", stored.Records.Len(), stored.Complete)
	}
}

// edit changes the lines of a file.
func edit(t *testing.T, path string, change func(lines []string) []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := change(strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"))
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// What is missing is named, and a partial journal goes on as one of a single machine.
func TestMergeGaps(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *testing.T, paths []string) []string
		want  []string // of the texts of gaps
		rest  int      // results that are there
	}{
		"missing": {func(_ *testing.T, paths []string) []string { return slices.Delete(paths, 1, 2) },
			[]string{"shard 1 has no journal (places", "zonemark run s.toml --shard 1 -o d/1"}, 8},
		"cut": {func(t *testing.T, paths []string) []string {
			edit(t, paths[2], func(lines []string) []string { return lines[:3] })
			return paths
		}, []string{"2.ndjson: 2 of its invocations have no result (places", "--shard 2 -o d/2 --resume"}, 10},
		"torn": {func(t *testing.T, paths []string) []string {
			text, err := os.ReadFile(paths[0])
			if err != nil {
				t.Fatal(err)
			}
			end := bytes.LastIndex(text, []byte(`{"kind":"end"`))
			if err := os.WriteFile(paths[0], text[:end-10], 0o600); err != nil {
				t.Fatal(err)
			}
			return paths
		}, []string{"0.ndjson: 1 of its invocations have no result (places", "--shard 0 -o d/0 --resume"}, 11},
		"no end": {func(t *testing.T, paths []string) []string {
			edit(t, paths[0], func(lines []string) []string { return lines[:len(lines)-1] })
			return paths
		}, []string{"0.ndjson: it has no end line", "--resume"}, 12},
		"not begun": {func(t *testing.T, paths []string) []string {
			if err := os.Truncate(paths[1], 0); err != nil {
				t.Fatal(err)
			}
			return paths
		}, []string{"shard 1 has no journal (places", "zonemark run s.toml --shard 1 -o d/1"}, 8},
		"begun": {func(t *testing.T, paths []string) []string {
			if err := os.Truncate(paths[1], 100); err != nil {
				t.Fatal(err)
			}
			return paths
		}, []string{"shard 1 has no journal"}, 8},
		"only a header": {func(t *testing.T, paths []string) []string {
			edit(t, paths[0], func(lines []string) []string { return lines[:1] })
			return paths
		}, []string{"0.ndjson: 4 of its invocations have no result"}, 8},
	} {
		t.Run(name, func(t *testing.T) {
			paths, _ := shards(t, 3, 12)
			m, err := Read(t.Context(), c.spoil(t, paths))
			if err != nil {
				t.Fatal(err)
			}
			if len(m.Gaps) != 1 {
				t.Fatalf("gaps %v", m.Gaps)
			}
			for _, want := range c.want {
				if got := m.Gaps[0].String(); !strings.Contains(got, want) {
					t.Errorf("%s\nwant %s", got, want)
				}
			}
			for _, place := range m.Gaps[0].Places {
				if m.seen[place].shard != 0 {
					t.Errorf("place %d is said to be missing", place)
				}
			}
			if stored := merged(t, m); stored.Complete || stored.Records.Len() != c.rest || m.Results != c.rest {
				t.Errorf("merged %d of %d results, complete %v", stored.Records.Len(), m.Results, stored.Complete)
			}
		})
	}
}

// Of several results of an invocation in one journal, the last one counts.
func TestMergeSuperseded(t *testing.T) {
	paths, _ := shards(t, 2, 6)
	edit(t, paths[1], func(lines []string) []string {
		again := strings.Replace(lines[1], `"status":"ok"`, `"status":"failed","error":"later"`, 1)
		lines[len(lines)-1] = `{"kind":"end","results":4,"by_status":{"ok":3,"failed":1}}`
		return slices.Insert(lines, len(lines)-1, again)
	})
	m, err := Read(t.Context(), paths)
	if err != nil {
		t.Fatal(err)
	}
	stored := merged(t, m)
	failed := 0
	for _, r := range recordstest.All(t, stored.Records) {
		if r.Status == invocations.Failed {
			failed++
		}
	}
	if m.Results != 6 || stored.Results != 6 || failed != 1 || !stored.Complete {
		t.Errorf("%d results, of which %d failed; complete %v %s", stored.Results, failed, stored.Complete, stored.Why)
	}
}

func TestMergeRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *testing.T, paths []string) []string
		want  string
	}{
		"the same file": {func(t *testing.T, paths []string) []string {
			link := paths[0] + ".link"
			if err := os.Symlink(paths[0], link); err != nil {
				t.Skip(err)
			}
			return append(paths, link)
		}, "0.ndjson is given twice, as "},
		"a copy": {func(t *testing.T, paths []string) []string {
			text, err := os.ReadFile(paths[0])
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(paths[0]+".copy", text, 0o600); err != nil {
				t.Fatal(err)
			}
			return append(paths, paths[0]+".copy")
		}, "0.ndjson.copy hold the same shard, 0: keep one of them"},
		"another plan": {func(t *testing.T, paths []string) []string {
			others, _ := shards(t, 3, 13)
			return []string{paths[0], others[1]}
		}, "are of different plans, with 12 and 13 invocations"},
		"another number of shards": {func(t *testing.T, paths []string) []string {
			others, _ := shards(t, 4, 12)
			return []string{paths[0], others[1]}
		}, "are of different divisions, into 3 and 4 shards"},
		"another division": {replaceIn(1, 0, `"division":"`, `"division":"0`),
			"are of different divisions of the same plan: limits of time, groups or --costs"},
		"another version": {replaceIn(1, 0, `"zonemark":"devel"`, `"zonemark":"v9.9.9"`),
			"0.ndjson was measured by zonemark devel, "},
		"continued by another version": {func(t *testing.T, paths []string) []string {
			edit(t, paths[2], func(lines []string) []string {
				resume := strings.Replace(lines[0], `"kind":"header"`, `"kind":"resume"`, 1)
				return slices.Insert(lines, 1, strings.Replace(resume, "devel", "v9.9.9", 1))
			})
			return paths
		}, "2.ndjson by zonemark v9.9.9"},
		"a whole run": {replaceIn(1, 0, `"shard":{`, `"former":{`), "1.ndjson: it holds no shard"},
		"a shard that cannot be": {replaceIn(1, 0, `"shard":{"index":1`, `"shard":{"index":7`),
			"1.ndjson: line 1: shard 7 of 3"},
		"a plan without end": {replaceIn(0, 0, `"of":12`, `"of":1000000000000`), "1000000000000 invocations, which cannot be"},
		"a result of another shard": {func(t *testing.T, paths []string) []string {
			var moved string
			edit(t, paths[0], func(lines []string) []string { moved = lines[1]; return lines })
			edit(t, paths[1], func(lines []string) []string { return slices.Insert(lines, 1, moved) })
			return paths
		}, "1.ndjson: line 2 (byte"},
		"a place beyond the plan": {replaceIn(0, 1, `"place":`, `"place":99`), "in a plan of 12 invocations"},
		"no place":                {replaceIn(0, 1, `"place":`, `"former":`), "has no place in the plan"},
		"an id of something else": {replaceIn(0, 1, `"id":"`, `"id":"x`), "want 16 hexadecimal digits"},
		"too long an id":          {replaceIn(0, 1, `"id":"`, `"id":"0`), "want 16 hexadecimal digits"},
		"a result of another plan": {func(t *testing.T, paths []string) []string {
			edit(t, paths[0], func(lines []string) []string {
				at := strings.Index(lines[1], `"id":"`) + len(`"id":"`)
				lines[1] = lines[1][:at] + "0123456789abcdef" + lines[1][at+16:]
				return lines
			})
			return paths
		}, "hold other invocations than those of the plan"},
		"no journal": {func(t *testing.T, paths []string) []string {
			return append(paths, filepath.Join(t.TempDir(), "none.ndjson"))
		}, "none.ndjson"},
		"no header yet": {func(t *testing.T, paths []string) []string {
			if err := os.Truncate(paths[0], 5); err != nil {
				t.Fatal(err)
			}
			return paths[:1]
		}, "0.ndjson: no journal has a header: their runs have not begun"},
		"something else without a line end": {func(t *testing.T, paths []string) []string {
			if err := os.WriteFile(paths[0], []byte("notes"), 0o600); err != nil {
				t.Fatal(err)
			}
			return paths
		}, "0.ndjson: line 1 (byte 0): not a zonemark journal"},
		"more shards than there can be": {replaceIn(0, 0, `"count":3,"invocations":4,"of":12`,
			`"count":1000001,"invocations":4,"of":1000002`), "shard 0 of 1000001"},
		"garbled": {replaceIn(0, 2, `{"kind":`, `{"kin`), "0.ndjson: line 3 (byte"},
	} {
		t.Run(name, func(t *testing.T) {
			paths, _ := shards(t, 3, 12)
			if _, err := Read(t.Context(), c.spoil(t, paths)); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v\nwant %s", err, c.want)
			}
		})
	}
}

// replaceIn returns what replaces a text, which must be there, on a line of a journal.
func replaceIn(journal, line int, old, with string) func(*testing.T, []string) []string {
	return func(t *testing.T, paths []string) []string {
		edit(t, paths[journal], func(lines []string) []string {
			changed := strings.Replace(lines[line], old, with, 1)
			if changed == lines[line] {
				t.Fatalf("%s is not in %s", old, lines[line])
			}
			lines[line] = changed
			return lines
		})
		return paths
	}
}

// A journal that changes between reading and writing is not joined.
func TestMergeOfActiveRun(t *testing.T) {
	paths, _ := shards(t, 2, 6)
	m, err := Read(t.Context(), paths)
	if err != nil {
		t.Fatal(err)
	}
	edit(t, paths[1], func(lines []string) []string { return lines[:2] })
	err = m.Write(t.Context(), &bytes.Buffer{}, nil)
	if err == nil || !strings.Contains(err.Error(), "has changed while it was read") {
		t.Errorf("got %v", err)
	}
}

func TestCommandOf(t *testing.T) {
	for _, c := range []struct{ before, missing, unfinished string }{
		{"zonemark run s.toml --shards 12 --shard 1 -o d1/1.ndjson",
			"zonemark run s.toml --shards 12 --shard 7 -o d1/7.ndjson",
			"zonemark run s.toml --shards 12 --shard 7 -o d1/7.ndjson --resume"},
		{"zonemark run --shard=1 --output=d/shard-1 --overwrite s.toml --resume", "zonemark run --shard=7 --output=d/shard-7 s.toml",
			"zonemark run --shard=7 --output=d/shard-7 s.toml --resume"},
		{"zonemark run --shard 1 -o 1 -- tool --shard 1", "zonemark run --shard 7 -o 7 -- tool --shard 1",
			"zonemark run --shard 7 -o 7 --resume -- tool --shard 1"},
		{"zonemark run --shard 1 -o d/run1-of-12-1.ndjson", "zonemark run --shard 7 -o d/run1-of-12-7.ndjson",
			"zonemark run --shard 7 -o d/run1-of-12-7.ndjson --resume"},
		{"zonemark run --shard 1 -o 001", "zonemark run --shard 7 -o 007", "zonemark run --shard 7 -o 007 --resume"},
		{"zonemark run --shard 1 -o", "zonemark run --shard 7 -o", "zonemark run --shard 7 -o --resume"},
	} {
		s := &ShardJournal{Header: journal.Header{Command: strings.Fields(c.before),
			Shard: &invocations.Shard{Index: 1, Count: 12}}}
		if got := strings.Join(commandOf(s, 7, false), " "); got != c.missing {
			t.Errorf("of %s:\n%s\nwant\n%s", c.before, got, c.missing)
		}
		if got := strings.Join(commandOf(s, 7, true), " "); got != c.unfinished {
			t.Errorf("of %s:\n%s\nwant\n%s", c.before, got, c.unfinished)
		}
	}
}

func BenchmarkMerge(b *testing.B) {
	paths, _ := shards(b, 12, 12_000)
	b.ResetTimer()
	for b.Loop() {
		m, err := Read(b.Context(), paths)
		if err != nil {
			b.Fatal(err)
		}
		if err := m.Write(b.Context(), new(bytes.Buffer), nil); err != nil {
			b.Fatal(err)
		}
	}
}
