package comparing

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver"
	"zonemark/driver/compare"
	"zonemark/driver/report"
	"zonemark/invocations/lazyregexp"
)

// moreTime is the factor of --max-time for a commit that could not be judged.
const moreTime = 4

// bisection looks for the first commit that is slower than a good one. git chooses the commits.
type bisection struct {
	*Flags
	*workshop
	good string   // the artifact of the good commit
	step string   // checkout of the commit that is judged
	rows []string // names of those that are slower in the bad commit; nil: not known yet
}

// runBisect finds the commit and prints it.
func (f *Flags) runBisect(ctx context.Context) int {
	w, err := f.openWorkshop()
	if err != nil {
		return f.Fail("%v", err)
	}
	defer w.close()
	b := &bisection{Flags: f, workshop: w}
	if err := b.begin(ctx); err != nil {
		return f.failed(ctx, err)
	}
	for {
		found, err := b.found(ctx)
		if err != nil {
			return f.failed(ctx, err)
		}
		if len(found) > 0 {
			return b.show(found)
		}
		if err := b.tryCommit(ctx); err != nil {
			return f.failed(ctx, err)
		}
	}
}

// begin makes the checkouts, builds the good and the bad commit, and finds out what became slower.
func (b *bisection) begin(ctx context.Context) error {
	good, err := b.resolve(ctx, b.arguments[0])
	if err != nil {
		return err
	}
	bad, err := b.resolve(ctx, b.arguments[1])
	if err != nil {
		return err
	}
	if _, err := git(ctx, ".", "merge-base", "--is-ancestor", good, bad); err != nil || good == bad {
		return fmt.Errorf("%s is no ancestor of %s; give the good commit first", b.arguments[0], b.arguments[1])
	}
	folder, err := b.clone(ctx, "good", good)
	if err != nil {
		return err
	}
	if b.good, err = b.workshop.build(ctx, folder, b.artifact); err != nil {
		return fmt.Errorf("%s: %w", b.arguments[0], err)
	}
	if b.step, err = b.clone(ctx, "step", bad); err != nil {
		return err
	}
	c, err := b.compare(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", b.arguments[1], err)
	}
	for _, r := range c.rows {
		if r.Verdict == compare.Slower || r.Verdict == compare.Broken {
			b.rows = append(b.rows, r.Name)
		}
	}
	b.tell(b.arguments[1], c)
	if b.rows == nil {
		return fmt.Errorf("%s is not slower than %s (%s); a longer --max-time or a smaller --margin may find more",
			b.arguments[1], b.arguments[0], c.summary())
	}
	_, err = git(ctx, b.step, "bisect", "start", bad, good)
	return err
}

// tryCommit builds the commit that git has checked out, compares it with the good one, and tells git.
func (b *bisection) tryCommit(ctx context.Context) error {
	commit, err := git(ctx, b.step, "log", "-1", "--format=%h %s")
	if err != nil {
		return err
	}
	verdict := "skip"
	c, err := b.compare(ctx)
	if err == nil && !worse(c) && undecided(c) {
		usual := b.Base.Measure.MaxTimeNS
		b.Base.Measure.MaxTimeNS *= moreTime
		c, err = b.again(ctx)
		b.Base.Measure.MaxTimeNS = usual
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		b.say("%s: skipped: %v", commit, err)
	default:
		b.tell(commit, c)
		switch {
		case worse(c):
			verdict = "bad"
		case !undecided(c):
			verdict = "good"
		}
	}
	_, err = git(ctx, b.step, "bisect", verdict)
	if found, _ := b.found(ctx); len(found) > 0 {
		return nil // git fails if only skipped commits are left
	}
	return err
}

func worse(c *comparison) bool     { is, _ := compare.Regressions(c.rows); return is }
func undecided(c *comparison) bool { _, is := compare.Regressions(c.rows); return is }

// compare builds the checked out commit and compares it with the good one.
func (b *bisection) compare(ctx context.Context) (*comparison, error) {
	// a build that does nothing must not leave the artifact of another commit
	if err := os.RemoveAll(filepath.Join(b.step, b.artifact)); err != nil {
		return nil, err
	}
	if _, err := git(ctx, b.step, "checkout", "--quiet", "--force", "HEAD"); err != nil {
		return nil, err
	}
	if _, err := b.workshop.build(ctx, b.step, b.artifact); err != nil {
		return nil, err
	}
	return b.again(ctx)
}

// again compares what is built with the good one.
func (b *bisection) again(ctx context.Context) (*comparison, error) {
	sides := [2]*side{{path: b.good, source: "good"}, {path: filepath.Join(b.step, b.artifact), source: "step"}}
	var only func(string) bool
	if b.rows != nil {
		only = func(name string) bool { return slices.Contains(b.rows, name) }
	}
	return b.measureSides(ctx, sides, driver.JournalFile{}, only)
}

// tell says what a commit is like.
func (b *bisection) tell(commit string, c *comparison) {
	var words []string
	for _, r := range c.rows {
		words = append(words, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Name, percent(r.Ratio), verdictText(r))))
	}
	b.say("%s: %s", commit, strings.Join(words, "; "))
}

func (b *bisection) say(format string, args ...any) {
	if !b.Quiet {
		b.Say("%s", report.Printable(fmt.Sprintf(format, args...)))
	}
}

// ends are the lines of git's log of a bisection that name the outcome.
var ends = lazyregexp.New(`(?m)^# (?:possible )?first bad commit: \[([0-9a-f]+)\] (.*)$`)

// found returns the first bad commit, or several candidates if git cannot decide between them. Empty: the search goes
// on.
func (b *bisection) found(ctx context.Context) (commits []string, err error) {
	log, err := git(ctx, b.step, "bisect", "log")
	if err != nil {
		return nil, err
	}
	for _, m := range ends().FindAllStringSubmatch(log, -1) {
		commits = append(commits, m[1]+" "+m[2])
	}
	return commits, nil
}

// show prints the outcome and returns the exit status.
func (b *bisection) show(commits []string) int {
	status := cli.ExitOK
	text := "first slower commit: "
	if len(commits) > 1 {
		status, text = ExitUndecided, "the first slower commit is one of these; the others could not be judged:\n"
	}
	for i := range commits {
		commits[i] = report.Printable(commits[i])
	}
	if _, err := fmt.Fprintf(b.Out, "%s%s\n", text, strings.Join(commits, "\n")); err != nil {
		return b.Fail("%v", err)
	}
	return status
}
