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
