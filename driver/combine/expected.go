package combine

import (
	"cmp"
	"time"

	"zonemark/invocations"
)

// LaunchCost is what a launch takes beside measuring: starting an executor and loading a small artifact.
const LaunchCost = 20 * time.Millisecond

// Expected returns how long an invocation will take by its limits. It does not depend on the machine, so that all
// machines divide a plan alike. An invocation without a limit of its time counts with its launches only.
func Expected(m *invocations.Measure) time.Duration {
	if m.CheckOnly {
		return LaunchCost
	}
	return time.Duration(cmp.Or(m.Launches, LeastLaunches))*LaunchCost + time.Duration(m.MaxTimeNS)
}
