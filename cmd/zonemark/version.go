package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/invocations/wire"
)

const versionIntro = `Print the version of zonemark, of its wire protocol and of Go, and the runtimes that are built in.

Usage: zonemark version

Example:
  zonemark version
`

func versionCommand(_ context.Context, p program.Program, args []string) int {
	switch {
	case len(args) == 1 && (args[0] == "--help" || args[0] == "-h"):
		fmt.Fprint(p.Out, versionIntro)
		return cli.ExitOK
	case len(args) > 0:
		return p.Fail("version takes no arguments")
	}
	fmt.Fprintf(p.Out, "zonemark %s (protocol %d, %s, %s/%s)\nruntimes: %s\n",
		cli.Version(), wire.Protocol, runtime.Version(), runtime.GOOS, runtime.GOARCH,
		strings.Join(p.Runtimes.Names(), ", "))
	return cli.ExitOK
}
