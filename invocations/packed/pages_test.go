package packed

import (
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPagesInFile fills a list beyond what may be in memory, and reads it in random order, also through another list
// that shares its pages. Without a place for the file, all stays in memory, and nothing else changes.
func TestPagesInFile(t *testing.T) {
	for _, folder := range []string{t.TempDir(), filepath.Join(t.TempDir(), "missing")} {
		t.Setenv("TMPDIR", folder)
		rng := rand.New(rand.NewPCG(3, 4))
		const n = 4000
		want := make([]value, n)
		l := List[value]{pages: &pages{most: 16 << 10}}
		for i := range want {
			want[i] = randomValue(rng)
			l.Add(&want[i])
		}
		written := l.pages.file != nil && l.pages.end > 0
		if can := runtime.GOOS != "windows" && filepath.Base(folder) != "missing"; written != can {
			t.Errorf("%s: %d bytes are in a file, which can be made: %t", folder, l.pages.end, can)
		}
		if most := l.pages.most + pageBytes; written && l.pages.bytes > most {
			t.Errorf("%d bytes are in memory, want at most %d", l.pages.bytes, most)
		}
		order := rng.Perm(n)
		turned := l.Reordered(n+1, func(i int) int {
			if i == n {
				return -1
			}
			return order[i]
		})
		turned.Set(n, &want[7])
		for i, from := range append(order, 7) {
			if diff := cmp.Diff(want[from], *turned.At(i), same); diff != "" {
				t.Fatalf("place %d (-want +got):\n%s", i, diff)
			}
		}
		if left, err := filepath.Glob(filepath.Join(folder, "*")); err != nil || len(left) > 0 {
			t.Errorf("the file has a name: %v, %v", left, err)
		}
	}
}
