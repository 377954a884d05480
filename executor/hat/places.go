package hat

import (
	"slices"
	"strings"

	"zonemark/invocations/tomltext"
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
	for _, s := range tomltext.Statements(text) {
		path := s.Key
		if s.Header {
			table = s.Key
		} else {
			path = slices.Concat(table, s.Key)
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
func (p *place) note(s *tomltext.Statement, table, path []string) {
	inFunction := len(table) == 2
	inAuxiliary := len(table) == 3 && table[2] == "auxiliary"
	switch {
	case inFunction:
		p.written = true
		p.function = spot{s.End, s.Indent}
		if !s.Header && path[2] == "auxiliary" {
			p.compact = true
		}
	case inAuxiliary:
		p.auxiliary = spot{s.End, s.Indent}
		if !s.Header && len(path) == 4 {
			p.values[path[3]] = [2]int{s.ValueFrom, s.ValueTo}
		}
	case len(table) < 2: // [functions] with NAME.key = …, or a pair before every header
		p.compact = true
	}
}

// edits replaces the values of keys that exist and inserts the others, in a new table if there is none. A new table may
// stand before an existing [functions.NAME.auxiliary.x].
func (p *place) edits(text, name string, durations Durations) []tomltext.Edit {
	var edits []tomltext.Edit
	at, header := p.auxiliary, ""
	if at.at == 0 {
		at = p.function
		header = at.indent + "[functions." + tomltext.QuoteKey(name) + ".auxiliary]"
	}
	newline := lineEnding(text, at.at)
	var lines []string
	if header != "" {
		lines = append(lines, "", header)
	}
	for _, d := range durations.keyed() {
		if v, ok := p.values[d.key]; ok {
			edits = append(edits, tomltext.Edit{From: v[0], To: v[1], Text: formatSeconds(d.seconds)})
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
	return append(edits, tomltext.Edit{From: at.at, To: at.at, Text: inserted})
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
