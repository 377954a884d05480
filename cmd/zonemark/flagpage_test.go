package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/commands"
	"zonemark/cmd/zonemark/internal/program"

	"github.com/spf13/pflag"
)

// measuringVerbs have nearly all flags in common. The page calls them by one word.
var measuringVerbs = []string{"run", "sweep", "compare", "tune", "farm sbatch", "hat", "halide run", "halide pretrain"}

// verbFlag is a flag of a verb that help shows.
type verbFlag struct {
	*pflag.Flag
	verb string
	set  *pflag.FlagSet
}

// flagRow is what a row of the page says.
type flagRow struct{ name, value, preset, usage string }

// allFlags returns the flags of all verbs, in the order of the verbs.
func allFlags(list commands.Pages) (flags []verbFlag) {
	for _, page := range list {
		if page.Flags == nil {
			continue
		}
		page.Flags.VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				flags = append(flags, verbFlag{f, page.Name, page.Flags})
			}
		})
	}
	return flags
}

func (f verbFlag) row() (r flagRow) {
	r.name = "`--" + f.Name + "`"
	if f.Shorthand != "" {
		r.name = "`-" + f.Shorthand + "`, " + r.name
	}
	r.value, r.usage = pflag.UnquoteUsage(f.Flag)
	if f.NoOptDefVal != "" && r.value != "" {
		r.usage += "; without a value: " + f.NoOptDefVal
	}
	r.preset = f.DefValue
	if strings.Contains(r.usage, "(default") || r.preset == "[]" || f.Value.Type() == "bool" && r.preset == "false" {
		r.preset = "" // it depends on the machine, or there is none
	}
	if r.preset != "" {
		r.preset = "`" + r.preset + "`"
	}
	r.value = strings.NewReplacer("stringArray", "string").Replace(r.value)
	return r
}

func (r flagRow) String() string {
	return fmt.Sprintf("| %s | %s | %s | %s |", r.name, cell(r.value), cell(r.preset), cell(r.usage))
}

// sharedFlag is a flag that several verbs have.
type sharedFlag struct {
	row   flagRow    // that holds for most of them
	flags []verbFlag // of each verb
}

// shareFlags returns the flags that several verbs have, in the order of the verbs.
func shareFlags(flags []verbFlag) (shared []sharedFlag) {
	at := map[string]int{}
	for _, f := range flags {
		if _, found := at[f.Name]; !found {
			at[f.Name] = len(shared)
			shared = append(shared, sharedFlag{})
		}
		s := &shared[at[f.Name]]
		s.flags = append(s.flags, f)
	}
	shared = slices.DeleteFunc(shared, func(s sharedFlag) bool { return len(s.flags) < 2 })
	for i := range shared {
		shared[i].row = shared[i].common()
	}
	return shared
}

// common returns what most verbs say of a flag, or what it means in all of them if most say something else.
func (s sharedFlag) common() (row flagRow) {
	most := func(of func(flagRow) string) (text string, times int) {
		count := map[string]int{}
		for _, f := range s.flags {
			count[of(f.row())]++
		}
		for _, f := range s.flags { // the first of those that are equally frequent
			if one := of(f.row()); count[one] > times {
				text, times = one, count[one]
			}
		}
		return text, times
	}
	row.name, _ = most(func(r flagRow) string { return r.name })
	row.value, _ = most(func(r flagRow) string { return r.value })
	row.preset, _ = most(func(r flagRow) string { return r.preset })
	usage, times := most(func(r flagRow) string { return r.usage })
	if row.usage = usage; times < 2 || 2*times < len(s.flags) || slices.Contains(whole, s.flags[0].Name) {
		row.usage = meanings[s.flags[0].Name]
	}
	return row
}

// special returns what a verb's own row says that the shared one does not. It is empty if there is nothing.
func (s sharedFlag) special(f verbFlag) string {
	own := f.row()
	if slices.Contains(whole, f.Name) {
		own.usage = s.row.usage
	}
	if own == s.row {
		return ""
	}
	if own.usage == s.row.usage {
		own.usage = ""
	}
	if own.value == s.row.value {
		own.value = ""
	}
	switch own.preset {
	case s.row.preset:
		own.preset = ""
	case "":
		own.preset = "none"
	}
	return own.String()
}

// verbs names the verbs of a shared flag. Those that say something of their own have a star.
func (s sharedFlag) verbs() string {
	var names, starred []string
	for _, f := range s.flags {
		names = append(names, f.verb)
		if s.special(f) != "" {
			starred = append(starred, f.verb)
		}
	}
	return verbsText(names, starred)
}

// verbsText names verbs, those that measure by one word if nearly all are among them. Starred ones are named apart.
func verbsText(names, starred []string) string {
	without := slices.DeleteFunc(slices.Clone(measuringVerbs), func(v string) bool { return slices.Contains(names, v) })
	together := len(without) <= 1
	var parts []string
	if together {
		text := "measuring"
		if len(without) == 1 {
			text += " but " + without[0]
		}
		parts = append(parts, text)
	}
	for _, name := range names {
		switch star := slices.Contains(starred, name); {
		case star:
			parts = append(parts, name+"\\*")
		case !together || !slices.Contains(measuringVerbs, name):
			parts = append(parts, name)
		}
	}
	return strings.Join(parts, ", ")
}

// flagPage writes the page of flags.
func flagPage(list commands.Pages) string {
	b := &strings.Builder{}
	flags := allFlags(list)
	shared := shareFlags(flags)
	fmt.Fprintf(b, "# Flags\n\nEvery flag of every verb: first those that several verbs have, then what each verb has for "+
		"itself.\n`zonemark help VERB all` shows those of a verb with examples. A flag without a value in the second column "+
		"is a switch.\nAn empty default means that nothing is set or, in the table of a verb, that the shared one holds. A flag "+
		"and a letter\nmean one thing in all verbs, except for the letters of %s and %s, whose flags `bench`\nand "+
		"`trace csv` take.\n", foreign["bench"], foreign["trace csv"])
	fmt.Fprintf(b, "\n## Shared flags\n\n*Measuring* verbs are %s. A verb\nwith a star says below what is special about "+
		"it.\n\n| flag | value | default | | verbs |\n|---|---|---|---|---|\n", strings.Join(measuringVerbs, ", "))
	ofVerb := map[string][]string{}
	common := map[string]bool{}
	for _, s := range shared {
		common[s.flags[0].Name] = true
		fmt.Fprintf(b, "%s %s |\n", s.row, s.verbs())
		for _, f := range s.flags {
			if row := s.special(f); row != "" {
				ofVerb[f.verb] = append(ofVerb[f.verb], row)
			}
		}
	}
	for _, f := range flags {
		if !common[f.Name] {
			ofVerb[f.verb] = append(ofVerb[f.verb], f.row().String())
		}
	}
	for _, page := range list {
		if page.Flags == nil || !page.Flags.HasAvailableFlags() {
			continue
		}
		fmt.Fprintf(b, "\n## zonemark %s\n\n%s.\n", page.Name, cell(page.Summary))
		if rows := ofVerb[page.Name]; len(rows) > 0 {
			fmt.Fprintf(b, "\n| flag | value | default | |\n|---|---|---|---|\n%s\n", strings.Join(rows, "\n"))
		}
	}
	writeFormer(b, flags)
	return b.String()
}

// writeFormer writes a table of the older spellings. Some are flags of their own, which take another form of value.
func writeFormer(b *strings.Builder, flags []verbFlag) {
	b.WriteString("\n## Older spellings\n\nThey are taken as well, for scripts that have them.\n\n| older | flag | | verbs |\n" +
		"|---|---|---|---|\n")
	verbs := map[string][]string{}
	var order []string
	for _, f := range flags {
		for _, older := range cli.FormerSpellings(f.Flag) {
			dashes, usage := "--", ""
			if len(older) == 1 {
				dashes = "-"
			} else if own := f.set.Lookup(older); own.Usage != f.Usage {
				usage = own.Usage
			}
			row := fmt.Sprintf("| `%s%s` | `--%s` | %s |", dashes, older, f.Name, cell(usage))
			if verbs[row] == nil {
				order = append(order, row)
			}
			verbs[row] = append(verbs[row], f.verb)
		}
	}
	for _, row := range order {
		fmt.Fprintf(b, "%s %s |\n", row, verbsText(verbs[row], nil))
	}
}

// TestFlagReference compares the page of flags with the flags of the verbs.
func TestFlagReference(t *testing.T) {
	t.Parallel()
	list := pages(t.Context(), program.Standard())
	text := flagPage(list)
	comparePage(t, "flags.md", text)
	if words := len(strings.Fields(text)); words > 9000 {
		t.Errorf("the page has %d words, which nobody reads; at most 9,000", words)
	}
	checkFindable(t, text, allFlags(list))
}

// checkFindable looks every flag of every verb up as a reader does: in the section of the verb, or in the table of shared
// flags in a row that names the verb.
func checkFindable(t *testing.T, text string, flags []verbFlag) {
	section, rows := "", map[string][]string{} // by section and flag
	for line := range strings.Lines(text) {
		if name, is := strings.CutPrefix(line, "## "); is {
			section = strings.TrimSpace(name)
		}
		if strings.HasPrefix(line, "| `") {
			first, rest, _ := strings.Cut(line[2:], " | ")
			flag := first[strings.LastIndex(first, "`--")+1 : len(first)-1]
			rows[section+flag] = append(rows[section+flag], rest)
		}
	}
	for _, f := range flags {
		usage := cell(f.row().usage)
		if own := rows["zonemark "+f.verb+"--"+f.Name]; len(own) == 1 && strings.Contains(own[0], usage) {
			continue
		}
		row := rows["Shared flags--"+f.Name]
		if len(row) != 1 {
			t.Errorf("--%s of %s is in %d rows", f.Name, f.verb, len(row))
			continue
		}
		cells := strings.Split(strings.TrimSuffix(strings.TrimSpace(row[0]), " |"), " | ")
		verbs := strings.Split(cells[len(cells)-1], ", ")
		group, except, _ := strings.Cut(verbs[0], " but ")
		named := slices.Contains(verbs, f.verb) || slices.Contains(verbs, f.verb+"\\*") ||
			group == "measuring" && except != f.verb && slices.Contains(measuringVerbs, f.verb)
		if !named || !strings.Contains(row[0], usage) && meanings[f.Name] == "" {
			t.Errorf("--%s of %s is not on the page: %s", f.Name, f.verb, row[0])
		}
	}
}
