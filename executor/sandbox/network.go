package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// networkVariable carries a networkOrder, in JSON, from ConfigureNetwork to EnterNetwork.
const networkVariable = "ZONEMARK_SANDBOX_NETWORK"

// networkOrder is what the parent tells a process with a network of its own.
type networkOrder struct {
	ParentPID int    // whose death ends the process
	Outside   string // link text of the parent's network namespace; empty if the process shares it
}

// encode returns the environment entry that carries o.
func (o networkOrder) encode() (string, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return "", fmt.Errorf("sandbox: encoding %s: %w", networkVariable, err)
	}
	return networkVariable + "=" + string(text), nil
}

// takeNetworkOrder reads the order from the environment, if there is one, and removes it there.
func takeNetworkOrder() (o networkOrder, found bool, err error) {
	text, found := os.LookupEnv(networkVariable)
	if !found {
		return networkOrder{}, false, nil
	}
	if err := os.Unsetenv(networkVariable); err != nil {
		return networkOrder{}, true, fmt.Errorf("sandbox: %w", err)
	}
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return networkOrder{}, true, fmt.Errorf("sandbox: environment variable %s: %w; "+
			"it is set by the process that starts the executor: unset it", networkVariable, err)
	}
	return o, true, nil
}

// withoutNetworkOrder returns an environment without the order, which is for one process only.
func withoutNetworkOrder(environment []string) []string {
	return slices.DeleteFunc(slices.Clone(environment), func(entry string) bool {
		return strings.HasPrefix(entry, networkVariable+"=")
	})
}
