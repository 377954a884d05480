package generator

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// What a generator prints is taken apart without a panic, and what is shown of it is short.
func FuzzDiagnose(f *testing.F) {
	for _, seed := range []string{
		"Unhandled exception: Error: Generator not found: nothere\nDid you mean:\n    noest\n    raises\n\nTraceback",
		"Unhandled exception: HalideError: Generator noest has no GeneratorParam(s) named: ['what']\n\nAt:\n  a.py(3): f\n",
		"Unhandled exception: Error: Generator gauss5 has no GeneratorParam named: what\n\n",
		"Unhandled exception: Error: Did not understand Halide target hoost\nExpected format is arch\n" +
			"Features are: avx, a_b\n",
		"Unhandled exception: Error: Need an estimate on dimension 0 of \"dst\"\n",
		"Unhandled exception: ValueError: no\n\nAt:\n  /a b/c.py(14): generate\n" +
			"  /x/_generator_helpers.py(7): g\n  <string>(1): h\n",
		"Unhandled exception: Error: Either -g <name> or -r must be specified; available Generators are:\n    a\n    b\n\n",
		"Unhandled exception: Error: Unable to parse: xx\n",
		"  generator->set_generatorparam_value(\"size\", std::to_string(generator_params.size));\n",
		"  generator->bind_input(\"src\", to_parameter_vector(inputs.src));\n",
		"generator: a.cpp:1: void f(): Assertion `t().has_feature(Target::NoBoundsQuery)' failed.\n",
		"Unhandled exception: Error: Type is not defined for Input 'a'; x\n",
		"terminate called after throwing an instance of 'Halide::CompileError'\n", "a.cpp:3:1: error: x\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, output string) {
		d := diagnose(output)
		if d.kind != notUnderstood && !strings.Contains(output, unhandled) {
			t.Errorf("kind %d of a text that holds no error", d.kind)
		}
		if (d.kind == noGenerator || d.kind == noParameter) && d.subject == "" {
			t.Errorf("kind %d without a name", d.kind)
		}
		const most = 2 * 14 // two texts of few lines each
		if n := strings.Count(d.text, "\n"); n > most {
			t.Errorf("%d lines are shown", n)
		}
		for _, name := range availableGenerators(output) {
			if strings.ContainsAny(name, " \n") || name == "" {
				t.Errorf("a generator %q", name)
			}
		}
		for _, name := range slices.Concat(firstGroups(stubParameter(), output), firstGroups(stubPort(), output),
			firstGroups(stubTyped(), output)) {
			if strings.ContainsAny(name, "\"\n") || name == "" {
				t.Errorf("a parameter %q", name)
			}
		}
		var missing *lack
		if errors.As(refusal("a.cpp", output), &missing) && strings.ContainsAny(fmt.Sprint(missing.need), "- :\n") {
			t.Errorf("a feature %q", missing.need)
		}
		if errors.As(lacking(io.EOF, d.text), &missing) && strings.ContainsAny(fmt.Sprint(missing.need), " '\n") {
			t.Errorf("a parameter %q", missing.need)
		}
		misspelt(output, d.known)
	})
}

// Weights of any contents are refused or read whole.
func FuzzWeights(f *testing.F) {
	whole := weightsOf(1)
	for _, seed := range [][]byte{whole, whole[:40], nil} {
		f.Add(seed)
	}
	s, _ := schedulerOf("adams2019")
	f.Fuzz(func(t *testing.T, data []byte) {
		if parseWeights(data, s.shapes) == nil && (len(data) != len(whole) || parseWeights(data, nil) != nil) {
			t.Errorf("%d bytes are taken for weights", len(data))
		}
	})
}

// The import and include lines of any text are read without a panic.
func FuzzSources(f *testing.F) {
	for _, seed := range []string{
		"#include \"a.h\"\n # include\t\"/b.h\"\n", "import a.b as c, d; e\n", "from ..a.b import (c, d)\n",
		"from . import x # y\n", "from a import *\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, path := range append(includedFiles("/f", text), importedFiles("/top", "/top/f", text)...) {
			if path == "" || strings.ContainsRune(path, '\n') {
				t.Errorf("path %q", path)
			}
		}
	})
}
