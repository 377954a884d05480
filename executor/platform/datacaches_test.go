package platform

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestDataCaches(t *testing.T) {
	dir := t.TempDir()
	describeCache(t, dir, 0, "1", "Data", "48K")
	describeCache(t, dir, 1, "1", "Instruction", "32K")
	describeCache(t, dir, 2, "3", "Unified", "32M")
	describeCache(t, dir, 3, "2", "Unified", "2M")
	describeCache(t, dir, 4, "four", "Unified", "2M")
	shared := filepath.Join(dir, "index2", "shared_cpu_list")
	if err := os.WriteFile(shared, []byte("0-3,8\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	want := []Cache{{1, 48 << 10, 1}, {2, 2 << 20, 1}, {3, 32 << 20, 5}}
	if got := dataCaches(dir); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := dataCaches(t.TempDir()); got != nil {
		t.Errorf("of an empty folder %v", got)
	}
}

func TestAllowedCPUs(t *testing.T) {
	cpus := AllowedCPUs()
	if len(cpus) == 0 || !slices.IsSorted(cpus) || cpus[0] < 0 {
		t.Errorf("CPUs %v", cpus)
	}
}

func FuzzCountCPUs(f *testing.F) {
	for _, s := range []string{"0", "0-3,8", "", "3-1", "-", "0-99999", "1,,2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if n := countCPUs(s); n < 0 {
			t.Errorf("%q has %d CPUs", s, n)
		}
	})
}
