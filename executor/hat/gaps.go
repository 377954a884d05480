package hat

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"zonemark/executor/cfunction"
	"zonemark/invocations/tomltext"
)

// table is one of the tables that every writer of the format emits and every reader requires.
type table struct {
	name    string
	present bool
	lines   string // that make it complete, for messages
}

// tables returns the tables in the order of the format. The last one is also the last in the file, so a file that is
// cut off between two tables is noticed.
func (d *document) tables() []table {
	return []table{
		{"description", d.Description != nil, "[description]\n"},
		{"functions", d.Functions != nil, "[functions.NAME]\nname = \"NAME\"\narguments = [\n" +
			"    {name = \"x\", logical_type = \"affine_array\", declared_type = \"const float*\", " +
			"element_type = \"float\", usage = \"input\", shape = [64]},\n]\n" +
			"return = {logical_type = \"void\", declared_type = \"void\"}\n"},
		{"target", d.Target != nil, "[target]\n"},
		{"dependencies", d.Dependencies != nil, "[dependencies]\nlink_target = \"NAME.so\"\n"},
		{"compiled_with", d.CompiledWith != nil, "[compiled_with]\n"},
		{"declaration", d.Declaration != nil, "[declaration]\n"},
	}
}

// complete returns an error if tables are missing. It names all of them, and all keys that are missing in functions.
func (d *document) complete(path string) error {
	var names []string
	lines := ""
	for _, t := range d.tables() {
		if !t.present {
			names = append(names, "["+t.name+"]")
			lines += t.lines
		}
	}
	if names == nil {
		return nil
	}
	what := "there is no table " + names[0]
	if len(names) > 1 {
		what = "there are no tables " + strings.Join(names, ", ")
	}
	for _, name := range slices.Sorted(maps.Keys(d.Functions)) {
		f := d.Functions[name]
		if f != nil && f.gaps() != "" {
			lines += fmt.Sprintf("and in [functions.%s]:\n%s", tomltext.QuoteKey(name), f.gaps())
		}
	}
	return fmt.Errorf("%s: %s; the file is cut off or incomplete: generate it again, or add these lines:\n%s", path,
		what, strings.TrimSuffix(lines, "\n"))
}

// gaps returns a line for each argument of a function that lacks keys, with these keys. Returns "" if none is missing.
func (f *Function) gaps() string {
	lines := ""
	for i := range f.Arguments {
		if keys := f.Arguments[i].gaps(); len(keys) > 0 {
			lines += fmt.Sprintf("%s: %s\n", cfunction.Label(i, f.Arguments[i].Name), strings.Join(keys, ", "))
		}
	}
	return lines
}

// gaps returns the keys that are missing, each with the value that fits the others best.
func (p *Parameter) gaps() (keys []string) {
	pointer := strings.Contains(p.DeclaredType, "*")
	array := pointer || p.Size != "" || len(p.Shape) > 0 ||
		p.LogicalType == "affine_array" || p.LogicalType == "runtime_array"
	if p.LogicalType == "" {
		value := "element"
		switch {
		case p.Size != "":
			value = "runtime_array"
		case array:
			value = "affine_array"
		}
		keys = append(keys, fmt.Sprintf("logical_type = %q", value))
		if array && p.Size == "" && len(p.Shape) == 0 {
			keys = append(keys, "shape = [64]")
		}
	}
	if p.DeclaredType == "" && p.ElementType == "" {
		value := "int64_t"
		if array {
			value = "float*"
		}
		keys = append(keys, fmt.Sprintf("declared_type = %q", value))
	}
	if p.Usage == "" {
		value := "input"
		if pointer && !strings.Contains(p.DeclaredType, "const") {
			value = "output"
		}
		keys = append(keys, fmt.Sprintf("usage = %q", value))
	}
	return keys
}
