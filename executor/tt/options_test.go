package tt

import (
	"reflect"
	"testing"

	"zonemark/executor/tt/pjrt"
)

func TestParseCompileOptions(t *testing.T) {
	got, err := parseCompileOptions("  optimization_level=1 enable_trace=true\tmath_fidelity=hifi4 " +
		`x=0.5 y="1" z= e=1e3 inf=inf a=b=c`)
	want := []pjrt.Override{{Name: "optimization_level", Value: int64(1)}, {Name: "enable_trace", Value: true},
		{Name: "math_fidelity", Value: "hifi4"}, {Name: "x", Value: 0.5},
		{Name: "y", Value: "1"}, {Name: "z", Value: ""}, {Name: "e", Value: 1e3}, {Name: "inf", Value: "inf"},
		{Name: "a", Value: "b=c"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

func FuzzParseOptions(f *testing.F) {
	f.Add("tt", "included", "0", "a=1 b=true")
	f.Add("", "", "", "")
	f.Add("x", "no", "99999999999999", "=1")
	f.Fuzz(func(t *testing.T, plugin, transfers, chips, compile string) {
		o, err := parseOptions(map[string]string{
			"plugin":          plugin,
			"transfers":       transfers,
			"chips":           chips,
			"compile-options": compile,
		})
		if err != nil {
			return
		}
		if o.chips < 0 || o.chips > maxChips || len(o.overrides) > len(compile) {
			t.Errorf("%+v", o)
		}
		pjrt.CompileOptions(1, o.overrides) // every value is of a type that can be encoded
	})
}
