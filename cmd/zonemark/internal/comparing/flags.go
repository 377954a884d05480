package comparing

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/measureflags"
	"zonemark/cmd/zonemark/internal/measuring"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/rowtext"
	"zonemark/driver/compare"
	"zonemark/driver/journal"
)

const intro = `Say what became faster or slower between two measurements. Each row has the ratio of new to old
with its interval between launches, and a verdict: faster, slower, same (the difference is certainly
smaller than --margin), or undecided, with the smallest difference that would have been found.

Usage: zonemark compare [flags] OLD NEW
       zonemark compare --measure [flags] OLD NEW                     artifacts or suites
       zonemark compare --measure [flags] -- OLD COMMAND ::: NEW COMMAND
       zonemark compare --measure [flags] --artifact PATH [--build COMMAND] OLD NEW    folders or commits
       zonemark compare --bisect [flags] --artifact PATH GOOD BAD -- BUILD COMMAND

OLD and NEW are journals (run -o), JSON of Google Benchmark or hyperfine, Go benchmark results, or CSV of
hatlib and of operation sweeps. Rows are matched by id, then by name and parameters. Cycles are compared
if both sides counted them, else times at the machine's usual clock, else times. Rows that were disturbed
stay undecided.

With --measure, both sides are measured now, launch by launch in turns, until each row is decided or
twice --max-time is spent on it. --bisect measures commits against a good one and names the first slower one.

Exit status: 0 the same or better (or the commit is found), 1 an error, 3 something is slower or broken,
or missing now (--missing-ok accepts that), 4 some rows are undecided (or several
commits are left).

Examples:
  zonemark run suite.toml -o old.ndjson                            before the change
  zonemark run suite.toml -o new.ndjson                            after it
  zonemark compare old.ndjson new.ndjson
  zonemark compare old.ndjson new.ndjson --format markdown         for a pull request
  zonemark compare --measure old/libk.so new/libk.so --function 'void f(float x[64])'
  zonemark compare --measure v1.2 main --artifact build/k.hat --build 'make kernels'
  zonemark compare --bisect v1.2 main --artifact build/k.hat -- make kernels
`

// Flags are the command line of the verb.
type Flags struct {
	*measureflags.Flags

	options     compare.Options
	undecidedOK bool
	missingOK   bool
	all         bool
	format      string
	output      string
	page        string // a file
	overwrite   bool
	measure     bool
	bisect      bool
	build       string // a command of the shell
	artifact    string // in a folder that build has built

	arguments []string   // before --
	words     []string   // after --
	commands  [][]string // to measure
}

// The formats of reports.
const (
	formatMarkdown = "markdown"
	formatJUnit    = "junit"
	formatHTML     = "html"
)

// NewFlags returns the flags of the verb with their defaults.
func NewFlags(p program.Program) *Flags {
	f := &Flags{format: rowtext.Text, options: compare.DefaultOptions()}
	f.options.Floor = 0 // files and pairs have floors of their own
	f.Flags = measureflags.NewComparison("compare", p, f.addOwn)
	return f
}

func (f *Flags) addOwn(shared *measureflags.Flags) {
	s := shared.Set
	cli.Refuse(s, "spread", "compare --measure measures pair by pair on one host; to compare on several, "+
		"compare the journals of two runs with --spread")
	s.BoolVar(&f.measure, "measure", false, "measure OLD and NEW now, in launches that take turns, until each row is "+
		"decided or twice --max-time is over")
	s.BoolVar(&f.bisect, "bisect", false, "find the commit between OLD and NEW that made --artifact slower")
	s.StringVar(&f.build, "build", "", "command of the shell that builds --artifact in each checkout")
	s.StringVar(&f.artifact, "artifact", "", "what to measure, below the folder of each checkout; OLD and NEW are then "+
		"folders, or commits of the repository here")
	f.addDecisions(s)
	s.StringVarP(&f.output, "output", "o", "", "write the journal of --measure to this file, "+
		"or without --measure the report")
	s.BoolVar(&f.overwrite, "overwrite", false, "replace the journal of -o if there is one")
	cli.AddTopics(s, []cli.Topic{
		{Name: "commits", Summary: "folders or commits of a repository", Flags: []string{"bisect", "build", "artifact"}},
		{Name: "decisions", Summary: "how rows are decided", Flags: []string{"alpha", "fdr", "undecided-ok", "missing-ok"}},
		{Name: "outputs", Summary: "what outputs must be, and files that are written", Flags: []string{"html"}},
	})
}

// addDecisions adds how rows are decided and shown.
func (f *Flags) addDecisions(s *pflag.FlagSet) {
	s.Var(cli.Fraction(&f.options.Margin), "margin", "relative difference that does not matter: a row "+
		"is the same if its difference is certainly smaller")
	cli.Elsewhere(s, "margin", "threshold", "fail-on", "fail-above", "noise-threshold", "noise", "old@", "new@", "before@",
		"after@", "base@", "head@", "baseline@", "reference@")
	const status = "is not needed: the exit status is 3 if something is slower, and 4 if it is not decided"
	cli.Needless(s, "margin", "fail-on-regression!", status, "fail!", status, "strict!", status, "exit-code!", status)
	s.Var(cli.Fraction(&f.options.Alpha), "alpha", "chance that any row is called faster or slower if none is")
	cli.Elsewhere(s, "alpha", "significance-level", "p-value")
	s.BoolVar(&f.options.FDR, "fdr", false, "let --alpha limit the share of wrong rows among those that are called "+
		"faster or slower (Benjamini and Hochberg); this finds more among many rows")
	s.BoolVar(&f.undecidedOK, "undecided-ok", false, "exit with 0 if no row is slower, also if some are undecided")
	s.BoolVar(&f.missingOK, "missing-ok", false, "exit with 0 if no row is slower, also if some that were measured before "+
		"are missing or skipped now")
	s.BoolVar(&f.all, "all", false, "show all rows; without it, each verdict that is not worse has at most a page")
	s.Var(cli.Choice(&f.format, []string{rowtext.Text, rowtext.CSV, rowtext.NDJSON, formatMarkdown, formatJUnit}, formatHTML), "format", "report on standard output")
	cli.Elsewhere(s, "format", "markdown=markdown", "md=markdown", "csv=csv", "json=ndjson", "junit=junit", "export-markdown=markdown>")
	s.StringVar(&f.page, "html", "", "write a page (HTML) about the comparison to this file, which is replaced")
}

// Parse reads the arguments and checks them. It returns cli.ErrHelp if it has printed the help.
func (f *Flags) Parse(args []string) error {
	paths, err := f.Flags.Parse(args, intro)
	if err != nil {
		return err
	}
	f.arguments = paths
	if at := f.Set.ArgsLenAtDash(); at >= 0 {
		f.arguments, f.words = paths[:at], paths[at:]
	}
	if err := f.checkReport(); err != nil {
		return err
	}
	if err := cmp.Or(f.checkCommandLines(args), f.checkVariants(args), f.checkAgain()); err != nil {
		return err
	}
	switch {
	case f.bisect && f.measure:
		return errors.New("--bisect measures by itself; leave out --measure")
	case f.bisect:
		return f.checkBisect()
	case f.measure:
		return f.checkMeasure()
	}
	return f.checkFiles(args)
}

// checkReport checks how rows are decided, and where the page goes.
func (f *Flags) checkReport() error {
	if err := (cli.Output{Flag: "--html", Path: f.page}).Check(); err != nil {
		return err
	}
	return checkDecisions(f.options)
}

func checkDecisions(o compare.Options) error {
	if o.Alpha <= 0 || o.Alpha >= 1 {
		return fmt.Errorf("--alpha %v: want more than 0 and less than 1", o.Alpha)
	}
	if o.Margin <= 0 || o.Margin >= 1 {
		return fmt.Errorf("--margin %v: want more than 0 and less than 1", o.Margin)
	}
	return nil
}

// checkFiles checks the arguments of a comparison of files with results. args are all words of the command line.
func (f *Flags) checkFiles(args []string) error {
	isMissing := func(path string) bool { return !cli.Exists(path) }
	if n := len(f.arguments) + len(f.words); n > 2 && !slices.ContainsFunc(f.arguments, isMissing) {
		return &cli.Signpost{Text: "compare takes two files with results; history takes several:",
			Command: cli.CommandLine("history", f.arguments...)}
	} else if n != 2 {
		return fmt.Errorf("compare takes two files with results, the old one first; there %s", areSo(n))
	}
	f.arguments = append(f.arguments, f.words...)
	if f.canBeMeasured(f.arguments[0]) && f.canBeMeasured(f.arguments[1]) {
		return &cli.Signpost{
			Text:    f.arguments[0] + " holds no results; to measure both sides and compare them:",
			Command: cli.CommandLine("compare --measure", args...),
		}
	}
	if filepath.Ext(f.arguments[0]) == ".tracy" && filepath.Ext(f.arguments[1]) == ".tracy" {
		return &cli.Signpost{Text: f.arguments[0] + " is a capture; to compare two:",
			Command: cli.CommandLine("trace diff", f.arguments...)}
	}
	own := &measureflags.Flags{Set: pflag.NewFlagSet("", pflag.ContinueOnError)}
	new(Flags).addOwn(own)
	var surplus string
	f.Set.Visit(func(given *pflag.Flag) {
		if surplus == "" && (own.Set.Lookup(given.Name) == nil ||
			slices.Contains([]string{"build", "artifact", "overwrite"}, given.Name)) {
			surplus = given.Name
		}
	})
	if surplus != "" {
		text := fmt.Sprintf("--%s is for measuring: add --measure, or leave it out:", surplus)
		return cli.LeaveOut(f.Set, args, text, surplus)
	}
	for _, path := range f.arguments {
		if err := cli.CheckExists(path, "a file with results (zonemark run -o FILE writes one)"); err != nil {
			return err
		}
	}
	return nil
}

// canBeMeasured reports whether a path is a suite or an artifact.
func (f *Flags) canBeMeasured(path string) bool {
	if filepath.Ext(path) == ".toml" {
		return true
	}
	_, err := f.Runtimes.Recognize(path, nil)
	return err == nil
}

func areSo(n int) string {
	if n == 1 {
		return "is one"
	}
	return fmt.Sprintf("are %d", n)
}

// checkMeasure checks the arguments of --measure.
func (f *Flags) checkMeasure() (err error) {
	switch {
	case len(f.arguments) == 0 && len(f.words) > 0:
		if f.commands, err = measuring.SplitCommands(f.words); err != nil {
			return err
		}
		if n := len(f.commands); n != 2 {
			return fmt.Errorf("compare --measure takes two commands: -- OLD COMMAND %s NEW COMMAND; there %s",
				cli.CommandSeparator, areSo(n))
		}
	case len(f.words) > 0:
		return errors.New("compare --measure takes two artifacts, or two commands after --, not both")
	case len(f.arguments) != 2:
		return fmt.Errorf("compare --measure takes two artifacts, the old one first; there %s", areSo(len(f.arguments)))
	}
	if f.build != "" && f.artifact == "" {
		return errors.New("--build: say with --artifact PATH what it builds")
	}
	if f.artifact != "" && len(f.commands) > 0 {
		return errors.New("--artifact is measured itself; leave out the commands after --")
	}
	return f.checkMeasuring()
}

// checkJournal returns an error if writing the journal would destroy something else: what is measured, or another file.
func (f *Flags) checkJournal() error {
	return cli.Output{Flag: "-o", Path: f.output, Kept: !f.overwrite, Kind: "journal", Holds: func(path string) error {
		stored, err := journal.ReadFile(path)
		if err != nil {
			return err
		}
		return stored.Records.Close()
	}}.Check()
}

// checkBisect checks the arguments of --bisect.
func (f *Flags) checkBisect() error {
	switch {
	case len(f.arguments) != 2:
		return fmt.Errorf("compare --bisect takes two commits, the good one first; there %s", areSo(len(f.arguments)))
	case len(f.words) == 0 && f.build == "":
		return errors.New("compare --bisect needs what builds a commit: -- PROGRAM ARGUMENTS, or --build COMMAND")
	case len(f.words) > 0 && f.build != "":
		return errors.New("--build and a program after -- both build; give one of them")
	case f.artifact == "":
		return errors.New("compare --bisect: say with --artifact PATH what the build makes")
	case f.output != "" || f.page != "":
		return errors.New("compare --bisect keeps no journal and writes no page; leave out -o and --html")
	}
	return f.checkMeasuring()
}

// checkMeasuring checks what --measure and --bisect have in common.
func (f *Flags) checkMeasuring() error {
	if f.Set.Changed("precision") {
		return errors.New("--precision: compare stops when rows are decided; --margin says what does not matter")
	}
	if f.artifact != "" && !filepath.IsLocal(f.artifact) {
		return fmt.Errorf("--artifact %s: want a path inside the checkout, such as build/kernels.so", f.artifact)
	}
	return nil
}
