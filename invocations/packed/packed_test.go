package packed

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

type inner struct {
	Text string
	N    *int
}

type value struct {
	Text    string
	Yes     bool
	N       int64
	U       uint64
	F       *float64
	Floats  []float64
	Map     map[string]string
	Counts  map[string]float64
	Struct  inner
	Structs []inner
	Inner2
}

// Inner2 is embedded, and its fields are exported.
type Inner2 struct{ Deep []string }

// randomValue returns a value in which fields are zero, those of few common values, or their own.
func randomValue(rng *rand.Rand) value {
	n, f := rng.IntN(3), []float64{0, 1.5, math.NaN(), math.Inf(-1), rng.Float64(), math.Copysign(0, -1),
		1.23456789, -9.99999999e-5, 1e300, 5e-324, 1 << 52}[rng.IntN(11)]
	return value{
		Text: []string{"", "common", fmt.Sprint(rng.Int())}[rng.IntN(3)], Yes: rng.IntN(2) == 0,
		N: []int64{0, -5, math.MinInt64}[rng.IntN(3)], U: []uint64{0, math.MaxUint64}[rng.IntN(2)],
		F: []*float64{nil, &f}[rng.IntN(2)], Floats: [][]float64{nil, {}, {f, f, 2}, make([]float64, 100)}[rng.IntN(4)],
		Map:     []map[string]string{nil, {}, {"a": "b", "": "\xff\x00"}}[rng.IntN(3)],
		Counts:  []map[string]float64{nil, {"a": f}}[rng.IntN(2)],
		Struct:  inner{Text: []string{"", "x"}[rng.IntN(2)], N: []*int{nil, &n}[rng.IntN(2)]},
		Structs: [][]inner{nil, {{}, {"y", &n}}}[rng.IntN(2)],
		Inner2:  Inner2{[][]string{nil, {"one", ""}}[rng.IntN(2)]},
	}
}

var same = cmp.Options{cmp.AllowUnexported(value{}), cmpopts.EquateNaNs()}

// TestList adds values and replaces some, and compares what the list returns with them.
func TestList(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 2000
	want := make([]value, n)
	var l List[value]
	for i := range want {
		want[i] = randomValue(rng)
		l.Add(&want[i])
	}
	for _, i := range rng.Perm(n)[:n/2] {
		want[i] = randomValue(rng)
		l.Set(i, &want[i])
	}
	for i := range l.Len() {
		if diff := cmp.Diff(want[i], *l.At(i), same); diff != "" {
			t.Fatalf("value %d (-want +got):\n%s", i, diff)
		}
	}
	for i, got := range l.All() {
		if !cmp.Equal(want[i], *got, same) {
			t.Fatalf("value %d is %+v, want %+v", i, *got, want[i])
		}
	}
	l.Compact(func(v *value) bool { return v.Text == "common" })
	for _, got := range l.All() {
		if got.Text == "common" {
			t.Fatal("a value was not dropped")
		}
	}
	if l.Len() == 0 || l.Len() >= n {
		t.Errorf("%d values are left of %d", l.Len(), n)
	}
}

// TestValuesOwnTheirLists checks that a value can append to its lists without changing another value.
func TestValuesOwnTheirLists(t *testing.T) {
	var l List[value]
	long := append(make([]string, 0, 8), "a")
	for range 2 {
		l.Add(&value{Inner2: Inner2{long}})
	}
	first, second := l.At(0), l.At(1)
	first.Deep, second.Deep = append(first.Deep, "first"), append(second.Deep, "second")
	if !reflect.DeepEqual(first.Deep, []string{"a", "first"}) {
		t.Errorf("%v", first.Deep)
	}
}

// TestMemory checks that values which differ in little take little.
func TestMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	const n = 20000
	var l List[value]
	for i := range n {
		f := float64(i) + 0.5
		l.Add(&value{Text: fmt.Sprint("name ", i), F: &f, Floats: []float64{f, f}, Map: map[string]string{"k": "v"},
			Structs: []inner{{Text: "something that is the same in all values"}}})
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if each := float64(after.HeapAlloc-before.HeapAlloc) / n; each > 80 {
		t.Errorf("%.0f bytes each", each)
	}
	runtime.KeepAlive(&l)
}
