package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"zonemark/invocations/spelling"

	"github.com/spf13/pflag"
)

// Topic is a group of flags that the help of a verb shows only when it is asked for.
type Topic struct {
	Name    string // "timing": the word after --help
	Summary string // one line
	Flags   []string
}

// everything is the word after --help that stands for all topics.
const everything = "all"

// topicAnnotation marks a flag with the name and the summary of its topic.
const topicAnnotation = "topic"

// AddTopics puts flags of a set into topics. A flag that is in one already stays there.
func AddTopics(set *pflag.FlagSet, topics []Topic) {
	for _, t := range topics {
		for _, name := range t.Flags {
			if f := set.Lookup(name); f != nil && f.Annotations[topicAnnotation] == nil {
				if err := set.SetAnnotation(name, topicAnnotation, []string{t.Name, t.Summary}); err != nil {
					panic(err) // it was looked up just before
				}
			}
		}
	}
}

// topicsOf returns the topics of a set in the order of their first flags, with the flags that are not hidden.
func topicsOf(set *pflag.FlagSet) (topics []Topic) {
	set.VisitAll(func(f *pflag.Flag) {
		a := f.Annotations[topicAnnotation]
		if f.Hidden || len(a) != 2 {
			return
		}
		i := slices.IndexFunc(topics, func(t Topic) bool { return t.Name == a[0] })
		if i < 0 {
			i, topics = len(topics), append(topics, Topic{Name: a[0], Summary: a[1]})
		}
		topics[i].Flags = append(topics[i].Flags, f.Name)
	})
	return topics
}

// wantedTopic returns the word after --help or -h in a command line, "" if there is none.
func wantedTopic(args []string) string {
	i := slices.IndexFunc(args, func(word string) bool { return word == "--help" || word == "-h" })
	if i < 0 || i+1 >= len(args) || strings.HasPrefix(args[i+1], "-") {
		return ""
	}
	return args[i+1]
}

// Help returns the help of a verb for a terminal of so many columns, 0 if it is for none: its intro with the flags that
// belong to no topic or, if a topic is wanted, the flags of this one. A set that is nil has no flags.
func Help(set *pflag.FlagSet, intro, wanted string, width int) (string, error) {
	if set == nil {
		return filled(intro), nil
	}
	w, topics := &strings.Builder{}, topicsOf(set)
	shown := pflag.NewFlagSet(set.Name(), pflag.ContinueOnError)
	shown.SortFlags = false
	pick := func(is func(topic string) bool) {
		set.VisitAll(func(f *pflag.Flag) {
			topic := ""
			if a := f.Annotations[topicAnnotation]; len(a) == 2 {
				topic = a[0]
			}
			if !f.Hidden && is(topic) {
				shown.AddFlag(f)
			}
		})
	}
	switch i := slices.IndexFunc(topics, func(t Topic) bool { return t.Name == wanted }); {
	case wanted == everything || wanted == "" && len(topics) == 0:
		pick(func(string) bool { return true })
		fmt.Fprint(w, filled(intro), "\nFlags:\n", usages(shown, width))
	case wanted == "":
		pick(func(topic string) bool { return topic == "" })
		fmt.Fprint(w, filled(intro), "\nFlags:\n", usages(shown, width), "\nMore flags, by topic:\n")
		for _, t := range append(topics, Topic{Name: everything, Summary: "every flag"}) {
			fmt.Fprintf(w, "  zonemark %s --help %-12s %s\n", set.Name(), t.Name, t.Summary)
		}
	case i >= 0:
		pick(func(topic string) bool { return topic == wanted })
		fmt.Fprintf(w, "Flags of zonemark %s: %s\n\n%s", set.Name(), topics[i].Summary, usages(shown, width))
	case len(topics) == 0:
		return "", errors.New("--help takes no word here")
	default:
		names := []string{everything}
		for _, t := range topics {
			names = append(names, t.Name)
		}
		text := fmt.Sprintf("--help has no topic %q%s", wanted, spelling.SuggestOrList(wanted, names))
		return "", &Signpost{text, CommandLine(set.Name(), "--help", cmp.Or(spelling.Nearest(wanted, names), everything))}
	}
	return w.String(), nil
}

const (
	narrow     = 120 // columns of a terminal on which help stands below long flags, not beside the longest one
	flagIndent = 30  // column of the help of flags on such a terminal
)

// usages returns a line or more for each flag of a set.
func usages(set *pflag.FlagSet, width int) string {
	if width == 0 || width >= narrow {
		return set.FlagUsagesWrapped(width)
	}
	var b strings.Builder
	set.VisitAll(func(f *pflag.Flag) {
		one := pflag.NewFlagSet("", pflag.ContinueOnError)
		one.AddFlag(f)
		line := strings.TrimRight(one.FlagUsages(), "\n")
		name, text, _ := strings.Cut(strings.TrimSpace(line), "   ")
		head := line[:strings.Index(line, name)] + name
		if len(head)+2 > flagIndent {
			b.WriteString(head + "\n")
			head = ""
		}
		for part := range strings.SplitSeq(Wrapped(text, width-flagIndent), "\n") {
			fmt.Fprintf(&b, "%-*s%s\n", flagIndent, head, part)
			head = ""
		}
	})
	return b.String()
}
