package bench

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"zonemark/invocations"
	"zonemark/invocations/spelling"
)

// requestParameters are the parameters of a model in a suite: the flags of the same names.
func requestParameters() []string {
	return []string{"training", "generative", "layers", "microbatch", "dataformat", "seed", "models"}
}

// ParseRequest parses a model as suites name it, MODEL or MODEL:CONFIGURATION, with its parameters. models are the
// user's folders and files with models, separated by commas in the parameter of that name; they are relative to folder.
func ParseRequest(text string, parameters map[string]string, folder string) (r Request, models []string, err error) {
	var colon bool
	if r.Model, r.Config, colon = strings.Cut(text, ":"); r.Model == "" || colon && r.Config == "" {
		return r, nil, refuse("%q names no model: want MODEL:CONFIGURATION, such as bert:tiny", text)
	}
	r.DType = nativeElement("Fp32")
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		value := parameters[name]
		if name != "models" {
			if err := r.set(name, value); err != nil {
				return r, nil, err
			}
			continue
		}
		for path := range strings.SplitSeq(value, ",") {
			if path, err = filepath.Abs(inFolder(folder, path)); err != nil {
				return r, nil, fmt.Errorf("parameter models: %w", err)
			}
			models = append(models, path)
		}
	}
	if r.Training && r.Generative {
		return r, nil, refuse("the parameters training and generative: a model is trained or generates; give one of them")
	}
	return r, models, nil
}

func inFolder(folder, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, filepath.FromSlash(path))
}

// set sets one parameter.
func (r *Request) set(name, value string) error {
	number := func(most uint64) (n uint64, err error) {
		if n, err = strconv.ParseUint(value, 10, 64); err != nil || n > most {
			return 0, refuse("parameter %s = %s: want a number from 0 to %d", name, value, most)
		}
		return n, nil
	}
	truth := func() (on bool, err error) {
		if value != "true" && value != "false" {
			return false, refuse("parameter %s = %s: want true or false", name, value)
		}
		return value == "true", nil
	}
	var n uint64
	var err error
	switch name {
	case "training":
		r.Training, err = truth()
	case "generative":
		r.Generative, err = truth()
	case "layers":
		n, err = number(maxLayers)
		r.Layers = int(n)
	case "microbatch":
		n, err = number(maxMicrobatch)
		r.Microbatch = int64(n)
	case "seed":
		r.Seed, err = number(1<<63 - 1)
	case "dataformat":
		if r.DType = nativeElement(value); r.DType == "" {
			err = refuse("parameter dataformat = %s: want Fp32, Fp16 or Fp16_b, which every device runs as they are; "+
				"\"zonemark bench\" knows block formats", value)
		}
	default:
		err = refuse("a model has no parameter %q%s", name, spelling.SuggestOrList(name, requestParameters()))
	}
	return err
}

// RequestText returns a model with its parameters, as records have it: "bert:tiny layers=1".
func RequestText(model string, parameters map[string]string) string {
	return strings.TrimSpace(model + " " + invocations.ParametersText(parameters))
}
