package generator

import (
	"context"

	"zonemark/executor/toolchain"
)

// run runs a program, confined, to its end and returns what it printed. It gets no variables that change what Halide
// makes, which results are not named after. The messages of compilers are searched, so they are in English.
func (t Toolchain) run(ctx context.Context, p toolchain.Program) (string, error) {
	p.Without, p.Environment = "HL_", []string{"LC_ALL=C"}
	return p.Run(ctx, t.confine)
}
