package reportpage

import (
	"testing"

	"zonemark/driver/report"
	"zonemark/invocations"
)

// TestTuned: the page of a tuning begins with what the comparison of its best variant with the default has found.
func TestTuned(t *testing.T) {
	standard, best, slow, fast := working(TunedDefault+"/product", 0), working(TunedBest+"/product", 0), 8e5, 2e5
	standard.MedianNS, best.MedianNS = &slow, &fast
	standard.Options, best.Options = map[string]string{"cflags": "-O1"}, map[string]string{"cflags": "-O3 -DTILE=4"}
	for i, r := range []*invocations.Record{&standard, &best} {
		r.ID, r.Function = []string{"000000000000000a", "000000000000000b"}[i], "product"
	}
	run := report.Run{Complete: true, Records: invocations.RecordsOf(standard, best, working("product/cflags=-O3", 2e5))}
	inOrder(t, cardOf(written(t, Source{Journal: "tune.ndjson", Run: run})), "tune.ndjson",
		"The best variant takes 200.0\u00a0µs, the default 800.0\u00a0µs: 4.000 times as long",
		`fastest</dt><dd>product <span class="whole">cflags=-O3</span>`, "-DTILE=4", `default</dt><dd>product`, "measured</dt><dd>3 invocations: 3 ok")
	run.Records = invocations.RecordsOf(standard, working("product/cflags=-O3", 2e5))
	inOrder(t, cardOf(written(t, Source{Journal: "tune.ndjson", Run: run})), `class="headline">2 invocations: 2 ok`)
}
