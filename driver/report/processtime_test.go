package report

import (
	"strings"
	"testing"

	"zonemark/invocations"
)

// The table has the CPU times of commands in user mode and in the kernel, and no columns for them without commands.
func TestProcessTimes(t *testing.T) {
	record := (launched{"sleep 1", "", 6153, 3.2, 0.002, true}).record(1, 5, false)
	text := func() string {
		var b strings.Builder
		list := invocations.RecordsOf(record)
		if err := writeText(&b, Run{Records: list, Build: "v1"}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if got := text(); strings.Contains(got, "user") {
		t.Errorf("no command:\n%s", got)
	}
	record.Properties = map[string]string{invocations.UserProperty: "1500000", invocations.SystemProperty: "250000"}
	got := text()
	for _, want := range []string{" user ", " system ", " 1.500 ms ", " 250.0 µs "} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing:\n%s", want, got)
		}
	}
}
