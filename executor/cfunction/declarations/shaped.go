package declarations

import (
	"slices"
	"strconv"
	"strings"
)

// Shaped returns the prototype of a function whose pointers have shapes and whose numbers have names, as it is most
// likely meant: "uint32_t crc(uint32_t crc, const uint8_t buf[len], size_t len)". The shapes are guesses from the names
// of the integers. ok is false if something else is wrong with the declaration.
func (f *Function) Shaped() (prototype string, ok bool) {
	if len(f.Problems) == 0 || slices.ContainsFunc(f.Problems, func(p *Problem) bool {
		return p.Kind != NoShape && p.Kind != NoName
	}) {
		return "", false
	}
	named := slices.Clone(f.Parameters)
	for i := range named {
		if named[i].Name == "" {
			named[i].Name = freeName(named)
		}
	}
	parameters := make([]string, len(named))
	for i := range named {
		parameters[i] = named[i].text(named)
	}
	result := f.Result.Name + " "
	if f.Result.Const {
		result = "const " + result
	}
	return result + strings.Repeat("*", f.Result.Pointers) + f.Name + "(" + strings.Join(parameters, ", ") + ")", true
}

// freeName returns a name that no parameter has.
func freeName(list []Parameter) string {
	for i := 0; ; i++ {
		name := "a" + strconv.Itoa(i)
		if !slices.ContainsFunc(list, func(p Parameter) bool { return p.Name == name }) {
			return name
		}
	}
}

// text returns the declaration of a parameter among others. A pointer becomes an array.
func (p *Parameter) text(all []Parameter) string {
	element := p.Type.Name
	if element == "void" {
		element = "uint8_t"
	}
	if p.Type.Const && (p.Type.Pointers > 0 || len(p.Bounds) > 0) {
		element = "const " + element
	}
	switch {
	case len(p.Bounds) > 0:
		text := element + " " + p.Name
		for _, b := range p.Bounds {
			text += "[" + b.String() + "]"
		}
		return text + p.Type.each()
	case p.Type.Pointers > 0:
		return element + " " + p.Name + "[" + p.bound(all) + "]" + p.Type.each()
	}
	return element + " " + p.Name
}

// each returns the bound for the members of a structure; empty for a number.
func (t *Type) each() string {
	if t.members == 0 {
		return ""
	}
	return "[" + strconv.Itoa(t.members) + "]"
}

// unknownSize is the bound of an array if no parameter seems to be its size.
const unknownSize = "1024"

// bound returns the bound that a pointer most likely has: an integer whose name begins with that of the pointer, as in
// (char *dst, int dstCapacity), or else the first one behind it, or before it, that is named like a size, or else the
// product of all that are named like extents, as in (int w, int h, float *pixels).
func (p *Parameter) bound(all []Parameter) string {
	at := slices.IndexFunc(all, func(q Parameter) bool { return q.Name == p.Name })
	var integers []string
	for i := range all {
		if q := all[(at+i)%len(all)]; q.countable() {
			integers = append(integers, q.Name)
		}
	}
	own, sized := "", ""
	var extents []string
	for _, name := range integers {
		if likeExtent(name) {
			extents = append(extents, name)
		}
		rest, found := strings.CutPrefix(name, p.Name)
		if own == "" && found && likeSize(strings.TrimLeft(rest, "_")) {
			own = name
		}
		if sized == "" && likeSize(name) {
			sized = name
		}
	}
	switch {
	case own != "":
		return own
	case sized != "":
		return sized
	case len(extents) > 0:
		slices.Sort(extents) // the same for each pointer
		return strings.Join(extents, "*")
	}
	return unknownSize
}

// countable reports whether a parameter is an integer that may be a size.
func (p *Parameter) countable() bool {
	return p.Type.Pointers == 0 && p.Bounds == nil && !slices.Contains(floats, p.Type.Name) &&
		p.Type.Name != "bool" && p.Type.Name != "_Bool" && p.Type.Name != "char"
}

// sizeWords are parts of names of sizes.
var sizeWords = []string{"len", "size", "count", "num", "cap", "bytes", "elem", "total"}

// extentWords are names of extents, and their ends.
var extentWords = []string{"w", "h", "width", "height", "depth", "rows", "cols", "columns"}

// likeExtent reports whether a name is one that extents have: w, height, src_rows.
func likeExtent(name string) bool {
	lower := strings.ToLower(strings.Trim(name, "_"))
	return slices.ContainsFunc(extentWords, func(word string) bool {
		return lower == word || len(word) > 1 && strings.HasSuffix(lower, word)
	})
}

// likeSize reports whether a name is one that sizes have: n, len, srcSize, num_rows.
func likeSize(name string) bool {
	lower := strings.ToLower(strings.Trim(name, "_"))
	if len(lower) == 1 {
		return strings.Contains("nml", lower)
	}
	return lower[:min(2, len(lower))] == "n_" || lower == "nb" ||
		slices.ContainsFunc(sizeWords, func(word string) bool { return strings.Contains(lower, word) })
}
