// Package cpuinfo reads what Linux says of processors in /proc/cpuinfo. It imports nothing of zonemark.
package cpuinfo

import (
	"os"
	"slices"
	"strings"
)

// Processor is what Linux says of one CPU in /proc/cpuinfo, line by line.
type Processor []ProcessorLine

// ProcessorLine is one line, without the blanks around its parts.
type ProcessorLine struct{ Key, Value string }

// Processors returns what the system says of each CPU. It returns nil on systems without /proc/cpuinfo.
func Processors() []Processor {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return nil
	}
	return ParseProcessors(string(text))
}

// ParseProcessors reads the text of /proc/cpuinfo, in which an empty line stands between CPUs.
func ParseProcessors(text string) (list []Processor) {
	for part := range strings.SplitSeq(text, "\n\n") {
		var p Processor
		for line := range strings.Lines(part) {
			if key, value, found := strings.Cut(line, ":"); found {
				p = append(p, ProcessorLine{strings.TrimSpace(key), strings.TrimSpace(value)})
			}
		}
		if p != nil {
			list = append(list, p)
		}
	}
	return list
}

// Value returns the value of the first line with one of these keys; empty if there is none.
func (p Processor) Value(keys ...string) string {
	i := slices.IndexFunc(p, func(l ProcessorLine) bool { return slices.Contains(keys, l.Key) })
	if i < 0 {
		return ""
	}
	return p[i].Value
}

// Features returns the features of the CPU under Linux's names: "flags" on x86, "Features" on ARM.
func (p Processor) Features() []string { return strings.Fields(p.Value("flags", "Features")) }

// CommonFeatures returns the features that every CPU has: on a machine with unequal cores, code may run on any of them.
// It returns nil if no features are known.
func CommonFeatures(list []Processor) map[string]bool {
	var common map[string]bool
	for _, p := range list {
		if p.Value("flags", "Features") == "" {
			continue // a part of the text that is about the machine
		}
		features := map[string]bool{}
		for _, f := range p.Features() {
			if common == nil || common[f] {
				features[f] = true
			}
		}
		common = features
	}
	return common
}

// ProcessorKind returns a text that differs between processors for which compilers make different code. It is empty on
// systems that do not say what their processor is.
func ProcessorKind() (text string) {
	list := Processors()
	if len(list) == 0 {
		return ""
	}
	for _, l := range list[0] {
		switch l.Key {
		case "model name", "flags", "Features", "CPU implementer", "CPU part", "isa":
			text += "\n" + l.Value
		}
	}
	return text
}
