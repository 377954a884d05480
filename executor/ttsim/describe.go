package ttsim

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"zonemark/executor"
	"zonemark/invocations"
)

// functionName is the name of a program's only function.
const functionName = "kernel"

// Describe reads a program, or all of a folder in the order of their names, without a simulator.
func (r Runtime) Describe(path string, o executor.DescribeOptions) ([]invocations.Description, error) {
	opts, err := parseOptions(o.Options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	paths, err := executor.ArtifactsAt(path, "RISC-V program", "name one, or link them as *"+extension,
		func(name string) bool {
			return strings.EqualFold(filepath.Ext(name), extension)
		})
	if err != nil {
		return nil, err
	}
	var list []invocations.Description
	for _, path := range paths {
		d, err := describe(path, opts)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		list = append(list, d)
	}
	return list, nil
}

func describe(path string, o options) (invocations.Description, error) {
	m, data, err := readImage(path, o.l1)
	if err != nil {
		return invocations.Description{}, err
	}
	hash := sha256.Sum256(data)
	f := invocations.Function{Name: functionName}
	var types [2][]string
	for i, list := range [][]buffer{m.layout.inputs, m.layout.outputs} {
		usage := []invocations.Usage{invocations.Input, invocations.Output}[i]
		for _, b := range list {
			f.Arguments = append(f.Arguments,
				invocations.Argument{Name: b.name, Element: b.element, Shape: b.shape, Usage: usage})
			types[i] = append(types[i], invocations.TensorShape(b.element, b.shape))
		}
	}
	f.Signature = "(" + strings.Join(types[0], ", ") + ") -> (" + strings.Join(types[1], ", ") + ")"
	for _, p := range m.layout.parameters {
		f.Parameters = append(f.Parameters,
			invocations.Parameter{Name: p.name, Default: strconv.FormatUint(uint64(m.word(p.address)), 10)})
	}
	total := 0
	for _, s := range m.segments {
		total += len(s.data)
	}
	return invocations.Description{
		Artifact:  invocations.Artifact{Path: path, SHA256: hex.EncodeToString(hash[:])},
		Functions: []invocations.Function{f},
		Details: []string{fmt.Sprintf("%s, %d bytes of L1 in %d segments, mailbox at %#x",
			m.form, total, len(m.segments), m.layout.mailbox)},
	}, nil
}
