package suite

import (
	"errors"
	"fmt"
	"strings"
)

// The top-level keys of the hosts that measure, and of having each of them measure everything.
const (
	keyVia    = "via"
	keySpread = "spread"
)

// via reads the top-level key via.
func (p *parser) via(root table, key string) ([]string, error) {
	return p.texts(root, key, "a command", func(command string) error {
		if strings.TrimSpace(command) == "" {
			return errors.New(`holds an empty command; write one that runs a shell on the host, such as "ssh HOST"`)
		}
		return nil
	})
}

// spread reads the top-level key spread.
func (p *parser) spread(root table) (bool, error) {
	path, name := root.child(keySpread)
	value, ok := root.values[keySpread].(bool)
	if !ok {
		return false, p.fail(path, name, fmt.Errorf("is %s; write true or false", kindOf(root.values[keySpread])))
	}
	return value, nil
}
