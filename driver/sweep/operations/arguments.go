package operations

import (
	"fmt"
	"strings"

	"zonemark/invocations/shellwords"
)

// defaultArguments is the key of additional_arguments for every architecture.
const defaultArguments = "default"

// overridesFlag is the flag of the tool that sweeps used before whose value is that of config_overrides.
const overridesFlag = "--config-overrides"

// splitArguments returns the value of overridesFlag among flags that a shell would split, and the other words.
func splitArguments(text string) (overrides string, rest []string, err error) {
	words, err := shellwords.Split(text)
	if err != nil {
		return "", nil, err
	}
	for i := 0; i < len(words); i++ {
		value, joined := strings.CutPrefix(words[i], overridesFlag+"=")
		switch {
		case joined:
			overrides = value
		case words[i] != overridesFlag:
			rest = append(rest, words[i])
		case i+1 == len(words):
			return "", nil, fmt.Errorf("%s has no value", overridesFlag)
		default:
			i++
			overrides = words[i]
		}
	}
	return overrides, rest, nil
}
