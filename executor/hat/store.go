package hat

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"zonemark/invocations/files"
	"zonemark/invocations/spelling"
	"zonemark/invocations/tomltext"
)

// Durations is the measured time of a function.
type Durations struct{ MedianSeconds, MeanSeconds float64 }

// duration is one value under the key that holds it in [functions.NAME.auxiliary].
type duration struct {
	key     string
	seconds float64
}

// keyed returns the durations under the keys that other tools read. The older tool wrote the first key, hatlib writes
// the second.
func (d Durations) keyed() []duration {
	return []duration{{"duration_in_sec", d.MedianSeconds}, {"mean_duration_in_sec", d.MeanSeconds}}
}

// StoreDurations writes the durations of each named function into the .hat file at path, under
// [functions.NAME.auxiliary]: the median as duration_in_sec, the mean as mean_duration_in_sec. Every other byte stays
// as it is: comments, indentation, line endings, order. The file is replaced atomically and keeps its mode. A symbolic
// link is followed, and a hard link of another name keeps the old contents. Nothing is written if a function is
// unknown, if its auxiliary table is an inline table or uses dotted keys, or if the edit would change any other value.
func StoreDurations(path string, seconds map[string]Durations) error {
	for _, name := range slices.Sorted(maps.Keys(seconds)) {
		for _, d := range seconds[name].keyed() {
			if s := d.seconds; math.IsNaN(s) || math.IsInf(s, 0) || s < 0 {
				return fmt.Errorf("%s: %s of %s is %v; a duration is a finite number of seconds", path, d.key, name, s)
			}
		}
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("store durations: %w; check the path", err)
	}
	data, err := readPackageFile(target)
	if err != nil {
		return err
	}
	edited, err := setDurations(string(data), seconds)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if edited == string(data) {
		return nil
	}
	if err := files.Write(target, 0o644, []byte(edited)); err != nil {
		return fmt.Errorf("store durations in %s: %w; make the folder writable", path, err)
	}
	return nil
}

// CheckWritable returns an error if StoreDurations could not write durations of all functions of the .hat file at path.
// So a run that takes hours does not fail at its end.
func CheckWritable(path string) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return fmt.Errorf("store durations: %w; check the path", err)
	}
	pkg, err := ReadPackage(target)
	if err != nil {
		return err
	}
	data, err := readPackageFile(target)
	if err != nil {
		return err
	}
	seconds := map[string]Durations{}
	for _, f := range pkg.Functions {
		seconds[f.Symbol] = Durations{1, 1}
	}
	if _, err := setDurations(string(data), seconds); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	f, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("durations cannot be stored: %w; make the file writable", err)
	}
	f.Close()
	temporary, err := os.CreateTemp(filepath.Dir(target), files.TemporaryPattern(target))
	if err != nil {
		return fmt.Errorf("durations cannot be stored: %w; make the folder writable", err)
	}
	temporary.Close()
	return os.Remove(temporary.Name())
}

// setDurations returns the text with the durations in it. It checks that nothing else has changed.
func setDurations(text string, seconds map[string]Durations) (string, error) {
	var before map[string]any
	if _, err := toml.Decode(text, &before); err != nil {
		return "", fmt.Errorf("it is no valid TOML: %w; correct it by hand", err)
	}
	functions, _ := before["functions"].(map[string]any)
	edits, places := []tomltext.Edit(nil), findPlaces(text)
	for _, name := range slices.Sorted(maps.Keys(seconds)) {
		if _, ok := functions[name].(map[string]any); !ok {
			return "", fmt.Errorf("it describes no function %q%s",
				name, spelling.SuggestOrList(name, slices.Sorted(maps.Keys(functions))))
		}
		place := places[name]
		if place == nil || place.compact || !place.written && place.auxiliary.at == 0 {
			return "", fmt.Errorf("function %s: its table, or its table auxiliary, is an inline table or made of "+
				"dotted keys; write it as [functions.%s.auxiliary]",
				name, tomltext.QuoteKey(name))
		}
		edits = append(edits, place.edits(text, name, seconds[name])...)
	}
	edited := tomltext.Apply(text, edits)
	return edited, checkEdit(before, edited, seconds)
}

// formatSeconds returns the shortest text that reads back as the same float and that TOML reads as a float.
func formatSeconds(s float64) string {
	text := strconv.FormatFloat(s, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// checkEdit decodes the edited text and returns an error unless it holds the values of before, the durations, and
// nothing else.
func checkEdit(before map[string]any, edited string, seconds map[string]Durations) error {
	var after map[string]any
	if _, err := toml.Decode(edited, &after); err != nil {
		return fmt.Errorf("the durations do not fit into the file: %w; "+
			"write a table [functions.NAME.auxiliary] by hand", err)
	}
	functions, _ := before["functions"].(map[string]any)
	for name, s := range seconds {
		f := functions[name].(map[string]any) // checked by setDurations
		auxiliary, ok := f["auxiliary"].(map[string]any)
		if !ok {
			auxiliary = map[string]any{}
			f["auxiliary"] = auxiliary
		}
		for _, d := range s.keyed() {
			auxiliary[d.key] = d.seconds
		}
	}
	if !sameTOML(before, after) {
		return errors.New("storing the durations would change other values; write the tables " +
			"[functions.NAME.auxiliary] by hand")
	}
	return nil
}

// sameTOML compares decoded TOML values. Floats are equal if their bits are, because a file may hold nan.
func sameTOML(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, sameTOML)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, sameTOML)
	case []map[string]any:
		b, ok := b.([]map[string]any)
		return ok && slices.EqualFunc(a, b, func(x, y map[string]any) bool { return sameTOML(x, y) })
	case float64:
		b, ok := b.(float64)
		return ok && math.Float64bits(a) == math.Float64bits(b)
	case time.Time:
		b, ok := b.(time.Time)
		return ok && a.Equal(b) && a.String() == b.String()
	}
	return a == b
}
