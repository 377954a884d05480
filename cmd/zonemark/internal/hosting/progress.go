package hosting

import (
	"fmt"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver"
	"zonemark/invocations/figures"
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
		line.Draw(text + clockText(p))
	}
}

// ProgressText says what is being measured, and what is known of it: "gemm, launch 2 of 5: 271.8 µs so far".
func ProgressText(p driver.Progress) string {
	text := p.Name
	switch {
	case p.Launches > 1:
		text += fmt.Sprintf(", launch %d of %d", p.Launch+1, p.Launches)
	case p.Launch > 0:
		text += fmt.Sprintf(", launch %d", p.Launch+1)
	}
	if p.MedianNS != 0 {
		text += fmt.Sprintf(": %s so far", figures.Time(p.MedianNS))
	}
	return text
}

// clockText says how long a run has taken and will take: "; 14 s, about 40 s left". It is empty for a traced pass.
func clockText(p driver.Progress) string {
	switch {
	case p.Tracing:
		return ""
	case p.Left <= 0:
		return "; " + figures.Duration(p.Elapsed)
	case p.AtMost:
		return fmt.Sprintf("; %s, up to %s left", figures.Duration(p.Elapsed), figures.Duration(p.Left))
	}
	return fmt.Sprintf("; %s, about %s left", figures.Duration(p.Elapsed), figures.Duration(p.Left))
}
