package program

import "context"

// Verb is a verb of the command line, or of a family.
type Verb struct {
	Name    string
	Summary string // one line; empty: not shown
	Run     func(ctx context.Context, p Program, args []string) int
}

// Use is a use of a verb: what its arguments say, and the work.
type Use interface {
	// Parse reads the arguments and checks them. It returns cli.ErrHelp if it has printed the help.
	Parse(args []string) error
	// Run does the work and returns the exit status.
	Run(ctx context.Context) int
}

// VerbOf returns the verb whose uses newUse makes. What is wrong with arguments is told with the way to the verb's help.
func VerbOf[U Use](name, summary string, newUse func(Program) U) Verb {
	return Verb{name, summary, func(ctx context.Context, p Program, args []string) int {
		use := newUse(p)
		if err := use.Parse(args); err != nil {
			return p.Misused(name+" --help", err)
		}
		return use.Run(ctx)
	}}
}
