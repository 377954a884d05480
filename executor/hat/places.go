package hat

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// place is where the durations of one function belong in the text of a .hat file.
type place struct {
	written   bool // there is a header [functions.NAME]
	compact   bool // auxiliary is an inline table or uses dotted keys, and takes no further keys
	function  spot // after the last pair of [functions.NAME]
	auxiliary spot // after the last pair of [functions.NAME.auxiliary]; at is 0 if there is no such table
	values    map[string][2]int
}

// spot is a position at which lines are inserted, with the indentation of the neighbouring lines.
type spot struct {
	at     int
	indent string
}

// findPlaces scans once over a text that the TOML reader has accepted.
func findPlaces(text string) map[string]*place {
	places := map[string]*place{}
	var table []string
	for _, s := range scanStatements(text) {
		path := s.key
		if s.header {
			table = s.key
		} else {
			path = slices.Concat(table, s.key)
		}
		if len(path) < 2 || path[0] != "functions" {
			continue
		}
		p := places[path[1]]
		if p == nil {
			p = &place{values: map[string][2]int{}}
			places[path[1]] = p
		}
		p.note(&s, table, path)
	}
	return places
}

// note records one statement that concerns the function.
func (p *place) note(s *statement, table, path []string) {
	inFunction := len(table) == 2
	inAuxiliary := len(table) == 3 && table[2] == "auxiliary"
	switch {
	case inFunction:
		p.written = true
		p.function = spot{s.end, s.indent}
		if !s.header && path[2] == "auxiliary" {
			p.compact = true
		}
	case inAuxiliary:
		p.auxiliary = spot{s.end, s.indent}
		if !s.header && len(path) == 4 {
			p.values[path[3]] = [2]int{s.valueFrom, s.valueTo}
		}
	case len(table) < 2: // [functions] with NAME.key = …, or a pair before every header
		p.compact = true
	}
}

// edit replaces text[from:to].
type edit struct {
	from, to int
	text     string
}

// edits replaces the values of keys that exist and inserts the others, in a new table if there is none. A new table may
// stand before an existing [functions.NAME.auxiliary.x].
func (p *place) edits(text, name string, durations Durations) []edit {
	var edits []edit
	at, header := p.auxiliary, ""
	if at.at == 0 {
		at = p.function
		header = at.indent + "[functions." + bareOrQuoted(name) + ".auxiliary]"
	}
	newline := lineEnding(text, at.at)
	var lines []string
	if header != "" {
		lines = append(lines, "", header)
	}
	for _, d := range durations.keyed() {
		if v, ok := p.values[d.key]; ok {
			edits = append(edits, edit{v[0], v[1], formatSeconds(d.seconds)})
		} else {
			lines = append(lines, at.indent+d.key+" = "+formatSeconds(d.seconds))
		}
	}
	if len(lines) == 0 {
		return edits
	}
	inserted := strings.Join(lines, newline)
	if strings.HasSuffix(text[:at.at], "\n") {
		inserted += newline
	} else { // the last line of the file has no line ending, and the new last line gets none either
		inserted = newline + inserted
	}
	return append(edits, edit{at.at, at.at, inserted})
}

// lineEnding returns the line ending of the line that ends at a position, or else that of the first line.
func lineEnding(text string, at int) string {
	before := text[:at]
	if !strings.HasSuffix(before, "\n") {
		first := strings.IndexByte(text, '\n')
		before = text[:first+1]
	}
	if strings.HasSuffix(before, "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// apply makes all edits. They must not overlap.
func apply(text string, edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var out strings.Builder
	last := 0
	for _, e := range edits {
		out.WriteString(text[last:e.from])
		out.WriteString(e.text)
		last = e.to
	}
	out.WriteString(text[last:])
	return out.String()
}

// bareOrQuoted returns a key as TOML spells it.
func bareOrQuoted(key string) string {
	bare := func(r rune) bool {
		return r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if key != "" && strings.IndexFunc(key, func(r rune) bool { return !bare(r) }) < 0 {
		return key
	}
	return quotedTOML(key)
}

// quotedTOML returns a text as a basic string of TOML.
func quotedTOML(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case r < 0x20 || r == 0x7f:
			fmt.Fprintf(&out, `\u%04X`, r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}
