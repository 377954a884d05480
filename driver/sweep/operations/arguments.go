package operations

import (
	"errors"
	"fmt"
	"strings"
)

// defaultArguments is the key of additional_arguments for every architecture.
const defaultArguments = "default"

// overridesFlag is the flag of the tool that sweeps used before whose value is that of config_overrides.
const overridesFlag = "--config-overrides"

// splitArguments returns the value of overridesFlag among flags that a shell would split, and the other words.
func splitArguments(text string) (overrides string, rest []string, err error) {
	words, err := shellWords(text)
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

// shellWords splits a text into words as a POSIX shell does, as far as quotes and backslashes go.
func shellWords(text string) (words []string, err error) {
	var word strings.Builder
	begun, quote := false, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && quote != '\'' && i+1 < len(text):
			i++
			if quote == '"' && !strings.ContainsRune("\"\\$`", rune(text[i])) {
				word.WriteByte('\\')
			}
			word.WriteByte(text[i])
			begun = true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(c)
		case c == '\'' || c == '"':
			quote, begun = c, true
		case strings.IndexByte(" \t\r\n", c) >= 0:
			if begun {
				words = append(words, word.String())
				word.Reset()
				begun = false
			}
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}
