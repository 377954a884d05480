package operations

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// The numbers of configurations of the default operations. Those of operations whose sweeps are published are the
// numbers of their rows, shape for shape: 75 and 86 for Float16_b and Bfp8_b, 24 for integers, 228 and 114 for
// products.
func TestDefaultOperations(t *testing.T) {
	want := map[string]int{
		"nop": 75, "add": 75, "subtract": 75, "multiply": 75, "maximum": 86, "matmul": 228, "matmul_int32": 114,
		"matmul_l1_acc": 228, "matmul_sparse_nz_counts": 1863, "splice": 22,
	}
	for _, name := range []string{
		"abs", "cosine", "dropout", "exp", "gelu_derivative", "gelu", "log", "lrelu", "power", "reciprocal", "sigmoid",
		"sine", "sqrt", "square", "tanh", "exp_approx", "gelu_derivative_approx", "reciprocal_approx",
	} {
		want[name] = 75 + 86
	}
	for _, name := range []string{
		"nop_int8", "nop_int32", "add_int8", "subtract_int8", "multiply_int8", "maximum_int8",
		"add_int32", "maximum_int32", "quantization_int8", "dequantization_int8", "dequantization_int32",
		"requantization_int8", "requantization_int32",
	} {
		want[name] = 24
	}
	got := map[string]int{}
	for _, o := range Default() {
		s, err := o.Space()
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		got[o.Name] = len(s.Configurations)
		removed := 0
		for _, r := range s.Removed {
			removed += r.Count
		}
		if removed+len(s.Configurations) != s.Product {
			t.Errorf("%s: %d removed and %d left of %d", o.Name, removed, len(s.Configurations), s.Product)
		}
	}
	if len(want) != 41 || !maps.Equal(got, want) {
		t.Errorf("%d operations: %v", len(got), got)
	}
}

// Published sweeps of operations that the list does not have in that format.
func TestPublishedShapes(t *testing.T) {
	block := "4]"
	matmul := `"output_mb_r":[2,4,8],"output_mb_c":[2,4,8],"output_ub_r":[2,4],"output_ub_c":[2,4],` +
		`"ub_inner":[1,2,4,8,16],"mb_inner":[1,2,4,8,16,32]`
	for _, test := range []struct {
		opType, overrides string
		want              int
	}{
		{"matmul", `"input0_df":[` + block + `,"input1_df":[` + block + `,"output_df":[` + block + "," + matmul, 334},
		{"splice", `"input0_df":[4],"input1_df":[4],"input2_df":[4],"output_df":[4]`, 24},
		{"binary", `"input0_df":[4],"input1_df":[4],"output_df":[4],"output_mb_r":[2,4,8],"output_mb_c":[2,4,8],` +
			`"output_ub_r":[1,2,4,8],"output_ub_c":[1,2,4,8]`, 75},
	} {
		text := fmt.Sprintf(`[{"op_type":%q,"op_name":"x","config_overrides":{%s}}]`, test.opType, test.overrides)
		list, err := Parse("f", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		s, err := list[0].Space()
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Configurations) != test.want {
			t.Errorf("%s: %d configurations, want %d", test.opType, len(s.Configurations), test.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	entry := func(rest string) string { return "[\n{\"op_type\": \"unary\",\n \"op_name\": \"x\",\n " + rest + "}]" }
	for _, test := range []struct{ text, want string }{
		{``, "f:1: want a list of operations with at least one, got a null"},
		{`[]`, "f:1: want a list of operations with at least one, got an empty list"},
		{`{}`, "got an object"},
		{`[1]`, "f:1: want an operation"},
		{`[{}] x`, "f:1:"},
		{"[\n{\"op_type\": \"unary\",,}]", "f:2:"},
		{`[{"op_name": "x"}]`, `f:1: operation "x": op_type: it is missing`},
		{`[{"op_type": "unary"}]`, `op_name: it is missing`},
		{`[{"op_type": "unary", "op_name": "../x"}]`, `cannot be the name of a file`},
		{`[{"op_type": "unary", "op_name": "x"}, {"op_type": "unary", "op_name": "x"}]`, "the op_name is taken"},
		{entry(`"op_nme": 1`), `f:4: operation "x": "op_nme": there is no such key; did you mean "op_name"?`},
		{entry(`"data_file": 1`), `f:4: operation "x": data_file: want a string, got a number`},
		{entry(`"data_file": "a", "data_file": "b"`), `f:4: the key "data_file" is there twice`},
		{entry(`"additional_arguments": {"default": 1}`), "additional_arguments.default: want a string"},
		{entry(`"config_overrides": []`), "config_overrides: want an object of lists, got an empty list"},
		{entry(`"config_overrides": {"input0_df": []}`), "config_overrides.input0_df: the list is empty"},
		{entry("\"config_overrides\": {\n\"input_df\": [1]}"), `f:5: operation "x": config_overrides.input_df`},
		{entry(`"config_overrides": {"input_df": [1]}`), `did you mean "input0_df"?`},
		{entry(`"config_overrides": {"input0_df": 1}`), "want a list of values, got a number"},
		{entry(`"config_overrides": {"input0_df": [13]}`), "13 is no data format; there are 1 Float16, 2 Float16_b"},
		{entry(`"config_overrides": {"input0_df": ["Bfp8b"]}`), `"Bfp8b" is no data format; did you mean "Bfp8_b"?`},
		{entry(`"config_overrides": {"output_mb_r": [1.5]}`), "1.5 is not an integer"},
		{entry(`"config_overrides": {"output_mb_r": [0]}`), "0 is out of range: want 1 to 65536"},
		{entry(`"config_overrides": {"output_mb_r": ["2"]}`), `want numbers, got string "2"`},
		{entry(`"config_overrides": {"output_mb_r": [[2]]}`), `want numbers, got list`},
		{entry(`"config_overrides": ` + strings.Repeat("[", 30) + strings.Repeat("]", 30)), "want an object of lists, got a list"},
	} {
		if _, err := Parse("f", []byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s\n\tgives %v\n\twant  %s", test.text, err, test.want)
		}
	}
}

func TestNoConfigurations(t *testing.T) {
	o := Operation{Type: Unary, Name: "x", Overrides: map[string][]float64{
		"math_fidelity": {LoFi}, "output_ub_r": {2, 4}, "output_df": {2, 4},
	}}
	_, err := o.Space()
	if err == nil || !strings.Contains(err.Error(),
		"operation x: no configuration is left of 4: format-pair removed 2 (") ||
		!strings.Contains(err.Error(), "; fidelity removed 2 (") {
		t.Errorf("%v", err)
	}
	o.Overrides = map[string][]float64{}
	for _, name := range []string{"input_count", "output_mb_r", "output_mb_c", "output_ub_r"} {
		for i := range 100 {
			o.Overrides[name] = append(o.Overrides[name], float64(i+1))
		}
	}
	if _, err := o.Space(); err == nil || !strings.Contains(err.Error(), "more than 10000000 configurations") {
		t.Errorf("%v", err)
	}
}

func TestDerivedVariables(t *testing.T) {
	for _, test := range []struct {
		opType    Type
		overrides map[string][]float64
		want      string
	}{
		{Matmul, map[string][]float64{"mb_inner": {3}, "ub_inner": {8}, "output_ub_r": {4}, "output_ub_c": {2}},
			"input0_mb_r=2 input0_mb_c=12 input0_ub_c=2 input1_mb_r=6 input1_ub_r=4 intermed_df=Float16_b"},
		{MatmulL1Acc, map[string][]float64{"mb_inner": {3}, "ub_inner": {1}, "input0_df": {12},
			"input1_df": {12}, "output_df": {12},
			"output_ub_c": {2}}, "l1_acc=True intermed_df=Float16_b"},
		{Quant, map[string][]float64{"quant_type": {2}},
			"input0_df=Int8 input1_df=Float32 output_df=Float32 intermed_df=Int32"},
		{Splice, map[string][]float64{"input0_mb_c": {2}}, "input1_mb_c=2 input2_mb_c=2 output_mb_c=6"},
		{Depthwise, map[string][]float64{"mb_inner": {9}}, "input0_mb_c=18 input1_mb_r=9 input1_ub_r=1"},
		{Reduce, map[string][]float64{"reduce_dim": {3}, "z": {4}, "output_t": {2}}, "input0_t=8 output_t=2"},
		{MatmulSparse, nil, "input0_mb_c=20 input1_mb_r=2 input2_df=RawUInt32 input2_mb_c=3"},
	} {
		o := Operation{Type: test.opType, Name: "x", Overrides: test.overrides}
		s, err := o.Space()
		if err != nil {
			t.Error(err)
			continue
		}
		c := &s.Configurations[0]
		for _, pair := range strings.Fields(test.want) {
			name, value, _ := strings.Cut(pair, "=")
			if got := c.Text(name); got != value {
				t.Errorf("%s: %s is %s, want %s", test.opType, name, got, value)
			}
		}
	}
}

func TestPattern(t *testing.T) {
	o := Operation{Type: MatmulSparse, Name: "x"}
	s, err := o.Space()
	if err != nil {
		t.Fatal(err)
	}
	shares := map[int]bool{}
	for i := range s.Configurations {
		c := &s.Configurations[i]
		p, again := c.Pattern(), c.Pattern()
		if fmt.Sprint(p) != fmt.Sprint(again) {
			t.Fatal("a pattern is not the same again")
		}
		strips := c.Int("output_t") * c.Int("mb_inner")
		blocks := len(p.Strips) * c.Int("output_mb_r")
		tiles := p.Blocks() * c.Int("output_ub_r") * c.Int("ub_inner")
		if len(p.Strips) < 1 || len(p.Strips) > strips || p.Blocks() < len(p.Strips) || p.Blocks() > blocks ||
			p.Tiles() < p.Blocks() || p.Tiles() > tiles {
			t.Fatalf("%d of %d strips, %d of %d ublocks, %d of %d tiles", len(p.Strips), strips, p.Blocks(), blocks,
				p.Tiles(), tiles)
		}
		shares[10*p.Tiles()/tiles] = true
	}
	if len(shares) < 5 {
		t.Errorf("the shares of tiles hardly differ: %v", shares)
	}
}

func TestConfigurationsFile(t *testing.T) {
	for _, o := range Default() {
		s, err := o.Space()
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := WriteConfigurations(&b, s.Configurations); err != nil {
			t.Fatal(err)
		}
		if len(s.Configurations) > 300 {
			continue // reading thousands takes seconds
		}
		list, err := ParseConfigurations("f", b.Bytes(), &o)
		if err != nil {
			t.Fatal(err)
		}
		for i := range s.Configurations {
			if list[i].Key() != s.Configurations[i].Key() || list[i].Index != i {
				t.Fatalf("%s: configuration %d changes on its way through the file", o.Name, i)
			}
		}
	}
}

func TestConfigurationsFileErrors(t *testing.T) {
	o := Operation{Type: Unary, Name: "x"}
	for _, test := range []struct{ text, want string }{
		{"", "want a list of configurations"},
		{"a: 1", "want a list of configurations"},
		{"- [1]", "f:1: want a configuration"},
		{"- {math_fidelity: 4}\n- {outpt_df: 2}",
			`f:2: an operation of type unary has no variable "outpt_df"; did you mean "output_df"?`},
		{"- {output_df: 2, output_df: 2}", "twice"},
		{"- {output_mb_r: x}", `output_mb_r: want numbers, got string "x"`},
		{"- {output_mb_r: [1]}", "want numbers, got list"},
		{"- {output_mb_r: .nan}", "want numbers"},
		{"- {test_id: 1, math_fidelity: 4}\n- {test_id: 1, math_fidelity: HiFi3}", "f:2: the test_id 1 is there twice"},
		{"- {math_fidelity: LoFi}", "f:1: configuration 0 of x breaks the constraint fidelity"},
		{"- {", "f:2: did not find"},
	} {
		if _, err := ParseConfigurations("f", []byte(test.text), &o); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%q gives %v, want %s", test.text, err, test.want)
		}
	}
}

func TestSelect(t *testing.T) {
	list := Default()
	for _, test := range []struct {
		opType Type
		name   string
		count  int
		want   string
	}{
		{"", "", 41, ""}, {Unary, "", 21, ""}, {"", "exp", 1, ""}, {Unary, "exp", 1, ""},
		{Binary, "exp", 0, `"exp" is not of the op_type "binary"`}, {"", "expp", 0, `did you mean "exp"?`},
		{"unry", "", 0, `did you mean "unary"?`},
	} {
		got, _, err := Select(list, test.opType, test.name)
		if len(got) != test.count || (err == nil) != (test.want == "") || err != nil &&
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%q, %q: %d operations, %v", test.opType, test.name, len(got), err)
		}
	}
}

// The file of the tool that sweeps used before is read as it is: its overrides are flags in additional_arguments, one
// has a key twice, and a type that is not known costs its own operation only.
func TestOlderFile(t *testing.T) {
	list, err := Read(filepath.Join("testdata", "older", "default_operations.json"))
	if err != nil || len(list) != 28 {
		t.Fatalf("%d operations, %v", len(list), err)
	}
	kept, left, err := Select(list, "", "")
	if err != nil || len(kept) != 27 || len(left) != 1 || left[0].Name != "matmul_bias" {
		t.Fatalf("%d kept, %v left out, %v", len(kept), left, err)
	}
	if want := `default_operations.json:2: operation "matmul_bias": op_type: "matmul_bias" is no op_type`; !strings.Contains(
		left[0].Unknown.Error(), want) {
		t.Errorf("%v, want %s", left[0].Unknown, want)
	}
	for _, name := range []string{"add", "subtract", "gelu_derivative_approx", "sigmoid"} {
		got, _, err := Select(list, "", name)
		own, _, ownErr := Select(Default(), "", name)
		if err != nil || ownErr != nil || !reflect.DeepEqual(got[0].Overrides, own[0].Overrides) {
			t.Errorf("%s: %v, want %v; errors %v, %v", name, got[0].Overrides, own[0].Overrides, err, ownErr)
		}
	}
	for name, want := range map[string]string{"splice": "--run-prologue", "matmul_sparse_nz_counts": "--verbose-report " +
		"--run-single-op", "add": ""} {
		if got, _, err := Select(list, "", name); err != nil || strings.Join(got[0].Ignored, " ") != want {
			t.Errorf("%s: %q without effect, want %q, %v", name, got[0].Ignored, want, err)
		}
	}
	for _, one := range [][2]string{{"matmul_bias", ""}, {"", "matmul_bias"}} {
		if _, _, err := Select(list, Type(one[0]), one[1]); err == nil || !strings.Contains(err.Error(), "is no op_type") {
			t.Errorf("%q: %v", one, err)
		}
	}
}

// Words are those of a shell.
func TestArguments(t *testing.T) {
	for text, want := range map[string]string{
		` --config-overrides '{"a":[1]}' --verbose`: `{"a":[1]}|--verbose`,
		`--config-overrides="{\"a\": [1]}"`:         `{"a": [1]}|`,
		`--run-prologue  -x\ y`:                     `|--run-prologue -x y`,
		"":                                          "|",
		`--config-overrides`:                        "error: --config-overrides has no value",
		`--config-overrides '{`:                     "error: a quote (') is not closed",
	} {
		overrides, rest, err := splitArguments(text)
		got := overrides + "|" + strings.Join(rest, " ")
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for overrides, want := range map[string]string{
		`{"output_mb_r":[0]}`: "config_overrides.output_mb_r: 0 is out of range", `{"x":[1]}`: "config_overrides.x: an operation",
		`{"output_mb_r":[1]`: "did not find", `[1]`: "want an object of lists",
	} {
		text := strings.ReplaceAll(overrides, `"`, `\"`)
		_, err := Parse("ops.json", []byte("[\n{\"op_type\":\"unary\",\"op_name\":\"exp\",\"additional_arguments\":{\"default\":"+
			"\"--config-overrides '"+text+"'\"}}]"))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "ops.json:2: ") {
			t.Errorf("%s: %v, want %s", overrides, err, want)
		}
	}
}
