package report

import (
	"bufio"
	"strings"
	"testing"

	"zonemark/invocations"
)

// TestCores checks that cores of one kind with one program are one row, and that a single core has no table.
func TestCores(t *testing.T) {
	cores := []invocations.SimulatedCore{
		{Core: "BRISC", Program: "add", End: 2673},
		{Column: 1, Core: "BRISC", Program: "add", Begin: 10, End: 5430},
		{Core: "NCRISC", Program: "send", End: 2779},
	}
	records := invocations.RecordsOf(invocations.Record{Name: "scan",
		RecordedSimulation: invocations.RecordedSimulation{SimulatedCores: cores}},
		invocations.Record{Name: "alone",
			RecordedSimulation: invocations.RecordedSimulation{SimulatedCores: cores[:1]}})
	var text strings.Builder
	b := bufio.NewWriter(&text)
	if err := writeCores(b, Run{Records: records}, &overview{cores: true}); err != nil {
		t.Fatal(err)
	}
	if err := b.Flush(); err != nil {
		t.Fatal(err)
	}
	var rows []string
	for line := range strings.Lines(text.String()) {
		rows = append(rows, strings.Join(strings.Fields(line), " "))
	}
	got := strings.Join(rows, "\n")
	if !strings.HasSuffix(got, "scan add BRISC 2 2,673 5,420 5,430\nscan send NCRISC 1 2,779 2,779 2,779") ||
		strings.Contains(got, "alone") {
		t.Errorf("%s", text.String())
	}
}
