package machine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"zonemark/invocations/files"
)

// readAll reads the file of all machines. It leaves out entries that are not sane.
func readAll(path string) (map[string]record, error) {
	b, err := files.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("what is known of this machine: %w; when the disk works, run it again", err)
	}
	return parse(path, b)
}

// parse parses the contents of the file at path. After an error, the file holds nothing that can be kept.
func parse(path string, b []byte) (map[string]record, error) {
	var all map[string]record
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, fmt.Errorf("%s: %w; it is written anew", path, err)
	}
	for key, r := range all {
		if !sane(r.ReferenceGHz) || !sane(r.QuietPorts) || !sane(r.LonePorts) || !(r.QuietMemory >= 0) {
			delete(all, key)
			continue
		}
		for id, runs := range r.Runs {
			if len(runs) == 0 {
				delete(r.Runs, id)
			}
		}
	}
	return all, nil
}

// sane reports whether a level or a clock is plausible; 0 stands for none.
func sane(v float64) bool { return v >= 0 && v < 1000 }

// adopt merges what other runs have written since this one began.
func (m *Knowledge) adopt(other record) {
	if other.ReferenceGHz > 0 && (other.OfScalar || !m.kept.OfScalar) {
		m.kept.ReferenceGHz, m.kept.OfScalar = other.ReferenceGHz, other.OfScalar // they were first
	}
	confirmed := other.Confirmed.After(m.kept.Confirmed)
	if confirmed {
		m.kept.QuietPorts = lower(m.kept.QuietPorts, other.QuietPorts)
		m.before = lower(m.before, other.QuietPorts)
		m.kept.Confirmed, m.kept.Missed = other.Confirmed, 0
	}
	if confirmed || !m.forgot { // else it is what this run has forgotten
		m.kept.QuietMemory = lower(m.kept.QuietMemory, other.QuietMemory)
	}
	if other.Trial != nil && (m.kept.Trial == nil || other.Trial.At.After(m.kept.Trial.At)) {
		m.kept.Trial = other.Trial
	}
	for id, runs := range other.Runs {
		ours := m.kept.Runs[id]
		for _, r := range runs {
			if r.At >= m.began && !slices.Contains(ours, r) {
				ours = append(ours, r)
			}
		}
		slices.SortStableFunc(ours, func(a, b sameRuns) int { return cmp.Compare(a.At, b.At) })
		if len(ours) > 0 {
			if m.kept.Runs == nil {
				m.kept.Runs = map[string][]sameRuns{}
			}
			m.kept.Runs[id] = ours[max(0, len(ours)-runsOfEach):]
		}
	}
}

// lower returns the lower one of two levels, of which 0 stands for one that is not known.
func lower(a, b float64) float64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// write writes the record of this machine into the file in one step. It waits for other runs that write.
func (m *Knowledge) write(ctx context.Context) error {
	err := files.Update(ctx, m.path, 0o600, func(old []byte) ([]byte, error) {
		all, damaged := parse(m.path, old)
		if old == nil || damaged != nil || all == nil { // a damaged file holds nothing that can be kept
			all = map[string]record{}
		}
		if other, there := all[m.fingerprint]; there {
			m.adopt(other)
		}
		all[m.fingerprint] = m.kept
		return json.MarshalIndent(all, "", " ")
	})
	if err != nil {
		return fmt.Errorf("keep what is known of this machine: %w", err)
	}
	return nil
}
