package generator

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/invocations/remedy"
)

// A build for the profiler has the schedule of what is measured: equal schedules are built, others are refused.
func TestSameSchedules(t *testing.T) {
	tools := installed(t)
	cache := cacheWithRuntimes(t, tools, tools.Host, tools.Host+"-profile")
	r := Request{
		Source: sourceOf(t, "pipelines.py"), Generators: []string{"twice"}, Scheduler: "adams2019",
		SchedulerParams: map[string]string{"beam_size": "1", "parallelism": "2", "random_dropout": "50"},
		Outputs:         Outputs{Library: true},
	}
	measured, err := tools.Build(t.Context(), r, cache)
	if err != nil {
		t.Fatal(err)
	}
	before := len(builtFolders(t, cache))
	r.Target = "host-profile"
	profiled, err := tools.Build(t.Context(), r, cache)
	if err != nil {
		t.Fatal(err)
	}
	if after := len(builtFolders(t, cache)); after != before+1 {
		t.Errorf("the build for the profiler made %d pipelines", after-before)
	}
	a, b := contents(t, measured.Pipelines[0].Schedule), contents(t, profiled.Pipelines[0].Schedule)
	if !strings.HasSuffix(profiled.Target, "-profile") || a == b || directives(a) != directives(b) ||
		!strings.Contains(directives(a), "apply_schedule_twice") {
		t.Errorf("target %s, schedules\n%s\nand\n%s", profiled.Target, a, b)
	}

	edit(t, r.Source, "self.size", "(8192 if self.target().has_feature(hl.TargetFeature.Profile) else 64)")
	_, err = tools.Build(t.Context(), r, cache)
	const want = "generator twice: scheduler adams2019 schedules it in another way for the profiler"
	r.Target, r.Profile = "", true
	if _, same := tools.Build(t.Context(), r, cache); same == nil || err == nil || same.Error() != err.Error() {
		t.Errorf("a target with the profiler: error %v; a request for it: error %v", err, same)
	}
	if err == nil || !strings.Contains(remedy.Told(err, nil), want) {
		t.Errorf("of a generator that depends on the profiler: error %v", err)
	}
}

// builtFolders returns the folders of pipelines in a cache.
func builtFolders(t *testing.T, cache string) (list []string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(cache, cacheFolder, "*", pipelineName+".o"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), pipelineName+".schedule.h")); err == nil {
			list = append(list, path)
		}
	}
	return list
}
