//go:build amd64 || arm64

package sandbox

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"zonemark/invocations/testneeds"
)

// TestOpenMP runs a runtime that starts its worker threads at the first call, inside the sandbox.
func TestOpenMP(t *testing.T) {
	w := newWorkplace(t, 0)
	w.library = filepath.Join(filepath.Dir(w.library), "openmp.so")
	source := filepath.Join("testdata", "openmp.c")
	out, err := exec.Command("cc", "-fopenmp", "-shared", "-fPIC", "-o", w.library, source).CombinedOutput()
	if err != nil {
		testneeds.Missing(t, fmt.Errorf("cc -fopenmp: %w\n%s", err, out))
	}
	if got := start(t, w.spec(0)).do(t, "native team"); got != "4" {
		t.Errorf("a team of %s threads instead of 4", got)
	}
}

// BenchmarkStart takes the time from starting a child until it has entered, and until it is sealed. With -benchtime=40x
// the metrics are the minimum and the median of 40.
func BenchmarkStart(b *testing.B) {
	for _, profile := range []Profile{"", Plain, Device} { // the first is without a sandbox
		b.Run(cmp.Or(string(profile), string(Off)), func(b *testing.B) {
			s := newWorkplace(b, 0).spec(0)
			s.Options.Mode, s.Options.Profile, s.Options.Threads = Auto, profile, 4096
			if profile == "" {
				s.Options.Mode = Off
			}
			s.Options.Hidden = []string{"/root", "/home"}
			support := Probe()
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			var entered, sealed []time.Duration
			for b.Loop() {
				e, l := startOnce(b, s.Options, support)
				entered, sealed = append(entered, e), append(sealed, l)
			}
			report(b, "enter", entered)
			report(b, "seal", sealed)
		})
	}
}

func report(b *testing.B, name string, d []time.Duration) {
	slices.Sort(d)
	b.ReportMetric(float64(d[0].Microseconds())/1000, "ms-"+name+"-min")
	b.ReportMetric(float64(d[len(d)/2].Microseconds())/1000, "ms-"+name+"-median")
}

// startOnce starts a child that only enters and seals.
func startOnce(b *testing.B, o Options, s Support) (entered, sealed time.Duration) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), roleVariable+"=start", specVariable+"={}")
	cmd.Stderr = os.Stderr
	begin := time.Now()
	if err := Configure(cmd, o, s); err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	in := bufio.NewReader(out)
	for _, d := range []*time.Duration{&entered, &sealed} {
		if _, err := in.ReadString('\n'); err != nil {
			b.Fatal(err)
		}
		*d = time.Since(begin)
	}
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	return entered, sealed
}

// runStart runs as the child of BenchmarkStart.
func runStart() error {
	a, err := Enter()
	if err != nil {
		return err
	}
	fmt.Println("entered")
	if err := a.Seal(); err != nil {
		return err
	}
	fmt.Println("sealed")
	return nil
}

// BenchmarkKernelInside runs kernels alternately in a child with every layer and in one with none, and reports the
// ratio of the shortest times: 1 means that confinement costs a kernel nothing.
func BenchmarkKernelInside(b *testing.B) {
	for _, kernel := range []string{"fma_chain", "sweep"} {
		b.Run(kernel, func(b *testing.B) {
			inside := newWorkplace(b, 0).spec(0)
			outside := inside
			outside.Options.Mode = Off
			children := []*child{start(b, inside), start(b, outside)}
			shortest := []float64{-1, -1}
			for round := 0; b.Loop(); round++ {
				for i := range children {
					i = (i + round) % 2 // so that they take turns in going first
					ns, err := strconv.ParseFloat(children[i].do(b, "native "+kernel), 64)
					if err != nil {
						b.Fatal(err)
					}
					if shortest[i] < 0 || ns < shortest[i] {
						shortest[i] = ns
					}
				}
			}
			b.ReportMetric(shortest[0]/1000, "us-inside-min")
			b.ReportMetric(shortest[1]/1000, "us-outside-min")
			b.ReportMetric(shortest[0]/shortest[1], "ratio")
		})
	}
}
