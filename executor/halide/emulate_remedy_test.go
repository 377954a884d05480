package halide

import (
	"errors"
	"slices"
	"testing"

	"zonemark/executor"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// A pipeline for Hexagon is skipped where there is no emulator, and what to install is said with it.
func TestNoEmulator(t *testing.T) {
	inv := &invocations.Invocation{Artifact: invocations.Artifact{Path: "p.py", Built: "p.elf",
		Options: map[string]string{OptionTarget: "hexagon-32-noos-hvx_v66"}}}
	_, err := New(func(string) string { return "" }).Emulate(t.Context(), inv, "", nil, nil)
	var skipped *executor.UnsupportedError
	if !errors.As(err, &skipped) || !slices.ContainsFunc(remedy.Of(err), func(r remedy.Remedy) bool {
		return r.Kind == remedy.Package && r.Name == "qemu-user"
	}) {
		t.Errorf("error %v, remedies %v", err, remedy.Of(err))
	}
}
