package iree

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"zonemark/executor/iree/dispatchmode"
	"zonemark/executor/values"
	"zonemark/invocations"
)

// inferredSize begins a word of the option dims that tells the size of an input, which a dimension has if nothing else
// gives it one: "?NAME.AXIS=SIZE", or "?#POSITION.AXIS=SIZE" for inputs without names in turn. "?NAME.=0" tells that an
// input is given by its name, and "?NAME.:f32=0" the type of its elements.
const (
	inferredSize    = "?"
	inferredElement = ":"
)

// InferInputs adds to the options of a module the types of the inputs that an invocation gives, if it is an ONNX model,
// whose open dimensions follow from them, or if the calls of its dispatches are recorded. What they do not give is left
// to the importer, which knows the model, and to the recorder.
func InferInputs(inv *invocations.Invocation) {
	if !IsONNX(inv.Artifact.Path) && inv.Artifact.Options[OptionProvider] != ProviderDispatch {
		return
	}
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
		given := inv.Artifact.Options[optionDimensions]
		inv.SetOption(optionDimensions, strings.TrimSpace(given+" "+strings.Join(words, " ")))
	}
}

// givenSizes returns the sizes that a user gives open dimensions.
func givenSizes(options map[string]string) string {
	return strings.Join(slices.DeleteFunc(dimensionWords(options[optionDimensions]), func(word string) bool {
		return strings.HasPrefix(word, inferredSize)
	}), " ")
}

// givenInputs returns the inputs that the options tell of.
func givenInputs(options map[string]string) (list []dispatchmode.Input) {
	at := map[string]int{}
	for _, word := range dimensionWords(options[optionDimensions]) {
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

// dimensionSizes returns the sizes of open dimensions that an option gives, as NAME=SIZE words in the order of their
// names.
func dimensionSizes(options map[string]string) ([]string, error) {
	words := dimensionWords(options[optionDimensions])
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

// dimensionWords splits NAME=SIZE words at spaces. Names of ONNX models may have spaces: a word ends with its size.
func dimensionWords(text string) (words []string) {
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

// setSizes makes the sizes of a model's open dimensions the option of an artifact, the given ones first and in their
// order. What was told of inputs is no part of it, since it may matter to no dimension.
func (n importNotes) setSizes(options map[string]string) {
	words := slices.DeleteFunc(dimensionWords(options[optionDimensions]), func(word string) bool {
		return strings.HasPrefix(word, inferredSize)
	})
	for _, word := range n.Sizes {
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	delete(options, optionDimensions)
	if len(words) > 0 {
		options[optionDimensions] = strings.Join(words, " ")
	}
}
