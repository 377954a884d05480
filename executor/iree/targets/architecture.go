package targets

import (
	"errors"
	"strconv"
	"strings"

	"zonemark/invocations/lazyregexp"
)

var (
	// deviceHead matches the line that begins the description of a device: "# --device=cuda://GPU-…".
	deviceHead = lazyregexp.New(`^#\s*--device=(\S+)\s*$`)
	// computeCapability and archName match what drivers say of their devices: "- gpu-compute-capability: 8.0" and
	// "- gpu-arch-name: gfx942:sramecc+:xnack-".
	computeCapability = lazyregexp.New(`^-?\s*gpu-compute-capability:\s*([0-9]{1,3})\.([0-9])\s*$`)
	archName          = lazyregexp.New(`^-?\s*gpu-arch-name:\s*(gfx[0-9a-f]{2,5})(?::\S*)?\s*$`)
)

// Architecture finds the architecture of a device in what iree-run-module --dump_devices prints. A device
// without a path is the driver's first one.
func Architecture(dump, device string) (string, error) {
	driver, path, _ := strings.Cut(device, "://")
	here, any := false, false
	for line := range strings.Lines(dump) {
		line = strings.TrimSpace(line)
		if head := deviceHead().FindStringSubmatch(line); head != nil {
			here = !any && path == "" || path != "" && head[1] == device
			any = true
			continue
		}
		if !here {
			continue
		}
		if m := computeCapability().FindStringSubmatch(line); m != nil && driver == "cuda" {
			return "sm_" + m[1] + m[2], nil
		}
		if m := archName().FindStringSubmatch(line); m != nil && driver == "hip" {
			return m[1], nil
		}
	}
	if !any {
		return "", errors.New("the driver has no devices here")
	}
	return "", errors.New("its driver does not report one")
}

// knownCUDA holds the compute capabilities that a compiler of IREE may know, the newest first. CUDA's driver translates
// code of an older one.
func knownCUDA() []int { return []int{89, 86, 80, 75, 70, 60} }

// OlderThan returns the known architectures of CUDA that are older than this one, the newest first.
func OlderThan(architecture string) (list []string) {
	digits, isCUDA := strings.CutPrefix(architecture, "sm_")
	n, err := strconv.Atoi(digits)
	if !isCUDA || err != nil {
		return nil
	}
	for _, older := range knownCUDA() {
		if older < n {
			list = append(list, "sm_"+strconv.Itoa(older))
		}
	}
	return list
}
