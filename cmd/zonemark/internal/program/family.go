package program

import (
	"context"
	"fmt"
	"io"

	"zonemark/cmd/zonemark/internal/cli"
)

// Family is a verb that has verbs of its own, as trace has.
type Family struct {
	Name       string
	Intro, End string // of its help, above and below the list of its verbs
	Verbs      []Verb
	// Instead returns the error about the first of the arguments, which is none of the verbs: none, or what to do
	// instead. It may be nil.
	Instead func(args []string, none error) error
}

// Run runs the verb that the first argument names, and returns the exit status.
func (f Family) Run(ctx context.Context, p Program, args []string) int {
	if len(args) == 0 {
		f.usage(p.Err)
		return cli.ExitError
	}
	switch args[0] {
	case "help", "--help", "-h":
		if len(args) == 2 && args[0] == "help" {
			return f.Run(ctx, p, []string{args[1], "--help"})
		}
		f.usage(p.Out)
		return cli.ExitOK
	}
	for _, v := range f.Verbs {
		if v.Name == args[0] {
			return v.Run(ctx, p, args[1:])
		}
	}
	err := cli.Misspelt(fmt.Sprintf("%s has no verb %q", f.Name, args[0]), args[0], f.Names())
	if f.Instead != nil {
		err = f.Instead(args, err)
	}
	return p.Misused(f.Name+" --help", err)
}

// Names returns the names of the verbs that are shown.
func (f Family) Names() (names []string) {
	for _, v := range f.Verbs {
		if v.Summary != "" {
			names = append(names, v.Name)
		}
	}
	return names
}

func (f Family) usage(w io.Writer) {
	fmt.Fprintln(w, f.Intro)
	for _, v := range f.Verbs {
		if v.Summary != "" {
			fmt.Fprintf(w, "  %-10s %s\n", v.Name, v.Summary)
		}
	}
	fmt.Fprint(w, f.End)
}
