package plan

import (
	"fmt"
	"iter"

	"zonemark/invocations"
	"zonemark/invocations/repeats"
)

// checkDuplicates returns an error if a journal could not tell two invocations apart: they have the same id if both are
// sealed, else the same name. The error names both. all can be ranged over twice; there may be a million.
func checkDuplicates(all iter.Seq[*invocations.Invocation]) error {
	var several repeats.Finder
	for v := range all {
		several.Add(told(v))
	}
	suspect := several.Suspect()
	if suspect == nil {
		return nil
	}
	earlier, position := map[string]string{}, 0
	for v := range all {
		position++
		what := told(v)
		if !suspect(what) {
			continue
		}
		text := fmt.Sprintf("invocation %d (%s)", position, identified(v))
		if first, is := earlier[what]; is {
			if v.ID == "" {
				what = "name"
			}
			return fmt.Errorf("%s and %s have the same %s: change the name or a value of one, or remove it", first, text,
				what)
		}
		earlier[what] = text
	}
	return nil
}

// told returns what tells an invocation from others, with what it is.
func told(v *invocations.Invocation) string {
	if v.ID != "" {
		return "id " + v.ID
	}
	return "name " + v.Name
}

// identified returns an invocation as errors name it.
func identified(v *invocations.Invocation) string {
	text := fmt.Sprintf("%q of %s", v.Name, v.Artifact.Path)
	if v.Function != "" {
		text += ", function " + v.Function
	}
	return text
}
