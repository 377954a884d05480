package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/commands"
	"zonemark/cmd/zonemark/internal/program"

	"github.com/spf13/pflag"
)

// pythonFlag is a flag as a keyword of the Python package.
type pythonFlag struct {
	letter string // of the flag, if it has one
	kind   string // what the package does with a value
	hint   string // its type
	usage  string
}

// TestPythonFlags compares the keywords of the Python package with the flags of the verbs that it calls.
func TestPythonFlags(t *testing.T) {
	t.Parallel()
	verbs, former := map[string]map[string]pythonFlag{}, map[string]map[string]string{}
	for _, page := range pages(t.Context(), program.Standard()) {
		// The package itself sets --format of the verbs whose output it reads.
		switch page.Name {
		case "run":
			verbs[page.Name] = pythonFlags(t, page, "output")
		case "compare":
			verbs[page.Name] = pythonFlags(t, page, "format")
		case "trace stats", "trace zones", "trace dispatches":
			verbs[page.Name] = pythonFlags(t, page, "format", "output", "quiet")
		}
		if shown, called := verbs[page.Name]; called {
			former[page.Name] = formerPythonFlags(page, shown)
		}
	}
	// What zonemark.measure itself says of the function.
	subject := []string{"function", "input", "param", "expected_output"}
	run, compare := verbs["run"], verbs["compare"]
	if len(run) < 50 || len(compare) < 50 || len(verbs) != 5 {
		t.Fatalf("%d flags of run, %d of compare, and %d verbs", len(run), len(compare), len(verbs))
	}
	both, only, of, rest := map[string]pythonFlag{}, map[string]pythonFlag{}, map[string]pythonFlag{}, maps.Clone(compare)
	for name, f := range run {
		switch {
		case slices.Contains(subject, name):
			of[name] = f
		case compare[name].hint == f.hint && compare[name].usage == f.usage:
			both[name] = f
			delete(rest, name)
		default:
			only[name] = f
		}
	}
	b := &strings.Builder{}
	b.WriteString(pythonHead)
	writeTypedDict(b, "Measuring", "TypedDict, total=False", "Flags of ``zonemark run`` and ``zonemark compare``.", both)
	writeTypedDict(b, "Measure", "Measuring, total=False", "Keywords of ``zonemark.measure``.", only)
	writeTypedDict(b, "Run", "Measure, total=False", "Flags of ``zonemark run``.", of)
	writeTypedDict(b, "Compare", "Measuring, total=False", "Flags of ``zonemark compare``.", rest)
	for _, verb := range []struct{ name, class string }{
		{"trace stats", "Statistics"}, {"trace zones", "Zones"}, {"trace dispatches", "Dispatches"},
	} {
		writeTypedDict(b, verb.class, "TypedDict, total=False", "Flags of ``zonemark "+verb.name+"``.", verbs[verb.name])
	}
	b.WriteString("\n\n#: What is done with the values of the keywords, by verb.\nKINDS: dict[str, dict[str, str]] = {\n")
	for _, verb := range slices.Sorted(maps.Keys(verbs)) {
		fmt.Fprintf(b, "    %q: {\n", verb)
		for _, name := range slices.Sorted(maps.Keys(verbs[verb])) {
			fmt.Fprintf(b, "        %q: %q,\n", name, verbs[verb][name].kind)
		}
		b.WriteString("    },\n")
	}
	b.WriteString("}\n\n#: Likewise, of older spellings, which are taken silently.\nFORMERLY: dict[str, dict[str, str]] = {\n")
	for _, verb := range slices.Sorted(maps.Keys(former)) {
		fmt.Fprintf(b, "    %q: {\n", verb)
		for _, name := range slices.Sorted(maps.Keys(former[verb])) {
			fmt.Fprintf(b, "        %q: %q,\n", name, former[verb][name])
		}
		b.WriteString("    },\n")
	}
	b.WriteString("}\n\n#: The keywords of flags that have a letter, by verb.\nLETTERS: dict[str, dict[str, str]] = {\n")
	for _, verb := range slices.Sorted(maps.Keys(verbs)) {
		var letters []string
		for _, name := range slices.Sorted(maps.Keys(verbs[verb])) {
			if f := verbs[verb][name]; f.letter != "" {
				letters = append(letters, fmt.Sprintf("%q: %q", f.letter, name))
			}
		}
		fmt.Fprintf(b, "    %q: {%s},\n", verb, strings.Join(letters, ", "))
	}
	b.WriteString("}\n")
	comparePage(t, filepath.Join("..", "driver", "python", "zonemark", "flags.py"), b.String())
}

const pythonHead = `"""The flags of the binary as keywords. This file is made from the flags of its verbs by TestPythonFlags of cmd/zonemark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict

from zonemark.words import Content, Fraction, Pairs, Size, Text, Time
`

// formerPythonFlags returns what the package does with values of the older spellings of the flags that it shows.
func formerPythonFlags(page commands.Page, shown map[string]pythonFlag) map[string]string {
	kinds := map[string]string{}
	page.Flags.VisitAll(func(f *pflag.Flag) {
		flag, known := shown[keywordOf(f.Name)]
		for _, word := range cli.FormerSpellings(f) {
			if own := page.Flags.Lookup(word); own != nil { // with another form of value
				_, usage := pflag.UnquoteUsage(own)
				flag.kind, _ = pythonKind(own, usage)
			}
			if known && len(word) > 1 {
				kinds[keywordOf(word)] = flag.kind
			}
		}
	})
	return kinds
}

// keywordOf returns the keyword of a flag.
func keywordOf(flag string) string {
	keyword := strings.ReplaceAll(flag, "-", "_")
	if keyword == "from" || keyword == "self" { // words of the language
		keyword += "_"
	}
	return keyword
}

// pythonFlags returns the flags of a verb but some, by their keywords.
func pythonFlags(t *testing.T, page commands.Page, without ...string) map[string]pythonFlag {
	found := map[string]pythonFlag{}
	page.Flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || slices.Contains(without, f.Name) {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		k := pythonFlag{letter: f.Shorthand, usage: usage}
		k.kind, k.hint = pythonKind(f, kind)
		repeats := strings.Contains(usage, "repeatable") || strings.Contains(usage, "second --"+f.Name)
		if v, ours := f.Value.(cli.FlagValue); ours && v.Repeats && !repeats {
			t.Errorf("the usage of --%s of %s does not say that it is repeatable: %s", f.Name, page.Name, usage)
		}
		if repeats && k.kind == "one" {
			k.kind, k.hint = "many", fmt.Sprintf("%s | Sequence[%s]", k.hint, k.hint)
		}
		found[keywordOf(f.Name)] = k
	})
	return found
}

// pythonKind returns what the package does with the value of a flag, and its type.
func pythonKind(f *pflag.Flag, kind string) (does, hint string) {
	switch {
	case f.Value.Type() == "bool":
		return "switch", "bool"
	case f.NoOptDefVal != "":
		return "optional", "bool | Text"
	case kind == "time":
		return "time", "Time"
	case kind == "size":
		return "size", "Size"
	case kind == "tensor":
		return "contents", "Content | Sequence[Content] | Mapping[str, Content]"
	case kind == "name=value":
		return "pairs", "Pairs"
	case kind == "fraction":
		return "one", "Fraction"
	case kind == "n" || kind == "int" || kind == "uint":
		return "one", "int"
	case kind == "MiB":
		return "one", "float"
	case kind == "cpu":
		return "one", "int | Text"
	case strings.Contains(kind, "|") && !strings.HasSuffix(kind, "|list"):
		return "one", `Literal["` + strings.ReplaceAll(kind, "|", `", "`) + `"]`
	}
	return "one", "Text"
}

// writeTypedDict writes a class with these keywords, in the order of the alphabet.
func writeTypedDict(b *strings.Builder, name, base, doc string, flags map[string]pythonFlag) {
	fmt.Fprintf(b, "\n\nclass %s(%s):\n    \"\"\"%s\"\"\"\n\n", name, base, doc)
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		f := flags[name]
		for line := range strings.SplitSeq(cli.Wrapped(f.usage, 140), "\n") {
			fmt.Fprintf(b, "    # %s\n", line)
		}
		fmt.Fprintf(b, "    %s: %s | None\n", name, f.hint)
	}
}
