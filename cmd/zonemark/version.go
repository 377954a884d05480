package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"zonemark/invocations/wire"
)

const versionIntro = `Print the version of zonemark, of its wire protocol and of Go, and the runtimes that are built in.

Usage: zonemark version

Example:
  zonemark version
`

func versionCommand(_ context.Context, s streams, args []string) int {
	switch {
	case len(args) == 1 && (args[0] == "--help" || args[0] == "-h"):
		fmt.Fprint(s.out, versionIntro)
		return exitOK
	case len(args) > 0:
		return s.fail("version takes no arguments")
	}
	fmt.Fprintf(s.out, "zonemark %s (protocol %d, %s, %s/%s)\nruntimes: %s\n",
		version(), wire.Protocol, runtime.Version(), runtime.GOOS, runtime.GOARCH, strings.Join(runtimeNames(), ", "))
	return exitOK
}

// version names this build: the module's version, or the revision it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel " + s.Value[:12]
		}
	}
	return "devel"
}
