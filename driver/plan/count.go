package plan

import (
	"math"
	"strconv"
	"strings"
)

// countUnits are the letters behind counts. As in sizes of memory, a letter alone stands for a power of 1024.
var countUnits = []struct {
	suffix string
	factor int64
}{
	{"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30},
	{"k", 1 << 10}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30},
}

// digits returns a whole number that is written with a letter in digits: "4k" and "4Ki" are "4096", "2M" is "2097152".
// Another text stays as it is.
func digits(text string) string {
	for _, u := range countUnits {
		count, found := strings.CutSuffix(text, u.suffix)
		if !found {
			continue
		}
		n, err := strconv.ParseInt(count, 10, 64)
		if err == nil && n >= 0 && n <= math.MaxInt64/u.factor {
			return strconv.FormatInt(n*u.factor, 10)
		}
	}
	return text
}
