package report

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"zonemark/invocations"
)

// writeBenchfmt writes Go's benchmark format: the environment as configuration lines, and a line for each repetition. What has no time is a "--- FAIL" or
// "--- SKIP" line, as the testing package writes it, which readers pass over.
func writeBenchfmt(w io.Writer, run Run) error {
	var b bytes.Buffer
	used := map[string]bool{}
	for _, key := range sortedKeys(run.Environment) {
		if name := benchKey(key); name != "" && !used[name] {
			used[name] = true
			fmt.Fprintf(&b, "%s: %s\n", name, Printable(run.Environment[key]))
		}
	}
	names := benchNames(run.Records)
	for i := range run.Records {
		r := &run.Records[i]
		if r.Status != invocations.OK || !r.Timed() {
			verb := "FAIL"
			if r.Status == invocations.Skipped || r.Status == invocations.OK {
				verb = "SKIP"
			}
			fmt.Fprintf(&b, "--- %s: %s\n    %s: %s\n", verb, names[i], r.Status, untimedReason(*r))
			continue
		}
		for _, one := range repetitions(r) {
			fmt.Fprintf(&b, "%s %d %s ns/op", names[i], one.iterations, strconv.FormatFloat(one.wallNS, 'f', -1, 64))
			if !math.IsNaN(one.cpuNS) {
				fmt.Fprintf(&b, " %s cpu-ns/op", strconv.FormatFloat(one.cpuNS, 'f', -1, 64))
			}
			b.WriteByte('\n')
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// benchKey makes a configuration key: it begins with a lower-case letter and holds neither upper case, blanks nor colons. Empty when nothing is left.
func benchKey(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsUpper(r):
			return unicode.ToLower(r)
		case unicode.IsSpace(r) || r == ':' || !unicode.IsPrint(r):
			return '-'
		}
		return r
	}, s)
	s = strings.TrimLeftFunc(s, func(r rune) bool { return !unicode.IsLower(r) })
	if strings.ContainsFunc(s, unicode.IsUpper) { // letters without a lower-case form
		return ""
	}
	return s
}

// benchNames is a name for each record that begins with "Benchmark" and a letter that is not lower-case, and holds no blanks. Names that only differ in
// what cannot be written get the id as well.
func benchNames(records []invocations.Record) []string {
	names := distinctNames(records)
	count := map[string]int{}
	for i, name := range names {
		name = strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) || !unicode.IsPrint(r) {
				return '_'
			}
			return r
		}, name)
		first, size := utf8.DecodeRuneInString(name)
		if upper := unicode.ToUpper(first); unicode.IsLower(upper) || size == 0 {
			name = "_" + name
		} else {
			name = string(upper) + name[size:]
		}
		names[i] = "Benchmark" + name
		count[names[i]]++
	}
	for i := range names {
		if count[names[i]] > 1 {
			names[i] += "/id=" + records[i].ID
		}
	}
	return names
}
