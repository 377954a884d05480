package halide

import (
	"fmt"

	"zonemark/executor/halide/metadata"
	"zonemark/invocations"
)

// element returns the element type that has the values of one of Halide's types. A uint1 takes a byte, as in Halide.
func element(t metadata.Type) (invocations.ElementType, error) {
	if t.Lanes == 1 {
		if t.Code == metadata.Uint && t.Bits == 1 {
			return invocations.Bool, nil
		}
		prefix := map[metadata.Code]string{
			metadata.Int: "int", metadata.Uint: "uint", metadata.Float: "float", metadata.BFloat: "bfloat",
		}[t.Code]
		e := invocations.ElementType(fmt.Sprintf("%s%d", prefix, t.Bits))
		if prefix != "" && e.Size() > 0 {
			return e, nil
		}
	}
	return "", fmt.Errorf("its type is %s, which zonemark cannot fill; want an int, uint, float or bfloat of 8 to 64 "+
		"bits, or a bool", t)
}

// userContext is the name of the argument that Halide adds under the target feature user_context. It is a pointer that
// pipelines only pass on, null here.
const userContext = "__user_context"

// internal reports whether an argument is one that no caller chooses.
func internal(a *metadata.Argument) bool {
	return a.Kind == metadata.Scalar && a.Type.Code == metadata.Handle && a.Name == userContext
}
