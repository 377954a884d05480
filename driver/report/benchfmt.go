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

// benchConfiguration lists the keys of the environment that are written as configuration, with their names in Go's
// tools. They identify a machine. Keys that change from run to run, such as the load, would keep benchstat from
// comparing runs.
var benchConfiguration = [...]struct{ key, name string }{
	{"os", "goos"},
	{"arch", "goarch"},
	{"cpu", "cpu"},
	{"cpus", "cpus"},
	{"caches", "caches"},
}

// The units of benchmark lines beside ns/op.
const (
	unitCPU          = "cpu-ns/op"
	unitReference    = "ref-ns/op" // time at the reference clock
	unitCycles       = "cycles/op"
	unitInstructions = "instructions/op"
)

// writeBenchfmt writes Go's benchmark format: the machine as configuration lines, the units, and a line for each
// repetition. A record without a time is a "--- FAIL" or "--- SKIP" line, as the testing package writes it. Readers
// skip such lines.
func writeBenchfmt(w io.Writer, run Run) error {
	var b, results bytes.Buffer
	for _, c := range benchConfiguration {
		if value := run.Environment[c.key]; value != "" {
			fmt.Fprintf(&b, "%s: %s\n", c.name, Printable(value))
		}
	}
	names, err := benchNames(run.Records)
	if err != nil {
		return err
	}
	used, exact := map[string]bool{}, true // instructions are exact in every record that has them
	for i := range run.Records.Len() {
		r, err := run.Records.At(i)
		if err != nil {
			return err
		}
		if _, counted := r.Counters[counterInstructions]; counted && !exactly(r, counterInstructions) {
			exact = false
		}
		if r.Status != invocations.OK || !r.Timed() {
			verb := "FAIL"
			if r.Status == invocations.Skipped || r.Status == invocations.OK {
				verb = "SKIP"
			}
			fmt.Fprintf(&results, "--- %s: %s\n    %s: %s\n", verb, names[i], r.Status, untimedReason(*r))
			continue
		}
		for k, one := range repetitions(r) {
			fmt.Fprintf(&results, "%s %d %s ns/op", names[i], one.iterations,
				strconv.FormatFloat(one.wallNS, 'f', -1, 64))
			for _, v := range []struct {
				value float64
				unit  string
			}{
				{one.cpuNS, unitCPU},
				{one.referenceNS, unitReference},
				{one.cycles, unitCycles},
				{instructionsOf(r, k), unitInstructions},
			} {
				if !math.IsNaN(v.value) {
					fmt.Fprintf(&results, " %s %s", strconv.FormatFloat(v.value, 'f', -1, 64), v.unit)
					used[v.unit] = true
				}
			}
			results.WriteByte('\n')
		}
	}
	writeUnits(&b, used, exact)
	b.Write(results.Bytes())
	_, err = w.Write(b.Bytes())
	return err
}

// instructionsOf returns the instructions of a call for the line of a repetition, NaN for none. The record has one
// figure for all launches. If it is not exact, only the first line has it: repeated on each line, it would look like
// several independent figures that agree.
func instructionsOf(r *invocations.Record, repetition int) float64 {
	instructions, counted := r.Counters[counterInstructions]
	if !counted || repetition > 0 && !exactly(r, counterInstructions) {
		return math.NaN()
	}
	return instructions
}

// writeUnits writes for each used unit that less is better, and whether instructions are exact.
func writeUnits(b *bytes.Buffer, used map[string]bool, exact bool) {
	for _, unit := range []string{unitCPU, unitReference, unitCycles, unitInstructions} {
		if !used[unit] {
			continue
		}
		assume := ""
		if unit == unitInstructions && exact {
			assume = " assume=exact"
		}
		fmt.Fprintf(b, "Unit %s better=lower%s\n", unit, assume)
	}
}

// benchNames returns a name for each record. It begins with "Benchmark" and a letter that is not lower-case, and has no
// blanks. Names that differ only in characters that cannot be written get the id as well.
func benchNames(records *invocations.Records) ([]string, error) {
	names, err := distinctNames(records)
	if err != nil {
		return nil, err
	}
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
			r, err := records.At(i)
			if err != nil {
				return nil, err
			}
			names[i] += "/id=" + r.ID
		}
	}
	return names, nil
}
