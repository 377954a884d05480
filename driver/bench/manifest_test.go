package bench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// small is a manifest of two modules, made by hand.
const small = `{"version":1,"model":"mlp","config":"small","dtype":"float32","microbatch":4,"parameters":8,` +
	`"weights_bytes":32,"flop":64,
"modules":[{"role":"cpu-pre","program":"cpu-pre.mlir","function":"main","inputs":[{"name":"x","kind":"input",` +
	`"dtype":"int32","shape":[4],"file":"a.npy"}],
  "outputs":[{"name":"y","dtype":"float32","shape":[4,2]}],"tolerance":{"relative":0.001,"absolute":0.001}},
 {"role":"device","program":"device.mlir","function":"main","flop":64,"inputs":[{"name":"w","kind":"weight",` +
	`"dtype":"float32","shape":[2,4],"file":"b.npy"},
  {"name":"y","kind":"previous","dtype":"float32","shape":[4,2],"file":"c.npy","output":0}],` +
	`"outputs":[{"name":"z","dtype":"float32","shape":[4,4],"file":"d.npy"}],
  "tolerance":{"relative":0.001,"absolute":0.001}}]}`

func TestManifest(t *testing.T) {
	m, err := ParseManifest([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Modules) != 2 || m.Modules[1].Weights() != 1 || m.Modules[0].Weights() != 0 || m.FLOP != 64 ||
		m.Microbatch != 4 {
		t.Errorf("%+v", m)
	}
	for old, c := range map[string]struct{ text, want string }{
		`"version":1`:              {`"version":2`, "a manifest of version 2"},
		`"model":"mlp"`:            {`"model":""`, "it has no model"},
		`"microbatch":4`:           {`"microbatch":0`, "microbatch"},
		`"role":"cpu-pre"`:         {`"role":"device"`, `module 1 has the role "device"`},
		`"role":"device"`:          {`"role":"cpu-post"`, "no module runs on the device"},
		`"program":"device.mlir"`:  {`"program":"../device.mlir"`, "not the name of a file beside"},
		`"file":"b.npy"`:           {`"file":"/b.npy"`, `array "w": its file "/b.npy"`},
		`"shape":[2,4]`:            {`"shape":[-2,4]`, "has the shape"},
		`"kind":"weight"`:          {`"kind":"heavy"`, `of kind "heavy"`},
		`"output":0`:               {`"output":1`, "is result 1 of the module before"},
		`"function":"main","flop"`: {`"function":"","flop"`, "names no function"},
		`"weights_bytes":32`:       {`"weights_bytes":"many"`, "not a manifest of an export"},
	} {
		text := strings.Replace(small, old, c.text, 1)
		if _, err := ParseManifest([]byte(text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", c.text, err, c.want)
		}
	}
	path := filepath.Join(t.TempDir(), "manifest.json")
	if _, err := ReadManifest(path); err == nil {
		t.Error("a manifest that is not there was read")
	}
	described := strings.ReplaceAll(small, `"program":"device.mlir",`, "")
	if err := os.WriteFile(path, []byte(described), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadManifest(path); err == nil ||
		!strings.Contains(err.Error(), path+": the module device has no program") {
		t.Errorf("error %v", err)
	}
}

func TestAnswers(t *testing.T) {
	a, err := parseAnswer([]byte(`{"version":1,` +
		`"models":[{"name":"bert","configs":["tiny"],"default_config":"tiny","training":true}],` +
		`"mistakes":[{"file":"/m.py","line":3,"error":"no"}]}`))
	if err != nil || len(a.Models) != 1 || a.Models[0].DefaultConfig != "tiny" || a.Mistakes[0].Line != 3 {
		t.Errorf("%+v, %v", a, err)
	}
	for text, want := range map[string]string{
		"":                                   `no JSON object (unexpected end of JSON input): ""`,
		"Traceback":                          `"Traceback"`,
		`{"version":7}`:                      "version 7",
		`{"version":1,"error":"x","line":2}`: "x",
		`{"version":1,"error":"it is none","file":"/m.py","line":2,"kind":"shape"}`: "/m.py:2: it is none",
		`{"version":1,"error":"it is none","file":"/m.py","kind":"mistake"}`:        "/m.py: it is none",
	} {
		if _, err := parseAnswer([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q in it", text, err, want)
		}
	}
}

func FuzzManifest(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte(`{"version":1,"model":"m","microbatch":1,` +
		`"modules":[{"role":"device","function":"main","tolerance":{}}]}`))
	f.Add([]byte(`{"version":1,"model":"m","microbatch":1,"modules":[null]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := ParseManifest(data)
		if err != nil {
			return
		}
		for i := range m.Modules {
			if n := m.Modules[i].Weights(); n > len(m.Modules[i].Inputs) {
				t.Errorf("%d weights of %d inputs", n, len(m.Modules[i].Inputs))
			}
			for _, a := range m.Modules[i].Inputs {
				if at := filepath.Join("/folder", a.File); a.File != "" && filepath.Dir(at) != "/folder" {
					t.Errorf("%q leads out of the folder", a.File)
				}
			}
		}
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseManifest(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	})
}

func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"version":1,"models":[{"name":"bert","configs":["tiny"]}],"mistakes":[]}`))
	f.Add([]byte(`{"version":1,"error":"no","file":"a.py","line":-1,"kind":"shape"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := parseAnswer(data); err != nil && err.Error() == "" {
			t.Error("an error without words")
		}
	})
}
