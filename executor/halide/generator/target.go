package generator

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"zonemark/invocations/remedy"
)

const (
	hostTarget     = "host"
	noRuntime      = "no_runtime"
	profileFeature = "profile"
)

// resolve returns a target in full, without the feature no_runtime, which builds add themselves.
func (t Toolchain) resolve(target string, profile bool) string {
	parts := strings.Split(target, "-")
	if target == "" {
		parts = []string{hostTarget}
	}
	if parts[0] == hostTarget {
		parts[0] = t.Host
	}
	parts = slices.DeleteFunc(parts, func(p string) bool { return p == noRuntime })
	if profile && !slices.Contains(parts, profileFeature) {
		parts = append(parts, profileFeature)
	}
	return strings.Join(parts, "-")
}

// The names of machines and systems in a target that stand for Go's.
var (
	architectures = map[string]string{"x86-64": "amd64", "arm-64": "arm64", "x86-32": "386", "arm-32": "arm",
		"riscv-64": "riscv64", "powerpc-64": "ppc64le"}
	systems = map[string]string{"linux": "linux", "osx": "darwin", "windows": "windows"}
)

// machines and otherSystems are the other names that the first words of a target may have, from Target.cpp of Halide
// 21.
var (
	machines     = []string{"x86", "arm", "riscv", "powerpc", "hexagon", "wasm"}
	otherSystems = []string{"android", "fuchsia", "ios", "noos", "qurt", "wasmrt"}
)

// cpuFeatures are the features of a target that name instructions of a CPU, from halide_target_feature_t of Halide 21.
// Code that uses one ends by SIGILL on a CPU that lacks it.
var cpuFeatures = []string{
	"sse41", "avx", "avx2", "f16c", "fma", "fma4", "avx512", "avx512_knl", "avx512_skylake", "avx512_cannonlake",
	"avx512_zen4", "avx512_zen5", "avx512_sapphirerapids", "avx10_1", "x86apx",
	"armv7s", "arm_dot_prod", "arm_fp16", "sve", "sve2",
	"armv8a", "armv81a", "armv82a", "armv83a", "armv84a", "armv85a", "armv86a", "armv87a", "armv88a", "armv89a",
	"vsx", "power_arch_2_07", "rvv",
}

// CheckTarget returns an error if code for a target cannot run on a machine, whose own target is host, because it is
// made for another architecture or system, or uses instructions that the CPU lacks. A word of the target that Halide
// does not know is not an error here. What a target leaves out is the host's.
func CheckTarget(target, host string) error {
	words := strings.Split(target, "-")
	for i, w := range words {
		switch {
		case i == 0 && slices.Contains(machines, w):
			bits := "64"
			if len(words) > 1 && words[1] == "32" {
				bits = "32"
			}
			if architectures[w+"-"+bits] != runtime.GOARCH {
				return elsewhere(fmt.Errorf("target %s: it is code for %s-%s, and this machine is %s", target, w, bits, host))
			}
		case systems[w] != "" && systems[w] != runtime.GOOS, slices.Contains(otherSystems, w):
			return elsewhere(fmt.Errorf("target %s: it is code for the system %s, and this machine is %s", target, w, host))
		}
	}
	has := strings.Split(host, "-")
	var lacks []string
	for _, w := range words {
		if slices.Contains(cpuFeatures, w) && !slices.Contains(has, w) && !slices.Contains(lacks, w) {
			lacks = append(lacks, w)
		}
	}
	if len(lacks) == 0 {
		return nil
	}
	has = slices.DeleteFunc(has, func(w string) bool { return !slices.Contains(cpuFeatures, w) })
	return remedy.With(fmt.Errorf("target %s: this CPU lacks %s (it has %s), so the code cannot run here", target,
		strings.Join(lacks, " and "), strings.Join(has, ", ")),
		remedy.Remedy{Kind: remedy.Act, Value: "leave the feature out"}, targetHost)
}

// targetHost asks for code for the machine that builds it.
var targetHost = remedy.Remedy{Kind: remedy.Choose, Name: "target", Value: "host"}

// elsewhere adds what to do with code that no machine like this one can run.
func elsewhere(err error) error {
	return remedy.With(err, targetHost, remedy.Remedy{Kind: remedy.Act, Value: "ask for an object only"})
}
