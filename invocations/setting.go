package invocations

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"zonemark/invocations/spelling"
)

// The tables of an entry whose keys are free or of their own.
const (
	tableParameters = "params"
	tableArguments  = "arguments"
	tableVerify     = "verify"
)

// setting is one key of an entry with its value.
type setting struct {
	path  keyPath
	label string // for people: "invocation.params.K"
	line  int
	table string // tableParameters and so on; empty for a field of the entry itself
	key   string
	value any // string, int64, float64 or bool
}

// template says whether {axis} placeholders stand for values in the text of this setting: in those texts that name what differs
// from point to point. Parameters are left alone, since axes set them directly.
func (s setting) template() bool {
	_, text := s.value.(string)
	switch s.table {
	case tableArguments:
		return text
	case tableVerify:
		return text && s.key == "reference"
	case "":
		return text && slices.Contains([]string{"name", "group", "artifact", "function", "flop", "bytes"}, s.key)
	}
	return false
}

// setting reads the scalar under key. An array is refused with a hint: it is probably meant as an axis.
func (p *suiteParser) setting(t table, inTable, key string) (setting, error) {
	path, label := t.child(key)
	s := setting{path: path, label: label, line: p.keys.line(path), table: inTable, key: key, value: t.values[key]}
	if _, isArray := s.value.([]any); isArray && inTable != tableArguments {
		return setting{}, p.fail(path, label, errors.New("is an array: write lists of values under [invocation.axes]"))
	}
	if text, _ := s.value.(string); s.template() && strings.ContainsAny(text, "{}") {
		return s, nil // checked when its placeholders are known
	}
	if err := s.apply(&Invocation{}, ""); err != nil {
		return setting{}, p.fail(path, label, err)
	}
	return s, nil
}

// settings reads one of the tables of an entry.
func (p *suiteParser) settings(t table, key string) ([]setting, error) {
	inner, err := p.sub(t, key)
	if err != nil {
		return nil, err
	}
	var list []setting
	for _, k := range p.keysOf(inner) {
		s, err := p.setting(inner, key, k)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// apply sets the value in v. Relative paths are joined to folder.
func (s setting) apply(v *Invocation, folder string) error {
	if s.key == "" {
		return errors.New("the key is empty: give it a name")
	}
	switch s.table {
	case tableParameters:
		text, err := scalarText(s.value)
		if err != nil {
			return err
		}
		if v.Parameters == nil {
			v.Parameters = map[string]string{}
		}
		v.Parameters[s.key] = text
		return nil
	case tableArguments:
		return setArgument(v, s.key, s.value, folder)
	case tableVerify:
		switch s.key {
		case "reference":
			return setText(&v.Verify.Reference, s.value)
		case "tolerance":
			return setNumber(&v.Verify.Tolerance, s.value, math.MaxFloat64, "1e-4")
		}
		return unknownKey(s.key, []string{"reference", "tolerance"})
	}
	return setField(v, s.key, s.value, folder)
}

// fieldNames are the keys of an entry that hold one value, which an axis may set, too; all but the name.
func fieldNames() []string {
	return []string{
		"name", "runtime", "artifact", "function", "group", "mode", "precision", "min_time", "max_time", "min_iterations", "calls_per_batch",
		"launches", "rounds", "huge_pages", "input_sets_minimum_size_mb", "cpu", "seed", "timeout", "memory", "trace", "check_only",
		"flop", "bytes", "provider", "device", "task_threads", "compile_flags", "parameter_files",
		"plugin", "transfers", "resident_inputs", "chips", "compile_options", "compile_options_file", "compile_cache", "simulator", "cycle_limit", "l1",
	}
}

// setField sets one field of an entry.
func setField(v *Invocation, key string, value any, folder string) error {
	switch key {
	case "name":
		return setText(&v.Name, value)
	case "runtime":
		return setText(&v.Runtime, value)
	case "artifact":
		err := setText(&v.Artifact.Path, value)
		v.Artifact.Path = inFolder(folder, v.Artifact.Path)
		return err
	case "function":
		return setText(&v.Function, value)
	case "group":
		return setText(&v.Group, value)
	case "mode":
		return setMode(&v.Measure.Mode, value)
	case "precision":
		return setNumber(&v.Measure.Precision, value, 1, "0.01")
	case "min_time":
		return setQuantity(&v.Measure.MinTimeNS, value, ParseDuration, "100ms")
	case "max_time":
		return setQuantity(&v.Measure.MaxTimeNS, value, ParseDuration, "2s")
	case "min_iterations":
		return setInteger(&v.Measure.MinIterations, value, 0, math.MaxInt64)
	case "calls_per_batch":
		return setInteger(&v.Measure.CallsPerBatch, value, 0, math.MaxInt64)
	case "launches", "rounds": // the second is what it was called when variants took turns in one process
		return setInteger(&v.Measure.Launches, value, 1, 10_000)
	case "huge_pages":
		return setBool(&v.Measure.HugePages, value)
	case "input_sets_minimum_size_mb":
		return setMegabytes(&v.Measure.SetBytes, value)
	case "cpu":
		return setInteger(&v.Measure.CPU, value, -1, math.MaxInt32)
	case "seed":
		return setInteger(&v.Measure.Seed, value, 0, math.MaxInt64)
	case "timeout":
		return setQuantity(&v.Limits.TimeoutNS, value, ParseDuration, "30s")
	case "memory":
		return setQuantity(&v.Limits.MemoryBytes, value, ParseSize, "2GiB")
	case "trace":
		return setBool(&v.Trace, value)
	case "check_only":
		return setBool(&v.Measure.CheckOnly, value)
	case "flop":
		return setCount(&v.FLOP, value)
	case "bytes":
		return setCount(&v.Bytes, value)
	case "provider", "device", "task_threads", "compile_flags", "parameter_files":
		return setOption(v, key, value)
	case "transfers", "resident_inputs", "chips", "compile_options", "compile_cache", "cycle_limit", "l1":
		return setOption(v, key, value)
	case "compile_options_file", "simulator":
		return setFileOption(v, key, value, folder)
	case "plugin":
		if text, ok := value.(string); ok && !strings.ContainsAny(text, `/\`) { // the name of one, not a path
			folder = ""
		}
		return setFileOption(v, key, value, folder)
	}
	return unknownKey(key, append(fieldNames(), tableParameters, tableArguments, tableVerify, "axes", "exclude"))
}

// unknownKey is the error for a key that is none of known.
func unknownKey(key string, known []string) error {
	if s := spelling.Suggest(key, known); s != "" {
		return fmt.Errorf("unknown key%s", s)
	}
	return fmt.Errorf("unknown key: want one of %s", strings.Join(known, ", "))
}

// setCount reads a number above 0, or a text with a product of numbers: "2*64*64*64", in which axes have been filled in.
func setCount(target *float64, value any) error {
	text, err := scalarText(value)
	if err != nil {
		return err
	}
	product := 1.0
	for _, factor := range strings.Split(text, "*") {
		x, err := strconv.ParseFloat(strings.TrimSpace(factor), 64)
		if err != nil || !(x > 0) {
			return fmt.Errorf("%q is no count: want a number above 0 or a product of such, \"2*{M}*{N}*{K}\"", text)
		}
		product *= x
	}
	if math.IsInf(product, 0) {
		return fmt.Errorf("%q is too large", text)
	}
	*target = product
	return nil
}

// setOption sets an option of the artifact; the keys of suites have underscores where those of options have hyphens.
func setOption(v *Invocation, key string, value any) error {
	text, err := scalarText(value)
	if err != nil {
		return err
	}
	v.SetOption(strings.ReplaceAll(key, "_", "-"), text)
	return nil
}

// setFileOption sets an option that is a file, relative to the suite.
func setFileOption(v *Invocation, key string, value any, folder string) error {
	var path string
	if err := setText(&path, value); err != nil {
		return err
	}
	v.SetOption(strings.ReplaceAll(key, "_", "-"), inFolder(folder, path))
	return nil
}

// setArgument replaces or adds the contents of the argument that key names.
func setArgument(v *Invocation, key string, value any, folder string) error {
	text, err := scalarText(value)
	if err != nil {
		return err
	}
	argument, err := ParseArgument(text)
	if err != nil {
		return err
	}
	argument.Name, argument.Path = key, inFolder(folder, argument.Path)
	if i := slices.IndexFunc(v.Arguments, func(a Argument) bool { return a.Name == key }); i >= 0 {
		v.Arguments[i] = argument
	} else {
		v.Arguments = append(v.Arguments, argument)
	}
	return nil
}

func inFolder(folder, path string) string {
	if path == "" || folder == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, filepath.FromSlash(path))
}

func setText(target *string, value any) error {
	text, ok := value.(string)
	switch {
	case !ok:
		return fmt.Errorf("is %s; want a text in quotes", kindOf(value))
	case text == "":
		return errors.New("is empty: write a text or remove the key")
	}
	*target = text
	return nil
}

func setMode(target *Mode, value any) error {
	known := []string{string(Warm), string(Cold), string(Flush), string(Serialized)}
	text, ok := value.(string)
	if !ok || !slices.Contains(known, text) {
		return fmt.Errorf("%v is no mode%s; want one of %s", value, spelling.Suggest(text, known), strings.Join(known, ", "))
	}
	*target = Mode(text)
	return nil
}

// setNumber accepts 0 to below the limit.
func setNumber(target *float64, value any, limit float64, example string) error {
	var x float64
	switch n := value.(type) {
	case int64:
		x = float64(n)
	case float64:
		x = n
	default:
		return fmt.Errorf("is %s; want a number, such as %s", kindOf(value), example)
	}
	if !(x >= 0 && x < limit) { // NaN fails both
		return fmt.Errorf("%v is out of range: want a number from 0 to below %g, such as %s", value, limit, example)
	}
	*target = x
	return nil
}

func setInteger[T int | int64 | uint64](target *T, value any, least, largest int64) error {
	n, ok := value.(int64)
	if !ok {
		return fmt.Errorf("is %s; want an integer", kindOf(value))
	}
	if n < least || n > largest {
		return fmt.Errorf("%d is out of range: want an integer from %d to %d", n, least, largest)
	}
	*target = T(n)
	return nil
}

// setMegabytes reads megabytes of 2^20 bytes, as the HAT tools count them.
func setMegabytes(target *int64, value any) error {
	var megabytes float64
	if err := setNumber(&megabytes, value, 1<<43, "50"); err != nil {
		return err
	}
	*target = int64(megabytes * (1 << 20))
	return nil
}

func setQuantity(target *int64, value any, parse func(string) (int64, error), example string) error {
	text, ok := value.(string)
	if !ok {
		return fmt.Errorf("is %s; want a text with a unit, such as %q", kindOf(value), example)
	}
	n, err := parse(text)
	if err == nil {
		*target = n
	}
	return err
}

func setBool(target *bool, value any) error {
	b, ok := value.(bool)
	if !ok {
		return fmt.Errorf("is %s; want true or false", kindOf(value))
	}
	*target = b
	return nil
}

// scalarText is a value as parameters and names show it.
func scalarText(value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		switch a := math.Abs(v); {
		case math.IsNaN(v) || math.IsInf(v, 0):
			return "", fmt.Errorf("%v is not finite: write a number", v)
		case a != 0 && (a < 1e-6 || a >= 1e21):
			return strconv.FormatFloat(v, 'g', -1, 64), nil
		}
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	}
	return "", fmt.Errorf("is %s; want a text, a number, true or false", kindOf(value))
}

// kindOf is what a TOML value is, for people.
func kindOf(value any) string {
	switch value.(type) {
	case string:
		return "a text"
	case int64:
		return "an integer"
	case float64:
		return "a floating-point number"
	case bool:
		return "a boolean"
	case []any, []map[string]any:
		return "an array"
	case map[string]any:
		return "a table"
	}
	return "a date or time"
}
