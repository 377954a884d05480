package machine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"zonemark/invocations/files"
)

// A damaged file is an error that names it. The machine can be used nevertheless, and the next run's file is new.
func TestDamagedMachines(t *testing.T) {
	for _, text := range []string{"", "{", "[]", `{"a":{"quiet_ports":"two"}}`, "null null", "\xff"} {
		path := filepath.Join(t.TempDir(), "machines.json")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		m, err := Open(path, someMachine)
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: the error %v does not name %s", text, err, path)
		}
		if m == nil || m.QuietPorts() != 0 || m.ReferenceGHz() != 0 {
			t.Fatalf("%q: %+v", text, m)
		}
		saved(t, m, learned(2, 4))
		if again := opened(t, path, someMachine); again.QuietPorts() != 2 || again.ReferenceGHz() != 4 {
			t.Errorf("%q: %+v after a run", text, again.kept)
		}
	}
}

// Implausible entries of the file are left out; the others are kept.
func TestInsaneMachines(t *testing.T) {
	all, err := parse("path", []byte(`{
		"sane": {"reference_clock_ghz": 4, "quiet_ports": 2, 
			"runs": {"f": [{"at": 5, "median_ns": 10}], "empty": [], "none": null}},
		"negative": {"reference_clock_ghz": -4, "quiet_ports": 2},
		"huge": {"reference_clock_ghz": 4, "quiet_ports": 1e300},
		"nothing": {}
	}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 2 || all["sane"].QuietPorts != 2 || len(all["sane"].Runs) != 1 ||
		all["sane"].Runs["f"][0].MedianNS != 10 {
		t.Errorf("%+v", all)
	}
}

// A file that cannot be read or written is an error.
func TestMachinesWithoutPlace(t *testing.T) {
	folder := t.TempDir()
	if m, err := Open(folder, someMachine); err == nil || m == nil {
		t.Errorf("a folder was read: %+v, %v", m, err)
	}
	m := opened(t, filepath.Join(folder, "missing", "machines.json"), someMachine)
	m.Observe(learned(2, 4))
	if err := m.Save(); err == nil {
		t.Error("a file in a folder that is not there was written")
	}
}

// TestMachinesTogether lets many runs write at once, each for another machine. Each waits until the others have written. No run loses earlier entries, writes half a file, or leaves a temporary file.
func TestMachinesTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "machines.json")
	before := opened(t, path, someMachine)
	before.Remember("f", cleanRow(7))
	saved(t, before, learned(2, 4))
	environment := func(i int) map[string]string { return map[string]string{"host": fmt.Sprint(i)} }
	const writers = 20
	var together sync.WaitGroup
	for i := range writers {
		together.Go(func() {
			for range 5 {
				m, err := Open(path, environment(i))
				if err != nil {
					t.Error(err)
					return
				}
				m.Observe(learned(2+float64(i), 3))
				if err := m.Save(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	together.Wait()
	if m := opened(t, path, someMachine); m.QuietPorts() != 2 || m.ReferenceGHz() != 4 || len(m.kept.Runs["f"]) != 1 {
		t.Errorf("the machine that was there before: %+v", m.kept)
	}
	for i := range writers {
		if m := opened(t, path, environment(i)); m.QuietPorts() != 2+float64(i) || m.ReferenceGHz() != 3 {
			t.Errorf("machine %d: %+v", i, m.kept)
		}
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), files.TemporaryPattern(path)))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A trial takes minutes. It used to be dropped if another run wrote what it knows at that moment.
func TestTrialIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "machines.json")
	lock, err := files.OpenFile(path+".lock", os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	unlock, err := files.Lock(lock)
	if err != nil {
		t.Fatal(err)
	}
	trial := &Trial{Runs: 3, Kernels: []TrialKernel{{Name: "chain"}}}
	ended, end := context.WithCancel(t.Context())
	end()
	m := opened(t, path, someMachine)
	if err := m.KeepTrial(ended, trial); !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), path) {
		t.Errorf("another run writes: %v", err)
	}
	kept := make(chan error)
	go func() { kept <- m.KeepTrial(t.Context(), trial) }()
	if err := unlock(); err != nil {
		t.Fatal(err)
	}
	if err := <-kept; err != nil {
		t.Fatal(err)
	}
	if again := opened(t, path, someMachine).Trial(); again == nil || again.Runs != 3 {
		t.Errorf("%+v", again)
	}
}

// FuzzMachines checks that any content is either an error that names the file or records that can be used and written.
func FuzzMachines(f *testing.F) {
	f.Add([]byte(`{"host; cpu":{"reference_clock_ghz":3.7,"quiet_ports":1.91,"confirmed":"2026-01-02T03:04:05Z","missed":2,
		"runs":{"0123456789abcdef":[{"at":1,"median_ns":5,"cycles":20}]}}}`))
	f.Add([]byte(`{"a":{"quiet_ports":-1},"b":{"runs":{"f":[]}},"c":{"reference_clock_ghz":1e999}}`))
	f.Add([]byte(`{"a":{"confirmed":"9999999-01-01T00:00:00Z"}}`))
	f.Add([]byte(`{"a":{"runs":{"f":[{"at":-9223372036854775808,"median_ns":-1},{"median_ns":0},
		{"median_ns":1e308},{"median_ns":1e-308}]}}}`))
	f.Add([]byte("null"))
	f.Add([]byte("{"))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, b []byte) {
		all, err := parse("machines.json", b)
		if err != nil {
			if all != nil || !strings.Contains(err.Error(), "machines.json") {
				t.Errorf("%v with %d machines", err, len(all))
			}
			return
		}
		for key, r := range all {
			m := &Knowledge{kept: r}
			if !sane(m.QuietPorts()) || !sane(m.ReferenceGHz()) {
				t.Errorf("%q: %+v", key, r)
			}
			for id, runs := range r.Runs {
				if len(runs) == 0 {
					t.Errorf("%q has no runs of %q", key, id)
				}
				s := m.Floors(id)
				if !(min(s.Time.Machine, s.Reference.Machine) >= floorTime && s.Cycles.Machine >= floorCycles &&
					max(s.Time.Drift(1), s.Reference.Drift(1), s.Cycles.Drift(1)) <= maxFloor) {
					t.Errorf("%q: floors of %q: %+v", key, id, s)
				}
			}
		}
		if _, err := json.Marshal(all); err != nil {
			t.Errorf("it cannot be written again: %v", err)
		}
	})
}
