package native

import "testing"

func TestFrameIsAValue(t *testing.T) {
	var a Frame
	for i := range 20 {
		a.Int(uint64(i))
	}
	b, c := a, a
	b.Int(100)
	c.Int(200)
	a.Int(300)
	last := func(f *Frame) uint64 { return f.stack[len(f.stack)-1] }
	if last(&a) != 300 || last(&b) != 100 || last(&c) != 200 {
		t.Errorf("copies of a frame share their stack words: %d %d %d", last(&a), last(&b), last(&c))
	}
}

func TestFrameErr(t *testing.T) {
	var f Frame
	for range MaxStackWords + intRegisters {
		f.Int(1)
	}
	if err := f.Err(); err != nil {
		t.Errorf("%d integers do not fit: %v", MaxStackWords+intRegisters, err)
	}
	f.Int(1)
	if f.Err() == nil {
		t.Error("one integer more fits")
	}
	if MaxStackWords < 32 {
		t.Errorf("MaxStackWords is %d, promised are at least 32", MaxStackWords)
	}
}

func TestSameShape(t *testing.T) {
	shape := func(kinds string) *Frame {
		f := new(Frame)
		for _, k := range kinds {
			switch k {
			case 'i':
				f.Int(1)
			case 'f':
				f.Float32(1)
			case 'd':
				f.Float64(1)
			}
		}
		return f
	}
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"", "", true}, {"i", "i", true}, {"i", "f", false}, {"i", "ii", false},
		{"iiiiiiiiii", "iiiiiiiii", false}, {"iiiiiiiiii", "iiiiiiiiii", true}, {"fd", "df", true},
	} {
		if got := shape(c.a).sameShape(shape(c.b)); got != c.same {
			t.Errorf("%q and %q: %v, want %v", c.a, c.b, got, c.same)
		}
	}
}
