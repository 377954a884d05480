// Package spelling finds the word that a user probably meant by an unknown one. It is a leaf and knows only words.
// Every error of zonemark about an unknown name ends with its suggestion.
package spelling

import (
	"fmt"
	"strings"
)

const (
	mostBytes  = 100 // greatest length of a word that is taken for a typing error
	mostListed = 8   // words that SuggestOrList shows
)

// Suggest returns `; did you mean "…"?` with the word of known that is nearest to a mistaken one. It returns an empty
// text if none is near.
func Suggest(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// SuggestOrList returns what Suggest returns or, if no word is near, "; there are …" with the first words of known.
func SuggestOrList(word string, known []string) string {
	switch text := Suggest(word, known); {
	case text != "" || len(known) == 0:
		return text
	case len(known) > mostListed:
		return "; there are " + strings.Join(known[:mostListed], ", ") + ", …"
	}
	return "; there are " + strings.Join(known, ", ")
}

// Nearest returns the word at the least edit distance from a mistaken one, if that distance is at most a third of the
// length, or one and a half letters, else one that starts with it. A letter that was left out counts half: people leave
// out more than they add. The only word that starts with three letters or more is nearer than one with other letters.
// Nearest returns an empty text if no word is near.
func Nearest(word string, words []string) string {
	if len(word) > mostBytes { // the time for a distance grows with the product of the lengths
		return ""
	}
	best, least := "", max(min(len(word), mostOfShort), wholeEdit, wholeEdit*len(word)/3)+1
	for _, w := range words {
		if d := editDistance(strings.ToLower(word), strings.ToLower(w), least); d < least {
			best, least = w, d
		}
	}
	begun := beginning(words, word)
	if len(begun) == 1 && len(word) >= leastBegun && least > leftOut || best == "" && len(word) > 1 && len(begun) > 0 {
		return begun[0]
	}
	return best
}

// leastBegun is the number of letters from which on the beginning of a single word means that word.
const leastBegun = 3

// beginning returns the words that start with another one.
func beginning(words []string, start string) (list []string) {
	for _, w := range words {
		if strings.HasPrefix(w, start) {
			list = append(list, w)
		}
	}
	return list
}

// What the edits that make one word of another one cost.
const (
	leftOut   = 1 // a letter that the first word lacks
	wholeEdit = 2 // a letter that it has instead of another one, or too many
	// mostOfShort is what a short word may cost.
	mostOfShort = 3
)

// editDistance returns the least cost of the edits that make b of a, or any number ≥ limit if it is not below limit.
func editDistance(a, b string, limit int) int {
	if wholeEdit*(len(a)-len(b)) >= limit || leftOut*(len(b)-len(a)) >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j * leftOut
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = (i + 1) * wholeEdit
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = min(diagonal+wholeEdit, row[j]+leftOut, row[j+1]+wholeEdit)
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
