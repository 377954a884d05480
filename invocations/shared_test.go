package invocations

import (
	"reflect"
	"strings"
	"testing"
)

// Sharing changes where values are, not what they are.
func TestShare(t *testing.T) {
	rounds := func(n int) *int { return &n }
	make := func() Record {
		return Record{
			Kind: ResultKind, ID: "1", Artifact: strings.Clone("/a"), Function: strings.Clone("f"), Status: OK,
			Parameters: map[string]string{"n": "1"}, Layers: []string{"user"}, Verdicts: []Verdict{Clean},
			Arguments: []ArgumentRecord{{Name: "n", Shape: []int64{4}}}, Rounds: rounds(1),
		}
	}
	first, same, other := make(), make(), make()
	other.ID, other.Function, other.Layers, other.Rounds = "2", "g", []string{"mount"}, rounds(2)
	other.Parameters, other.Arguments = map[string]string{"n": "2"}, []ArgumentRecord{{Name: "n", Shape: []int64{5}}}
	want, wantOther := make(), other
	same.Share(&first)
	other.Share(&first)
	other.Share(nil)
	if !reflect.DeepEqual(same, want) || !reflect.DeepEqual(other, wantOther) {
		t.Errorf("sharing changed a record:\n%+v\n%+v", same, other)
	}
	if &same.Layers[0] != &first.Layers[0] || &same.Arguments[0] != &first.Arguments[0] || same.Rounds != first.Rounds {
		t.Error("equal lists are not shared")
	}
	if &other.Layers[0] == &first.Layers[0] || other.Rounds == first.Rounds {
		t.Error("different lists are shared")
	}
	first.Verdicts, same.Verdicts = append(first.Verdicts, Bimodal), append(same.Verdicts, TooShort)
	if first.Verdicts[1] != Bimodal {
		t.Error("appending to a shared list changed another record")
	}
}
