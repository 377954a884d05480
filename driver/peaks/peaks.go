// Package peaks keeps what the processor of a machine can do at most, as "zonemark peaks" has measured it: operations a
// second by type of numbers, bytes a second by level of the caches. It measures nothing.
package peaks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"time"

	"zonemark/invocations"
	"zonemark/invocations/files"
)

// File is the name of the file in the cache that holds the peaks of all machines.
const File = "peaks.json"

// Peak is a highest rate. Either Using or Level is set.
type Peak struct {
	Name  string `json:"name"`            // that of the measured function
	What  string `json:"what"`            // the type of numbers that are computed with, or read or copy
	Using string `json:"using,omitempty"` // the instructions that compute
	Level string `json:"level,omitempty"` // where the moved bytes are
	CPUs  int    `json:"cpus"`            // at work at the same time
	// PerS is the number of operations, or bytes, a second; the rate of a second run lies from LowPerS to HighPerS with
	// 95 % confidence. HighPerS is 0 if the interval has no upper end. An operation is a multiplication or an addition. A
	// copied byte counts twice.
	PerS     float64               `json:"per_s"`
	LowPerS  float64               `json:"low_per_s"`
	HighPerS float64               `json:"high_per_s"`
	Verdicts []invocations.Verdict `json:"verdict"`
	Measured time.Time             `json:"measured"`
	Quick    bool                  `json:"quick,omitempty"` // it was measured for a short time
}

// Moves reports whether the rate is that of bytes.
func (p *Peak) Moves() bool { return p.Level != "" }

// vague is the width of a peak's interval, as a part of the rate, from which it is vague.
const vague = 0.5

// Vague reports whether a second run may find quite another rate.
func (p *Peak) Vague() bool { return p.HighPerS == 0 || !(p.HighPerS-p.LowPerS < vague*p.PerS) }

// Load returns the peaks of the machine with this fingerprint from the file at path. A missing file, and one without
// this machine, has none.
func Load(path, fingerprint string) ([]Peak, error) {
	all, err := read(path)
	return all[fingerprint], err
}

// Keep adds peaks to those of the machine with this fingerprint. A peak replaces one of its name, but one that was
// measured in a short time does not replace another.
func Keep(path, fingerprint string, measured []Peak) error {
	err := files.Update(context.Background(), path, 0o600, func(old []byte) ([]byte, error) {
		all, damaged := parse(path, old)
		if old == nil || damaged != nil || all == nil { // a damaged file holds nothing that can be kept
			all = map[string][]Peak{}
		}
		all[fingerprint] = kept(all[fingerprint], measured)
		return json.MarshalIndent(all, "", " ")
	})
	if err != nil {
		return fmt.Errorf("keep the peaks of this machine: %w", err)
	}
	return nil
}

// kept returns peaks with those that were measured.
func kept(list, measured []Peak) []Peak {
	for _, p := range measured {
		i := slices.IndexFunc(list, func(other Peak) bool { return other.Name == p.Name })
		switch {
		case i < 0:
			list = append(list, p)
		case !p.Quick || list[i].Quick:
			list[i] = p
		}
	}
	return list
}

// read reads the file of all machines, by fingerprint.
func read(path string) (map[string][]Peak, error) {
	b, err := files.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("peaks of machines: %w; when the disk works, do it again", err)
	}
	return parse(path, b)
}

// parse parses the contents of the file at path. It leaves out peaks that are not plausible. After an error, the file
// holds nothing that can be kept.
func parse(path string, b []byte) (map[string][]Peak, error) {
	var all map[string][]Peak
	if err := json.Unmarshal(b, &all); err != nil {
		return nil, fmt.Errorf("%s: the file is damaged: %w; \"zonemark peaks\" writes it anew", path, err)
	}
	for key, list := range all {
		all[key] = slices.DeleteFunc(list, func(p Peak) bool { return !p.plausible() })
	}
	return all, nil
}

func (p *Peak) plausible() bool {
	const most = 1e21 // a second
	return p.Name != "" && p.What != "" && (p.Using == "") != (p.Level == "") && p.CPUs > 0 &&
		p.PerS >= 1 && p.PerS < most && p.LowPerS >= 0 && p.LowPerS <= p.PerS &&
		(p.HighPerS >= p.PerS || p.HighPerS == 0) && !math.IsInf(p.HighPerS, 0)
}
