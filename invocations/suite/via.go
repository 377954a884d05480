package suite

import (
	"errors"
	"strings"
)

// keyVia is the top-level key of the hosts that measure.
const keyVia = "via"

// via reads the top-level key via.
func (p *parser) via(root table, key string) ([]string, error) {
	return p.texts(root, key, "a command", func(command string) error {
		if strings.TrimSpace(command) == "" {
			return errors.New(`holds an empty command; write one that runs a shell on the host, such as "ssh HOST"`)
		}
		return nil
	})
}
