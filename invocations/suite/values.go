package suite

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"zonemark/invocations"
	"zonemark/invocations/spelling"
)

// set sets the key's field of v. Relative paths are joined to folder.
func (k Key) set(v *invocations.Invocation, value any, folder string) error {
	if k.Option != "" {
		return k.setOption(v, value, folder)
	}
	field := k.Field(v)
	switch k.Kind {
	case Text:
		return setText(field.(*string), value)
	case Path:
		path := field.(*string)
		err := setText(path, value)
		*path = inFolder(folder, *path)
		return err
	case Paths:
		return setPaths(field.(*[]string), value, folder)
	case Mode:
		return k.setMode(v, field.(*invocations.Mode), value)
	case When:
		return setWord(field.(*invocations.When), value, invocations.Whens(), "does not say when to "+k.Name)
	case Placement:
		return setWord(field.(*invocations.Placement), value, invocations.Placements(), "is no placement")
	case Switch:
		return setBool(field.(*bool), value)
	case Number:
		return setNumber(field.(*float64), value, k.Below, k.Example)
	case Integer:
		if n, narrow := field.(*int); narrow {
			return setInteger(n, value, k.Least, k.Most)
		}
		return setInteger(field.(*int64), value, k.Least, k.Most)
	case CPU:
		return setInteger(field.(*int), value, -1, math.MaxInt32)
	case Seed:
		return setInteger(field.(*uint64), value, 0, math.MaxInt64)
	case Duration:
		return setQuantity(field.(*int64), value, parseDuration, k.Example)
	case Size:
		return setQuantity(field.(*int64), value, parseSize, k.Example)
	case Megabytes:
		return setMegabytes(field.(*int64), value)
	case Words:
		return setWords(field.(*[]string), value)
	}
	return setProduct(field.(*float64), value)
}

// setOption sets an option of the artifact. A file is relative to the suite.
func (k Key) setOption(v *invocations.Invocation, value any, folder string) error {
	var text string
	var err error
	if k.Kind == FilesOption {
		text, err = filesText(value, folder)
	} else if k.Kind == TextOption {
		text, err = scalarText(value)
	} else if err = setText(&text, value); k.Kind == ScopedFilesOption {
		text = scopedInFolder(folder, text)
	} else if k.Kind == FileOption || strings.ContainsAny(text, `/\`) {
		text = inFolder(folder, text)
	}
	if err == nil && k.foreign != nil {
		if err = k.foreign(text); err != nil {
			err = fmt.Errorf("%w; leave it out, or give it on the command line, by --%s", err, k.Option)
		}
	}
	if err == nil {
		v.SetOption(k.Option, text)
	}
	return err
}

// filesText returns the value of an option of files that a text or an array of texts names, relative to the suite.
func filesText(value any, folder string) (string, error) {
	var paths []string
	if list, array := value.([]any); array {
		if err := setPaths(&paths, list, folder); err != nil {
			return "", err
		}
		return invocations.JoinFiles(paths), nil
	}
	var text string
	if err := setText(&text, value); err != nil {
		return "", err
	}
	for _, path := range invocations.SplitFiles(text) {
		paths = append(paths, inFolder(folder, path))
	}
	return invocations.JoinFiles(paths), nil
}

// setProduct reads a number above 0, or a text with a product of numbers: "2*64*64*64", in which axes have already been
// replaced.
func setProduct(target *float64, value any) error {
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

// scopedInFolder joins the paths of a list of [SCOPE=]PATH to a folder.
func scopedInFolder(folder, text string) string {
	list := strings.Split(text, ",")
	for i, one := range list {
		scope, path, scoped := strings.Cut(one, "=")
		if !scoped {
			list[i] = inFolder(folder, one)
			continue
		}
		list[i] = scope + "=" + inFolder(folder, path)
	}
	return strings.Join(list, ",")
}

func inFolder(folder, path string) string {
	if path == "" || folder == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(folder, filepath.FromSlash(path))
}

// setPaths reads a list of paths.
func setPaths(target *[]string, value any, folder string) error {
	list, ok := value.([]any)
	if !ok {
		return fmt.Errorf("is %s; want a list of files and folders: [\"data\", \"../tables\"]", kindOf(value))
	}
	var paths []string
	for _, element := range list {
		var path string
		if err := setText(&path, element); err != nil {
			return fmt.Errorf("%v in the list: %w", element, err)
		}
		paths = append(paths, inFolder(folder, path))
	}
	*target = paths
	return nil
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

// setWords reads the words of a command. Numbers are words too.
func setWords(target *[]string, value any) error {
	list, ok := value.([]any)
	if !ok || len(list) == 0 {
		return fmt.Errorf("is %s; want an array of at least one word, [\"PROGRAM\", \"ARGUMENT\"]", kindOf(value))
	}
	words := make([]string, len(list))
	for i, one := range list {
		word, err := scalarText(one)
		switch {
		case err != nil:
			return fmt.Errorf("word %d %w", i+1, err)
		case i == 0 && word == "":
			return errors.New("the program is empty: write its name")
		}
		words[i] = word
	}
	*target = words
	return nil
}

// setMode sets a way of measuring, or the option that the word stands for.
func (k Key) setMode(v *invocations.Invocation, target *invocations.Mode, value any) error {
	known := []string{string(invocations.Warm), string(invocations.Cold), string(invocations.Flush),
		string(invocations.Serialized)}
	text, ok := value.(string)
	for _, o := range k.words {
		if ok && text == o.Mode {
			v.SetOption(o.Name, o.ModeValue)
			return nil
		}
		known = append(known, o.Mode)
	}
	if !ok || !slices.Contains(known, text) {
		return fmt.Errorf("%v is no mode%s; want one of %s", value, spelling.Suggest(text, known), strings.Join(known,
			", "))
	}
	*target = invocations.Mode(text)
	return nil
}

// setWord sets a choice among words. isNot says of a value that it is none of them, such as "is no placement".
func setWord[T ~string](target *T, value any, words []T, isNot string) error {
	var known []string
	for _, word := range words {
		known = append(known, string(word))
	}
	text, _ := value.(string)
	if !slices.Contains(known, text) {
		return fmt.Errorf("%v %s%s; want one of %s", value, isNot, spelling.Suggest(text, known), strings.Join(known, ", "))
	}
	*target = T(text)
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
	if !(x >= 0 && x < limit) { // both are false for NaN
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

// scalarText returns the text of a value for parameters and names.
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

// kindOf returns the kind of a TOML value, for people.
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
