package platform

import (
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Environment returns the fingerprint of the machine: what a measured time depends on besides the code. Values that the
// system does not offer are absent.
func Environment() map[string]string {
	e := map[string]string{
		"os":   runtime.GOOS,
		"arch": runtime.GOARCH,
		"cpus": strconv.Itoa(runtime.NumCPU()),
		"go":   runtime.Version(),
	}
	if host, err := os.Hostname(); err == nil {
		e["host"] = host
	}
	if llc, err := LastLevelCacheBytes(); err == nil {
		e["last_level_cache_bytes"] = strconv.FormatInt(llc, 10)
	}
	for key, value := range systemEnvironment() {
		if value = strings.TrimSpace(value); value != "" {
			e[key] = value
		}
	}
	return e
}
