package measureflags

import (
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
		f.Set.Var(optionValue{f, o}, o.Name, o.Usage)
		f.Set.Lookup(o.Name).NoOptDefVal = o.Alone
	}
	for _, o := range options {
		if o.Repeatable != "" {
			f.Set.Var(repeatableValue{f, o}, o.Repeatable, o.RepeatableUsage)
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
type optionValue struct {
	flags  *Flags
	option invocations.Option
}

func (v optionValue) String() string {
	return v.flags.ArtifactOptions[v.option.Name]
}

func (v optionValue) Type() string { return v.option.Placeholder }

func (v optionValue) Set(s string) error {
	if before := v.flags.ArtifactOptions[v.option.Name]; v.option.Kind == invocations.FilesOption && before != "" {
		s = invocations.JoinFiles([]string{before, s})
	}
	v.flags.SetOption(v.option.Name, s)
	return nil
}

// repeatableValue is a flag that adds a NAME=VALUE word to an option.
type repeatableValue struct {
	flags  *Flags
	option invocations.Option
}

func (v repeatableValue) String() string { return "" }

func (v repeatableValue) Type() string { return "name=value" }

func (v repeatableValue) Set(s string) error {
	closed := s // what may have no spaces
	if v.option.SpacedNames {
		closed = s[strings.LastIndexByte(s, '=')+1:]
	}
	if name, _, found := strings.Cut(s, "="); !found || strings.TrimSpace(name) == "" || strings.ContainsAny(closed, " \t\r\n") {
		return fmt.Errorf("want NAME=VALUE without spaces, such as optimization_level=1")
	}
	name := v.option.Name
	v.flags.SetOption(name, strings.TrimSpace(v.flags.ArtifactOptions[name]+" "+s))
	return nil
}

// modeValue is --mode: a way of measuring, or a word for an option of a runtime.
type modeValue struct {
	cli.Choice[invocations.Mode]
	options   []runtimes.Mode
	setOption func(name, value string)
}

func (v modeValue) Type() string {
	text := v.Choice.Type()
	for _, mode := range v.options {
		text += "|" + mode.Name
	}
	return text
}

func (v modeValue) Set(s string) error {
	for _, mode := range v.options {
		if mode.Name == s {
			v.setOption(mode.Option, mode.Value)
			return nil
		}
	}
	if v.Choice.Set(s) != nil {
		return fmt.Errorf("want one of %s", strings.ReplaceAll(v.Type(), "|", ", "))
	}
	return nil
}
