package bench

import (
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestParseRequest(t *testing.T) {
	folder, err := filepath.Abs(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r, models, err := ParseRequest("bert:tiny", map[string]string{
		"training": "true", "layers": "3", "microbatch": "4", "dataformat": "Fp16_b", "seed": "7",
		"models": "mine,../more.py",
	}, folder)
	want := Request{Model: "bert", Config: "tiny", Training: true, Layers: 3, Microbatch: 4, DType: "bfloat16", Seed: 7}
	paths := []string{filepath.Join(folder, "mine"), filepath.Join(filepath.Dir(folder), "more.py")}
	if err != nil || r != want || !reflect.DeepEqual(models, paths) {
		t.Errorf("%+v, %q, %v", r, models, err)
	}
	if r, _, err := ParseRequest("unet", nil, ""); err != nil || r != (Request{Model: "unet", DType: "float32"}) {
		t.Errorf("%+v, %v", r, err)
	}
	for _, c := range []struct{ text, name, value, want string }{
		{":tiny", "", "", `":tiny" names no model: want MODEL:CONFIGURATION`},
		{"bert:", "", "", `"bert:" names no model`},
		{"bert:tiny", "layer", "1", `a model has no parameter "layer"; did you mean "layers"`},
		{"bert:tiny", "K", "1", `a model has no parameter "K"; there are training, generative`},
		{"bert:tiny", "layers", "-1", "parameter layers = -1: want a number from 0 to 65536"},
		{"bert:tiny", "training", "yes", "parameter training = yes: want true or false"},
		{"bert:tiny", "dataformat", "Bfp8_b", "parameter dataformat = Bfp8_b: want Fp32, Fp16 or Fp16_b"},
	} {
		given := map[string]string{}
		if c.name != "" {
			given[c.name] = c.value
		}
		var mistake *Error
		if _, _, err := ParseRequest(c.text, given, ""); !errors.As(err, &mistake) ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: error %v, want %q in it", c.text, c.name, err, c.want)
		}
	}
	both := map[string]string{"training": "true", "generative": "true"}
	if _, _, err := ParseRequest("t5:base", both, ""); err == nil {
		t.Error("a model both is trained and generates")
	}
	if got := RequestText("bert:tiny", map[string]string{"seed": "1", "layers": "2"}); got != "bert:tiny layers=2 seed=1" {
		t.Error(got)
	}
}

func FuzzParseRequest(f *testing.F) {
	f.Add("bert:tiny", "layers", "3")
	f.Add("bert", "models", "a,b")
	f.Add("a:b:c", "seed", "18446744073709551615")
	f.Fuzz(func(t *testing.T, text, name, value string) {
		r, models, err := ParseRequest(text, map[string]string{name: value}, "folder")
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		if r.Model == "" || strings.Contains(r.Model, ":") || r.DType == "" || r.Layers < 0 || r.Microbatch < 0 {
			t.Errorf("%+v", r)
		}
		for _, path := range models {
			if !filepath.IsAbs(path) {
				t.Errorf("the path %q is relative", path)
			}
		}
	})
}
