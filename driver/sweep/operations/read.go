package operations

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"zonemark/invocations/files"
	"zonemark/invocations/spelling"
)

// Read reads a file of operations: a JSON list of objects with the keys op_type, op_name, data_file and, if wanted,
// config_overrides {variable: [values]}, op_config_file and additional_arguments {"default": "flags"}, of which
// --config-overrides '{variable: [values]}' counts. Values are numbers; those of enumerations may be names, too. Errors
// name the file, the line, the operation and the key.
func Read(path string) ([]Operation, error) {
	data, err := files.Read(path)
	if err != nil {
		return nil, fmt.Errorf("operations: %w", err)
	}
	return Parse(path, data)
}

// Parse reads what Read reads from memory; name stands for the file in errors.
func Parse(name string, data []byte) ([]Operation, error) {
	root, err := parseNode(name, data, false)
	if err != nil {
		return nil, err
	}
	if root.kind != "list" || len(root.items) == 0 {
		return nil, fmt.Errorf("%s:%d: want a list of operations with at least one, got %s", name, root.line,
			root.described())
	}
	var list []Operation
	lines := map[string]int{}
	for i := range root.items {
		o, err := parseOperation(&root.items[i])
		if err != nil {
			return nil, fmt.Errorf("%s:%w", name, err)
		}
		if before := lines[o.Name]; before > 0 {
			return nil, fmt.Errorf("%s:%d: operation %q: the op_name is taken by the operation of line %d",
				name, root.items[i].line, o.Name, before)
		}
		lines[o.Name] = root.items[i].line
		if o.Unknown != nil {
			o.Unknown = fmt.Errorf("%s:%w", name, o.Unknown)
		}
		list = append(list, o)
	}
	return list, nil
}

// keyError is an error of a key of an operation, which starts with its line.
func keyError(line int, operation, key, format string, args ...any) error {
	return fmt.Errorf("%d: operation %q: %s: %s", line, operation, key, fmt.Sprintf(format, args...))
}

// operationKeys are the keys of an operation.
var operationKeys = []string{"op_type", "op_name", "data_file", "config_overrides", "op_config_file",
	"additional_arguments"}

func parseOperation(n *node) (Operation, error) {
	o := Operation{Overrides: map[string][]float64{}}
	if n.kind != "object" {
		return o, fmt.Errorf("%d: want an operation, an object with op_type, op_name and data_file; got %s", n.line,
			n.described())
	}
	for _, m := range n.members { // errors of other keys name the operation
		if m.key == "op_name" {
			o.Name = m.value.text
		}
	}
	for i := range n.members {
		if err := o.parseMember(&n.members[i]); err != nil {
			return o, err
		}
	}
	for key, value := range map[string]string{"op_type": string(o.Type), "op_name": o.Name} {
		if value == "" {
			return o, keyError(n.line, o.Name, key, "it is missing or empty")
		}
	}
	if o.DataFile == "" {
		o.DataFile = strings.ReplaceAll(o.Name, "_", "-") + dataFileAfter
	}
	for key, value := range map[string]string{"op_name": o.Name, "data_file": o.DataFile} {
		if !plainName(value) {
			return o, keyError(n.line, o.Name, key,
				"%q cannot be the name of a file: want letters, digits, '_', '-' and '.'", value)
		}
	}
	variables, err := Variables(o.Type)
	if err != nil {
		o.Unknown = keyError(n.line, o.Name, "op_type", "%v", err)
		return o, nil
	}
	for i := range n.members {
		switch m := &n.members[i]; m.key {
		case "config_overrides":
			err = o.parseOverrides(&m.value, variables)
		case "additional_arguments":
			err = o.parseArguments(m, variables)
		}
		if err != nil {
			return o, err
		}
	}
	return o, nil
}

// parseArguments reads additional_arguments. The overrides among those for every architecture are taken; other flags
// have no meaning here.
func (o *Operation) parseArguments(m *member, variables []Variable) error {
	for _, a := range m.value.members {
		key := m.key + "." + a.key
		text, rest, err := splitArguments(a.value.text)
		if err != nil {
			return keyError(a.line, o.Name, key, "%v", err)
		}
		if a.key != defaultArguments {
			rest, text = append(rest, a.key+": "+overridesFlag), ""
		}
		o.Ignored = append(o.Ignored, rest...)
		if text == "" {
			continue
		}
		n, err := parseNode(key, []byte(text), true)
		if err != nil {
			return keyError(a.line, o.Name, overridesFlag, "%v", err)
		}
		if err := o.parseOverrides(n.on(a.line), variables); err != nil {
			return err
		}
	}
	return nil
}

// plainName says whether a text can be the name of a file on every system.
func plainName(s string) bool {
	return s != "" && s[0] != '.' && len(s) < 200 && strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_-.", r)
	}) < 0
}

func (o *Operation) parseMember(m *member) error {
	wantString := map[string]*string{
		"op_type": (*string)(&o.Type), "op_name": &o.Name, "data_file": &o.DataFile, "op_config_file": &o.ConfigFile,
	}
	if to := wantString[m.key]; to != nil {
		if m.value.kind != "string" {
			return keyError(m.line, o.Name, m.key, "want a string, got %s", m.value.described())
		}
		*to = m.value.text
		return nil
	}
	switch m.key {
	case "config_overrides": // when the type is known
	case "additional_arguments":
		if m.value.kind != "object" {
			return keyError(m.line, o.Name, m.key, "want an object of strings, got %s", m.value.described())
		}
		for _, a := range m.value.members {
			if a.value.kind != "string" {
				return keyError(a.line, o.Name, m.key+"."+a.key, "want a string, got %s", a.value.described())
			}
		}
	default:
		return keyError(m.line, o.Name, strconv.Quote(m.key), "there is no such key%s",
			suggestion(m.key, operationKeys))
	}
	return nil
}

func (o *Operation) parseOverrides(n *node, variables []Variable) error {
	if n.kind != "object" {
		return keyError(n.line, o.Name, "config_overrides", "want an object of lists, got %s", n.described())
	}
	var names []string
	for _, v := range variables {
		names = append(names, v.Name)
	}
	for _, m := range n.members {
		key := "config_overrides." + m.key
		i := slices.Index(names, m.key)
		switch {
		case i < 0:
			return keyError(m.line, o.Name, key, "an operation of type %s has no such variable%s", o.Type,
				suggestion(m.key, names))
		case m.value.kind != "list":
			return keyError(m.line, o.Name, key, "want a list of values, got %s", m.value.described())
		case len(m.value.items) == 0:
			return keyError(m.line, o.Name, key,
				"the list is empty; leave the key out for the default, or give a value")
		}
		o.Overrides[m.key] = nil
		for j := range m.value.items {
			item := &m.value.items[j]
			value, err := variables[i].parse(item.kind, item.text)
			if err != nil {
				return keyError(item.line, o.Name, key, "%v", err)
			}
			o.Overrides[m.key] = append(o.Overrides[m.key], value)
		}
	}
	return nil
}

// parse reads a value of a variable, a "number" or a "string" with the name of an enumeration.
func (v *Variable) parse(kind, text string) (float64, error) {
	if kind == "string" && v.Enum != nil {
		n, err := v.Enum.number(text)
		return float64(n), err
	}
	value, err := strconv.ParseFloat(text, 64)
	switch {
	case kind != "number" || err != nil:
		return 0, fmt.Errorf("want numbers, got %s %q", kind, text)
	case !v.Real && value != math.Trunc(value):
		return 0, fmt.Errorf("%s is not an integer", text)
	case v.Enum != nil && (value < v.Least || value > v.Most):
		return 0, fmt.Errorf("%s is no %s; %s", text, v.Enum.title, v.Enum.list())
	case !(value >= v.Least && value <= v.Most):
		return 0, fmt.Errorf("%s is out of range: want %s to %s", text, trimmed(v.Least), trimmed(v.Most))
	}
	return value, nil
}

// suggestion names the nearest of the words that there are, or some of them.
func suggestion(word string, known []string) string { return spelling.SuggestOrList(word, known) }
