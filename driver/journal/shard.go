package journal

import (
	"fmt"

	"zonemark/invocations"
)

// checkShard returns an error if a run cannot go on with a journal, since the journal belongs to another part of a plan.
func checkShard(before, now *invocations.Shard) error {
	const remedy = "give the flags with which it was begun, name another journal, or replace this one with --overwrite"
	switch {
	case before == nil && now == nil:
		return nil
	case before == nil:
		return fmt.Errorf("it holds a whole plan, not shard %d of %d: %s", now.Index, now.Count, remedy)
	case now == nil:
		return fmt.Errorf("it holds shard %d of %d, not a whole plan: %s", before.Index, before.Count, remedy)
	case before.Index != now.Index || before.Count != now.Count:
		return fmt.Errorf("it holds shard %d of %d, not shard %d of %d: %s", before.Index, before.Count, now.Index,
			now.Count, remedy)
	case before.Plan != now.Plan:
		return fmt.Errorf("it holds shard %d of another plan, with %d invocations where there are %d now: "+
			"what is measured, or a flag, has changed: %s", before.Index, before.Of, now.Of, remedy)
	case before.Division != now.Division:
		return fmt.Errorf("it holds shard %d of the same plan, which was divided otherwise: "+
			"limits of time, groups or --costs have changed: %s", before.Index, remedy)
	}
	return nil
}
