package e2e

import (
	"slices"
	"testing"

	"zonemark/trace"
)

// ReadZones returns the zones of a capture, by their starts, and the open capture. Nothing may be missing in it.
func ReadZones(t *testing.T, path string) ([]trace.Zone, *trace.File) {
	t.Helper()
	f, err := trace.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	var zones []trace.Zone
	for z, err := range f.Zones() {
		if err != nil {
			t.Fatal(err)
		}
		zones = append(zones, z)
	}
	if info := f.Info(); info.Partial || len(info.Warnings) > 0 || info.ZoneCount != int64(len(zones)) {
		t.Errorf("%d zones were read; partial %v, %d announced, warnings %q", len(zones), info.Partial, info.ZoneCount,
			info.Warnings)
	}
	slices.SortFunc(zones, func(a, b trace.Zone) int { return int(a.StartNS - b.StartNS) })
	return zones, f
}
