package dispatchplan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWriteAndRead(t *testing.T) {
	p, err := Read(filepath.Join("..", "testdata", "mlp.dispatches.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Functions) != 1 || len(p.Functions[0].Dispatches) != 3 || p.Functions[0].Incomplete != "" {
		t.Errorf("%+v", p)
	}
	path := filepath.Join(t.TempDir(), "copy.json")
	if err := p.Write(path); err != nil {
		t.Fatal(err)
	}
	again, err := Read(path)
	if err != nil || !cmp.Equal(p, again) {
		t.Errorf("%v\n%s", err, cmp.Diff(p, again))
	}
}

func TestParseRefuses(t *testing.T) {
	const dispatch = `{"version":1,"functions":[{"name":"f","buffers":[{"bytes":64}],` +
		`"dispatches":[{"name":"d","bindings":[%]}]}]}`
	bound := func(binding string) string { return strings.Replace(dispatch, "%", binding, 1) }
	for text, want := range map[string]string{
		"":                  "byte 0",
		`{"version":1,`:     "byte 13",
		`{"version":"one"}`: "version",
		`{"version":3}`:     "version 3; this zonemark reads versions 1 to 2",
		`{"version":1,"functions":[{"buffers":[{"bytes":-1}]}]}`:                 "buffer 0 of -1 bytes",
		`{"version":1,"functions":[{"buffers":[{"bytes":1,"input":0}]}]}`:        "input 0 of 0",
		`{"version":1,"functions":[{"dispatches":[{"name":"d","ordinal":-1}]}]}`: "export -1",
		`{"version":1,"functions":[{"outputs":[{"buffer":1,"bytes":1}]}]}`:       "output 0: buffer 1 of 0",

		bound(`{"buffer":0,"offset":32,"bytes":33}`):                 "33 bytes from 32 on of buffer 0, which has 64",
		bound(`{"buffer":0,"offset":9223372036854775807,"bytes":2}`): "of buffer 0",
		bound(`{"buffer":-1,"bytes":2}`):                             "buffer -1",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"tiny", "mlp"} {
		data, err := os.ReadFile(filepath.Join("..", "testdata", name+".dispatches.json"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Parse(data)
		if err != nil {
			return
		}
		for i := range p.Functions {
			p.Functions[i].Trim()
			if err := p.Functions[i].check(); err != nil {
				t.Error(err)
			}
		}
	})
}
