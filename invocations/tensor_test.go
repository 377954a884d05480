package invocations

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseTensor(t *testing.T) {
	constant := func(v string) Contents { return Contents{Fill: FillConstant, Value: v} }
	for text, want := range map[string]Argument{
		"4x4xf32":     {Element: Float32, Shape: []int64{4, 4}},
		"4x4xf32=0.5": {Element: Float32, Shape: []int64{4, 4}, Contents: constant("0.5")},
		"2x2xi32=1 2 3 4": {Element: Int32, Shape: []int64{2, 2}, Contents: Contents{Fill: FillList,
			Value: "1 2 3 4"}},
		"2x2xui8=[[1,2], [3,4]]": {Element: Uint8, Shape: []int64{2, 2}, Contents: Contents{Fill: FillList,
			Value: "1 2 3 4"}},
		"2xi1=[true false]": {Element: Bool, Shape: []int64{2}, Contents: Contents{Fill: FillList,
			Value: "1 0"}},
		"f32=1":      {Element: Float32, Shape: []int64{}, Contents: constant("1")},
		"bf16":       {Element: BFloat16, Shape: []int64{}},
		"8xsi8=iota": {Element: Int8, Shape: []int64{8}, Contents: Contents{Fill: FillIota}},
		"8xf64=random:3": {Element: Float64, Shape: []int64{8}, Contents: Contents{Fill: FillRandom,
			Seed: 3}},
		"&4xf32":                     {Element: Float32, Shape: []int64{4}},
		"&4xf32=2":                   {Element: Float32, Shape: []int64{4}, Contents: constant("2")},
		"&4xf32=@x.bin":              {Element: Float32, Shape: []int64{4}, Contents: Contents{Fill: FillFile, Path: "x.bin"}},
		"0x4xf32":                    {Element: Float32, Shape: []int64{0, 4}},
		"@some where.npy":            {Contents: Contents{Fill: FillFile, Path: "some where.npy"}},
		"x.npy":                      {Contents: Contents{Fill: FillFile, Path: "x.npy"}},
		"x.png":                      {Contents: Contents{Fill: FillFile, Path: "x.png"}},
		"x.npy[1]":                   {Contents: Contents{Fill: FillFile, Path: "x.npy", Value: "1"}},
		"@x.npy[01]":                 {Contents: Contents{Fill: FillFile, Path: "x.npy", Value: "1"}},
		"@x.bin[1]":                  {Contents: Contents{Fill: FillFile, Path: "x.bin[1]"}},
		"@a=b.bin":                   {Contents: Contents{Fill: FillFile, Path: "a=b.bin"}},
		"2xf32=@a b.bin":             {Element: Float32, Shape: []int64{2}, Contents: Contents{Fill: FillFile, Path: "a b.bin"}},
		"2xf32=x.npy[1]":             {Element: Float32, Shape: []int64{2}, Contents: Contents{Fill: FillFile, Path: "x.npy", Value: "1"}},
		"2xi32=0xFF":                 {Element: Int32, Shape: []int64{2}, Contents: constant("255")},
		"2xi32=-0x1 0x10":            {Element: Int32, Shape: []int64{2}, Contents: Contents{Fill: FillList, Value: "-1 16"}},
		"4xi64=-9223372036854775808": {Element: Int64, Shape: []int64{4}, Contents: constant("-9223372036854775808")},
	} {
		got, err := ParseTensor(text)
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: %v\n%s", text, err, cmp.Diff(want, got))
		}
	}
}

// A file among tensors is moved, and the rest of the text stays.
func TestMoveTensorFile(t *testing.T) {
	for text, want := range map[string]string{
		"@a.npy": "@/x/a.npy", "a.npy[2]": "@/x/a.npy[2]", "2x3xf32=@a.bin": "2x3xf32=@/x/a.bin", "f32=@a.npy": "f32=@/x/a.npy",
		"2xf32=1": "2xf32=1", IgnoredTensor: IgnoredTensor, "5": "5",
	} {
		got := MoveTensorFile(text, func(path string) string { return "/x/" + path })
		if path, isFile := TensorFile(got); got != want || isFile != strings.Contains(want, "@") ||
			isFile && !strings.HasPrefix(path, "/x/a.") {
			t.Errorf("%s: %s, a file %v at %s; want %s", text, got, isFile, path, want)
		}
	}
}

// An expected output may be a number without a type.
func TestParseExpected(t *testing.T) {
	if a, err := ParseExpected("0x10"); err != nil || a.Value != "16" || a.Element != "" {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err := ParseExpected("2xf32=1"); err != nil || a.Element != Float32 {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := ParseExpected("ones"); !errors.Is(err, ErrNotTensor) {
		t.Error(err)
	}
}

func TestParseTensorRefuses(t *testing.T) {
	for _, text := range []string{"", "A=1", "0.5", "zeros", "x=1", "A=x.npy", "Bx4xf32"} {
		if _, err := ParseTensor(text); !errors.Is(err, ErrNotTensor) {
			t.Errorf("%q: %v, want ErrNotTensor", text, err)
		}
	}
	for _, text := range []string{"@", "4x4xf31", "4x4", "-1xf32", "4xf32=1 2 3", "4xf32=1 2 x 4", "4xf32=",
		"9999999999x9999999999xf32", "2xf32=hello", "&", "&x.npy", "&1", "&&4xf32x"} {
		if a, err := ParseTensor(text); err == nil || errors.Is(err, ErrNotTensor) {
			t.Errorf("%q: %v, %v, want an error that says what is wrong", text, a, err)
		}
	}
}

func TestParseArgument(t *testing.T) {
	for text, want := range map[string]Argument{
		"0.5":        {Contents: Contents{Fill: FillConstant, Value: "0.5"}},
		"random:2":   {Contents: Contents{Fill: FillRandom, Seed: 2}},
		"x.npy":      {Contents: Contents{Fill: FillFile, Path: "x.npy"}},
		"2xf32=iota": {Element: Float32, Shape: []int64{2}, Contents: Contents{Fill: FillIota}},
	} {
		if got, err := ParseArgument(text); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	if _, err := ParseArgument("nonsense"); err == nil {
		t.Error("nonsense is an argument")
	}
}

func TestFitsExtent(t *testing.T) {
	for _, c := range []struct {
		extent string
		shape  []int64
		fits   bool
	}{
		{"?x4", []int64{7, 4}, true}, {"?x4", []int64{7, 5}, false}, {"?x4", []int64{4}, false}, {"*", nil, true}, {"*",
			[]int64{1, 2, 3}, true},
	} {
		if got := FitsExtent(c.extent, c.shape); got != c.fits || !OpenExtent(c.extent) {
			t.Errorf("%s and %v: %v", c.extent, c.shape, got)
		}
	}
	if OpenExtent("M*K") || OpenExtent("") {
		t.Error("an extent of parameters counts as one that the caller chooses")
	}
}

func FuzzParseTensor(f *testing.F) {
	for _, text := range []string{"4x4xf32=0.5", "2x2xi32=[[1,2][3,4]]", "@x.npy", "f32=1", "3xbf16=random:1", "A=1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseTensor(text)
		if err != nil || a.Fill == FillFile {
			return
		}
		again, err := ParseTensor(TensorShape(a.Element, a.Shape))
		if err != nil || again.Element != a.Element || !cmp.Equal(again.Shape, a.Shape) {
			t.Errorf("%q: its type is not read back: %v, %v", text, again, err)
		}
	})
}
