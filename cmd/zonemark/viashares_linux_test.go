package main

import "testing"

// Three hosts measure at the same time: each takes a share at the start, a half of what would be its part, and further
// ones later. How much faster that is, hosts.sh shows.
func TestViaShares(t *testing.T) {
	t.Parallel()
	const hosts, least = 3, 4 // the first takes 6 of 36, the next 5 of 30, the last 4 of 25
	args := viaKernel(t, t.TempDir())
	for range hosts {
		args = append(args, "--via", "env")
	}
	r := startVia(t, []string{"ZONEMARK_HOME=" + t.TempDir()}, args...)
	if status := r.wait(); status != 0 {
		t.Errorf("status %d:\n%s", status, &r.stderr)
	}
	shares := r.complete()
	for host, share := range shares {
		if share < least {
			t.Errorf("%s has measured %d, and its first share was at least %d", host, share, least)
		}
	}
	if len(shares) != hosts {
		t.Errorf("results by host: %v", shares)
	}
}
