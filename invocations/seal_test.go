package invocations

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// sealed returns an invocation with nearly every field set, which a test may change.
func sealed() *Invocation {
	artifact := Artifact{Path: "/suite/gemm.hat", SHA256: "9f86d081884c7d65",
		Built: "/cache/9f86/libgemm.so", Options: map[string]string{"device": "local-task"}}
	arguments := []Argument{
		{Name: "A", Element: Float32, Shape: []int64{64, 128}, Strides: []int64{256, 1}, Offset: 3,
			Usage:    Input,
			Contents: Contents{Fill: FillRandom, Seed: 1<<63 + 7}},
		{Name: "B", Element: Float16, Shape: []int64{}, Extent: "M*K", Usage: InputOutput,
			Callee:   true,
			Contents: Contents{Fill: FillFile, Path: "b.npy"}},
		{Name: "n", Element: Int64, Usage: Output, ByValue: true,
			Contents: Contents{Fill: FillConstant, Value: "-9223372036854775808"}},
	}
	v := Invocation{
		ID: "89abcdef01234567", Name: "gemm/64x128", Group: "gemm", Runtime: "hat", Artifact: artifact,
		Function:  "gemm_3",
		Arguments: arguments, Parameters: map[string]string{"M": "64", "K": "128"},
		Measure: Measure{Mode: Cold, Precision: 0.01, MinTimeNS: 1e8, MaxTimeNS: 5e9,
			MinIterations: 10, SetBytes: 1 << 40, CallsPerBatch: 16,
			CPU: -1, CheckOnly: true, Seed: 1<<64 - 1, ProfileCalls: 100, Iterations: 640,
			Launches: 7, HugePages: true, PageOffset: 640, StackOffset: 1280},
		Limits: Limits{TimeoutNS: 6e10, MemoryBytes: 1 << 33},
		Verify: Verification{Reference: "gemm_ref", Tolerance: 1e-5, Expected: []string{"@y.npy"}},
		Trace:  true}
	v.Measure.HugePages = false // ids of earlier journals do not include it
	v.Seal()
	return &v
}

// TestSealIsStable pins ids, since journals and resumed runs refer to them.
func TestSealIsStable(t *testing.T) {
	empty := new(Invocation)
	empty.Seal()
	got := fmt.Sprintf("empty %s\nfull %s\n", empty.ID, sealed().ID)
	const want = "empty 1346efd047ea38b9\nfull 0c662c76267b578b\n"
	if got != want {
		t.Errorf("ids changed, and with them every journal written so far is orphaned:\n%swant\n%s", got, want)
	}
	if !regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(empty.ID) {
		t.Errorf("the id %q is not 16 hexadecimal digits", empty.ID)
	}
	again := sealed()
	again.Seal()
	if again.ID != sealed().ID {
		t.Errorf("sealing a second time changes the id to %s", again.ID)
	}
}

// notContent are the fields that ids leave out.
var notContent = map[string]bool{
	"ID": true, "Group": true, "Artifact.Path": true, "Artifact.Built": true, "Artifact.Profiled": true,
	"Limits.TimeoutNS":   true,
	"Limits.MemoryBytes": true, "Limits.Threads": true, "Limits.BuildNS": true, "Limits.Read": true,
	"Limits.PrintsErrors": true, "Limits.Profile": true, "Limits.Allow": true, "Limits.Devices": true,
	"Measure.Precision": true, "Measure.MinTimeNS": true, "Measure.MaxTimeNS": true, "Measure.MinIterations": true,
	"Measure.ProfileCalls": true, "Measure.Iterations": true, "Measure.Launches": true, "Measure.PageOffset": true,
	"Measure.StackOffset": true, "Measure.Place": true,
	"FLOP": true, "Bytes": true, "Folder": true, "Model": true, "Placed": true, "Point": true,
	"Verify.Of.Path": true, "Verify.Of.Built": true, "Verify.Of.Profiled": true,
}

// TestSealCoversEveryField changes one field at a time, found by reflection, so that a new field must change the id or
// be named in notContent.
func TestSealCoversEveryField(t *testing.T) {
	before := sealed().ID
	for _, path := range leaves(reflect.TypeFor[Invocation](), "") {
		t.Run(path, func(t *testing.T) {
			v := sealed()
			change(t, reflect.ValueOf(v).Elem(), strings.Split(path, "."))
			v.Seal()
			if changed := v.ID != before; changed == notContent[path] {
				t.Errorf("changing it changes the id: %t", changed)
			}
		})
	}
	if n := len(leaves(reflect.TypeFor[Invocation](), "")); n < len(notContent)+20 {
		t.Errorf("only %d fields were found", n)
	}
}

// leaves lists the fields of a struct, and those of structs in it, at any depth. For a list of structs, it lists the
// fields of its elements.
func leaves(s reflect.Type, prefix string) []string {
	var out []string
	for field := range s.Fields() {
		path, inner := prefix+field.Name, field.Type
		if inner.Kind() == reflect.Slice && inner.Elem().Kind() == reflect.Struct {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct {
			out = append(out, leaves(inner, path+".")...)
		} else {
			out = append(out, path)
		}
	}
	return out
}

// change gives the field at a path another value, in the first element of a list of structs.
func change(t *testing.T, v reflect.Value, path []string) {
	t.Helper()
	if v.Kind() == reflect.Slice && len(path) > 0 {
		v = v.Index(0)
	}
	if len(path) > 0 {
		change(t, v.FieldByName(path[0]), path[1:])
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Uint64:
		v.SetUint(v.Uint() + 1)
	case reflect.Float64:
		v.SetFloat(v.Float() + 1)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.String {
			v.Set(reflect.ValueOf([]string{"4xf32=1"}))
			return
		}
		if v.Type().Elem().Kind() == reflect.Int {
			v.Set(reflect.ValueOf([]int{7, 8, 9}))
			return
		}
		v.Set(reflect.ValueOf([]int64{7, 8, 9}))
	case reflect.Map:
		v.Set(reflect.ValueOf(map[string]string{"M": "65", "K": "128"}))
	default:
		t.Fatalf("cannot change a %s", v.Type())
	}
}

func TestSealTellsListsApart(t *testing.T) {
	seen := make(map[string]string)
	for name, v := range map[string]Invocation{
		"no arguments":      {},
		"one argument":      {Arguments: []Argument{{}}},
		"two arguments":     {Arguments: []Argument{{}, {}}},
		"shape":             {Arguments: []Argument{{Shape: []int64{12}}}},
		"other shape":       {Arguments: []Argument{{Shape: []int64{1, 2}}}},
		"strides":           {Arguments: []Argument{{Strides: []int64{12}}}},
		"parameter":         {Parameters: map[string]string{"a": "b"}},
		"swapped parameter": {Parameters: map[string]string{"b": "a"}},
		"longer key":        {Parameters: map[string]string{"ab": ""}},
		"name":              {Name: "ab"},
		"name and runtime":  {Name: "a", Runtime: "b"},
	} {
		v.Seal()
		if other, ok := seen[v.ID]; ok {
			t.Errorf("%s and %s have the same id", name, other)
		}
		seen[v.ID] = name
	}
}
