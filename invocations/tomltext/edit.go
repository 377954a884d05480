package tomltext

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Edit replaces the bytes From (inclusive) to To (exclusive) of a text.
type Edit struct {
	From, To int
	Text     string
}

// Apply makes all edits. They must not overlap.
func Apply(text string, edits []Edit) string {
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Compare(a.From, b.From) })
	var out strings.Builder
	last := 0
	for _, e := range edits {
		out.WriteString(text[last:e.From])
		out.WriteString(e.Text)
		last = e.To
	}
	out.WriteString(text[last:])
	return out.String()
}

// QuoteKey returns a key as TOML spells it.
func QuoteKey(key string) string {
	bare := func(r rune) bool {
		return r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if key != "" && strings.IndexFunc(key, func(r rune) bool { return !bare(r) }) < 0 {
		return key
	}
	return Quote(key)
}

// Quote returns a text as a basic string of TOML.
func Quote(text string) string {
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
