package invocations

import (
	"fmt"
	"strings"
)

// mostNearest is the length in bytes up to which a word is taken for a typing error.
const mostNearest = 100

// Nearest is the word that somebody who wrote word may have meant: the one at the least edit distance, if that is at most half of the
// length, or one that starts with it. It is empty when none is near.
func Nearest(word string, words []string) string {
	if len(word) > mostNearest { // a distance takes the product of the lengths
		return ""
	}
	best, least := "", max(min(2, len(word)-1), len(word)/2, 1)+1
	for _, w := range words {
		if d := editDistance(strings.ToLower(word), strings.ToLower(w), least); d < least {
			best, least = w, d
		}
	}
	if best != "" || len(word) < 2 {
		return best
	}
	for _, w := range words {
		if strings.HasPrefix(w, word) {
			return w
		}
	}
	return ""
}

// unknownKey is the error for a key that is none of known.
func unknownKey(key string, known []string) error {
	if s := suggest(key, known); s != "" {
		return fmt.Errorf("unknown key%s", s)
	}
	return fmt.Errorf("unknown key: want one of %s", strings.Join(known, ", "))
}

// suggest is "; did you mean …?" with the nearest of known, or empty when none is near.
func suggest(name string, known []string) string {
	if near := Nearest(name, known); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// editDistance is the Levenshtein distance in bytes, or some number ≥ limit when it is not below the limit.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
