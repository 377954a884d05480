package traceverbs

import (
	"io"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/program"
)

// BenchmarkVerbs runs verbs on a capture of 100,000 zones.
func BenchmarkVerbs(b *testing.B) {
	for _, line := range []string{"info", "stats", "zones", "zones --sort duration --limit 100", "zones --format csv",
		"csv -u", "dispatches --rule (?P<dispatch>.*)", "chrome"} {
		args := append(strings.Fields(line), "../../../../trace/testdata/z100k_0112.tracy")
		streams := cli.Streams{Out: io.Discard, Err: io.Discard}
		b.Run(line, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				status := Family().Run(b.Context(), program.Program{Streams: streams}, args)
				if status != cli.ExitOK && !strings.HasPrefix(line, "dispatches") { // no zone is around a call
					b.Fatal(status)
				}
			}
		})
	}
}
