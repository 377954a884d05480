package hosting

import (
	"fmt"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver"
)

// ShowProgress returns a function that shows the progress of a driver on line.
func ShowProgress(line *cli.ProgressLine) func(driver.Progress) {
	return func(p driver.Progress) {
		if p.Record != nil || !line.Due() {
			return
		}
		text := fmt.Sprintf("[%d/%d] %s", p.Finished+1, p.Total, ProgressText(p))
		if p.Tracing {
			text = "tracing " + text
		}
		line.Draw(text)
	}
}

// ProgressText says what is being measured: "gemm, launch 2 of 5".
func ProgressText(p driver.Progress) string {
	if p.Launches > 1 {
		return fmt.Sprintf("%s, launch %d of %d", p.Name, p.Launch+1, p.Launches)
	}
	return p.Name
}
