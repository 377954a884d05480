package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/invocations/lazyregexp"

	"github.com/spf13/pflag"
)

// Words that other programs take.
var (
	compilerWord = lazyregexp.New(`^-(O[0-3szg]?|Ofast|std=.+|m(arch|tune|cpu)=.+|m(avx|sse|fma|no-)\S*|D[A-Za-z_]\S*|I.+|L.+|f[a-z].+|W[a-z].+|g)$`)
	flagWord     = lazyregexp.New(`^--?([A-Za-z_]\w*)(?:=(.*))?$`)
	shapes       = lazyregexp.New(`^\d+(x\d+)+$`)
	numbers      = lazyregexp.New(`^-?\d[\d_.,e+-]*[kKMG]?$`)
	valuesRange  = lazyregexp.New(`^(\w+)=(\d+)(?:\.\.|:|-)(\d+)$`)
	colonValue   = lazyregexp.New(`^([A-Za-z_]\w*):(-?[\d.]+)$`)
)

// comparisons are the flags by which other programs compare a run with what they have kept.
var comparisons = []string{"baseline", "baseline-lenient", "load-baseline", "compare", "compare-to", "benchmark-compare", "against", "vs"}

// meantByRun returns the error about a command line of run that does not parse, with the command that it means: flags of
// compilers, parameters as flags, or a comparison. It returns err if it knows no better.
func meantByRun(p program.Program, set *pflag.FlagSet, args []string, err error) error {
	at := slices.IndexFunc(args, func(word string) bool { return verbFor(p, word) == "run" })
	if at < 0 || slices.Contains(args, "--") {
		return err
	}
	if post := compilersFlags(args); post != nil {
		return post
	}
	if post := comparisonOf(args); post != nil {
		return post
	}
	if at := slices.IndexFunc(args, func(w string) bool { return strings.HasPrefix(w, "--iree-") }); at >= 0 {
		words := slices.Clone(args)
		words[at] = "--compile-flags=" + words[at]
		return &cli.Signpost{Text: args[at] + " is for IREE's compiler:", Command: cli.CommandLine("run", words...)}
	}
	var signpost *cli.Signpost
	if errors.As(err, &signpost) && !strings.Contains(signpost.Text, "no counterpart") && !oneLetter(args) {
		return err
	}
	return parameterAsFlag(set, args, err)
}

// oneLetter reports whether a word is two dashes and a letter, with a number: no flag has such a name.
func oneLetter(args []string) bool {
	return slices.ContainsFunc(args, func(word string) bool {
		name, _, _ := strings.Cut(word, "=")
		return len(name) == 3 && flagWord().MatchString(word)
	})
}

// compilersFlags returns the error about flags of compilers that stand alone; nil if there are none.
func compilersFlags(args []string) error {
	var rest, flags []string
	for i, word := range args {
		if compilerWord().MatchString(word) && (i == 0 || !strings.HasSuffix(args[i-1], "flags")) {
			flags = append(flags, word)
		} else {
			rest = append(rest, word)
		}
	}
	if len(flags) == 0 {
		return nil
	}
	return &cli.Signpost{Text: flags[0] + " is for the compiler; --cflags takes its flags:",
		Command: cli.CommandLine("run", append(rest, "--cflags="+strings.Join(flags, " "))...)}
}

// comparisonOf returns the error about a flag that compares a run with a journal, with another artifact, or its functions
// with each other; nil if there is none.
func comparisonOf(args []string) error {
	for i, word := range args {
		name, value, joined := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		if !strings.HasPrefix(word, "--") || !slices.Contains(comparisons, strings.ReplaceAll(name, "_", "-")) {
			continue
		}
		rest := slices.Delete(slices.Clone(args), i, i+1)
		if !joined && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			value, rest = args[i+1], slices.Delete(rest, i, i+1)
		}
		post := &cli.Signpost{Text: "--" + name + " is a comparison here:"}
		switch extension := filepath.Ext(value); {
		case value != "" && cli.Exists(value) && (extension == ".ndjson" || extension == ".json" || extension == ""):
			post.Command = cli.CommandLine("run", append(rest, "-o", "new.ndjson")...) + " && " +
				cli.CommandLine("compare", value, "new.ndjson")
		case value != "" && cli.Exists(value):
			post.Command = cli.CommandLine("compare --measure", append([]string{value}, rest...)...)
		default:
			post.Text, post.Command = "--"+name+" is --group here: variants are compared with each other",
				cli.CommandLine("run", append(rest, "--group")...)
		}
		return post
	}
	return nil
}

// parameterAsFlag returns the error about an unknown flag whose value is a number, or an assignment; err if there is none.
func parameterAsFlag(set *pflag.FlagSet, args []string, err error) error {
	var unknown *pflag.NotExistError
	var words []string
	first := ""
	for i := 0; i < len(args); i++ {
		word := args[i]
		m := flagWord().FindStringSubmatch(word)
		letter := m != nil && len(m[1]) == 1
		if m == nil || set.Lookup(m[1]) != nil || letter && !strings.HasPrefix(word, "--") && set.ShorthandLookup(m[1]) != nil ||
			!letter && !errors.As(err, &unknown) { // a flag of another program
			words = append(words, word)
			continue
		}
		value, used := m[2], 1
		if value == "" && i+1 < len(args) {
			value, used = args[i+1], 2
		}
		assigned, number, is := strings.Cut(value, "=")
		switch {
		case numbers().MatchString(value), shapes().MatchString(value):
			value = m[1] + "=" + value
		case !is || !parameterName(assigned) || !numbers().MatchString(number):
			words = append(words, word)
			continue
		}
		first = cmp.Or(first, word)
		words, i = append(words, "--param", value), i+used-1
	}
	if first == "" {
		return err
	}
	return &cli.Signpost{Text: first + " is no flag; a parameter of a function has one:", Command: cli.CommandLine("run", words...)}
}

// parameterMisspelt returns the error about values of --param that are written otherwise: "n 27", "n:27", "n=1..3",
// "n=1 2"; nil if there are none.
func parameterMisspelt(args []string) error {
	words, first := args, ""
	for _, v := range slices.Backward(cli.ValuesOf("--param", args)) {
		meant, next := "", ""
		if v.End < len(args) && numbers().MatchString(args[v.End]) {
			next = args[v.End]
		}
		if m := colonValue().FindStringSubmatch(v.Text); m != nil {
			meant = m[1] + "=" + m[2]
		} else if m := valuesRange().FindStringSubmatch(v.Text); m != nil {
			if list := cli.ValuesBetween(m[2], m[3], "1"); list != "" {
				meant = m[1] + "=" + list
			}
		} else if next != "" && parameterName(v.Text) && !numbers().MatchString(v.Text) {
			meant = v.Text + "=" + next
			v.End++
		} else if strings.Contains(v.Text, "=") {
			for list := v.Text; v.End < len(args) && numbers().MatchString(args[v.End]); v.End++ {
				list += "," + args[v.End]
				meant = list
			}
		}
		if meant != "" {
			words, first = v.Replaced(words, "--param", meant), v.Text
		}
	}
	if first == "" {
		return nil
	}
	return &cli.Signpost{Text: fmt.Sprintf("--param %s: want NAME=VALUE, or a list of values:", first), Command: cli.CommandLine("run", words...)}
}

// fewThreads is a number of threads that no executor can do with, but a call.
const fewThreads = 8

// threadsOfCall returns the error about a limit of threads that is meant for calls; nil if it is none.
func threadsOfCall(set *pflag.FlagSet, args []string) error {
	n, err := strconv.Atoi(set.Lookup("threads").Value.String())
	if err != nil || !set.Changed("threads") || n > fewThreads {
		return nil
	}
	words := cli.Replaced(set, args, "threads", fmt.Sprintf("--task-threads=%d", n))
	return &cli.Signpost{Text: fmt.Sprintf("--threads %d: it limits the whole executor, which has more; to compute with %[1]d:", n),
		Command: cli.CommandLine("run", words...)}
}

// functionPattern returns the error about a pattern in place of a function's name; nil if there is none.
func functionPattern(args []string) error {
	for _, v := range cli.ValuesOf("--function", args) {
		if !strings.ContainsAny(v.Text, "*?") || strings.Contains(v.Text, "(") {
			continue
		}
		pattern := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(v.Text))
		return &cli.Signpost{Text: v.Text + " is a pattern; --filter takes regular expressions:",
			Command: cli.CommandLine("run", v.Replaced(args, "--filter", "^"+pattern+"$")...)}
	}
	return nil
}
