package ttsim

import (
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"zonemark/invocations"
)

// These are the names of the objects that the host looks for. See the package comment.
const (
	mailboxName     = "mailbox"
	loadName        = "load"
	inputPrefix     = "input"
	outputPrefix    = "output"
	parameterPrefix = "param_"
	zonePrefix      = "zone_"
	gridName        = "tensix_grid"

	mailboxWords = 4
	mailboxBytes = mailboxWords * wordBytes

	defaultElement = "i32"
	maxBuffers     = 64 // inputs, outputs, parameters and zones, each

	zoneBytes  = 2 * wordBytes // cycle counter at begin and end
	maxZones   = 64            // pairs of one symbol
	gridHeader = 3             // words before the coordinates
)

// bufferName splits the name of a buffer: "input1_ui8" is number 1 of prefix input with elements ui8. ok is false for
// names of another form.
func bufferName(name, prefix string) (number int, element string, ok bool) {
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return 0, "", false
	}
	digits, element, typed := strings.Cut(rest, "_")
	number, err := strconv.Atoi(digits)
	if err != nil || strconv.Itoa(number) != digits || typed && element == "" {
		return 0, "", false
	}
	return number, cmp.Or(element, defaultElement), true
}

// fromSymbols finds mailbox, buffers and parameters among the symbols of an ELF file.
func (l *layout) fromSymbols(symbols []elf.Symbol) error {
	inputs, outputs := map[int]buffer{}, map[int]buffer{}
	found := false
	for _, s := range symbols {
		if kind := elf.ST_TYPE(s.Info); kind != elf.STT_OBJECT && kind != elf.STT_NOTYPE || s.Section == elf.SHN_UNDEF {
			continue
		}
		if s.Value >= largestL1 || s.Size > largestL1 {
			continue // not in L1, such as a register, or of no interest
		}
		address := uint32(s.Value)
		if name, ok := strings.CutPrefix(s.Name, parameterPrefix); ok && name != "" {
			if s.Size != wordBytes {
				return fmt.Errorf("%s has %d bytes; a parameter is a number of %d bytes", s.Name, s.Size, wordBytes)
			}
			l.parameters = append(l.parameters, parameter{name, address})
			continue
		}
		if known, err := l.addTimeline(s); known || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		if s.Name == mailboxName {
			if s.Size != mailboxBytes {
				return fmt.Errorf("%s has %d bytes; want %d: status, begin, end and code",
					mailboxName, s.Size, mailboxBytes)
			}
			if found {
				return fmt.Errorf("there are two symbols %s", mailboxName)
			}
			l.mailbox, found = address, true
			continue
		}
		for _, kind := range []struct {
			prefix string
			into   map[int]buffer
		}{{inputPrefix, inputs}, {outputPrefix, outputs}} {
			number, element, ok := bufferName(s.Name, kind.prefix)
			if !ok {
				continue
			}
			b, err := symbolBuffer(s, element)
			if err != nil {
				return err
			}
			b.name = kind.prefix + strconv.Itoa(number)
			if _, twice := kind.into[number]; twice {
				return fmt.Errorf("there are two symbols %s", b.name)
			}
			kind.into[number] = b
		}
	}
	if !found {
		return fmt.Errorf("it has no symbol %s of %d bytes, into which it says that it has ended; see the package "+
			"comment, or tensix_start.S of the examples", mailboxName, mailboxBytes)
	}
	return l.arrange(inputs, outputs)
}

// addTimeline takes the symbols of zones and of the grid. known is false for other symbols.
func (l *layout) addTimeline(s elf.Symbol) (known bool, err error) {
	b := buffer{
		name: s.Name, address: uint32(s.Value), element: invocations.Uint32, shape: []int64{int64(s.Size / wordBytes)},
	}
	name, isZone := strings.CutPrefix(s.Name, zonePrefix)
	switch {
	case isZone && name != "":
		if s.Size == 0 || s.Size%zoneBytes != 0 || s.Size > maxZones*zoneBytes || len(l.zones) == maxBuffers {
			return true, fmt.Errorf("%s has %d bytes; want 1 to %d pairs of 32-bit words, begin and end, in at most %d "+
				"zones", s.Name, s.Size, maxZones, maxBuffers)
		}
		l.zones = append(l.zones, b)
	case s.Name == gridName:
		if l.grid != nil || s.Size < gridHeader*wordBytes || s.Size%wordBytes != 0 {
			return true, fmt.Errorf("%s has %d bytes; want it once, as %d words and one for each tile",
				s.Name, s.Size, gridHeader)
		}
		l.grid = &b
	default:
		return false, nil
	}
	return true, nil
}

// symbolBuffer returns a symbol as an array of one dimension.
func symbolBuffer(s elf.Symbol, name string) (buffer, error) {
	a, err := invocations.ParseTensor(name)
	if err != nil || len(a.Shape) > 0 || a.Fill != invocations.FillDefault {
		return buffer{}, fmt.Errorf("%s: no element type %q; want one such as i32, ui8, f32", s.Name, name)
	}
	size := uint64(a.Element.Size())
	if s.Size == 0 || s.Size%size != 0 {
		return buffer{}, fmt.Errorf("%s has %d bytes, which are no elements of %s; in assembly, say its size by .size",
			s.Name, s.Size, name)
	}
	return buffer{address: uint32(s.Value), element: a.Element, shape: []int64{int64(s.Size / size)}}, nil
}

// arrange sorts buffers by their numbers, which must be complete.
func (l *layout) arrange(inputs, outputs map[int]buffer) error {
	for _, kind := range []struct {
		prefix string
		from   map[int]buffer
		into   *[]buffer
	}{{inputPrefix, inputs, &l.inputs}, {outputPrefix, outputs, &l.outputs}} {
		if len(kind.from) > maxBuffers {
			return fmt.Errorf("more than %d buffers %s", maxBuffers, kind.prefix)
		}
		for i := range len(kind.from) {
			b, ok := kind.from[i]
			if !ok {
				return fmt.Errorf("there are %d buffers %s and no %s%d; number them from 0",
					len(kind.from), kind.prefix, kind.prefix, i)
			}
			*kind.into = append(*kind.into, b)
		}
	}
	if len(l.parameters) > maxBuffers {
		return fmt.Errorf("more than %d parameters", maxBuffers)
	}
	slices.SortFunc(l.zones, func(a, b buffer) int { return cmp.Compare(a.name, b.name) })
	slices.SortFunc(l.parameters, func(a, b parameter) int { return cmp.Compare(a.name, b.name) })
	for i := 1; i < len(l.parameters); i++ {
		if l.parameters[i].name == l.parameters[i-1].name {
			return fmt.Errorf("there are two parameters %s", l.parameters[i].name)
		}
	}
	return nil
}

// fromText reads "NAME=ADDRESS NAME=ADDRESS:TENSOR …", the layout of a flat binary, and returns the load address.
func (l *layout) fromText(text string) (load uint32, err error) {
	inputs, outputs := map[int]buffer{}, map[int]buffer{}
	found := map[string]bool{}
	for entry := range strings.FieldsSeq(text) {
		name, where, ok := strings.Cut(entry, "=")
		place, shape, typed := strings.Cut(where, ":")
		address, err := strconv.ParseUint(place, 0, 32)
		switch {
		case !ok || err != nil || address >= largestL1:
			return 0, fmt.Errorf("%q: want NAME=ADDRESS, the address below %#x, as in %s=0x20000",
				entry, largestL1, mailboxName)
		case found[name]:
			return 0, fmt.Errorf("%q: there are two of that name", entry)
		}
		found[name] = true
		if typed {
			b, into, number, err := textBuffer(name, shape, inputs, outputs)
			if err != nil {
				return 0, fmt.Errorf("%q: %w", entry, err)
			}
			b.address = uint32(address)
			into[number] = b
			continue
		}
		parameterName, isParameter := strings.CutPrefix(name, parameterPrefix)
		switch {
		case name == mailboxName:
			l.mailbox = uint32(address)
		case name == loadName:
			load = uint32(address)
		case isParameter && parameterName != "":
			l.parameters = append(l.parameters, parameter{parameterName, uint32(address)})
		default:
			return 0, fmt.Errorf("%q: want %s, %s, %sNAME, or a buffer with its type, as in input0=0x10000:1024xi32",
				entry, mailboxName, loadName, parameterPrefix)
		}
	}
	if !found[mailboxName] {
		return 0, errors.New("it does not say where the " + mailboxName +
			" is, into which the program says that it has ended")
	}
	return load, l.arrange(inputs, outputs)
}

// textBuffer returns a buffer of a flat binary without its address, and the map that it belongs to.
func textBuffer(
	name, shape string, inputs, outputs map[int]buffer,
) (b buffer, into map[int]buffer, number int, err error) {
	into = inputs
	number, _, ok := bufferName(name, inputPrefix)
	if !ok {
		into = outputs
		number, _, ok = bufferName(name, outputPrefix)
	}
	if !ok || strings.Contains(name, "_") {
		return b, nil, 0, fmt.Errorf("want a buffer named %s0, %s1, …, %s0, …", inputPrefix, inputPrefix, outputPrefix)
	}
	a, err := invocations.ParseTensor(shape)
	if err != nil || a.Element == "" || a.Fill != invocations.FillDefault {
		return b, nil, 0, errors.New("want a type after the address, such as 1024xi32 or f32")
	}
	size := a.Element.Size()
	for _, n := range a.Shape {
		if n < 1 || n > largestL1/size {
			return b, nil, 0, fmt.Errorf("no buffer in L1 holds %s", shape)
		}
		size *= n
	}
	return buffer{name: name, element: a.Element, shape: a.Shape}, into, number, nil
}
