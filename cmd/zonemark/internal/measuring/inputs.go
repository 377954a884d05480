package measuring

import (
	"errors"
	"fmt"
	"strings"

	"zonemark/invocations"
)

// inputArguments reads the values of --input: tensors in the form of iree-run-module, which have no name and are for the
// arguments in turn, or NAME=CONTENTS, where contents may be such a tensor too.
func inputArguments(texts []string) (list []invocations.Argument, err error) {
	for _, text := range texts {
		a, err := invocations.ParseTensor(text)
		if err == nil {
			list = append(list, a)
			continue
		}
		if !errors.Is(err, invocations.ErrNotTensor) {
			return nil, fmt.Errorf("--input: %w", err)
		}
		name, contents, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--input %q: want ARGUMENT=CONTENTS, or a tensor such as 4x4xf32=0.5 for the "+
				"arguments in turn", text)
		}
		if a, err = invocations.ParseArgument(contents); err != nil {
			return nil, fmt.Errorf("--input %s: %w", name, err)
		}
		a.Name = name
		list = append(list, a)
	}
	return list, nil
}

// checkExpected returns an error for an expected output that is not valid, before anything runs.
func checkExpected(texts []string) error {
	for _, text := range texts {
		a, err := invocations.ParseTensor(text)
		if err != nil {
			return fmt.Errorf("--expected-output %q: %w", text, err)
		}
		if a.Fill == invocations.FillDefault || a.Fill == invocations.FillRandom {
			return fmt.Errorf("--expected-output %q: the values are missing; want one such as 4x4xf32=0.5 or @FILE.npy",
				text)
		}
	}
	return nil
}
