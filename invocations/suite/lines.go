package suite

import (
	"cmp"
	"sort"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
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
	s := keyScanner{text: text, offsets: k.offsets, tables: map[keyPath]int{}}
	for _, mark := range []string{"\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"} { // the decoder skips them, too
		if strings.HasPrefix(text, mark) {
			s.at = len(mark)
		}
	}
	var table keyPath
	for s.skip(" \t\r\n"); s.at < len(text); s.skip(" \t\r\n") {
		if text[s.at] == '[' {
			table = s.header()
		} else {
			s.pair(table)
		}
	}
	return k
}

// keyScanner finds keys. Each step moves forward in any text, so that it always ends.
type keyScanner struct {
	text    string
	at      int
	offsets map[keyPath]int
	tables  map[keyPath]int // arrays of tables: how many tables so far
}

func (s *keyScanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// skip skips the characters of set, and comments.
func (s *keyScanner) skip(set string) {
	for s.at < len(s.text) {
		switch {
		case s.text[s.at] == '#':
			s.at += len(untilNewline(s.text[s.at:]))
		case strings.IndexByte(set, s.text[s.at]) >= 0:
			s.at++
		default:
			return
		}
	}
}

func untilNewline(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

func (s *keyScanner) note(path keyPath, offset int) {
	if _, known := s.offsets[path]; !known {
		s.offsets[path] = offset
	}
}

// header reads [a.b] or [[a.b]] and returns the table that the following pairs belong to.
func (s *keyScanner) header() keyPath {
	start := s.at
	s.at++
	array := s.peek() == '['
	if array {
		s.at++
	}
	var path keyPath
	parts := s.parts()
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
	for s.peek() == ']' {
		s.at++
	}
	return path
}

// pair reads key = value.
func (s *keyScanner) pair(path keyPath) {
	start := s.at
	for _, part := range s.parts() {
		path = path.key(part)
		s.note(path, start)
	}
	if s.at++; s.at > len(s.text) { // at the equals sign
		s.at = len(s.text)
	}
	s.value(path)
}

// parts reads a dotted key.
func (s *keyScanner) parts() []string {
	var parts []string
	for {
		s.skip(" \t")
		start := s.at
		quoted := s.peek() == '"' || s.peek() == '\''
		if quoted {
			s.str()
		} else {
			for s.at < len(s.text) && strings.IndexByte(" \t.=]\n\r", s.text[s.at]) < 0 {
				s.at++
			}
		}
		part := s.text[start:s.at]
		if quoted {
			part = unquoteKey(part)
		}
		parts = append(parts, part)
		if s.skip(" \t"); s.peek() != '.' {
			return parts
		}
		s.at++
	}
}

// unquoteKey lets the decoder read the escapes of a quoted key.
func unquoteKey(quoted string) string {
	var one map[string]any
	if _, err := toml.Decode(quoted+" = 0", &one); err == nil {
		for key := range one {
			return key
		}
	}
	return quoted
}

// value skips a value and finds the keys inside.
func (s *keyScanner) value(path keyPath) {
	s.skip(" \t\r\n")
	switch s.peek() {
	case '{':
		s.at++
		for s.skip(" \t\r\n,"); s.at < len(s.text) && s.text[s.at] != '}'; s.skip(" \t\r\n,") {
			s.pair(path)
		}
		s.at = min(s.at+1, len(s.text))
	case '[':
		s.at++
		i := 0
		for s.skip(" \t\r\n,"); s.at < len(s.text) && s.text[s.at] != ']'; s.skip(" \t\r\n,") {
			item := path.index(i)
			s.note(item, s.at)
			s.value(item)
			i++
		}
		s.at = min(s.at+1, len(s.text))
	case '"', '\'':
		s.str()
	default:
		start := s.at
		for s.at < len(s.text) && strings.IndexByte(",]}#\n\r", s.text[s.at]) < 0 {
			s.at++
		}
		if s.at == start {
			s.at = min(s.at+1, len(s.text))
		}
	}
}

// str skips a string of any of the four kinds.
func (s *keyScanner) str() {
	quote := s.text[s.at : s.at+1]
	end := quote
	if long := strings.Repeat(quote, 3); strings.HasPrefix(s.text[s.at:], long) {
		end = long
	}
	s.at += len(end)
	for s.at < len(s.text) && !strings.HasPrefix(s.text[s.at:], end) {
		if quote == `"` && s.text[s.at] == '\\' {
			s.at++
		} else if len(end) == 1 && s.text[s.at] == '\n' {
			return // not a string; this happens only in a text that is not TOML
		}
		s.at++
	}
	s.at = min(s.at+len(end), len(s.text))
	for len(end) == 3 && strings.HasPrefix(s.text[s.at:], quote) { // there may be up to two quotes before the delimiter
		s.at++
	}
}

// nestsDeeperThan reports whether brackets and braces nest deeper than limit. The text need not be TOML. If it is not,
// the answer is for the part that a decoder reads before it stops.
func nestsDeeperThan(text string, limit int) bool {
	s := keyScanner{text: text}
	depth := 0
	for s.skip(" \t\r\n"); s.at < len(text); s.skip(" \t\r\n") {
		switch text[s.at] {
		case '"', '\'':
			s.str()
			continue
		case '[', '{':
			if depth++; depth > limit {
				return true
			}
		case ']', '}':
			depth = max(0, depth-1)
		}
		s.at++
	}
	return false
}
