package program

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
)

// played is a use that parses with an error, or ends with a status.
type played struct {
	err    error
	status int
	args   []string
}

func (p *played) Parse(args []string) error { p.args = args; return p.err }
func (p *played) Run(context.Context) int   { return p.status }

// A verb does its work if its arguments are right. If not, it says so with the way to its help; who asked for help has done
// nothing wrong.
func TestVerbOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		use    played
		status int
		said   string
	}{
		{played{status: cli.ExitNotOK}, cli.ExitNotOK, ""},
		{played{err: errors.New("no x"), status: cli.ExitNotOK}, cli.ExitError,
			"zonemark: no x; \"zonemark play --help\" shows what there is\n"},
		{played{err: cli.ErrHelp, status: cli.ExitNotOK}, cli.ExitOK, ""},
	} {
		var said bytes.Buffer
		p := Program{Streams: cli.Streams{Out: &said, Err: &said}}
		verb := VerbOf("play", "", func(Program) *played { return &c.use })
		status := verb.Run(t.Context(), p, []string{"a"})
		if status != c.status || said.String() != c.said || len(c.use.args) != 1 {
			t.Errorf("%v: status %d, arguments %q, said %q", c.use.err, status, c.use.args, &said)
		}
	}
}
