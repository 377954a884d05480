package suite

import (
	"cmp"
	"sort"
	"strconv"
	"strings"

	"zonemark/invocations/tomltext"
)

// keyPath names a key of a TOML text: its parts, with the index behind each array.
type keyPath string

func (p keyPath) key(name string) keyPath { return p + "\x00" + keyPath(name) }
func (p keyPath) index(i int) keyPath     { return p + "\x01" + keyPath(strconv.Itoa(i)) }

// keyLocations holds the positions of keys. The decoder reports no positions, so the text is scanned again after
// decoding. A key that the scan misses gets the position of its table.
type keyLocations struct {
	offsets map[keyPath]int
	lines   []int // offset of the beginning of each line
}

func (k *keyLocations) offset(path keyPath) (offset int, found bool) {
	for path != "" {
		if offset, found := k.offsets[path]; found {
			return offset, true
		}
		path = path[:max(0, strings.LastIndexAny(string(path), "\x00\x01"))]
	}
	return 0, false
}

// line returns the 1-based line of a key, 0 for the text as a whole.
func (k *keyLocations) line(path keyPath) int {
	offset, found := k.offset(path)
	if !found {
		return 0
	}
	return sort.SearchInts(k.lines, offset+1)
}

// compare orders keys as the file does.
func (k *keyLocations) compare(a, b keyPath) int {
	x, _ := k.offset(a)
	y, _ := k.offset(b)
	return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
}

// locateKeys scans a TOML text that the decoder has accepted.
func locateKeys(text string) *keyLocations {
	k := &keyLocations{offsets: map[keyPath]int{}, lines: []int{0}}
	for i := range len(text) {
		if text[i] == '\n' {
			k.lines = append(k.lines, i+1)
		}
	}
	s := keyScanner{tomltext.NewScanner(text), k.offsets, map[keyPath]int{}}
	var table keyPath
	for s.Skip(" \t\r\n"); s.Pos < len(text); s.Skip(" \t\r\n") {
		if text[s.Pos] == '[' {
			table = s.header()
		} else {
			s.pair(table)
		}
	}
	return k
}

// keyScanner finds keys. Each step moves forward in any text, so that it always ends.
type keyScanner struct {
	tomltext.Scanner
	offsets map[keyPath]int
	tables  map[keyPath]int // arrays of tables: how many tables so far
}

func (s *keyScanner) note(path keyPath, offset int) {
	if _, known := s.offsets[path]; !known {
		s.offsets[path] = offset
	}
}

// header reads [a.b] or [[a.b]] and returns the table that the following pairs belong to.
func (s *keyScanner) header() keyPath {
	start := s.Pos
	s.Pos++
	array := s.Peek() == '['
	if array {
		s.Pos++
	}
	var path keyPath
	parts := s.Key()
	for i, part := range parts {
		path = path.key(part)
		n, isArray := s.tables[path]
		if last := i == len(parts)-1; last && array {
			s.tables[path] = n + 1
			s.note(path, start)
			path = path.index(n)
		} else if isArray {
			path = path.index(n - 1)
		}
		s.note(path, start)
	}
	for s.Peek() == ']' {
		s.Pos++
	}
	return path
}

// pair reads key = value.
func (s *keyScanner) pair(path keyPath) {
	start := s.Pos
	for _, part := range s.Key() {
		path = path.key(part)
		s.note(path, start)
	}
	if s.Pos++; s.Pos > len(s.Text) { // at the equals sign
		s.Pos = len(s.Text)
	}
	s.value(path)
}

// value skips a value and finds the keys inside.
func (s *keyScanner) value(path keyPath) {
	s.Skip(" \t\r\n")
	switch s.Peek() {
	case '{':
		s.Pos++
		for s.Skip(" \t\r\n,"); s.Pos < len(s.Text) && s.Text[s.Pos] != '}'; s.Skip(" \t\r\n,") {
			s.pair(path)
		}
		s.Pos = min(s.Pos+1, len(s.Text))
	case '[':
		s.Pos++
		i := 0
		for s.Skip(" \t\r\n,"); s.Pos < len(s.Text) && s.Text[s.Pos] != ']'; s.Skip(" \t\r\n,") {
			item := path.index(i)
			s.note(item, s.Pos)
			s.value(item)
			i++
		}
		s.Pos = min(s.Pos+1, len(s.Text))
	case '"', '\'':
		s.SkipString()
	default:
		start := s.Pos
		s.SkipUntil(",]}#\n\r")
		if s.Pos == start {
			s.Pos = min(s.Pos+1, len(s.Text))
		}
	}
}

// nestsDeeperThan reports whether brackets and braces nest deeper than limit. The text need not be TOML. If it is not,
// the answer is for the part that a decoder reads before it stops.
func nestsDeeperThan(text string, limit int) bool {
	s := tomltext.Scanner{Text: text}
	depth := 0
	for s.Skip(" \t\r\n"); s.Pos < len(text); s.Skip(" \t\r\n") {
		switch text[s.Pos] {
		case '"', '\'':
			s.SkipString()
			continue
		case '[', '{':
			if depth++; depth > limit {
				return true
			}
		case ']', '}':
			depth = max(0, depth-1)
		}
		s.Pos++
	}
	return false
}
