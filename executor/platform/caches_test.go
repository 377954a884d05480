package platform

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// describeCache writes the files of one index folder.
func describeCache(t *testing.T, dir string, index int, level, kind, size string) {
	t.Helper()
	folder := filepath.Join(dir, fmt.Sprint("index", index))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"level": level, "type": kind, "size": size} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestCacheSize(t *testing.T) {
	type cache struct{ level, kind, size string }
	for _, c := range []struct {
		name   string
		caches []cache
		want   int64
	}{
		{"three levels", []cache{{"1", "Data", "48K"}, {"1", "Instruction", "32K"}, {"2", "Unified", "1024K"},
			{"3", "Unified", "32768K"}}, 32 << 20},
		{"two levels", []cache{{"1", "Data", "64K"}, {"1", "Instruction", "64K"}, {"2", "Unified", "1M"}}, 1 << 20},
		{"instructions only", []cache{{"1", "Instruction", "64K"}}, 0},
		{"none", nil, 0},
		{"bad size", []cache{{"1", "Data", "big"}}, 0},
		{"bad level", []cache{{"one", "Data", "1K"}}, 0},
	} {
		dir := t.TempDir()
		for i, x := range c.caches {
			describeCache(t, dir, i, x.level, x.kind, x.size)
		}
		got, err := lastLevelBytes(dataCaches(dir))
		if got != c.want || (err == nil) != (c.want > 0) {
			t.Errorf("%s: %d, %v; want %d", c.name, got, err, c.want)
		}
	}
}

func TestLastLevelCacheBytes(t *testing.T) {
	n, err := LastLevelCacheBytes()
	if err == nil && n < 64<<10 {
		t.Errorf("a last-level cache of %d bytes", n)
	}
	if err != nil && n != 0 {
		t.Errorf("%d bytes and an error: %v", n, err)
	}
}

func FuzzParseCacheSize(f *testing.F) {
	for _, s := range []string{"32768K", "1M\n", "2G", "", "K", "-1K", "9223372036854775807K", "48KK"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := parseCacheSize(s)
		if err == nil && n <= 0 {
			t.Errorf("%q is %d bytes", s, n)
		}
		if err != nil && n != 0 {
			t.Errorf("%q is %d bytes and %v", s, n, err)
		}
	})
}

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
