package invocations

import "fmt"

// CheckDuplicates returns an error if a journal could not tell two invocations apart: they have the same id if both are
// sealed, else the same name. The error names both.
func CheckDuplicates(list []Invocation) error {
	i, j := Duplicate(list)
	if i < 0 {
		return nil
	}
	what := "name"
	if list[j].ID != "" {
		what = "id " + list[j].ID
	}
	return fmt.Errorf("invocation %d (%s) and invocation %d (%s) have the same %s: change the name or a value of "+
		"one, or remove it",
		i+1, describe(list[i]), j+1, describe(list[j]), what)
}

// Duplicate returns the positions of the first invocation that equals an earlier one, and of that earlier one. Both are
// -1 if there is none.
func Duplicate(list []Invocation) (earlier, later int) {
	type identity struct{ id, name string }
	seen := make(map[identity]int, len(list))
	for j, v := range list {
		key := identity{id: v.ID}
		if v.ID == "" {
			key.name = v.Name
		}
		if i, found := seen[key]; found {
			return i, j
		}
		seen[key] = j
	}
	return -1, -1
}

func describe(v Invocation) string {
	text := fmt.Sprintf("%q of %s", v.Name, v.Artifact.Path)
	if v.Function != "" {
		text += ", function " + v.Function
	}
	return text
}
