package invocations

import (
	"fmt"
	"strings"
)

// maxSuggested is the length in bytes up to which a name is taken for a typing error.
const maxSuggested = 64

// unknownKey is the error for a key that is none of known.
func unknownKey(key string, known []string) error {
	if s := suggest(key, known); s != "" {
		return fmt.Errorf("unknown key%s", s)
	}
	return fmt.Errorf("unknown key: want one of %s", strings.Join(known, ", "))
}

// suggest is "; did you mean …?" with the nearest of known, or empty when none is near.
func suggest(name string, known []string) string {
	if len(name) > maxSuggested { // a distance takes the product of the lengths
		return ""
	}
	best, least := "", max(2, len(name)/3)+1
	for _, k := range known {
		if d := editDistance(strings.ToLower(name), strings.ToLower(k), least); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// editDistance is the number of bytes to insert, remove or replace on the way from a to b, or at least limit where the lengths alone
// make it so.
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
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
