package tt

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"zonemark/executor/tt/pjrt"
	"zonemark/executor/tt/stablehlo"
)

// refusedError is a program that the plugin's compiler refuses.
type refusedError struct {
	why string // what is wrong and what to do, as far as it is known; empty if the plugin's words are all
	err error
}

// Error returns the reason and the plugin's words, of which a known reason needs the first line only.
func (e *refusedError) Error() string {
	words := e.err.Error()
	if e.why == "" {
		return words
	}
	first, _, _ := strings.Cut(words, "\n")
	return e.why + " (" + first + ")"
}

func (e *refusedError) Unwrap() error { return e.err }

// compileNow makes the plugin compile a program. The error is a *refusedError if its compiler refuses the program.
func (c *client) compileNow(source, options []byte) (*pjrt.Executable, error) {
	e, err := c.Compile(source, options)
	var failed *pjrt.Error
	if !errors.As(err, &failed) || failed.Code == pjrt.ResourceExhausted {
		return e, outOfMemory(err)
	}
	return nil, &refusedError{c.whyRefused(source), err}
}

// whyRefused returns why a plugin may have refused a program, for reasons that its own words seldom tell. Returns "" if
// none is known.
func (c *client) whyRefused(source []byte) string {
	if version, known := stablehlo.BytecodeVersion(source); known {
		newest, _ := c.Plugin().Attributes()["stablehlo_current_version"].([]int64)
		if len(newest) == len(version) && slices.Compare(version[:], newest) > 0 {
			return fmt.Sprintf("the program is bytecode of StableHLO %s and the plugin knows StableHLO up to %s: give it as "+
				"text (of JAX, exported.mlir_module()), or export it for the older version",
				versionText(version[:]), versionText(newest))
		}
	}
	const remedy = "which the plugin does not compile: export the program with fixed shapes"
	if stablehlo.IsBytecode(source) {
		if bytes.Contains(source, []byte("shape_assertion")) {
			return "its shapes are symbolic, " + remedy
		}
		return ""
	}
	sig, err := textSignature(source)
	if err != nil {
		return ""
	}
	for _, v := range sig.arguments {
		if slices.Contains(v.dimensions, stablehlo.Open) {
			return fmt.Sprintf("its shapes are symbolic (%s is %s), %s", v.name, v.text, remedy)
		}
	}
	return ""
}

// versionText returns "1.13.3".
func versionText(numbers []int64) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(numbers), "[]"), " ", ".")
}
