package measureflags

import "zonemark/cmd/zonemark/internal/cli"

// topics are the flags of verbs that measure which most people do not need. Flags of the options of a runtime are a topic
// with its name; see addTopics.
var topics = []cli.Topic{
	{Name: "timing", Summary: "how long and how often calls are made, and where code and data lie", Flags: []string{
		"precision", "min-time", "min-iterations", "warmup", "calls-per-batch", "restore", "reorder",
		"input-sets-minimum-size-mb", "launches", "repetitions", "huge-pages", "placement", "counters", "cpu", "seed",
		"flop", "bytes", "iterations", "race", "top",
	}},
	{Name: "outputs", Summary: "what outputs must be, and what else is kept of the results", Flags: []string{
		"expected-output", "tolerance", "overwrite", "bundle", "histogram", "spread", "dispatches", "dispatch-order",
		"dispatch-limit", "dispatch-csv", "trace-file", "python",
	}},
	{Name: "shards", Summary: "parts of a plan that several machines measure, and other hosts", Flags: []string{"shards", "shard", "costs", "via"}},
	{Name: "sandbox", Summary: "what native code may do, and its limits", Flags: []string{
		"timeout", "memory", "threads", "sandbox-profile", "sandbox", "sandbox-read", "sandbox-allow", "sandbox-cache", "env",
	}},
}

// Topics returns the topics of the flags that all verbs that measure have.
func Topics() []cli.Topic { return topics }

// addTopics puts the flags that most people do not need into topics.
func (f *Flags) addTopics() {
	cli.AddTopics(f.Set, topics)
	for _, row := range f.Runtimes {
		t := cli.Topic{Name: row.Name, Summary: "options of the runtime " + row.Name}
		if row.Pattern != "" {
			t.Summary += " (" + row.Pattern + ")"
		}
		for _, o := range row.Options {
			t.Flags = append(t.Flags, o.Name)
			if o.Repeatable != "" {
				t.Flags = append(t.Flags, o.Repeatable)
			}
		}
		cli.AddTopics(f.Set, []cli.Topic{t})
	}
}
