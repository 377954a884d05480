package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/driver/journal"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
)

// TuneArguments are those of a tuning of the test's pipeline, with as little measuring as there can be.
func TuneArguments(t testing.TB, folder string, more ...string) []string {
	return append([]string{"halide", "pretrain", Testdata(t, "tuning.py"), "-o", folder, "--beam", "1",
		"--launches", "1", "--min-time", "1ms", "--max-time", "5ms"}, more...)
}

// SampleStatuses returns how the samples of a batch have ended, by their numbers.
func SampleStatuses(t *testing.T, folder string, batch int) map[string]invocations.Status {
	t.Helper()
	statuses := map[string]invocations.Status{}
	written := filepath.Join(folder, fmt.Sprintf("batch_%04d", batch), "results.ndjson")
	stored, err := journal.ReadFile(written)
	if err != nil {
		t.Fatal(err)
	}
	if len(stored.Duplicates) > 0 {
		t.Errorf("%s: %v have several results", written, stored.Duplicates)
	}
	for _, r := range recordstest.All(t, stored.Records) {
		if _, number, found := strings.Cut(r.Name, "_sample_"); found {
			statuses[number] = r.Status
		}
	}
	return statuses
}
