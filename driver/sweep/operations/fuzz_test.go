package operations

import (
	"bytes"
	"testing"
)

func FuzzParse(f *testing.F) {
	f.Add([]byte(`[{"op_type":"unary","op_name":"x","config_overrides":{"output_df":[2,"Bfp8_b"]},
"op_config_file":"c"}]`))
	f.Add([]byte(`[{"op_type":"quant","op_name":"q","config_overrides":{"zero_point":[-1.5]},
"additional_arguments":{"a":"b"}}]`))
	f.Add([]byte("[{\"op_type\":1}]"))
	f.Add([]byte("[[[[[[[["))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := Parse("f", data)
		if err == nil && len(list) == 0 {
			t.Error("no operation and no error")
		}
		for _, o := range list {
			for name, values := range o.Overrides {
				if len(values) == 0 {
					t.Errorf("%s has no value", name)
				}
			}
		}
	})
}

func FuzzParseConfigurations(f *testing.F) {
	f.Add([]byte("- {test_id: 0, math_fidelity: 4, output_df: Float16_b}\n"))
	f.Add([]byte("- math_fidelity: 4\n  output_mb_r: 3\n"))
	f.Add([]byte("- &a {math_fidelity: 4}\n- *a\n"))
	f.Add([]byte("---\n...\n"))
	o := Operation{Type: Unary, Name: "x"}
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := ParseConfigurations("f", data, &o)
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := WriteConfigurations(&b, list); err != nil {
			t.Fatal(err)
		}
		again, err := ParseConfigurations("f", b.Bytes(), &o)
		if err != nil || len(again) != len(list) {
			t.Fatalf("what was written is not read again: %v", err)
		}
		for i := range list {
			if list[i].Key() != again[i].Key() || list[i].Index != again[i].Index {
				t.Errorf("configuration %d changes", i)
			}
		}
	})
}
