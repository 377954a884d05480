package report

import (
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"zonemark/invocations"
)

// gbenchEntry is an element of "benchmarks" in Google Benchmark's JSON (library 1.9). Each repetition has one. Readers
// group them by name.
type gbenchEntry struct {
	Name            string   `json:"name"`
	FamilyIndex     int      `json:"family_index"`
	InstanceIndex   int      `json:"per_family_instance_index"`
	RunName         string   `json:"run_name"`
	RunType         string   `json:"run_type"`
	Repetitions     int      `json:"repetitions"`
	RepetitionIndex int      `json:"repetition_index"`
	Threads         int      `json:"threads"`
	Skipped         bool     `json:"skipped,omitempty"`
	SkipMessage     string   `json:"skip_message,omitempty"`
	ErrorOccurred   bool     `json:"error_occurred,omitempty"`
	ErrorMessage    string   `json:"error_message,omitempty"`
	Iterations      int64    `json:"iterations"`
	RealTime        float64  `json:"real_time"`
	CPUTime         *float64 `json:"cpu_time,omitempty"`
	TimeUnit        string   `json:"time_unit"`
	Label           string   `json:"label,omitempty"` // verdicts
}

// writeGoogleBenchmark writes Google Benchmark's JSON, schema version 1, with times in nanoseconds. If CPU time was not
// measured, cpu_time is the wall time, since readers require it, and the counter cpu_time_is_wall is 1. A record that
// was checked but not timed is an entry without iterations.
func writeGoogleBenchmark(w io.Writer, run Run) error {
	entries := []any{}
	names, err := distinctNames(run.Records)
	if err != nil {
		return err
	}
	for i := range run.Records.Len() {
		r, err := run.Records.At(i)
		if err != nil {
			return err
		}
		entry := gbenchEntry{
			Name: names[i], RunName: names[i], FamilyIndex: i, RunType: "iteration", Repetitions: 1, Threads: 1,
			TimeUnit: "ns", Label: JoinVerdicts(r.Verdicts),
		}
		if r.Status != invocations.OK || !r.Timed() {
			entries = append(entries, gbenchWithoutTime(entry, r))
			continue
		}
		all := repetitions(r)
		for k, one := range all {
			entry.Repetitions, entry.RepetitionIndex = len(all), k
			entry.Iterations, entry.RealTime, entry.CPUTime = one.iterations, one.wallNS, &one.cpuNS
			if math.IsNaN(one.cpuNS) {
				entry.CPUTime = &one.wallNS
				entries = append(entries, struct {
					gbenchEntry
					CPUTimeIsWall int `json:"cpu_time_is_wall"`
				}{entry, 1})
				continue
			}
			entries = append(entries, entry)
		}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(struct {
		Context    map[string]any `json:"context"`
		Benchmarks []any          `json:"benchmarks"`
	}{gbenchContext(run), entries})
}

func gbenchWithoutTime(entry gbenchEntry, r *invocations.Record) gbenchEntry {
	zero := 0.0
	entry.CPUTime = &zero
	if r.Status == invocations.Skipped || r.Status == invocations.OK {
		entry.Skipped, entry.SkipMessage = true, untimedReason(*r)
	} else {
		entry.ErrorOccurred, entry.ErrorMessage = true, string(r.Status)+": "+untimedReason(*r)
	}
	return entry
}

// gbenchContext returns the context: the keys that Google Benchmark defines, as far as they are known, and the keys of
// the environment.
func gbenchContext(run Run) map[string]any {
	context := map[string]any{}
	for key, value := range run.Environment {
		context[key] = value
	}
	if n, err := strconv.Atoi(run.Environment["cpus"]); err == nil {
		context["num_cpus"] = n
	}
	mhz, err := strconv.ParseFloat(run.Environment["cpu_mhz"], 64)
	if err == nil && !math.IsNaN(mhz) && !math.IsInf(mhz, 0) {
		context["mhz_per_cpu"] = int(math.Round(mhz))
	}
	if host := run.Environment["host"]; host != "" {
		context["host_name"] = host
	}
	if len(run.Command) > 0 {
		context["executable"] = run.Command[0]
		context["command"] = strings.Join(run.Command, " ")
	}
	if !run.Started.IsZero() {
		context["date"] = run.Started.Format(time.RFC3339)
	}
	context["library_version"] = "zonemark " + run.Build
	context["library_build_type"] = "release"
	context["json_schema_version"] = 1
	context["complete"] = strconv.FormatBool(run.Complete)
	return context
}
