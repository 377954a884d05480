package cfunction

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"zonemark/executor/cfunction/declarations"
	"zonemark/executor/cfunction/sizes"
	"zonemark/executor/values"
)

func TestAffineElements(t *testing.T) {
	for _, c := range []struct {
		name           string
		shape, strides []int64
		offset         int64
		want           int64
		err            string
	}{
		{"scalar", nil, nil, 0, 1, ""},
		{"scalar with offset", nil, nil, 3, 4, ""},
		{"row-major", []int64{3, 4}, []int64{4, 1}, 0, 12, ""},
		{"column-major", []int64{3, 4}, []int64{1, 3}, 0, 12, ""},
		{"padded rows", []int64{3, 4}, []int64{10, 1}, 0, 24, ""},
		{"offset", []int64{3, 4}, []int64{4, 1}, 5, 17, ""},
		{"not monotone", []int64{2, 3, 4}, []int64{4, 100, 1}, 0, 208, ""},
		{"broadcast", []int64{1000, 4}, []int64{0, 1}, 0, 4, ""},
		{"backwards", []int64{4}, []int64{-2}, 6, 7, ""},
		{"backwards without offset", []int64{4}, []int64{-2}, 5, 0, "raise offset to at least 6"},
		{"zero", []int64{3, 0}, []int64{4, 1}, 0, 0, "dimension 1 is 0"},
		{"negative", []int64{-3}, []int64{1}, 0, 0, "dimension 0 is -3"},
		{"ranks", []int64{3, 4}, []int64{1}, 0, 0, "2 dimensions"},
		{"negative offset", []int64{3}, []int64{1}, -1, 0, "offset -1"},
		{"overflow", []int64{1 << 40, 1 << 40}, []int64{1 << 40, 1}, 0, 0, "64 bits"},
		{"overflow of the sum", []int64{2, 2}, []int64{math.MaxInt64, 1}, 0, 0, "64 bits"},
		{"overflow by one", []int64{2}, []int64{math.MaxInt64}, 0, 0, "64 bits"},
		{"overflow below", []int64{3, 3}, []int64{math.MinInt64, math.MinInt64}, 0, 0, "64 bits"},
	} {
		got, err := affineElements(c.shape, c.strides, c.offset)
		if c.err == "" && (err != nil || got != c.want) ||
			c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %d, %v; want %d, %q", c.name, got, err, c.want, c.err)
		}
	}
}

func TestWalkElements(t *testing.T) {
	for _, c := range []struct {
		shape, strides []int64
		offset         int64
		want           []int64
	}{
		{nil, nil, 7, []int64{7}},
		{[]int64{2, 3}, []int64{3, 1}, 0, []int64{0, 1, 2, 3, 4, 5}},
		{[]int64{2, 3}, []int64{1, 2}, 1, []int64{1, 3, 5, 2, 4, 6}},
		{[]int64{3}, []int64{-4}, 8, []int64{8, 4, 0}},
		{[]int64{2, 2}, []int64{0, 5}, 0, []int64{0, 5, 0, 5}},
	} {
		var got []int64
		values.Walk(c.shape, c.strides, c.offset, func(at int64) { got = append(got, at) })
		if !slices.Equal(got, c.want) {
			t.Errorf("shape %v strides %v offset %d: %v, want %v", c.shape, c.strides, c.offset, got, c.want)
		}
	}
}

func TestRuntimeSizes(t *testing.T) {
	values := map[string]int64{"M": 3, "lda": 5, "zero": 0, "big": 1 << 40}
	lookup := func(name string) (int64, error) {
		if v, ok := values[name]; ok {
			return v, nil
		}
		return 0, errors.New("no " + name)
	}
	for _, c := range []struct {
		text string
		want int64
		err  string
	}{
		{"", 1, ""},
		{"16", 16, ""},
		{"M*lda", 15, ""},
		{" lda * 2 *M ", 30, ""},
		{"M+1", 4, ""},
		{"(M+1)*lda", 20, ""},
		{"lda*M/2", 7, ""},
		{"M-lda", 0, "M-lda is -2"},
		{"M/(lda-5)", 0, "divided by zero"},
		{"M**lda", 0, "not understood"},
		{"-4", 0, "not understood"},
		{"0", 0, "the factor 0"},
		{"M*", 0, "ends too early"},
		{"99999999999999999999", 0, "not understood"},
		{"K", 0, "no K"},
		{"zero", 0, "at least 1"},
		{"big*big", 0, "64 bits"},
	} {
		var factors []sizes.Expression
		var err error
		if c.text != "" {
			var e sizes.Expression
			e, err = declarations.ParseExpression(c.text)
			factors = e.Factors()
		}
		if err == nil {
			err = Sized{Factors: factors, Text: c.text}.check()
		}
		var got int64
		if err == nil {
			got, err = evaluateSize(factors, lookup)
		}
		if c.err == "" && (err != nil || got != c.want) ||
			c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%q: %d, %v; want %d, %q", c.text, got, err, c.want, c.err)
		}
	}
}

func TestCheckedArithmetic(t *testing.T) {
	for _, c := range []struct {
		a, b    int64
		product bool
		sum     bool
	}{
		{0, math.MinInt64, true, true},
		{-1, math.MinInt64, false, false},
		{math.MinInt64, -1, false, false},
		{math.MaxInt64, 1, true, false},
		{math.MaxInt64, -1, true, true},
		{1 << 31, 1 << 31, true, true},
		{1 << 32, 1 << 31, false, true},
		{math.MinInt64, math.MinInt64, false, false},
	} {
		if p, ok := multiply(c.a, c.b); ok != c.product || ok && p != c.a*c.b {
			t.Errorf("%d × %d: %d, %v", c.a, c.b, p, ok)
		}
		if s, ok := add(c.a, c.b); ok != c.sum || ok && s != c.a+c.b {
			t.Errorf("%d + %d: %d, %v", c.a, c.b, s, ok)
		}
	}
}
