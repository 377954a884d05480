package tt

import (
	"bytes"
	"testing"
)

// A pipeline that can be read holds all of its programs, and is written as it was read.
func FuzzDecodePipeline(f *testing.F) {
	p := threeStages("add", "multiply", "subtract")
	whole, err := p.Encode()
	if err != nil {
		f.Fatal(err)
	}
	head := len(pipelineMagic)
	for _, file := range [][]byte{whole, whole[:len(whole)-1], whole[:head], append(bytes.Clone(whole), 0)} {
		f.Add(file[head:])
	}
	f.Fuzz(func(t *testing.T, rest []byte) {
		p, err := decodePipeline(append([]byte(pipelineMagic), rest...))
		if err != nil {
			return
		}
		file, err := p.Encode()
		if err != nil {
			t.Fatalf("it was read, and cannot be written: %v", err)
		}
		again, err := decodePipeline(file)
		if err != nil || len(again.Stages) != len(p.Stages) || again.Samples != p.Samples {
			t.Fatalf("%+v became %+v, %v", p, again, err)
		}
		for i, s := range p.Stages {
			if !bytes.Equal(again.Stages[i].Program, s.Program) {
				t.Errorf("stage %d has another program", i)
			}
		}
	})
}
