package values

import (
	"testing"

	"zonemark/invocations"
)

// Each text reads back as the same element.
func TestText(t *testing.T) {
	for _, element := range invocations.ElementTypes() {
		b := make([]byte, element.Size())
		if err := Fill(b, element, invocations.Contents{Fill: invocations.FillRandom, Seed: 5}, 1); err != nil {
			t.Fatal(err)
		}
		again := make([]byte, len(b))
		text := Text(b, element)
		err := Fill(again, element, invocations.Contents{Fill: invocations.FillConstant, Value: text}, 0)
		if err != nil || string(again) != string(b) {
			t.Errorf("%s %s: % x, want % x, error %v", element, text, again, b, err)
		}
	}
	if got := Text([]byte{1}, invocations.Int16); got != "" {
		t.Errorf("of too few bytes: %q", got)
	}
}
