package tracycsv

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// appendInteger appends a number in decimal, in half of the time of strconv.AppendInt: a table of zones is mostly
// numbers.
func appendInteger(b []byte, v int64) []byte {
	if v < 0 {
		return appendUnsigned(append(b, '-'), -uint64(v))
	}
	return appendUnsigned(b, uint64(v))
}

// appendUnsigned appends a number in decimal. It writes where the digits belong, from the last four on, so that nothing
// is copied and there is one division for four digits that the next one waits for.
func appendUnsigned(b []byte, v uint64) []byte {
	if v < 10 {
		return append(b, '0'+byte(v))
	}
	begin, n := len(b), decimalDigits(v)
	if cap(b)-begin < n {
		b = slices.Grow(b, n)
	}
	b = b[:begin+n]
	digits := b[begin:]
	for v >= 10_000 {
		last := v % 10_000
		v /= 10_000
		at := len(digits) - 4
		putPair(digits[at:], last/100)
		putPair(digits[at+2:], last%100)
		digits = digits[:at]
	}
	if v >= 100 {
		at := len(digits) - 2
		putPair(digits[at:], v%100)
		v /= 100
		digits = digits[:at]
	}
	if v >= 10 {
		putPair(digits, v)
	} else {
		digits[0] = '0' + byte(v)
	}
	return b
}

// digitPairs holds the numbers below 100 with two digits each.
const digitPairs = "" +
	"0001020304050607080910111213141516171819" +
	"2021222324252627282930313233343536373839" +
	"4041424344454647484950515253545556575859" +
	"6061626364656667686970717273747576777879" +
	"8081828384858687888990919293949596979899"

// putPair writes a number below 100 as two digits.
func putPair(b []byte, v uint64) {
	pair := digitPairs[2*v : 2*v+2]
	binary.LittleEndian.PutUint16(b, uint16(pair[0])|uint16(pair[1])<<8)
}

// decimalDigits is how many digits a number above 0 has.
func decimalDigits(v uint64) int {
	// The logarithm to the base 10 is that to the base 2 times 0.30103; it is exact or one too small.
	n := bits.Len64(v) * 1233 >> 12
	if v >= powersOfTen[n] {
		n++
	}
	return n
}

var powersOfTen = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
	1e17, 1e18, 1e19}
