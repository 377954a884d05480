package cli

import (
	"slices"

	"github.com/spf13/pflag"
)

// formerlyAnnotation marks a flag with its older spellings, which are taken silently.
const formerlyAnnotation = "formerly"

// Formerly tells the older spellings of the flag name: words without dashes. They are taken as if the user had given
// name. An older spelling that is a flag of its own, with another form of value, stays one that help does not show.
func Formerly(set *pflag.FlagSet, name string, older ...string) {
	for _, word := range older {
		if f := set.Lookup(word); f != nil {
			f.Hidden = true
		}
	}
	annotateFormerly(set, name, older)
}

// FormerlyOutput tells that the flag name was once called --output and -o, which other verbs have for something else.
func FormerlyOutput(set *pflag.FlagSet, name string) {
	f := *set.Lookup(name)
	f.Name, f.Shorthand, f.Hidden, f.Annotations = "output", "o", true, nil
	set.AddFlag(&f)
	annotateFormerly(set, name, []string{"o", "output"})
}

func annotateFormerly(set *pflag.FlagSet, name string, older []string) {
	older = append(slices.Clone(FormerSpellings(set.Lookup(name))), older...)
	if err := set.SetAnnotation(name, formerlyAnnotation, older); err != nil {
		panic(err) // the flag was looked up just before
	}
}

// FormerSpellings returns the older spellings of a flag, without dashes. Those of one letter take one dash.
func FormerSpellings(f *pflag.Flag) []string { return f.Annotations[formerlyAnnotation] }

// current returns the name of the flag that has an older spelling, or the spelling itself if it is none.
func current(set *pflag.FlagSet, spelling string) string {
	name := spelling
	set.VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Name == spelling: // a flag of its own
			name = spelling
			spelling = ""
		case spelling != "" && slices.Contains(FormerSpellings(f), spelling):
			name = f.Name
		}
	})
	return name
}
