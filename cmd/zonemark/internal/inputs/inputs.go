// Package inputs reads what a command line says of the inputs and the expected outputs of functions.
package inputs

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"zonemark/executor/values"
	"zonemark/invocations"
)

// Arguments reads the values of --input: tensors and numbers in the form of iree-run-module, which have no name
// and are for the arguments in turn, or NAME=CONTENTS, where contents may be such a tensor too.
func Arguments(texts []string) (list []invocations.Argument, err error) {
	last := fileArrays{}
	for _, text := range texts {
		several, isSeveral, err := last.read(text)
		if err != nil {
			return nil, fmt.Errorf("--input %q: %w", text, err)
		}
		if isSeveral {
			list = append(list, several...)
			continue
		}
		a, err := positional(text)
		if errors.Is(err, invocations.ErrNotTensor) {
			a, err = namedInput(text)
		}
		if err != nil {
			return nil, fmt.Errorf("--input: %w", err)
		}
		list = append(list, a)
	}
	return list, nil
}

// nullInput is how iree-run-module writes a null reference, or the number 0.
const nullInput = "(null)"

// positional reads a tensor, or a number for an argument that is passed by value.
func positional(text string) (invocations.Argument, error) {
	if text == nullInput {
		return invocations.Argument{}, fmt.Errorf("%s: null references cannot be passed, so functions that take lists or "+
			"other objects cannot be measured; write 0 for a number", text)
	}
	a, err := invocations.ParseTensor(text)
	if !errors.Is(err, invocations.ErrNotTensor) || strings.Contains(text, ":") {
		return a, err
	}
	if c, e := invocations.ParseContents(text); e == nil && c.Fill == invocations.FillConstant {
		return invocations.Argument{Contents: c}, nil
	}
	return a, err
}

// namedInput reads NAME=CONTENTS. A name may have equals signs, as names of ONNX models do: it ends at the first one
// that is followed by contents, and contents that are a file which does not exist may be a part of the name.
func namedInput(text string) (found invocations.Argument, err error) {
	var first error
	for at := range text {
		if text[at] != '=' || at == 0 {
			continue
		}
		a, err := invocations.ParseArgument(text[at+1:])
		if err != nil {
			if first == nil {
				first = fmt.Errorf("%s: %w", text[:at], err)
			}
			continue
		}
		a.Name = text[:at]
		if !strings.Contains(a.Path, "=") || exists(a.Path) {
			return a, nil
		}
		if found.Name == "" {
			found = a
		}
	}
	switch {
	case found.Name != "":
		return found, nil
	case first != nil:
		return found, first
	}
	return found, fmt.Errorf("%q: want ARGUMENT=CONTENTS, or a tensor such as 4x4xf32=0.5 for the arguments in turn", text)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// fileArrays reads inputs that are arrays of .npy files with several of them.
type fileArrays struct {
	path string // of the file that was read last
	next int    // position of the array behind the one that was read last
}

// read reads the forms of iree-run-module: "@FILE.npy" is the first array of a file, "+FILE.npy" the one behind the
// array that was read last, and "*FILE.npy" all of them, as "FILE.npy" is. isSeveral is false for other texts, and for
// a file of one array.
func (f *fileArrays) read(text string) (list []invocations.Argument, isSeveral bool, err error) {
	path := strings.TrimLeft(text, "@+*")
	form := strings.TrimSuffix(text, path)
	if len(form) > 1 || !strings.HasSuffix(path, ".npy") || form == "" && strings.Contains(path, "=") {
		return nil, false, nil
	}
	count, err := values.NPYArrays(path)
	if err != nil {
		return nil, false, err
	}
	first, end := 0, count
	switch form {
	case "@":
		end = 1
	case "+":
		if f.path == path {
			first = f.next
		}
		if end = first + 1; end > count {
			return nil, false, fmt.Errorf("the file has %d arrays, and all of them are given already", count)
		}
	}
	f.path, f.next = path, end
	if count == 1 && form != "*" && form != "+" {
		return nil, false, nil
	}
	for i := first; i < end; i++ {
		c := invocations.Contents{Fill: invocations.FillFile, Path: path}
		if count > 1 {
			c.Value = strconv.Itoa(i)
		}
		list = append(list, invocations.Argument{Contents: c})
	}
	return list, true, nil
}

// Expected reads the values of --expected-output: tensors, files of one or several arrays, and "(ignored)". It
// returns an error for one that is not valid, before anything runs.
func Expected(texts []string) (list []string, err error) {
	last := fileArrays{}
	for _, text := range texts {
		if text == invocations.IgnoredTensor {
			list = append(list, text)
			continue
		}
		several, isSeveral, err := last.read(text)
		if err != nil {
			return nil, fmt.Errorf("--expected-output %q: %w", text, err)
		}
		for _, one := range several {
			list = append(list, "@"+one.Contents.String())
		}
		if isSeveral {
			continue
		}
		a, err := invocations.ParseExpected(text)
		if err != nil {
			return nil, fmt.Errorf("--expected-output %q: %w", text, err)
		}
		if a.Fill == invocations.FillDefault || a.Fill == invocations.FillRandom {
			return nil, fmt.Errorf("--expected-output %q: the values are missing; want one such as 4x4xf32=0.5 or @FILE.npy",
				text)
		}
		list = append(list, text)
	}
	return list, nil
}
