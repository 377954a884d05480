package traceverbs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/program"
)

// counting is a verb that is not in the table of the program: it counts zones.
type counting struct {
	*flags
	least int64
}

func (v *counting) settle(paths []string) error {
	if v.least > 100 {
		return errors.New("--least: want at most 100")
	}
	return nil
}

func (v *counting) run(c *call) int {
	r, err := c.open(c.paths[0])
	if err != nil {
		return c.fail(err)
	}
	defer r.Close()
	n := int64(0)
	for _, err = range r.zones() {
		n++
	}
	if n >= v.least {
		fmt.Fprintf(c.Out, "%d zones\n", n)
	}
	return r.settle(err)
}

// TestVerbIsOneRow: a verb gets its help, dispatch and errors from its row alone.
func TestVerbIsOneRow(t *testing.T) {
	row := verb{
		name: "count", summary: "how many zones there are", example: "zonemark trace count run.tracy",
		intro: "Count zones.\n\nUsage: zonemark trace count [flags] FILE\n", least: 1, most: 1,
		declare: func(f *flags) action {
			v := &counting{flags: f}
			f.set.Var(cli.Count(&v.least), "least", "say nothing of fewer zones")
			return v
		},
	}
	const capture = "../../../../trace/testdata/small_0112.tracy"
	for _, c := range []struct {
		args     []string
		status   int
		out, err string // what is among it
	}{
		{[]string{"--help"}, cli.ExitOK, "\n  count      how many zones there are\n", ""},
		{[]string{"--help"}, cli.ExitOK, "\n  zonemark trace count run.tracy\n", ""},
		{[]string{"help", "count"}, cli.ExitOK, "Count zones.", ""},
		{[]string{"count", "--help"}, cli.ExitOK, "--least n   say nothing of fewer zones", ""},
		{[]string{"count", capture}, cli.ExitOK, "1000 zones\n", ""},
		{[]string{"count"}, cli.ExitError, "",
			`trace count needs the path of a capture, not 0 paths; "zonemark trace count --help" shows what there is`},
		{[]string{"count", "--last", "3", capture}, cli.ExitError, "", `did you mean --least?`},
		{[]string{"count", "--least", "101", capture}, cli.ExitError, "", "--least: want at most 100"},
		{[]string{"count", "nothing.tracy"}, cli.ExitError, "", "zonemark: nothing.tracy: there is no such file"},
		{[]string{"cuont", capture}, cli.ExitError, "", `trace has no verb "cuont"; did you mean "count"?`},
	} {
		var out, talk bytes.Buffer
		status := familyOf(append(verbs(), row)).Run(t.Context(),
			program.Program{Streams: cli.Streams{Out: &out, Err: &talk}}, c.args)
		if status != c.status || !strings.Contains(out.String(), c.out) || !strings.Contains(talk.String(), c.err) {
			t.Errorf("%q: status %d\n%s%s\nwant %d, %q, %q", c.args, status, &out, &talk, c.status, c.out, c.err)
		}
	}
}

// TestEveryVerbHasHelp: each row shows a usage line with its name, and its flags.
func TestEveryVerbHasHelp(t *testing.T) {
	for _, name := range Family().Names() {
		var out bytes.Buffer
		status := Family().Run(t.Context(), program.Program{Streams: cli.Streams{Out: &out, Err: io.Discard}},
			[]string{name, "--help"})
		if status != cli.ExitOK || !strings.Contains(out.String(), "\nUsage: zonemark trace "+name+" ") ||
			!strings.Contains(out.String(), "\nFlags:\n") {
			t.Errorf("%s: status %d\n%s", name, status, &out)
		}
	}
}
