package invocations

import "fmt"

// CheckDuplicates returns an error if a journal could not tell two invocations apart: they have the same id if both are
// sealed, else the same name. The error names both.
func CheckDuplicates(list []Invocation) error {
	return CheckDuplicatesOf(len(list), func(i int) *Invocation { return &list[i] })
}

// CheckDuplicatesOf is CheckDuplicates for n invocations that at returns by their positions. Lists can be long, so that
// a copy of one takes much memory.
func CheckDuplicatesOf(n int, at func(int) *Invocation) error {
	i, j := duplicate(n, at)
	if i < 0 {
		return nil
	}
	what := "name"
	if at(j).ID != "" {
		what = "id " + at(j).ID
	}
	return fmt.Errorf("invocation %d (%s) and invocation %d (%s) have the same %s: change the name or a value of "+
		"one, or remove it",
		i+1, describe(at(i)), j+1, describe(at(j)), what)
}

// duplicate returns the positions of the first invocation that equals an earlier one, and of that earlier one. Both are
// -1 if there is none.
func duplicate(n int, at func(int) *Invocation) (earlier, later int) {
	ids, names := map[string]int32{}, map[string]int32{}
	if n > 0 && at(0).ID != "" {
		ids = make(map[string]int32, n)
	} else {
		names = make(map[string]int32, n)
	}
	for j := range n {
		seen, key := ids, at(j).ID
		if key == "" {
			seen, key = names, at(j).Name
		}
		if i, found := seen[key]; found {
			return int(i), j
		}
		seen[key] = int32(j)
	}
	return -1, -1
}

func describe(v *Invocation) string {
	text := fmt.Sprintf("%q of %s", v.Name, v.Artifact.Path)
	if v.Function != "" {
		text += ", function " + v.Function
	}
	return text
}
