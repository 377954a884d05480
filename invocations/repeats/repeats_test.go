package repeats

import "testing"

func TestSuspect(t *testing.T) {
	var f Finder
	if f.Suspect() != nil {
		t.Error("of no texts, some repeat")
	}
	for _, text := range []string{"a", "b", "", "c"} {
		f.Add(text)
	}
	if f.Suspect() != nil {
		t.Error("of distinct texts, some repeat")
	}
	f.Add("b")
	if suspect := f.Suspect(); suspect == nil || !suspect("b") || suspect("a") {
		t.Error("b is not found, or a is")
	}
}
