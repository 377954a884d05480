package stablehlo

import (
	"fmt"
	"strings"
	"testing"
)

// short returns a sharding as text: tiles, then the part of each device.
func short(s Sharding) string {
	if !s.Split() {
		return "whole"
	}
	return fmt.Sprint(s.Tiles, s.Parts)
}

func TestParseSharding(t *testing.T) {
	for text, want := range map[string]string{
		"{replicated}":                                           "whole",
		"{devices=[4]<=[4]}":                                     "[4] [0 1 2 3]",
		"{devices=[2,2]<=[4]}":                                   "[2 2] [0 1 2 3]",
		"{devices=[2,2]0,2,1,3}":                                 "[2 2] [0 2 1 3]",
		"{devices=[4,1]3,1,0,2}":                                 "[4 1] [2 1 3 0]",
		"{devices=[1,1,4]<=[4] last_tile_dim_replicate}":         "whole",
		"{devices=[2,1,2]<=[4] last_tile_dim_replicate}":         "[2 1] [0 0 1 1]",
		"{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}": "[2 1] [0 1 0 1]",
		"{devices=[2,2]<=[2,2]T(1,0)}":                           "[2 2] [0 2 1 3]",
		"{devices=[1,2,2]<=[4] last_tile_dims={replicated}}":     "[1 2] [0 0 1 1]",
		"{devices=[2,2,1]<=[4] last_tile_dims={replicated,replicated} metadata={op_name=\"}\"}}": "[2] [0 0 1 1]",
	} {
		if s, err := ParseSharding(text, 4); err != nil || short(s) != want {
			t.Errorf("%s: %s, %v; want %s", text, short(s), err, want)
		}
	}
	for text, want := range map[string]string{
		"":                           "want it in the notation of HLO",
		"\x08\x03\x1a\x02":           "want it in the notation of HLO",
		"{manual}":                   `"manual" is not supported`,
		"{maximal device=0}":         `"maximal" is not supported`,
		"{{replicated}, {manual}}":   `"{" is not supported`,
		"{devices=[2,4]<=[8]}":       "it is for 8 devices and mhlo.num_partitions is 4",
		"{devices=[0]<=[4]}":         "0 parts",
		"{devices=[4]0,1,2,2}":       "does not name each of 4 once",
		"{devices=[4]0,1,2}":         "it names 3 of 4",
		"{devices=[4]0,1,2,":         "the end of the text",
		"{devices=[4]<=[2,2]T(0,2)}": "does not name each of 2 once",
		"{devices=[4]<=[2]}":         "it is for 2 devices",
		"{devices=[2,2]<=[4] last_tile_dims={manual}}":              "subgroups of this kind",
		"{devices=[4]<=[4] shard_like 1}":                           "not supported in a sharding",
		"{devices=[4]<=[4] last_tile_dims={replicated,replicated}}": "fewer dimensions",
		"{devices=[99999999999999999999]<=[4]}":                     "want a number up to",
	} {
		if s, err := ParseSharding(text, 4); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, error %v; want %q in it", text, short(s), err, want)
		}
	}
}

func TestParseShardy(t *testing.T) {
	meshes, err := meshesFrom(`{m = #sdy.mesh<["x"=2, "y"=2]>, turned = #sdy.mesh<["x"=4], device_ids=[3,2,1,0]>, ` +
		`none = #sdy.mesh<[]>, eight = #sdy.mesh<["x"=8]>}`)
	if err != nil || len(meshes) != 4 {
		t.Fatal(meshes, err)
	}
	for text, want := range map[string]string{
		`#sdy.sharding<@m, [{"x"}, {"y"}]>`:                        "[2 2] [0 1 2 3]",
		`#sdy.sharding<@m, [{"y"}, {"x"}]>`:                        "[2 2] [0 2 1 3]",
		`#sdy.sharding<@m, [{"y", "x"}]>`:                          "[4] [0 2 1 3]",
		`#sdy.sharding<@m, [{"y", ?}p1, {}], replicated={"x"}>`:    "[2 1] [0 1 0 1]",
		`#sdy.sharding<@m, [{?}, {}]>`:                             "whole",
		`#sdy.sharding<@m, []>`:                                    "whole",
		`#sdy.sharding<@none, [{}]>`:                               "whole",
		`#sdy.sharding<@turned, [{"x"}]>`:                          "[4] [3 2 1 0]",
		`#sdy.sharding<@turned, [{"x":(1)2}]>`:                     "[2] [1 1 0 0]",
		`#sdy.sharding<@turned, [{"x":(2)2}]>`:                     "[2] [1 0 1 0]",
		`#sdy.sharding<mesh<["a"=4]>, [{}, {"a"}]>`:                "[1 4] [0 1 2 3]",
		`#sdy.sharding<mesh<["a"=4]>, [{"a":(2)2}, {"a":(1)2}p0]>`: "[2 2] [0 2 1 3]",
	} {
		if s, err := parseShardy(text, 4, meshes); err != nil || short(s) != want {
			t.Errorf("%s: %s, %v; want %s", text, short(s), err, want)
		}
	}
	for text, want := range map[string]string{
		`#alias`:                                                "want #sdy.sharding",
		`#sdy.sharding<@other, [{"x"}]>`:                        "no such mesh",
		`#sdy.sharding<@m, [{"z"}]>`:                            "no such axis",
		`#sdy.sharding<@m, [{"x":(3)1}]>`:                       "part of an axis of 2 devices",
		`#sdy.sharding<@m, [{"x"}], unreduced={"y"}>`:           "want replicated",
		`#sdy.sharding<@m, [{"x"}`:                              "the end of the text",
		`#sdy.sharding<@m, ["x"]>`:                              "want the axes of a dimension",
		`#sdy.sharding<@eight, [{"x"}]>`:                        "its mesh has 8 devices and mhlo.num_partitions is 4",
		`#sdy.sharding<mesh<[], device_ids=[0]>, []>`:           "its mesh has 1 devices",
		`#sdy.sharding<mesh<["a"=4], device_ids=[0]>, [{"a"}]>`: "device_ids",
		`#sdy.sharding<mesh<["a"=9999]>, []>`:                   "want a number up to",
		`#sdy.sharding<mesh<["a"=4096, "b"=2]>, []>`:            "up to 4096 devices",
	} {
		if s, err := parseShardy(text, 4, meshes); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, error %v; want %q in it", text, short(s), err, want)
		}
	}
}

// TestShardingsInPrograms checks where programs write their shardings.
func TestShardingsInPrograms(t *testing.T) {
	const four = "module @m attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {\n"
	for program, want := range map[string]string{
		`func.func @main(%a: tensor<8x4xf32> {mhlo.sharding = "{devices=[2,2]<=[4]}"}, %b: tensor<8xf32>) -> ` +
			`(tensor<4xf32> {mhlo.sharding = "{devices=[4]<=[4]}", x = "}"}) {`: "[2 2] [0 1 2 3] whole -> [4] [0 1 2 3]",
		`sdy.mesh @"a b" = <["x"=4]>` + "\n" + `func.func @main(%a: tensor<8xf32> {sdy.sharding = ` +
			`#sdy.sharding<@"a b", [{"x"}]>, tf.aliasing_output = 0 : i32}) {`: "[4] [0 1 2 3] -> shardy",
		`#m = {mhlo.frontend_attributes = {xla.sdy.meshes = "{m = #sdy.mesh<[\22x\22=4]>}"}}` + "\n" +
			`func.func @main(%a: tensor<8xf32> {a, mhlo.frontend_attributes = {xla.sdy.sharding = ` +
			`"#sdy.sharding<@m, [{\22x\22}]>"}}) {`: "[4] [0 1 2 3] -> shardy",
	} {
		s, err := Parse([]byte(four + program))
		var got []string
		for _, v := range s.Arguments {
			got = append(got, short(v.Sharding))
		}
		got = append(got, "->")
		for _, v := range s.Results {
			got = append(got, short(v.Sharding))
		}
		if s.Shardy {
			got = append(got, "shardy")
		}
		if strings.Join(got, " ") != want || err != nil || s.Partitions != 4 || s.Replicas != 1 {
			t.Errorf("%s: %s, %v; want %s", program, got, err, want)
		}
	}
	for program, want := range map[string]string{
		`func.func @main(%a: tensor<6xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) {`: "%a: sharding {devices=[4]<=[4]}: " +
			"it splits dimension 0 into 4 parts, which are not of the same size",
		`func.func @main(%a: tensor<f32> {mhlo.sharding = "{devices=[4]<=[4]}"}) {`:       "splits 1 dimensions and the array has 0",
		`func.func @main(%a: tensor<?xf32> {mhlo.sharding = "{devices=[4]<=[4]}"}) {`:     "not of the same size",
		`func.func @main(%a: tensor<4xf32> {mhlo.sharding = "{manual}"}) {`:               `%a: sharding {manual}: sharding of the kind`,
		`func.func @main() -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@n, [{}]>}) {`: "result 0: sharding #sdy.sharding<@n",
		"attributes {mhlo.num_partitions = many}":                                         "want a number up to 4096",
	} {
		if s, err := Parse([]byte(four + program)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, error %v; want %q in it", program, s, err, want)
		}
	}
}

// checkParts fails the test if a sharding for four devices has a part that does not exist.
func checkParts(t *testing.T, s Sharding) {
	count := int64(1)
	for _, n := range s.Tiles {
		count *= n
	}
	if s.Split() && len(s.Parts) != 4 || count > 4 {
		t.Errorf("%v", s)
	}
	for _, part := range s.Parts {
		if part < 0 || int64(part) >= count {
			t.Errorf("%v", s)
		}
	}
}

func FuzzParseSharding(f *testing.F) {
	for _, seed := range []string{"{replicated}", "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}",
		"{devices=[4]3,1,0,2 last_tile_dims={replicated} metadata={}}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := ParseSharding(text, 4); err == nil {
			checkParts(t, s)
		}
	})
}

func FuzzParseShardy(f *testing.F) {
	f.Add(`#sdy.sharding<@m, [{"x", ?}p1, {"y":(1)1}], replicated={"z"}>`, `{m = #sdy.mesh<["x"=2, "y"=2]>}`)
	f.Add(`#sdy.sharding<mesh<["a"=4], device_ids=[0,3,2,1]>, [{"a":(2)2}]>`, "{}")
	f.Fuzz(func(t *testing.T, text, meshes string) {
		declared, err := meshesFrom(meshes)
		if err != nil {
			return
		}
		if s, err := parseShardy(text, 4, declared); err == nil {
			checkParts(t, s)
		}
	})
}
