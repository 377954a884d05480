package farm

import "strings"

// quoted returns words as a line of a POSIX shell that a person can copy.
func quoted(words []string) string {
	parts := make([]string, len(words))
	for i, w := range words {
		parts[i] = Quote(w)
	}
	return strings.Join(parts, " ")
}

// Quote returns a word as a POSIX shell reads it: as it is if no character of it means something to a shell, else in
// single quotes.
func Quote(word string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-_./=:,+@%", r)
	}
	if word != "" && strings.TrimFunc(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
