package cfunction

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"zonemark/executor/arguments"
	"zonemark/executor/values"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// defaultSize is the value of a runtime size that the user does not choose. defaultArrayBytes is the most that an array
// of default sizes may take: default sizes are halved until every array fits.
const (
	defaultSize       = 128
	defaultArrayBytes = 64 << 20
)

// binding is a prototype together with a value for everything that the package leaves open.
type binding struct {
	*Prototype
	contents []invocations.Contents // one for each argument; FillDefault is left to arrays that are random
	scalars  [][]byte               // the bytes of each settable argument; nil for the others
	defaults map[string]string      // the value of each named settable argument, as text

	// elements counts the elements of each buffer. It is 0 for an array of the callee whose size is known only
	// after the call.
	elements []int64
	notes    []string
}

// bind resolves contents, single numbers and sizes. given holds the contents of each argument (FillDefault where
// nothing was said), or is nil. Parameters take precedence over contents. seed is the seed of the invocation.
func (t *Prototype) bind(parameters map[string]string, given []invocations.Contents, seed uint64) (*binding, error) {
	b := &binding{
		Prototype: t,
		contents:  make([]invocations.Contents, len(t.arguments)),
		scalars:   make([][]byte, len(t.arguments)),
		elements:  make([]int64, len(t.arguments)),
		defaults:  map[string]string{},
	}
	if given != nil {
		copy(b.contents, given)
	}
	open, err := b.takeParameters(parameters)
	if err != nil {
		return nil, err
	}
	for size := int64(defaultSize); ; size /= 2 {
		if err := b.setScalars(open, size, seed); err != nil {
			return nil, err
		}
		if err = b.setElements(); err == nil && (len(open) == 0 || b.largest() <= defaultArrayBytes) {
			break
		}
		if size == 1 || len(open) == 0 {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	b.noteOpen(open)
	return b, nil
}

// takeParameters turns parameters into contents of the single-number arguments that they name, and resolves the fills
// of others and of outputs. It returns the positions of the runtime sizes without a value.
func (b *binding) takeParameters(parameters map[string]string) (open []int, err error) {
	sizes, used := b.sizes(), map[string]bool{}
	var missing []string
	for i := range b.arguments {
		a := &b.arguments[i]
		text, has := parameters[a.Name]
		switch {
		case has && a.Name != "" && a.settable():
			used[a.Name] = true
			if b.contents[i], err = invocations.ParseContents(b.value(text, a)); err != nil {
				return nil, fmt.Errorf("parameter %s: %w", a.Name, err)
			}
		case b.contents[i].Fill != invocations.FillDefault:
		case a.settable() && a.required:
			missing = append(missing, a.Name)
		case a.settable() && sizes[a.Name] && b.named(a.Name) == a:
			open = append(open, i)
		case a.settable() && !a.Element.Float():
			b.contents[i] = invocations.Contents{Fill: invocations.FillConstant, Value: "1"}
		case a.Usage == invocations.Output:
			b.contents[i].Fill = invocations.FillZeros
		case a.settable():
			b.contents[i].Fill = invocations.FillRandom
		}
	}
	if len(missing) > 0 {
		return nil, remedy.With(fmt.Errorf("no value is given for %s", strings.Join(missing, ", ")),
			remedy.Remedy{Kind: remedy.Each, Name: missing[0], Value: b.example(b.named(missing[0]))})
	}
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if !used[name] {
			b.notes = append(b.notes, fmt.Sprintf("parameter %s is not used by %s", name, b.symbol))
		}
	}
	return open, nil
}

// value returns the text of a value of a number, with digits instead of a name that stands for it.
func (t *Prototype) value(text string, a *argument) string {
	value, named := t.constants[text]
	switch {
	case a.Element.Float():
	case named:
		return strconv.FormatInt(value, 10)
	case text == "true":
		return "1"
	case text == "false":
		return "0"
	}
	return text
}

// setScalars encodes the single numbers. Open sizes take the value size.
func (b *binding) setScalars(open []int, size int64, seed uint64) error {
	for _, i := range open {
		value := min(size, largestOf(b.arguments[i].Element))
		b.contents[i] = invocations.Contents{Fill: invocations.FillConstant, Value: strconv.FormatInt(value, 10)}
	}
	for i := range b.arguments {
		a := &b.arguments[i]
		if !a.settable() {
			continue
		}
		bytes := make([]byte, a.Element.Size())
		if err := values.Fill(bytes, a.Element, b.contents[i], arguments.Seed(seed, i, 0, 0)); err != nil {
			return fmt.Errorf("%s: %w", a.label(), err)
		}
		b.scalars[i] = bytes
		if a.Name != "" {
			b.defaults[a.Name] = contentsText(b.contents[i])
		}
	}
	return nil
}

// contentsText returns the short spelling of contents that a parameter accepts.
func contentsText(c invocations.Contents) string {
	if c.Fill == invocations.FillConstant {
		return c.Value
	}
	return c.String()
}

// setElements computes the size of each buffer.
func (b *binding) setElements() error {
	for i := range b.arguments {
		a := &b.arguments[i]
		if b.elements[i] = a.elements; len(a.size) == 0 {
			continue
		}
		n, err := evaluateSize(a.size, b.passed)
		switch {
		case errors.Is(err, errAfterCall):
			continue
		case err != nil:
			return fmt.Errorf("%s: size %q: %w", a.label(), a.Extent, err)
		}
		if _, ok := multiply(n, a.Element.Size()); !ok {
			return fmt.Errorf("%s: size %q takes more bytes than 64 bits can count; choose smaller sizes",
				a.label(), a.Extent)
		}
		b.elements[i] = n
	}
	return nil
}

// errAfterCall reports a size that the callee writes.
var errAfterCall = errors.New("known only after the call")

// passed returns the value of a size that the caller passes.
func (b *binding) passed(name string) (int64, error) {
	a := b.named(name)
	if b.scalars[a.position] == nil {
		return 0, errAfterCall
	}
	return integerOf(b.scalars[a.position], a.Element), nil
}

// largest returns the size in bytes of the largest runtime array.
func (b *binding) largest() int64 {
	var most int64
	for i := range b.arguments {
		if len(b.arguments[i].size) > 0 {
			most = max(most, b.elements[i]*b.arguments[i].Element.Size())
		}
	}
	return most
}

// noteOpen adds a note that lists the sizes without a value.
func (b *binding) noteOpen(open []int) {
	var chosen []string
	for _, i := range open {
		chosen = append(chosen, b.arguments[i].Name+"="+b.contents[i].Value)
	}
	if len(chosen) > 0 {
		b.notes = append(b.notes, "default sizes: "+strings.Join(chosen, ", "))
	}
}

// parameters lists the named single numbers with the values that they take.
func (b *binding) parameters() []invocations.Parameter {
	var out []invocations.Parameter
	for i := range b.arguments {
		a := &b.arguments[i]
		if a.settable() && a.Name != "" && b.named(a.Name) == a {
			out = append(out, invocations.Parameter{Name: a.Name, Default: b.defaults[a.Name]})
		}
	}
	return out
}

// example returns a typical value of a single number, for messages.
func (t *Prototype) example(a *argument) string {
	dimensions := 0 // of the largest array that it is a size of
	for i := range t.arguments {
		if names := t.arguments[i].sizeNames(); slices.Contains(names, a.Name) {
			dimensions = max(dimensions, len(names))
		}
	}
	switch {
	case a.Element.Float():
		return "1.5"
	case dimensions == 0:
		return "1"
	case dimensions == 1 && a.Element.Size() > 1:
		return "4096"
	case a.Element == invocations.Bool:
		return "1"
	}
	return "64"
}

// integerOf decodes an integer. An unsigned value beyond int64 becomes the largest int64, which every size check
// refuses.
func integerOf(b []byte, t invocations.ElementType) int64 {
	var word [8]byte
	copy(word[:], b)
	u := binary.LittleEndian.Uint64(word[:])
	switch t {
	case invocations.Int8:
		return int64(int8(u))
	case invocations.Int16:
		return int64(int16(u))
	case invocations.Int32:
		return int64(int32(u))
	case invocations.Int64:
		return int64(u)
	}
	return int64(min(u, math.MaxInt64))
}

// largestOf returns the largest value of an integer type, as far as int64 goes.
func largestOf(t invocations.ElementType) int64 {
	switch t {
	case invocations.Bool:
		return 1
	case invocations.Int8:
		return math.MaxInt8
	case invocations.Uint8:
		return math.MaxUint8
	}
	return defaultSize
}
