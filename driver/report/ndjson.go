package report

import (
	"encoding/json"
	"io"

	"zonemark/invocations"
)

// writeNDJSON writes the lines of a journal: the header, a line for each record and, if the run is complete, the end
// line.
func writeNDJSON(w io.Writer, run Run) error {
	enc := json.NewEncoder(w)
	header := invocations.Header{
		Kind: invocations.HeaderKind, Version: invocations.JournalVersion,
		Build: run.Build, Started: run.Started, Environment: run.Environment, Command: run.Command,
		Commit: run.Commit,
	}
	if err := enc.Encode(header); err != nil {
		return err
	}
	end := invocations.End{Kind: invocations.EndKind, ByStatus: map[invocations.Status]int{}}
	for r, err := range run.Records.All() {
		if err != nil {
			return err
		}
		r.Kind = invocations.ResultKind
		if err := enc.Encode(r); err != nil {
			return err
		}
		end.Results++
		end.ByStatus[r.Status]++
	}
	if !run.Complete {
		return nil
	}
	return enc.Encode(end)
}
