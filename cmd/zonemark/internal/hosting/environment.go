package hosting

import (
	"fmt"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/invocations/environ"
)

// Native code gets those variables of the user's environment that it needs: programs, libraries and runtimes have names
// of their own for these. Other variables may hold what gives access to something.

// passedNames are variables that native code gets.
var passedNames = []string{
	"PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TZ", "LANG", "LANGUAGE", "VIRTUAL_ENV", "CONDA_PREFIX",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS",
	"GODEBUG", "GOGC", "GOMAXPROCS", "GOMEMLIMIT", "GOTRACEBACK", "GORACE", "GOCOVERDIR",
	"ARCH_NAME", "WH_ARCH_YAML", // tt-metal
	"NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES", "NVIDIA_TF32_OVERRIDE", "DRI_PRIME",
	// Windows
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA",
	"PROGRAMDATA", "PROGRAMFILES", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE", "OS",
}

// passedBeginnings are beginnings of names of variables that native code gets.
var passedBeginnings = slices.Concat(changingBeginnings, []string{
	"LC_", "ASAN_", "LSAN_", "MSAN_", "TSAN_", "UBSAN_", "HWLOC_",
	"ZONEMARK_", "IREE_", "HALIDE_", "HL_", "TRACY", "PYTHON", "TT_", "TTNN_", "XLA_", "JAX_", "PJRT_", "TPU_", "LIBTPU_",
	"TF_CPP_", "TF_XLA_", "TF_ENABLE_", "TF_NUM_", "TF_GPU_",
	"CUBLAS_", "CUDNN_", "NCCL_", "HSA_", "ROC_", "ROCM_", "AMD_", "GPU_", "OCL_", "OPENCL_",
	"VK_", "VULKAN_", "MESA_", "RADV_", "ANV_", "GALLIUM_", "LIBGL_", "EGL_",
})

// changingBeginnings are beginnings of names of variables that change what is measured, whatever runtime it has: the
// loader, the C library, and libraries with threads.
var changingBeginnings = []string{
	"LD_", "DYLD_", "GLIBC_", "MALLOC_", "TCMALLOC_", "MIMALLOC_", "OMP_", "GOMP_", "KMP_", "LIBOMP_", "OPENBLAS_", "MKL_",
	"BLIS_", "DNNL_", "ONEDNN_", "TBB_", "NUMEXPR_", "VECLIB_", "LP_", "CUDA_", "HIP_", "ROCR_",
}

// secretParts are parts of names that show that a variable is a secret, whatever its beginning.
var secretParts = []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "_KEY"}

// passes reports whether native code gets a variable without being asked.
func passes(name string) bool {
	name = strings.ToUpper(name) // case makes no difference on Windows
	begins := func(beginning string) bool { return strings.HasPrefix(name, beginning) }
	isPart := func(part string) bool { return strings.Contains(name, part) }
	return (slices.Contains(passedNames, name) || slices.ContainsFunc(passedBeginnings, begins)) &&
		!slices.ContainsFunc(secretParts, isPart)
}

// ofNativeCode returns the variables of executors that run native code: those that it needs, and those that the user
// names.
func (o *Options) ofNativeCode() environ.Variables {
	return o.Variables.Only(func(name string) bool { return passes(name) || slices.Contains(o.Environment, name) })
}

// Changing returns the variables that are set and change what is measured, as NAME=VALUE, "none" if there are none.
// Journals have them beside the machine.
func Changing(v environ.Variables) string {
	var changing []string
	for _, entry := range v.Entries() {
		begins := func(beginning string) bool { return strings.HasPrefix(entry, beginning) }
		if slices.ContainsFunc(changingBeginnings, begins) || begins("XLA_FLAGS=") {
			changing = append(changing, entry)
		}
	}
	if len(changing) == 0 {
		return "none"
	}
	slices.Sort(changing)
	return strings.Join(changing, "; ")
}

// EnvironmentUsage is the help of the flag --env.
const EnvironmentUsage = "native code gets this variable of the environment, too; repeatable. It gets those of the " +
	"loader, the C library and runtimes, and no others"

// EnvironmentFlag returns the flag --env, which adds to names. It takes names of variables that are set.
func EnvironmentFlag(names *[]string, v environ.Variables) cli.FlagValue {
	return cli.List(names, "name").Checked(func(name string) error {
		if strings.Contains(name, "=") {
			return fmt.Errorf("%q has a value; set the variable before zonemark, and give its name", name)
		}
		if !v.Has(name) {
			return fmt.Errorf("the variable %q is not set", name)
		}
		return nil
	})
}
