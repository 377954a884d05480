package declarations

import (
	"slices"
	"strings"
)

// structure is what is known of a structure: an array of those whose members are numbers can be handed over as these
// numbers or, if they have several types, as bytes.
type structure struct {
	tag     string // behind "struct"; empty: it has none
	element string // the type of each member, or of a byte
	members int    // how many there are; 0: they are not known, or are no numbers
}

// tagged is the beginning of the names under which structures are kept by their tags.
const tagged = "struct "

// structured keeps a structure whose declaration is "struct TAG", with members in braces or without.
func (r *reader) structured(list []token) {
	if len(list) > 1 && list[0].is("struct") && list[1].kind == word && r.members != nil {
		r.structures[tagged+list[1].text] = structureOf(r.members)
	}
}

// namedStructure keeps the name that a typedef gives to a structure: list is "struct NAME" or "struct TAG NAME".
func (r *reader) namedStructure(list []token) {
	s := structureOf(r.members)
	if len(list) > 2 {
		s.tag = list[1].text
	}
	r.structures[list[len(list)-1].text] = s
}

// structure returns what is known of a structure by its name, or by its tag behind "struct ".
func (n Names) structure(name string) (s structure, known bool) {
	s, known = n.structures[name]
	if s.members == 0 && s.tag != "" {
		s.element, s.members = n.structures[tagged+s.tag].element, n.structures[tagged+s.tag].members
	}
	return s, known
}

// structureOf reads the members of a structure.
func structureOf(members []token) (s structure) {
	mixed, size, widest := false, int64(0), int64(1) // as compilers for 64 bits place members
	for len(members) > 0 {
		end := slices.IndexFunc(members, func(t token) bool { return t.is(";") })
		if end < 2 || slices.ContainsFunc(members[:end], func(t token) bool { return t.kind != word && !t.is(",") }) {
			return structure{}
		}
		parts := split(members[:end])
		members = members[end+1:]
		var words []string
		for _, t := range parts[0][:max(0, len(parts[0])-1)] {
			if words = append(words, t.text); !slices.Contains(TypeNames(), t.text) {
				return structure{}
			}
		}
		one := strings.Join(words, " ")
		element, _ := Element(one, "")
		width := element.Size()
		if width == 0 {
			return structure{}
		}
		mixed, widest = mixed || s.element != "" && one != s.element, max(widest, width)
		size = (size+width-1)/width*width + width*int64(len(parts))
		s.element, s.members = one, s.members+len(parts)
	}
	if mixed {
		s.element, s.members = "uint8_t", int((size+widest-1)/widest*widest)
	}
	return s
}
