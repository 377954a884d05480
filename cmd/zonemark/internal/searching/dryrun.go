package searching

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/report"
	"zonemark/driver/search"
)

// shownVariants is the number of variants that the text of a dry run names.
const shownVariants = 20

// intended is what a search would try, in the format json.
type intended struct {
	Variants int      `json:"variants"`
	Most     int64    `json:"most,omitempty"`
	BudgetNS int64    `json:"budget_ns,omitempty"`
	Names    []string `json:"names"` // the default first
}

// showIntended shows what would be tried, with which budget. It builds the default only, and measures nothing.
func (s *searcher) showIntended(ctx context.Context) int {
	entries, err := s.plan(ctx, []int{0})
	if err != nil {
		return s.Fail("%v", err)
	}
	out := intended{Most: s.most, BudgetNS: s.budget}
	for i := range s.points {
		if i > 0 && len(entries) == 1 {
			out.Names = append(out.Names, s.points[i].Name)
			continue
		}
		for _, e := range entries { // the functions of a point that names none
			out.Names = append(out.Names, s.points[i].Name+strings.TrimPrefix(e.Invocation.Name, s.points[0].Name))
		}
	}
	out.Variants = len(out.Names)
	if s.format == formatJSON {
		encoder := json.NewEncoder(s.Out)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(out)
	} else {
		_, err = io.WriteString(s.Out, s.intentions(out))
	}
	if err != nil {
		return s.Fail("write what would be tried: %v", err)
	}
	s.say("nothing was measured (--dry-run)")
	return cli.ExitOK
}

// intentions says for people what would be tried.
func (s *searcher) intentions(out intended) string {
	b := &strings.Builder{}
	fmt.Fprintf(b, "%s: %s, the default first\n", report.Printable(s.path), report.Counted(out.Variants, "variant"))
	for _, name := range out.Names[:min(len(out.Names), shownVariants)] {
		fmt.Fprintf(b, "  %s\n", report.Printable(name))
	}
	if more := len(out.Names) - shownVariants; more > 0 {
		fmt.Fprintf(b, "  and %s more\n", report.Grouped(int64(more)))
	}
	fmt.Fprintf(b, "\nRounds of %d variants", min(search.FreshPoints, out.Variants))
	if s.most > 0 && s.most < int64(out.Variants) {
		fmt.Fprintf(b, ", %s in all", report.Grouped(s.most))
	}
	if s.budget > 0 {
		fmt.Fprintf(b, "; none begins after %s", time.Duration(s.budget))
	}
	b.WriteString(".\nThen the best ones race, and the winner is compared with the default.\n")
	return b.String()
}
