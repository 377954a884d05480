package hat

import (
	"slices"
	"strings"

	"zonemark/invocations/cpuinfo"
)

// cpuFlags returns the features that every CPU of this machine has, under Linux's names. Returns nil if they are
// unknown.
func cpuFlags() map[string]bool { return cpuinfo.CommonFeatures(cpuinfo.Processors()) }

// linuxNames maps LLVM's names of target features to Linux's names if they still differ after "." and "-" become "_".
// An empty name stands for a feature that Linux does not show or that no code depends on.
var linuxNames = map[string]map[string]string{
	"amd64": {
		"64bit": "lm", "sahf": "lahf_lm", "crc32": "sse4_2", "pclmul": "pclmulqdq", "sha": "sha_ni", "lzcnt": "abm",
		"bmi":  "bmi1",
		"sse3": "pni", "rdrnd": "rdrand", "prfchw": "3dnowprefetch", "avxvnni": "avx_vnni", "avx512bf16": "avx512_bf16",
		"avx512vbmi2": "avx512_vbmi2", "avx512vnni": "avx512_vnni", "avx512bitalg": "avx512_bitalg",
		"avx512vpopcntdq": "avx512_vpopcntdq", "avx512fp16": "avx512_fp16", "avx512vp2intersect": "avx512_vp2intersect",
		"avxifma": "avx_ifma", "x87": "fpu", "ptwrite": "", "shstk": "", "ibt": "", "fxsr": "", "mmx": "",
		"invpcid": "", "uintr": "",
		"sgx": "", "kl": "", "widekl": "", "hreset": "", "prefetchwt1": "",
	},
	"arm64": {
		"neon": "asimd", "fp-armv8": "fp", "crc": "crc32", "lse": "atomics", "rdm": "asimdrdm", "fullfp16": "fphp",
		"dotprod": "asimddp",
		"fp16fml": "asimdfhm", "rcpc": "lrcpc", "complxnum": "fcma", "crypto": "aes", "spe": "", "ras": "", "v8a": "",
		"v8.1a": "", "v8.2a": "", "v8.3a": "", "v8.4a": "", "v8.5a": "", "v8.6a": "", "outline-atomics": "",
	},
}

// silentFeatures lists the features whose instructions do not fault on an older CPU but compute something else. lzcnt
// is executed as bsr, and tzcnt (of bmi) as bsf.
var silentFeatures = []string{"lzcnt", "bmi", "bmi1"}

// lackingFeatures returns the features demanded with "+" that flags does not hold, in LLVM's names, without repetition.
// faulting lists those that cause an illegal instruction where the code uses them, silent those that give wrong
// results. Returns nothing if flags is nil.
func lackingFeatures(extensions []string, architecture string, flags map[string]bool) (faulting, silent []string) {
	if flags == nil {
		return nil, nil
	}
	for _, e := range extensions {
		name, demanded := strings.CutPrefix(strings.TrimSpace(e), "+")
		if !demanded || name == "" {
			continue
		}
		linux, known := linuxNames[architecture][name]
		if !known {
			linux = strings.NewReplacer(".", "_", "-", "_").Replace(strings.ToLower(name))
		}
		if linux == "" || flags[linux] || slices.Contains(faulting, name) || slices.Contains(silent, name) {
			continue
		}
		if slices.Contains(silentFeatures, name) {
			silent = append(silent, name)
		} else {
			faulting = append(faulting, name)
		}
	}
	return faulting, silent
}
