package invocations

import (
	"strings"
	"testing"

	"zonemark/invocations/remedy"
)

func TestParseContents(t *testing.T) {
	for _, test := range []struct {
		text string
		want Contents
		back string // what String returns, if it differs from the text
	}{
		{"random", Contents{Fill: FillRandom}, ""},
		{"random:0", Contents{Fill: FillRandom}, "random"},
		{"random:18446744073709551615", Contents{Fill: FillRandom, Seed: 1<<64 - 1}, ""},
		{"zeros", Contents{Fill: FillZeros}, ""},
		{"iota", Contents{Fill: FillIota}, ""},
		{"constant:1.5", Contents{Fill: FillConstant, Value: "1.5"}, ""},
		{"constant:-9223372036854775808", Contents{Fill: FillConstant, Value: "-9223372036854775808"}, ""},
		{"3", Contents{Fill: FillConstant, Value: "3"}, "constant:3"},
		{"-1e-3", Contents{Fill: FillConstant, Value: "-1e-3"}, "constant:-1e-3"},
		{"photo.png", Contents{Fill: FillFile, Path: "photo.png"}, ""},
		{"0xff", Contents{Fill: FillConstant, Value: "255"}, "constant:255"},
		{"list:0x1 -0x2", Contents{Fill: FillList, Value: "1 -2"}, "list:1 -2"},
		{"@a.bin", Contents{Fill: FillFile, Path: "a.bin"}, ""},
		{"input.npy[3]", Contents{Fill: FillFile, Path: "input.npy", Value: "3"}, ""},
		{"input.npy", Contents{Fill: FillFile, Path: "input.npy"}, ""},
		{"@data.bin", Contents{Fill: FillFile, Path: "data.bin"}, ""},
		{"@input.npy", Contents{Fill: FillFile, Path: "input.npy"}, "input.npy"},
		{"/data/a:b.npy", Contents{Fill: FillFile, Path: "/data/a:b.npy"}, ""},
	} {
		got, err := ParseContents(test.text)
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		back := test.back
		if back == "" {
			back = test.text
		}
		if got != test.want || got.String() != back {
			t.Errorf("%q: %+v, which reads %q; want %+v, %q", test.text, got, got, test.want, back)
		}
	}
}

func TestParseContentsRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "want random",
		"ones":                        "want random",
		"file.txt":                    "want random",
		"random:":                     "not an unsigned integer",
		"random:-1":                   "not an unsigned integer",
		"random:18446744073709551616": "not an unsigned integer",
		"zeros:1":                     "zeros takes no value",
		"iota:":                       "iota takes no value",
		"constant":                    "want constant:NUMBER",
		"constant:":                   "want constant:NUMBER",
		"constant:x":                  "want constant:NUMBER",
		" 1":                          "want random",
	} {
		got, err := ParseContents(text)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `"`+text+`"`) {
			t.Errorf("%q: %+v, error %v; want one with the text and %q", text, got, err, want)
		}
	}
}

// What is neither contents nor a file is answered with contents that were probably meant.
func TestContentsMeant(t *testing.T) {
	for text, want := range map[string]string{"zeroes": "zeros", "rand": "random", "ones": "1", "data.bin": "@data.bin"} {
		_, err := ParseContents(text)
		if got := remedy.Of(err); len(got) != 1 || got[0] != (remedy.Remedy{Kind: remedy.Instead, Name: text, Value: want}) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestElementTypes(t *testing.T) {
	sizes := map[ElementType]int64{Bool: 1, Int8: 1, Uint8: 1, Int16: 2, Uint16: 2, Float16: 2, BFloat16: 2, Int32: 4,
		Uint32: 4, Float32: 4,
		Int64: 8, Uint64: 8, Float64: 8, "complex64": 0, "": 0}
	for e, want := range sizes {
		if e.Size() != want {
			t.Errorf("%q takes %d bytes, want %d", e, e.Size(), want)
		}
		if float := strings.Contains(string(e), "float"); e.Float() != float {
			t.Errorf("%q is a floating-point type: %t", e, e.Float())
		}
	}
}

func FuzzParseContents(f *testing.F) {
	for _, text := range []string{"random", "random:7", "zeros", "iota", "constant:1e5", "0x1p-2", "inf", "-0", "a.npy",
		".npy", "@", "@a", "random:7.npy", "constant:x.npy", "@constant:x.npy", "@@a.npy",
		"@a.bin", "a.npy[3]", "@a.npy[65536]", "-0xF", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseContents(text)
		if err != nil {
			return
		}
		again, err := ParseContents(c.String())
		if err != nil || again != c {
			t.Errorf("%q is %+v, which reads %q and that is %+v, %v", text, c, c, again, err)
		}
	})
}
