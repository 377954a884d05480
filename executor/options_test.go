package executor

import (
	"strings"
	"testing"

	"zonemark/invocations"
)

func TestCheckOptions(t *testing.T) {
	known := []invocations.Option{{Name: "device"}, {Name: "chips"}}
	if err := CheckOptions("the runtime x", known, map[string]string{"chips": "1", "device": ""}); err != nil {
		t.Error(err)
	}
	err := CheckOptions("the runtime x", known, map[string]string{"zeal": "1", "devise": "1"})
	if err == nil || !strings.Contains(err.Error(), `the runtime x has no option "devise"`) ||
		!strings.Contains(err.Error(), "device") {
		t.Errorf("error %v", err)
	}
}

func TestCheckOptionsOfNone(t *testing.T) {
	err := CheckOptions("a.hat: the runtime hat", nil, map[string]string{"device": "1"})
	if want := `a.hat: the runtime hat has no option "device"; leave it out`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
