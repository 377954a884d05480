package suite

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"zonemark/invocations"
	"zonemark/invocations/spelling"
)

// The tables of an entry that have free keys, or keys of their own.
const (
	tableParameters = "params"
	tableArguments  = "arguments"
	tableVerify     = "verify"
	tableAxes       = "axes"
	tableExclude    = "exclude"
)

// setting is one key of an entry with its value.
type setting struct {
	path  keyPath
	label string // for people: "invocation.params.K"
	line  int
	table string // tableParameters and so on; empty for a field of the entry itself
	name  string
	key   *Key // its row; nil in tables with free keys
	value any  // string, int64, float64 or bool; []any for a key of kind Paths
}

// template reports whether {axis} placeholders in the text of this setting are replaced: in texts that may differ from
// point to point.
func (s setting) template() bool {
	_, text := s.value.(string)
	if s.key != nil {
		return (text || s.words()) && s.key.Placeholders || text && s.key.Option != ""
	}
	return text && (s.table == tableArguments || s.table == tableParameters)
}

// words reports whether the value is an array because its key wants one.
func (s setting) words() bool {
	_, list := s.value.([]any)
	return list && s.key != nil && s.key.Kind == Words
}

// varies reports whether the value may differ from point to point: it is a template with braces.
func (s setting) varies() bool {
	braces := func(value any) bool {
		text, _ := value.(string)
		return strings.ContainsAny(text, "{}")
	}
	if s.words() {
		return s.template() && slices.ContainsFunc(s.value.([]any), braces)
	}
	return s.template() && braces(s.value)
}

// fill returns the value of a template with its placeholders replaced, and the axes that it named.
func (s setting) fill(texts map[string]string) (value any, used []string, err error) {
	switch {
	case s.key != nil && s.key.Option != "":
		filled, used := fillAxes(s.value.(string), texts)
		return filled, used, nil
	case !s.words():
		return fillPlaceholders(s.value.(string), texts)
	}
	filled := slices.Clone(s.value.([]any))
	for i, word := range filled {
		template, text := word.(string)
		if !text {
			continue
		}
		var named []string
		if filled[i], named, err = fillPlaceholders(template, texts); err != nil {
			return nil, nil, err
		}
		used = append(used, named...)
	}
	return filled, used, nil
}

// setting reads the scalar under key. The error for an array hints that it is probably meant as an axis.
func (p *parser) setting(t table, inTable, name string) (setting, error) {
	path, label := t.child(name)
	s := setting{path: path, label: label, line: p.lines.line(path), table: inTable, name: name, value: t.values[name]}
	if s.key = p.keys.find(inTable, name); s.key == nil && inTable != tableParameters && inTable != tableArguments {
		return setting{}, p.fail(path, label, p.unknown(inTable, name))
	}
	lists := inTable == tableArguments || s.key != nil && (s.key.Kind == Paths || s.key.Kind == FilesOption) || s.words()
	if _, isArray := s.value.([]any); isArray && !lists {
		return setting{}, p.fail(path, label, errors.New("is an array: write lists of values under [invocation.axes]"))
	}
	if text, _ := s.value.(string); s.template() && strings.ContainsAny(text, "{}") {
		return s, nil // checked once its placeholders are replaced
	}
	if err := s.apply(&invocations.Invocation{}, ""); err != nil {
		return setting{}, p.fail(path, label, err)
	}
	return s, nil
}

// settings reads one of the tables of an entry.
func (p *parser) settings(t table, key string) ([]setting, error) {
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

// unknown returns the error for a key that is not one of the known keys of its table.
func (p *parser) unknown(inTable, name string) error {
	if name == "" {
		return errNoName
	}
	known := p.keys.names(inTable)
	if inTable == "" {
		known = append(known, tableParameters, tableArguments, tableVerify, tableAxes, tableExclude)
	}
	return unknownKey(name, known)
}

var errNoName = errors.New("the key is empty: give it a name")

// apply sets the value in v. Relative paths are joined to folder.
func (s setting) apply(v *invocations.Invocation, folder string) error {
	switch {
	case s.name == "":
		return errNoName
	case s.key != nil:
		return s.key.set(v, s.value, folder)
	case s.table == tableArguments:
		return setArgument(v, s.name, s.value, folder)
	}
	text, err := scalarText(s.value)
	if err != nil {
		return err
	}
	if v.Parameters == nil {
		v.Parameters = map[string]string{}
	}
	v.Parameters[s.name] = text
	return nil
}

// unknownKey returns the error for a key that is not in known.
func unknownKey(key string, known []string) error {
	if s := spelling.Suggest(key, known); s != "" {
		return fmt.Errorf("unknown key%s", s)
	}
	return fmt.Errorf("unknown key: want one of %s", strings.Join(known, ", "))
}

// setArgument replaces or adds the contents of the argument that key names.
func setArgument(v *invocations.Invocation, key string, value any, folder string) error {
	text, err := scalarText(value)
	if err != nil {
		return err
	}
	argument, err := invocations.ParseArgument(text)
	if err != nil {
		return err
	}
	argument.Name, argument.Path = key, inFolder(folder, argument.Path)
	if i := slices.IndexFunc(v.Arguments, func(a invocations.Argument) bool { return a.Name == key }); i >= 0 {
		v.Arguments[i] = argument
	} else {
		v.Arguments = append(v.Arguments, argument)
	}
	return nil
}
