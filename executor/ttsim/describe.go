package ttsim

import (
	"fmt"
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
	part := partOfProgram(path)
	paths, err := executor.ArtifactsAt(path, "RISC-V program", "name one, or link them as *"+extension,
		func(name string) bool { return isProgram(name) && !part(name) })
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
	list, hash, err := readProgram(path, o.l1)
	if err != nil {
		return invocations.Description{}, err
	}
	f := invocations.Function{Name: functionName, Parameters: parameters(list)}
	var types [2][]string
	for _, a := range argumentsOf(list) {
		usage, side := invocations.Input, 0
		if a.output {
			usage, side = invocations.Output, 1
		}
		f.Arguments = append(f.Arguments,
			invocations.Argument{Name: a.name, Element: a.buffer.element, Shape: a.shape(), Usage: usage})
		types[side] = append(types[side], a.String())
	}
	f.Signature = "(" + strings.Join(types[0], ", ") + ") -> (" + strings.Join(types[1], ", ") + ")"
	d := invocations.Description{
		Artifact:  invocations.Artifact{Path: path, SHA256: hash},
		Functions: []invocations.Function{f},
	}
	for i := range list {
		d.Details = append(d.Details, list[i].details(len(list) > 1))
	}
	return d, nil
}

// details describes a placement in a line. named says that its name and its cores are part of it.
func (p *placement) details(named bool) string {
	total := 0
	for _, s := range p.image.segments {
		total += len(s.data)
	}
	text := fmt.Sprintf("%s, %d bytes of L1 in %d segments, mailbox at %#x",
		p.image.form, total, len(p.image.segments), p.image.layout.mailbox)
	if !named {
		return text
	}
	tiles := "the tile " + p.tiles[0].String()
	if n := len(p.tiles); n > 1 {
		tiles = fmt.Sprintf("%d tiles, %s to %s", n, p.tiles[0], p.tiles[n-1])
	}
	return fmt.Sprintf("%s on %s of %s: %s", p.name, p.core.name, tiles, text)
}
