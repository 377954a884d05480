package commands

import (
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"

	"github.com/spf13/pflag"
)

// Candidate is a word that may stand where a command line ends.
type Candidate struct {
	Word string
	Help string // a few words; may be empty
}

// Complete returns the words with which a command line may go on. words are those behind the program's name; the last
// one is what is typed of the word that is completed. Without a candidate, a file may stand there.
func (p Pages) Complete(words []string) []Candidate {
	if len(words) == 0 {
		return nil
	}
	typed, before := words[len(words)-1], words[:len(words)-1]
	page := p.find("")
	rest := before
	for len(rest) > 0 {
		next := p.find(strings.TrimSpace(page.Name + " " + rest[0]))
		if next == nil {
			break
		}
		page, rest = next, rest[1:]
	}
	if slices.Contains(rest, "--") {
		return nil
	}
	if name, value, found := strings.Cut(typed, "="); found && strings.HasPrefix(name, "-") {
		return values(flagOf(page, name), name+"=", value)
	}
	if len(rest) > 0 {
		if f := flagOf(page, rest[len(rest)-1]); f != nil && f.NoOptDefVal == "" {
			return values(f, "", typed)
		}
	}
	if strings.HasPrefix(typed, "-") {
		return flags(page, typed)
	}
	var list []Candidate
	if below := p.below(page.Name); len(rest) == 0 {
		for _, verb := range below {
			if verb.Summary != "" {
				list = append(list, Candidate{last(verb.Name), verb.Summary})
			}
		}
	}
	for _, word := range page.Words {
		list = append(list, Candidate{Word: word})
	}
	return beginning(list, typed)
}

// flagOf returns the flag that a word of a command line names, nil if it names none.
func flagOf(page *Page, word string) *pflag.Flag {
	if page.Flags == nil {
		return nil
	}
	if name, long := strings.CutPrefix(word, "--"); long && name != "" {
		return page.Flags.Lookup(name)
	}
	if name, short := strings.CutPrefix(word, "-"); short && len(name) == 1 && name != "-" {
		return page.Flags.ShorthandLookup(name)
	}
	return nil
}

// values returns the values of a flag that begin with what is typed, each behind prefix.
func values(f *pflag.Flag, prefix, typed string) (list []Candidate) {
	if f == nil {
		return nil
	}
	for _, word := range cli.Words(f) {
		if strings.HasPrefix(word, typed) {
			list = append(list, Candidate{Word: prefix + word})
		}
	}
	return list
}

// flags returns the flags of a page that begin with what is typed.
func flags(page *Page, typed string) (list []Candidate) {
	if page.Flags != nil {
		page.Flags.VisitAll(func(f *pflag.Flag) {
			list = append(list, Candidate{"--" + f.Name, brief(f.Usage)})
		})
	}
	return beginning(append(list, Candidate{"--help", "what there is"}), typed)
}

func beginning(list []Candidate, typed string) []Candidate {
	return slices.DeleteFunc(list, func(c Candidate) bool { return !strings.HasPrefix(c.Word, typed) })
}

// briefest is the number of characters from which on a description is cut at its first pause.
const briefest = 50

// brief shortens the description of a flag to what fits beside its name.
func brief(usage string) string {
	if len(usage) > briefest {
		if i := strings.IndexAny(usage, ";:"); i > 0 {
			usage = usage[:i]
		}
	}
	if runes := []rune(usage); len(runes) > briefest {
		usage = string(runes[:briefest-1]) + "…"
	}
	return usage
}
