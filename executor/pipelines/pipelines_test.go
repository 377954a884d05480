package pipelines

import (
	"bytes"
	"strings"
	"testing"
)

// stages returns a pipeline of programs, each of which takes the result of the one before.
func stages(programs ...string) Pipeline {
	p := Pipeline{Samples: 5}
	for i, program := range programs {
		s := Stage{Program: []byte(program), Options: map[string]string{"resident-inputs": "1"}}
		if i > 0 {
			s.From = map[int]int{1: 0}
		}
		p.Stages = append(p.Stages, s)
	}
	return p
}

// A pipeline that can be read holds all of its programs, and is written as it was read.
func FuzzDecode(f *testing.F) {
	p := stages("add", "multiply", "subtract")
	whole, err := p.Encode()
	if err != nil {
		f.Fatal(err)
	}
	head := len(magic)
	for _, file := range [][]byte{whole, whole[:len(whole)-1], whole[:head], append(bytes.Clone(whole), 0)} {
		f.Add(file[head:])
	}
	f.Add([]byte(`{"samples":1,"stages":[{"path":"/a"},{"path":"/b","from":{"0":0}}]}` + "\n"))
	f.Fuzz(func(t *testing.T, rest []byte) {
		p, err := Decode(append([]byte(magic), rest...))
		if err != nil {
			return
		}
		file, err := p.Encode()
		if err != nil {
			t.Fatalf("it was read, and cannot be written: %v", err)
		}
		again, err := Decode(file)
		if err != nil || len(again.Stages) != len(p.Stages) || again.Samples != p.Samples {
			t.Fatalf("%+v became %+v, %v", p, again, err)
		}
		for i, s := range p.Stages {
			if !bytes.Equal(again.Stages[i].Program, s.Program) || again.Stages[i].Path != s.Path {
				t.Errorf("stage %d has another program", i)
			}
		}
	})
}

// What is no pipeline is refused, with what to do.
func TestRefused(t *testing.T) {
	good := stages("add", "add")
	file, err := good.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ file, want string }{
		"a program":               {"func.func @main", "does not begin as one"},
		"cut off in the line":     {string(file[:30]), "it is cut off"},
		"cut off in the programs": {string(file[:len(file)-1]), "stage 1 has"},
		"more than the programs":  {string(file) + "x", "1 bytes follow"},
		"no line of JSON":         {magic + "{\n", "make it again"},
		"a stage":                 {magic + `{"samples":1,"stages":[{}]}` + "\n", "want 2 to 16 stages"},
		"negative bytes": {magic + `{"samples":1,"stages":[{"bytes":-1},{"from":{"0":0}}]}` + "\n",
			"stage 0 has -1 bytes"},
		"a relative path": {magic + `{"samples":1,"stages":[{"path":"a"},{"from":{"0":0}}]}` + "\n", `the path "a"`},
		"a path and a program": {magic + `{"samples":1,"stages":[{"path":"/a","bytes":1},{"from":{"0":0}}]}` + "\nx",
			`1 bytes and the path "/a"`},
	} {
		if _, err := Decode([]byte(c.file)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := (&Pipeline{Samples: 1}).Encode(); err == nil {
		t.Error("a pipeline without stages was made")
	}
}
