package setup

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

// The pinned packages, in pip's format.
var (
	//go:embed requirements/halide.txt
	halideRequirements string
	//go:embed requirements/hexagon.txt
	hexagonRequirements string
	//go:embed requirements/iree.txt
	ireeRequirements string
	//go:embed requirements/cmake.txt
	cmakeRequirements string
	//go:embed requirements/models.txt
	modelsRequirements string
	//go:embed requirements/onnx.txt
	onnxRequirements string
	//go:embed requirements/pjrt-cpu.txt
	pjrtCPURequirements string
)

// requirement is the pins of one package: one for each range of Python versions that needs another release of it.
type requirement struct {
	name   string
	text   string          // its lines of the requirements file
	hashes map[string]bool // of its files, SHA-256, hexadecimal
}

// parseRequirements reads a requirements file in which every package has one version and hashes, as uv and pip-compile
// write it. Packages come in the order of their first lines. The error names the line.
func parseRequirements(text string) ([]requirement, error) {
	var (
		pin       = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]*)==[A-Za-z0-9.!+_-]+(\s*;[^\\]*?)?\s*(\\)?$`)
		hash      = regexp.MustCompile(`^--hash=sha256:([0-9a-f]{64})\s*(\\)?$`)
		all       []requirement
		indices   = map[string]int{}
		current   = -1
		continued bool // the line before ended in a backslash
		hashed    bool // the pin before has a hash
		number    int
	)
	for line := range strings.Lines(text) {
		number++
		trimmed := strings.TrimSpace(line)
		switch m := hash.FindStringSubmatch(trimmed); {
		case !continued && (trimmed == "" || strings.HasPrefix(trimmed, "#")):
			continue
		case continued && m != nil:
			all[current].hashes[m[1]] = true
			continued, hashed = m[2] != "", true
		case continued:
			return nil, fmt.Errorf("line %d: want --hash=sha256: and 64 hexadecimal digits", number)
		default:
			m := pin.FindStringSubmatch(trimmed)
			if m == nil {
				return nil, fmt.Errorf("line %d: want NAME==VERSION \\", number)
			}
			if current >= 0 && !hashed {
				return nil, fmt.Errorf("line %d: the package before it has no hash", number)
			}
			i, known := indices[m[1]]
			if !known {
				i = len(all)
				indices[m[1]] = i
				all = append(all, requirement{name: m[1], hashes: map[string]bool{}})
			}
			current, continued, hashed = i, m[3] != "", false
		}
		all[current].text += strings.TrimRight(line, "\r\n") + "\n"
	}
	switch {
	case len(all) == 0:
		return nil, fmt.Errorf("it names no package")
	case continued || !hashed:
		return nil, fmt.Errorf("line %d: the last package is cut, or has no hash", number)
	}
	return all, nil
}
