package halide

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/cpu"
)

// deviceFeatures are the features of targets whose pipelines run on another device than the CPU.
var deviceFeatures = []string{
	"cuda", "opencl", "openglcompute", "metal", "d3d12compute", "vulkan", "webgpu", "hvx", "hvx_64", "hvx_128",
}

// goArchitectures are Go's names of the first word of targets.
var goArchitectures = map[string]string{
	"x86-64": "amd64", "x86-32": "386", "arm-64": "arm64", "arm-32": "arm", "riscv-64": "riscv64",
	"riscv-32": "riscv32", "hexagon-32": "hexagon", "powerpc-64": "ppc64le", "wasm-32": "wasm",
}

// target is a target that a pipeline was made for: architecture, bits, system, then features.
type target struct {
	architecture string // Go's name; empty if unknown
	system       string
	features     []string
}

func parseTarget(text string) (t target) {
	words := strings.Split(text, "-")
	if len(words) < 3 {
		return t
	}
	return target{goArchitectures[words[0]+"-"+words[1]], words[2], words[3:]}
}

func (t target) has(feature string) bool { return slices.Contains(t.features, feature) }

// skip returns why pipelines for the target cannot run on this system and processor; empty if they can.
func (t target) skip(system, architecture string) string {
	switch {
	case t.architecture != "" && t.architecture != architecture:
		return fmt.Sprintf("it was made for %s and this is %s; build it with target=host", t.architecture, architecture)
	case t.system != "" && t.system != system && t.system != "noos":
		return fmt.Sprintf("it was made for %s and this is %s; build it with target=host", t.system, system)
	}
	for _, f := range t.features {
		if slices.Contains(deviceFeatures, f) {
			return fmt.Sprintf("it was made for a device (%s), and zonemark runs Halide pipelines on the CPU only; "+
				"build it without that target feature", f)
		}
	}
	return ""
}

// cpuFeatures returns what each feature of targets needs of an x86 processor, as Halide finds its host (Target.cpp, 14 to
// 21): avx512_sapphirerapids has AMX, too, but only where a schedule asks for tiles, and many virtual machines hide it.
func cpuFeatures() map[string]bool {
	x := &cpu.X86
	skylake := x.HasAVX512F && x.HasAVX512CD && x.HasAVX512VL && x.HasAVX512BW && x.HasAVX512DQ
	cannonlake := skylake && x.HasAVX512IFMA && x.HasAVX512VBMI
	zen4 := cannonlake && x.HasAVX512BF16 && x.HasAVX512VNNI && x.HasAVX512BITALG && x.HasAVX512VPOPCNTDQ &&
		x.HasAVX512VBMI2
	return map[string]bool{
		"sse41": x.HasSSE41, "avx": x.HasAVX, "avx2": x.HasAVX2, "fma": x.HasFMA,
		"avx512": x.HasAVX512F && x.HasAVX512CD, "avx512_knl": x.HasAVX512F && x.HasAVX512ER && x.HasAVX512PF,
		"avx512_skylake": skylake, "avx512_cannonlake": cannonlake, "avx512_zen4": zen4,
		"avx512_sapphirerapids": zen4 && x.HasAVXVNNI,
	}
}

// lacks returns the features of the target that this processor does not have, separated by spaces. Features that are
// not known are taken to be there.
func (t target) lacks(has map[string]bool) string {
	var missing []string
	for _, f := range t.features {
		if there, known := has[f]; known && !there {
			missing = append(missing, f)
		}
	}
	return strings.Join(missing, " ")
}
