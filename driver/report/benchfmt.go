package report

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"zonemark/invocations"
)

// benchConfiguration are the keys of the environment that are written as configuration, by the names that Go's tools
// give them. They are those that name a machine. What changes on it from run to run, as its load does, would keep
// benchstat from comparing two runs.
var benchConfiguration = [...]struct{ key, name string }{{"os", "goos"}, {"arch", "goarch"}, {"cpu", "cpu"}, {"cpus", "cpus"}, {"caches", "caches"}}

// The units of benchmark lines beside ns/op.
const (
	unitCPU          = "cpu-ns/op"
	unitReference    = "ref-ns/op" // time at the reference clock
	unitCycles       = "cycles/op"
	unitInstructions = "instructions/op"
)

// writeBenchfmt writes Go's benchmark format: the machine as configuration lines, the units, and a line for each
// repetition. What has no time is a "--- FAIL" or "--- SKIP" line, as the testing package writes it, which readers pass
// over.
func writeBenchfmt(w io.Writer, run Run) error {
	var b, results bytes.Buffer
	for _, c := range benchConfiguration {
		if value := run.Environment[c.key]; value != "" {
			fmt.Fprintf(&b, "%s: %s\n", c.name, Printable(value))
		}
	}
	names := benchNames(run.Records)
	used := map[string]bool{}
	for i := range run.Records {
		r := &run.Records[i]
		if r.Status != invocations.OK || !r.Timed() {
			verb := "FAIL"
			if r.Status == invocations.Skipped || r.Status == invocations.OK {
				verb = "SKIP"
			}
			fmt.Fprintf(&results, "--- %s: %s\n    %s: %s\n", verb, names[i], r.Status, untimedReason(*r))
			continue
		}
		for k, one := range repetitions(r) {
			fmt.Fprintf(&results, "%s %d %s ns/op", names[i], one.iterations, strconv.FormatFloat(one.wallNS, 'f', -1, 64))
			for _, v := range []struct {
				value float64
				unit  string
			}{{one.cpuNS, unitCPU}, {one.referenceNS, unitReference}, {one.cycles, unitCycles}, {instructionsOf(r, k), unitInstructions}} {
				if !math.IsNaN(v.value) {
					fmt.Fprintf(&results, " %s %s", strconv.FormatFloat(v.value, 'f', -1, 64), v.unit)
					used[v.unit] = true
				}
			}
			results.WriteByte('\n')
		}
	}
	writeUnits(&b, run.Records, used)
	b.Write(results.Bytes())
	_, err := w.Write(b.Bytes())
	return err
}

// instructionsOf are the instructions of a call on the line of a repetition. The record holds one figure for all
// launches. Where it is not exact, the first line alone has it: the same figure on each would pass for as many
// independent ones that agree.
func instructionsOf(r *invocations.Record, repetition int) float64 {
	instructions, counted := r.Counters[counterInstructions]
	if !counted || repetition > 0 && !exactly(r, counterInstructions) {
		return math.NaN()
	}
	return instructions
}

// writeUnits says of the units in use which way is better. The instructions are exact when every record says that its
// are.
func writeUnits(b *bytes.Buffer, records []invocations.Record, used map[string]bool) {
	for _, unit := range []string{unitCPU, unitReference, unitCycles, unitInstructions} {
		if !used[unit] {
			continue
		}
		assume := ""
		if unit == unitInstructions && !slices.ContainsFunc(records, func(r invocations.Record) bool {
			_, counted := r.Counters[counterInstructions]
			return counted && !exactly(&r, counterInstructions)
		}) {
			assume = " assume=exact"
		}
		fmt.Fprintf(b, "Unit %s better=lower%s\n", unit, assume)
	}
}

// benchNames is a name for each record that begins with "Benchmark" and a letter that is not lower-case, and holds no
// blanks. Names that only differ in what cannot be written get the id as well.
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
