package capture

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// ToolVariable names the capture tool in the environment. It must speak the protocol of the client's Tracy release.
const ToolVariable = "ZONEMARK_TRACY_CAPTURE"

// FindTool is the capture tool to use, in this order: the given path; the value of $ZONEMARK_TRACY_CAPTURE; the one
// inside a Tracy-enabled IREE wheel below one of the site-packages folders given, as it alone fits the client of that
// wheel; iree-tracy-capture or tracy-capture on PATH. A tool that is named and is not there is an error, not a reason to
// look further.
func FindTool(path, variable string, sites ...string) (string, error) {
	origin := "the tool given"
	if path == "" {
		path, origin = variable, "$"+ToolVariable
	}
	if path != "" {
		found, err := exec.LookPath(path)
		if err != nil {
			return "", fmt.Errorf("tracy capture: %s: %w", origin, err)
		}
		return found, nil
	}
	suffix := ""
	if runtime.GOOS == "windows" {
		suffix = ".exe"
	}
	for _, site := range sites {
		candidate := filepath.Join(site, "iree", "_runtime_libs_tracy", "iree-tracy-capture"+suffix)
		if found, err := exec.LookPath(candidate); err == nil {
			return found, nil
		}
	}
	names := []string{"iree-tracy-capture", "tracy-capture"}
	for _, name := range names {
		found, err := exec.LookPath(name)
		if err == nil {
			return found, nil
		}
		if errors.Is(err, exec.ErrDot) {
			return "", fmt.Errorf("tracy capture: %w", err)
		}
	}
	return "", fmt.Errorf("tracy capture: no capture tool in %d site-packages folders, nor as %s on PATH: install "+
		"the wheel iree-base-runtime, or name a tool by $%s",
		len(sites), strings.Join(names, " or "), ToolVariable)
}
