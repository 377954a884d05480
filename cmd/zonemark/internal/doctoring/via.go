package doctoring

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/remoting"
	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver/doctor"
)

// patience is how long a host may take to look at itself, beyond the time that it watches the load.
const patience = 2 * time.Minute

// ask has another host look at itself, and returns what it has found.
func (v *visit) ask(ctx context.Context, via string, line *cli.ProgressLine) ([]doctor.Finding, error) {
	watch := time.Duration(v.watch)
	ctx, cancel := context.WithTimeoutCause(ctx, watch+patience, fmt.Errorf("--via %s: no answer after %v", via,
		watch+patience))
	defer cancel()
	verb := fmt.Sprintf("doctor --trial 0 --format %s --watch %v", rowtext.NDJSON, watch)
	out, err := remoting.Output(ctx, via, v.Variables, verb, func(format string, args ...any) {
		line.Clear()
		if !v.quiet {
			v.Say(format, args...)
		}
	})
	if err != nil {
		return nil, cmp.Or(context.Cause(ctx), err)
	}
	found, err := parseFindings(out)
	if err != nil {
		return nil, fmt.Errorf("--via %s: its doctor says what is no finding: %w", via, err)
	}
	return found, nil
}

// parseFindings reads findings as --format ndjson writes them.
func parseFindings(text []byte) (found []doctor.Finding, err error) {
	in := json.NewDecoder(bytes.NewReader(text))
	for in.More() {
		var f struct {
			Kind string `json:"kind"`
			doctor.Finding
		}
		if err := in.Decode(&f); err != nil {
			return nil, err
		}
		if f.Kind != kindFinding || f.Subject == "" || !slices.Contains(doctor.Grades(), f.Grade) {
			return nil, fmt.Errorf("line %d is of the kind %.40q, with the grade %.40q", len(found)+1, f.Kind, f.Grade)
		}
		found = append(found, f.Finding)
	}
	if len(found) == 0 {
		return nil, errors.New("there are none")
	}
	return found, nil
}
