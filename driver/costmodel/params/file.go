// Package params reads and writes the parameter files of Budabackend's performance model, <arch>_params.yaml and
// params_v<N>.yaml, finds the weights for an operation in them, and computes its cycles by the published formulas. It
// knows nothing of sweeps and fits.
//
// A file has three levels: operation, attribute set, weights. The order of the sets matters: see File.Lookup.
package params

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"zonemark/invocations/files"
	"zonemark/invocations/spelling"
)

// mostBytes of a file that is read. The largest published one has 7,062.
const mostBytes = 1 << 20

// File is a parameter file. Operations, sets and weights keep the order that they have in it.
type File struct {
	Name         string // for messages
	Architecture string // grayskull, wormhole_b0, blackhole; empty if unknown
	Version      int    // 0 if the file is none of a row of versions
	Operations   []Operation
}

// Operation holds the attribute sets of one operation.
type Operation struct {
	Name string
	Sets []Set
}

// Set holds the weights for operations that have all attributes of its name.
type Set struct {
	Name    string // attributes with "/" between them
	Weights []Weight
}

// Weight is one weight in cycles.
type Weight struct {
	Name  string
	Value float64
	text  string // as the file has it
}

// attribute is a part that a set's name may have, with what it asks of an operation.
type attribute struct {
	name string
	has  func(d *Descriptor) bool
}

var attributes = []attribute{
	{"base", func(*Descriptor) bool { return true }},
	{"df_int8", func(d *Descriptor) bool { return d.Format == "Int8" }},
	{"df_int32", func(d *Descriptor) bool { return d.Format == "Int32" }},
	{"df_bfp", func(d *Descriptor) bool { return strings.HasPrefix(d.Format, "Bfp") }},
	{"approx", func(d *Descriptor) bool { return d.Approximate }},
	{"vector_r", func(d *Descriptor) bool { return d.VectorMode == "r" }},
	{"vector_c", func(d *Descriptor) bool { return d.VectorMode == "c" }},
	{"l1_acc_en", func(d *Descriptor) bool { return d.L1Accumulate }},
	{"dim_c", func(d *Descriptor) bool { return d.ReduceDim == "c" }},
}

func attributeNames() []string {
	var names []string
	for _, a := range attributes {
		names = append(names, a.name)
	}
	return names
}

// ReadFile reads a parameter file.
func ReadFile(path string) (*File, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return Parse(data, path)
}

// Parse reads the text of a parameter file. A key that occurs twice, an unknown attribute, and a weight that is not a
// number are errors with their line. name is the file's name.
func Parse(data []byte, name string) (*File, error) {
	if len(data) > mostBytes {
		return nil, fmt.Errorf("%s: more than %d bytes", name, mostBytes)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := &File{Name: name}
	if document.Kind != yaml.DocumentNode || len(document.Content) != 1 {
		return nil, fmt.Errorf("%s: no operations", name)
	}
	err := entries(document.Content[0], "operations", func(op, sets *yaml.Node) error {
		o := Operation{Name: op.Value}
		err := entries(sets, "attribute sets of "+op.Value, func(set, weights *yaml.Node) error {
			s := Set{Name: set.Value}
			if err := s.read(set.Line, weights, op.Value); err != nil {
				return err
			}
			o.Sets = append(o.Sets, s)
			return nil
		})
		f.Operations = append(f.Operations, o)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}

// entries calls yield for the entries of a mapping, in the file's order. what names the mapping in messages.
func entries(node *yaml.Node, what string, yield func(key, value *yaml.Node) error) error {
	if node.Kind != yaml.MappingNode || len(node.Content) == 0 {
		return fmt.Errorf("line %d: want the %s as a map", node.Line, what)
	}
	first := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.Value == "" || key.Tag == "!!merge" {
			return fmt.Errorf("line %d: a key of the %s is not a name", key.Line, what)
		}
		if line, twice := first[key.Value]; twice {
			return fmt.Errorf("line %d: %q stands twice in the %s; the first is in line %d",
				key.Line, key.Value, what, line)
		}
		first[key.Value] = key.Line
		if err := yield(key, value); err != nil {
			return err
		}
		if !valid(key.Value) {
			return fmt.Errorf("line %d: the name %q in the %s: want letters, digits, _ and /",
				key.Line, key.Value, what)
		}
	}
	return nil
}

// valid reports whether a name can be written without quotes.
func valid(name string) bool {
	return strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789_/") == "" &&
		strings.Trim(name, "0123456789") != ""
}

// read reads the weights of a set whose name is in the given line.
func (s *Set) read(line int, weights *yaml.Node, op string) error {
	known := attributeNames()
	for part := range strings.SplitSeq(s.Name, "/") {
		if !slices.Contains(known, part) {
			hint := spelling.SuggestOrList(part, known)
			return fmt.Errorf("line %d: %s: unknown attribute %q%s", line, op, part, hint)
		}
	}
	return entries(weights, "weights of "+op+", "+s.Name, func(name, value *yaml.Node) error {
		number, err := strconv.ParseFloat(value.Value, 64)
		if value.Kind != yaml.ScalarNode || value.Style&^yaml.TaggedStyle != 0 || err != nil ||
			math.IsNaN(number) || math.IsInf(number, 0) {
			return fmt.Errorf("line %d: %s, %s, %s: want a number", value.Line, op, s.Name, name.Value)
		}
		s.Weights = append(s.Weights, Weight{name.Value, number, value.Value})
		return nil
	})
}

// Operation returns an operation, or nil if the file has none of that name.
func (f *File) Operation(name string) *Operation {
	for i := range f.Operations {
		if f.Operations[i].Name == name {
			return &f.Operations[i]
		}
	}
	return nil
}

// Set replaces the weights of an attribute set, which is added at the end of the operation, and the operation at the
// end of the file, if they are new. Sets at the end are tried first. Values are rounded to 8 decimals.
func (f *File) Set(op, set string, weights []Weight) error {
	if !valid(op) {
		return fmt.Errorf("operation %q: want letters, digits and _", op)
	}
	known := attributeNames()
	for part := range strings.SplitSeq(set, "/") {
		if !slices.Contains(known, part) {
			return fmt.Errorf("%s: unknown attribute %q%s", op, part, spelling.SuggestOrList(part, known))
		}
	}
	if len(weights) == 0 {
		return fmt.Errorf("%s, %s: no weights", op, set)
	}
	rounded := make([]Weight, len(weights))
	for i, w := range weights {
		if !valid(w.Name) || math.IsNaN(w.Value) || math.IsInf(w.Value, 0) {
			return fmt.Errorf("%s, %s: weight %q is %g: want a finite number", op, set, w.Name, w.Value)
		}
		text := format(w.Value)
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return errors.Join(fmt.Errorf("%s, %s, %s", op, set, w.Name), err)
		}
		rounded[i] = Weight{w.Name, value, text}
	}
	o := f.Operation(op)
	if o == nil {
		f.Operations = append(f.Operations, Operation{Name: op})
		o = &f.Operations[len(f.Operations)-1]
	}
	if at := slices.IndexFunc(o.Sets, func(s Set) bool { return s.Name == set }); at >= 0 {
		o.Sets[at].Weights = rounded
		return nil
	}
	o.Sets = append(o.Sets, Set{set, rounded})
	return nil
}

// format writes a number with at most 8 decimals, as the published files do: no zeros at the end, no exponent.
func format(v float64) string {
	text := strconv.FormatFloat(v, 'f', 8, 64)
	text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	if text == "" || text == "-0" || text == "-" {
		return "0"
	}
	return text
}

// Bytes returns the file's text. Numbers that were read stay as they were written.
func (f *File) Bytes() []byte {
	var b strings.Builder
	for i, op := range f.Operations {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s:\n", op.Name)
		for _, set := range op.Sets {
			fmt.Fprintf(&b, "  %s:\n", set.Name)
			for _, w := range set.Weights {
				text := w.text
				if text == "" {
					text = format(w.Value)
				}
				fmt.Fprintf(&b, "    %s: %s\n", w.Name, text)
			}
		}
	}
	return []byte(b.String())
}
