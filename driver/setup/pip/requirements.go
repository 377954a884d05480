package pip

import (
	"fmt"
	"regexp"
	"strings"
)

// Requirement is the pins of one package: one for each range of Python versions that needs another release of it.
type Requirement struct {
	Name   string
	Text   string          // its lines of the requirements file
	Hashes map[string]bool // of its files, SHA-256, hexadecimal
}

// ParseRequirements reads a requirements file in which every package has one version and hashes, as uv and pip-compile
// write it. Packages come in the order of their first lines. The error names the line.
func ParseRequirements(text string) ([]Requirement, error) {
	var (
		pin       = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]*)==[A-Za-z0-9.!+_-]+(\s*;[^\\]*?)?\s*(\\)?$`)
		hash      = regexp.MustCompile(`^--hash=sha256:([0-9a-f]{64})\s*(\\)?$`)
		all       []Requirement
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
			all[current].Hashes[m[1]] = true
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
				all = append(all, Requirement{Name: m[1], Hashes: map[string]bool{}})
			}
			current, continued, hashed = i, m[3] != "", false
		}
		all[current].Text += strings.TrimRight(line, "\r\n") + "\n"
	}
	switch {
	case len(all) == 0:
		return nil, fmt.Errorf("it names no package")
	case continued || !hashed:
		return nil, fmt.Errorf("line %d: the last package is cut, or has no hash", number)
	}
	return all, nil
}
