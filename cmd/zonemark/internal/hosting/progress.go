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
		text := fmt.Sprintf("[%d/%d] %s", p.Finished+1, p.Total, p.Name)
		if p.Tracing {
			text = "tracing " + text
		}
		if p.Rounds > 1 {
			text += fmt.Sprintf(", launch %d of %d", p.Round+1, p.Rounds)
		}
		line.Draw(text)
	}
}
