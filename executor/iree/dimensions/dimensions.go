// Package dimensions holds the words of the option that gives open dimensions their sizes: those of a user, and those
// that tell of the inputs from which sizes follow.
package dimensions

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"zonemark/executor/iree/dispatchmode"
	"zonemark/executor/values"
	"zonemark/invocations"
)

// inferredSize begins a word that tells the size of an input, which a dimension has if nothing else gives it one:
// "?NAME.AXIS=SIZE", or "?#POSITION.AXIS=SIZE" for inputs without names in turn. "?NAME.=0" tells that an input is given
// by its name, and "?NAME.:f32=0" the type of its elements.
const (
	inferredSize    = "?"
	inferredElement = ":"
)

// Infer adds to the words of an option what the arguments of an invocation tell of their types. What they do not give
// is left to the importer, which knows the model, and to the recorder.
func Infer(inv *invocations.Invocation, option string) {
	var words []string
	position := 0
	for i := range inv.Arguments {
		a := &inv.Arguments[i]
		name := a.Name
		if name == "" {
			name = "#" + strconv.Itoa(position)
			position++
		} else {
			words = append(words, inferredSize+name+".=0")
		}
		element, shape := a.Element, a.Shape
		if shape == nil && a.Fill == invocations.FillFile {
			element, shape, _ = values.FileType(a.Contents) // a file that cannot be read is refused when it fills the argument
		}
		if element != "" && shape != nil {
			words = append(words, inferredSize+name+"."+inferredElement+invocations.MLIRName(element)+"=0")
		}
		for axis, size := range shape {
			words = append(words, fmt.Sprintf("%s%s.%d=%d", inferredSize, name, axis, size))
		}
	}
	if len(words) > 0 {
		given := inv.Artifact.Options[option]
		inv.SetOption(option, strings.TrimSpace(given+" "+strings.Join(words, " ")))
	}
}

// Given returns the words by which a user gives sizes.
func Given(text string) []string {
	return slices.DeleteFunc(split(text), func(word string) bool { return strings.HasPrefix(word, inferredSize) })
}

// Inputs returns the inputs that the words tell of.
func Inputs(text string) (list []dispatchmode.Input) {
	at := map[string]int{}
	for _, word := range split(text) {
		word, told := strings.CutPrefix(word, inferredSize)
		equals := strings.LastIndexByte(word, '=')
		if !told || equals < 0 {
			continue
		}
		dot := strings.LastIndexByte(word[:equals], '.')
		if dot < 0 {
			continue
		}
		name, axis := word[:dot], word[dot+1:equals]
		i, known := at[name]
		if !known {
			i, at[name] = len(list), len(list)
			list = append(list, dispatchmode.Input{Name: name})
			if strings.HasPrefix(name, "#") {
				list[i].Name = ""
			}
		}
		if element, isElement := strings.CutPrefix(axis, inferredElement); isElement {
			list[i].Element, _ = invocations.ParseMLIRName(element)
			list[i].Shape = []int64{}
		} else if size, err := strconv.ParseInt(word[equals+1:], 10, 64); err == nil && axis != "" {
			list[i].Shape = append(list[i].Shape, size)
		}
	}
	return list
}

// Sizes returns the sizes that the words give, as NAME=SIZE in the order of the names.
func Sizes(text string) ([]string, error) {
	words := split(text)
	names := map[string]bool{}
	for _, word := range words {
		at := strings.LastIndexByte(word, '=')
		if at < 1 {
			return nil, fmt.Errorf("size %s of a dimension: want NAME=SIZE, such as batch=1", word)
		}
		name, size := word[:at], word[at+1:]
		if _, err := strconv.ParseUint(size, 10, 31); err != nil {
			return nil, fmt.Errorf("size %s of a dimension: %q is no size; want a whole number from 0 on", word, size)
		}
		if names[name] {
			return nil, fmt.Errorf("size %s of a dimension: %s has a size already", word, name)
		}
		names[name] = true
	}
	slices.Sort(words)
	return words, nil
}

// split splits NAME=SIZE words at spaces. Names of ONNX models may have spaces: a word ends with its size.
func split(text string) (words []string) {
	begun := ""
	for field := range strings.FieldsSeq(text) {
		if begun += field; strings.Contains(begun, "=") {
			words, begun = append(words, begun), ""
			continue
		}
		begun += " "
	}
	if begun != "" {
		words = append(words, strings.TrimSpace(begun))
	}
	return words
}

// Settle returns the words for the sizes that an import has found, those of the user first and in their order. What was
// told of inputs is not among them, since it may matter to no dimension.
func Settle(text string, sizes []string) string {
	words := Given(text)
	for _, word := range sizes {
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}
