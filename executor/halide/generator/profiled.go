package generator

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"zonemark/invocations/remedy"
)

// sameSchedules returns an error if the pipelines of a build for the profiler have other schedules than those of the
// same request without the profiler, which is built unless it is in the cache. An autoscheduler runs in each build, and
// the profiler would tell the times of another program than the one that is measured.
func (t Toolchain) sameSchedules(ctx context.Context, r Request, profiled Output, cache string) error {
	r.Profile = false
	words := strings.Split(r.Target, "-")
	r.Target = strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == profileFeature }), "-")
	measured, err := t.Build(ctx, r, cache)
	if err != nil {
		return err
	}
	for i, pipeline := range profiled.Pipelines {
		var texts [2]string
		for k, path := range []string{measured.Pipelines[i].Schedule, pipeline.Schedule} {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			texts[k] = directives(string(text))
		}
		if texts[0] != texts[1] {
			return remedy.With(fmt.Errorf("generator %s: scheduler %s schedules it in another way for the profiler than for "+
				"what is measured, so the times of its Funcs would be those of another program", pipeline.Generator,
				profiled.Scheduler),
				remedy.Remedy{Kind: remedy.Act, Value: "let the generator not depend on the target feature " + profileFeature})
		}
	}
	return nil
}

// directives returns a schedule without its comments, which name the target.
func directives(schedule string) string {
	var b strings.Builder
	for line := range strings.Lines(schedule) {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			b.WriteString(line)
		}
	}
	return b.String()
}
