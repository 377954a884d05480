package histogram

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestExactList: times of every length come back, sorted or not, with and without a pool, and memory that was given
// back is clean when it is used again.
func TestExactList(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var pool Pool
	for round := range 3 {
		for _, p := range []*Pool{nil, &pool} {
			for _, n := range []int{0, 1, blockWords, blockWords + 1, exactTimes} {
				l := exactList{pool: p}
				want := make([]int64, 0, n)
				for i := range n {
					ns := random.Int64() >> random.IntN(63)
					if i < 3 {
						ns = []int64{escape - 1, escape, math.MaxInt64}[i]
					}
					l.add(ns)
					want = append(want, ns)
				}
				slices.Reverse(want)
				if got := l.read(nil); !slices.Equal(got, want) {
					t.Fatalf("round %d: %d times read as %v, want %v", round, n, got, want)
				}
				slices.Sort(want)
				for range 2 {
					if got := l.sorted(nil); !slices.Equal(got, want) || !slices.Equal(l.read(nil), want) {
						t.Fatalf("round %d: %d times sorted as %v, want %v", round, n, got, want)
					}
				}
				l.drop()
			}
		}
	}
}
