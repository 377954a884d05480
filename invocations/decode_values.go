package invocations

import (
	"fmt"
	"math"

	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

func (d *decoder) id(p *string) {
	d.text(p)
	if len(*p) <= maxIDBytes {
		d.subject = *p
	}
}

func (d *decoder) text(p *string) {
	*p = string(d.textBytes())
}

func (d *decoder) word(p *string) {
	b := d.textBytes()
	known, ok := d.words[string(b)] // the conversion does not allocate
	if !ok {
		known = string(b)
		if len(b) <= maxWordBytes && len(d.words) < maxWords {
			d.words[known] = known
		}
	}
	*p = known
}

// textBytes reads a text. The result lies in the payload.
func (d *decoder) textBytes() []byte {
	code, ok := d.next()
	if !ok {
		return nil
	}
	return d.body("a text", isText(code), code)
}

// body reads a text or a binary value, which starts with code and is of the wanted type or not. The result lies in the payload.
func (d *decoder) body(want string, right bool, code byte) []byte {
	if !right {
		d.mismatch(want, code)
		return nil
	}
	n := d.length(code, msgpcode.FixedStrMask, d.mp.DecodeBytesLen, 1)
	if d.err != nil {
		return nil
	}
	return d.payload.take(n)
}

func (d *decoder) flag(p *bool) {
	code, ok := d.next()
	if !ok {
		return
	}
	if code != msgpcode.False && code != msgpcode.True {
		d.mismatch("true or false", code)
		return
	}
	d.payload.at++
	*p = code == msgpcode.True
}

func (d *decoder) int(p *int) {
	n := int64(*p)
	d.int64(&n)
	if n < math.MinInt || n > math.MaxInt {
		d.fail(fmt.Errorf("%d does not fit into the integers of this machine", n))
		return
	}
	*p = int(n)
}

func (d *decoder) int64(p *int64) {
	n, unsigned, ok := d.integer()
	switch {
	case !ok:
	case unsigned && n < 0:
		d.fail(fmt.Errorf("%d does not fit into 64 bits with a sign", uint64(n)))
	default:
		*p = n
	}
}

func (d *decoder) uint(p *uint) {
	n := uint64(*p)
	d.uint64(&n)
	if n > math.MaxUint {
		d.fail(fmt.Errorf("%d does not fit into the integers of this machine", n))
		return
	}
	*p = uint(n)
}

func (d *decoder) uint64(p *uint64) {
	n, unsigned, ok := d.integer()
	switch {
	case !ok:
	case !unsigned && n < 0:
		d.fail(fmt.Errorf("want an unsigned integer, found %d", n))
	default:
		*p = uint64(n)
	}
}

// integer reads an integer of any width as its 64 bits; unsigned says that the highest is no sign.
func (d *decoder) integer() (n int64, unsigned, ok bool) {
	code, ok := d.next()
	if !ok {
		return 0, false, false
	}
	if code <= msgpcode.PosFixedNumHigh { // by far the most frequent
		d.payload.at++
		return int64(code), false, true
	}
	if !isInteger(code) {
		d.mismatch("an integer", code)
		return 0, false, false
	}
	n, err := d.mp.DecodeInt64()
	if err != nil {
		d.fail(err)
		return 0, false, false
	}
	return n, code == msgpcode.Uint64, true
}

func (d *decoder) float64(p *float64) {
	code, ok := d.next()
	if !ok {
		return
	}
	if code != msgpcode.Double && code != msgpcode.Float {
		d.mismatch("a floating-point number", code)
		return
	}
	x, err := d.mp.DecodeFloat64()
	if err != nil {
		d.fail(err)
		return
	}
	*p = x
}

func (d *decoder) textMap(name string, p *map[string]string) {
	code, ok := d.next()
	if !ok {
		return
	}
	*p = nil
	if code == msgpcode.Nil {
		d.payload.at++
		return
	}
	if !isMap(code) {
		d.mismatch("a map or nil", code)
		return
	}
	n := d.length(code, msgpcode.FixedMapMask, d.mp.DecodeMapLen, 2)
	if d.err != nil {
		return
	}
	outer := d.span
	d.span = span{name: name, left: 2 * n}
	m := make(map[string]string, min(n, firstAllocation))
	for i := 0; i < n && d.err == nil; i++ {
		var key, value string
		d.word(&key)
		d.text(&value)
		if m[key] = value; len(m) != i+1 {
			d.fail(fmt.Errorf("key %q occurs twice", key))
		}
	}
	*p = m
	if d.err == nil {
		d.span = outer
	}
}

func (d *decoder) timings(p *[]float64) {
	code, ok := d.next()
	if !ok {
		return
	}
	*p = nil
	if code == msgpcode.Nil {
		d.payload.at++
		return
	}
	b := d.body("timings (a binary field) or nil", code == msgpcode.Bin8 || code == msgpcode.Bin16 || code == msgpcode.Bin32, code)
	if d.err != nil {
		return
	}
	ns, err := parseTimings(b)
	if err != nil {
		d.fail(err)
		return
	}
	*p = ns
}
