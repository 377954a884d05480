package measureflags

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/invocations"
)

// addOptions adds a flag for each option of a runtime, and then the flags that add to options. Help shows one of both.
func (f *Flags) addOptions() {
	options := f.Runtimes.Options()
	for _, o := range options {
		f.Set.Var(f.optionValue(o), o.Name, o.Usage)
		f.Set.Lookup(o.Name).NoOptDefVal = o.Alone
	}
	for _, o := range options {
		if o.Repeatable != "" {
			f.Set.Var(f.repeatableValue(o), o.Repeatable, o.RepeatableUsage)
			cli.Formerly(f.Set, o.Repeatable, o.Name)
		}
	}
}

// CheckValueApart returns an error if a word before the commands seems to be the value of a flag that takes its value
// only behind "=", since it may stand without one: "--shell bash" means --shell, and bash.
func (f *Flags) CheckValueApart(word string) error {
	for _, o := range f.Runtimes.Options() {
		if o.Alone == "" || !f.Set.Changed(o.Name) || f.ArtifactOptions[o.Name] != o.Alone {
			continue
		}
		if _, err := os.Stat(word); err == nil { // it is an artifact
			continue
		}
		return fmt.Errorf("--%s %s: write --%[1]s=%[2]s; without \"=\", --%[1]s stands for --%[1]s=%[3]s, and "+
			"%[2]s for a file to measure", o.Name, word, o.Alone)
	}
	return nil
}

// optionValue is a flag that becomes an option of artifacts.
func (f *Flags) optionValue(o invocations.Option) cli.FlagValue {
	value := func() string { return f.ArtifactOptions[o.Name] }
	return cli.FlagValue{Kind: o.Placeholder, Text: value, Keep: func(text string) error {
		if before := value(); o.Kind == invocations.FilesOption && before != "" {
			text = invocations.JoinFiles([]string{before, text})
		}
		f.SetOption(o.Name, text)
		return nil
	}}
}

// repeatableValue is a flag that adds a NAME=VALUE word to an option.
func (f *Flags) repeatableValue(o invocations.Option) cli.FlagValue {
	return cli.FlagValue{Kind: "name=value", Repeats: true, Keep: func(text string) error {
		closed := text // what may have no spaces
		if o.SpacedNames {
			closed = text[strings.LastIndexByte(text, '=')+1:]
		}
		name, _, found := strings.Cut(text, "=")
		if !found || strings.TrimSpace(name) == "" || strings.ContainsAny(closed, " \t\r\n") {
			return errors.New("want NAME=VALUE without spaces, such as optimization_level=1")
		}
		f.SetOption(o.Name, strings.TrimSpace(f.ArtifactOptions[o.Name]+" "+text))
		return nil
	}}
}

// modeValue is --mode: a way of measuring, or a word for an option of a runtime.
func modeValue(ways cli.FlagValue, options []runtimes.Mode, setOption func(name, value string)) cli.FlagValue {
	v := ways
	for _, mode := range options {
		v.Kind += "|" + mode.Name
	}
	v.Keep = func(text string) error {
		for _, mode := range options {
			if mode.Name == text {
				setOption(mode.Option, mode.Value)
				return nil
			}
		}
		if ways.Keep(text) != nil {
			return errors.New("want one of " + strings.ReplaceAll(v.Kind, "|", ", "))
		}
		return nil
	}
	return v
}
