package cli

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"zonemark/invocations/lazyregexp"
	"zonemark/invocations/shellwords"
	"zonemark/invocations/spelling"

	"github.com/spf13/pflag"
)

// The annotations of a flag: what other programs call it, and their flags that need no counterpart, each with the reason.
const (
	elsewhereAnnotation = "elsewhere"
	needlessAnnotation  = "needless"
)

// Elsewhere tells what other programs call the flag name, so that an error about theirs can name it: words, or single
// letters. Their values are those of ours, unless something follows the word:
//
//	json=ndjson       it has no value, and stands for the flag with this one
//	export-csv=csv>   the same, and it names the file of what is printed
//	parameter-list,   it has two values: a name, and its values
//	parameter-scan..  it has three values: a name, and the least and the greatest of its values
//	baseline@         its value stands alone here; the flag is only near
//
// They come to those of earlier calls.
func Elsewhere(set *pflag.FlagSet, name string, others ...string) {
	if f := set.Lookup(name); f != nil {
		others = slices.Concat(f.Annotations[elsewhereAnnotation], others)
	}
	if err := set.SetAnnotation(name, elsewhereAnnotation, others); err != nil {
		panic(err) // the flag was added just before
	}
}

// Needless tells of flags of other programs, which are near to the flag name, why they have no counterpart: a flag and
// the end of a sentence that begins with it, and so on. A flag that ends with = takes a value, one that ends with !
// none: these can be left out. They come to those of earlier calls.
func Needless(set *pflag.FlagSet, name string, othersAndWhy ...string) {
	if f := set.Lookup(name); f != nil {
		othersAndWhy = slices.Concat(f.Annotations[needlessAnnotation], othersAndWhy)
	}
	if err := set.SetAnnotation(name, needlessAnnotation, othersAndWhy); err != nil {
		panic(err) // the flag was added just before
	}
}

// needless returns why a flag of other programs has no counterpart, "" if it is none.
//
// left is the number of words that the flag has, if it can be left out; else 0.
func needless(set *pflag.FlagSet, name string) (why string, left int) {
	name = spelledElsewhere(name)
	set.VisitAll(func(f *pflag.Flag) {
		for pair := range slices.Chunk(f.Annotations[needlessAnnotation], 2) {
			for suffix, words := range map[string]int{"": 0, "!": 1, "=": 2} {
				if pair[0] == name+suffix {
					why, left = pair[1], words
				}
			}
		}
	})
	return why, left
}

// without returns the command without a flag and its value; "" if the flag cannot be left out.
func without(set *pflag.FlagSet, args []string, given string, left int) string {
	i := slices.IndexFunc(args, func(w string) bool { name, _ := flagOf(w); return name == given })
	if left == 0 || i < 0 {
		return ""
	}
	if _, rest := flagOf(args[i]); rest != "" {
		left = 1
	}
	words := slices.Delete(slices.Clone(args), i, min(i+left, len(args)))
	switch set.Name() {
	case "run":
		words = AsCommands(words, "--group")
	case "compare":
		words = AsCommands(words)
	}
	return CommandLine(set.Name(), words...)
}

// spelledElsewhere returns a flag, without dashes, as the annotations have it. The case of letters counts.
func spelledElsewhere(name string) string {
	if len(name) == 1 {
		return name
	}
	return string(NormalizeFlag(nil, name))
}

// meaning is what a flag of another program means here.
type meaning struct {
	flag   *pflag.Flag
	value  string // of the flag; "": that which it has there
	toFile bool   // its value is a file, which standard output goes to
	words  int    // of its value; 0: one, or none
	alone  bool   // its value stands without a flag
	step   string // between three words
}

// meant returns what a user of another program means by a flag, without dashes; without a flag if none is called so
// elsewhere.
func meant(set *pflag.FlagSet, name string) (m meaning) {
	given := spelledElsewhere(name)
	set.VisitAll(func(f *pflag.Flag) {
		for _, other := range f.Annotations[elsewhereAnnotation] {
			one := meaning{flag: f}
			other, one.toFile = strings.CutSuffix(other, ">")
			other, one.alone = strings.CutSuffix(other, "@")
			other, one.value, _ = strings.Cut(other, "=")
			for suffix, words := range map[string]int{",": 2, "..": 3} {
				if word, is := strings.CutSuffix(other, suffix); is {
					other, one.words = word, words
				}
			}
			if other == given {
				m = one
			}
		}
	})
	return m
}

// FlagError adds the flag that was probably meant to an error about an unknown one among args, and the whole command
// with it. It returns other errors, and nil, as they are.
func FlagError(err error, set *pflag.FlagSet, args []string) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	given, name := "--"+unknown.GetSpecifiedName(), unknown.GetSpecifiedName()
	if unknown.GetSpecifiedShortnames() != "" {
		given = "-" + name
	}
	m := meant(set, name)
	if m.alone {
		return withCommand(given+" is not needed: what it names stands alone", corrected(set, args, given, m))
	}
	if why, left := needless(set, name); m.flag == nil && why != "" {
		return withCommand(given+" "+why, without(set, args, given, left))
	}
	if m.flag != nil {
		ours := "--" + m.flag.Name
		if m.value != "" {
			ours += "=" + m.value
		}
		return withCommand(fmt.Sprintf("%s is %s here", given, ours), corrected(set, args, given, m))
	}
	if given == "-"+name {
		return err
	}
	var names []string
	spelled := map[string]*pflag.Flag{} // older spellings included
	set.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			for _, name := range append([]string{f.Name}, FormerSpellings(f)...) {
				names, spelled[name] = append(names, name), f
			}
		}
	})
	f := spelled[begun(name, names)]
	if f == nil {
		return err
	}
	return withCommand(fmt.Sprintf("%v; did you mean --%s?", err, f.Name), corrected(set, args, given, meaning{flag: f}))
}

// begun returns the only one of names that begins with a word and a dash, or else the nearest one; "" if none is near.
func begun(word string, names []string) string {
	longer := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !strings.HasPrefix(n, word+"-") })
	if len(longer) == 1 {
		return longer[0]
	}
	return spelling.Nearest(word, names)
}

// examplePage is the name of a page that has none.
const examplePage = "page.html"

// valueError says which values a flag takes that was given without one. It returns other errors as they are.
func valueError(err error, set *pflag.FlagSet, args []string) error {
	var wrong *pflag.InvalidValueError
	if errors.As(err, &wrong) {
		return valueMeant(wrong, set, args)
	}
	var missing *pflag.ValueRequiredError
	if !errors.As(err, &missing) {
		return err
	}
	f := missing.GetFlag()
	_, usage := pflag.UnquoteUsage(f)
	words, example := Words(f), exampleOf(f)
	if words != nil {
		usage = strings.Join(words, ", ")
	}
	text, last := fmt.Sprintf("--%s needs a value: %s", f.Name, usage), len(args)-1
	switch {
	case example == "" || last < 0:
		return errors.New(text)
	case f.Name == "html":
		text = "--html needs the name of the page:"
	case words != nil && args[last] == "--"+f.Name:
		return &Signpost{text, CommandLine(set.Name(), append(args[:last:last], args[last]+"="+example)...)}
	}
	return &Signpost{text, CommandLine(set.Name(), append(args[:len(args):len(args)], example)...)}
}

// exampleOf returns a value that a flag may have: one of its words, its default, or the name of a file; "" if none is
// known.
func exampleOf(f *pflag.Flag) string {
	files := map[string]string{
		"html": examplePage, "output": "results.ndjson", "trace-file": "run.tracy", "dispatch-csv": "dispatches.csv",
	}
	switch words := Words(f); {
	case words != nil:
		return words[0]
	case strings.Contains(f.Usage, "(HTML)"):
		return examplePage
	}
	return cmp.Or(f.DefValue, files[f.Name])
}

// valueMeant returns the error about a value with the command that has what was probably meant: a number with its unit, or
// one of the words that a flag takes; else err itself.
func valueMeant(err *pflag.InvalidValueError, set *pflag.FlagSet, args []string) error {
	f, value := err.GetFlag(), err.GetValue()
	meant, want := "", ""
	if v, ours := f.Value.(FlagValue); ours && v.Meant != nil {
		meant, want = v.Meant(value), v.Want
	} else if words := Words(f); words != nil {
		meant, want = wordMeant(value, words), "one of "+strings.Join(words, ", ")
	}
	if meant == "" || f.Value.Set(meant) != nil {
		return usualValue(err, set, args)
	}
	return &Signpost{fmt.Sprintf("--%s %s: want %s:", f.Name, value, want),
		CommandLine(set.Name(), Replaced(set, args, f.Name, "--"+f.Name, meant)...)}
}

// usualValue returns the error about a value to which nothing is near, with the command that has the default of the
// flag or, if there is none, lacks the flag.
func usualValue(err *pflag.InvalidValueError, set *pflag.FlagSet, args []string) error {
	f, why := err.GetFlag(), err.Unwrap().Error()
	if number := (*strconv.NumError)(nil); errors.As(err, &number) {
		why = "want a whole number"
		if f.Value.Type() == "bool" {
			why = "want true or false"
		}
	}
	text, words := fmt.Sprintf("--%s %s: %s; without it:", f.Name, err.GetValue(), why), []string(nil)
	if f.DefValue != "" && f.NoOptDefVal == "" && f.Value.Set(f.DefValue) == nil {
		text, words = strings.Replace(text, "without it", "the default is", 1), []string{"--" + f.Name, f.DefValue}
	}
	return &Signpost{text, CommandLine(set.Name(), Replaced(set, args, f.Name, words...)...)}
}

// timeWithWords is a number with a unit that is written out, or with none.
var timeWithWords = lazyregexp.New(`^([\d.]+) *(n|u|µ|m|milli|micro|nano)?(s|in)?(ec|ecs|econd|econds|ute|utes)?$`)

// timeMeant returns a time with its unit as flags take it: "1s" for "1", "20ms" for "20 msec"; "" if nothing is near.
func timeMeant(text string) string {
	m := timeWithWords().FindStringSubmatch(text)
	switch {
	case m == nil:
		return ""
	case m[2] == "m" && m[3] == "in":
		return m[1] + "m"
	case m[2] == "" || m[3] == "in":
		return m[1] + "s"
	case m[2] == "micro":
		return m[1] + "us"
	}
	return m[1] + m[2][:1] + "s"
}

// switchedOff are words that people write for the word off.
var switchedOff = []string{"no", "none", "never", "false", "0", "disable", "disabled"}

// wordMeant returns the one of some words that was probably meant: the nearest, else the first one that begins with the
// same letter, else the first one.
func wordMeant(word string, words []string) string {
	if slices.Contains(switchedOff, word) && slices.Contains(words, "off") {
		return "off"
	}
	if near := spelling.Nearest(word, words); near != "" {
		return near
	}
	for _, w := range words {
		if word != "" && strings.HasPrefix(w, strings.ToLower(word[:1])) {
			return w
		}
	}
	return words[0]
}

// checkValues returns an error if a flag that needs a value stands before another flag of the set: pflag would take that
// one for the value.
func checkValues(set *pflag.FlagSet, args []string) error {
	for i, word := range args {
		if word == "--" {
			return nil
		}
		next := ""
		if i+1 < len(args) {
			next = args[i+1]
		}
		other, _, _ := strings.Cut(strings.TrimPrefix(next, "--"), "=")
		var f *pflag.Flag
		if long, is := strings.CutPrefix(word, "--"); is {
			f = set.Lookup(long)
		} else if len(word) == 2 && word[0] == '-' {
			f = set.ShorthandLookup(word[1:])
		}
		if f != nil && f.NoOptDefVal == "" && strings.HasPrefix(next, "--") && len(other) > 1 && set.Lookup(other) != nil {
			text := fmt.Sprintf("%s needs a value, and %s is a flag", word, next)
			if example := exampleOf(f); example != "" {
				return &Signpost{text, CommandLine(set.Name(), slices.Insert(slices.Clone(args), i+1, example)...)}
			}
			return errors.New(text)
		}
	}
	return nil
}

// Signpost is an error that a changed command mends.
type Signpost struct {
	Text    string
	Command string // to paste
}

func (s *Signpost) Error() string { return s.Text + "\n  " + s.Command }

// withCommand returns an error with a command, if there is one.
func withCommand(text, command string) error {
	if command == "" {
		return errors.New(text)
	}
	return &Signpost{text, command}
}

// CommandLine returns a command line of zonemark: a verb, and words.
func CommandLine(verb string, words ...string) string {
	return "zonemark " + verb + " " + shellwords.Line(words...)
}

// corrected returns the whole command with what a flag means here in place of what was given, and with what all flags of
// other programs mean; "" if that cannot be told. The name of the set is that of the verb.
func corrected(set *pflag.FlagSet, args []string, given string, m meaning) string {
	var words []string
	file, found := "", false
	args, step := stepOf(args)
	for i := 0; i < len(args); i++ {
		if args[i] == "--" {
			words = append(words, args[i:]...)
			break
		}
		name, rest := flagOf(args[i])
		one := m
		switch {
		case name == "" || name != given && isKnown(set, name):
			words = append(words, args[i])
			continue
		case name != given:
			one = meant(set, strings.TrimLeft(name, "-"))
		}
		if one.flag == nil {
			words = append(words, args[i])
			continue
		}
		found = found || name == given
		one.step = step
		mine, output, used := one.translated(name, rest, args[i+1:])
		if mine == nil {
			return ""
		}
		words, i = append(words, mine...), i+used
		if output != "" {
			file = " >" + shellwords.Line(output)
		}
	}
	if !found {
		return ""
	}
	switch set.Name() {
	case "run":
		words = AsCommands(words, "--group")
	case "compare":
		words = AsCommands(words)
	}
	return CommandLine(set.Name(), words...) + file
}

// flagOf returns the flag that a word begins with, with its dashes, and the rest of the word; "" if it is no flag.
func flagOf(word string) (name, rest string) {
	switch {
	case strings.HasPrefix(word, "--"):
		name, _, _ = strings.Cut(word, "=")
	case strings.HasPrefix(word, "-") && len(word) > 1:
		name = word[:2]
	}
	return name, word[len(name):]
}

// isKnown reports whether a flag, with its dashes, is one of the set.
func isKnown(set *pflag.FlagSet, name string) bool {
	if word, long := strings.CutPrefix(name, "--"); long {
		return set.Lookup(word) != nil
	}
	return set.ShorthandLookup(name[1:]) != nil
}

// translated returns the words that a flag of another program is here, which file the output goes to, and how many of
// the words behind it were used. rest is what follows its name in the same word. It returns nil if that cannot be told.
func (m meaning) translated(name, rest string, behind []string) (words []string, output string, used int) {
	ours := "--" + m.flag.Name
	if m.value == "" && rest == "" && m.flag.NoOptDefVal == "" && (len(behind) == 0 || strings.HasPrefix(behind[0], "-")) {
		if m.flag.Name == "html" {
			return []string{ours, examplePage}, "", 0
		}
		return nil, "", 0 // its value is missing
	}
	if rest != "" && !strings.HasPrefix(rest, "=") { // a letter with its value
		if m.flag.Value.Type() == "bool" { // of several letters
			return nil, "", 0
		}
		rest = "=" + rest
	}
	if m.flag.Name == "html" { // of a picture, a page is made
		page, used := strings.TrimPrefix(rest, "="), 0
		if rest == "" {
			page, used = behind[0], 1
		}
		return []string{ours, strings.TrimSuffix(page, filepath.Ext(page)) + ".html"}, "", used
	}
	switch {
	case m.toFile && rest == "" && len(behind) == 0, len(behind) < m.words:
		return nil, "", 0
	case m.alone && rest == "":
		return behind[:1], "", 1
	case m.alone:
		return []string{rest[1:]}, "", 0
	case m.toFile && rest == "":
		return []string{ours + "=" + m.value}, behind[0], 1
	case m.toFile:
		return []string{ours + "=" + m.value}, rest[1:], 0
	case m.value != "" && rest == "" && len(behind) > 0 && filepath.Ext(behind[0]) != "" && !Exists(behind[0]) &&
		!strings.HasPrefix(behind[0], "-"): // a file that is to be written
		return []string{ours + "=" + m.value}, behind[0], 1
	case m.value != "":
		return []string{ours + "=" + m.value}, "", 0
	case m.words == 2:
		return []string{ours, behind[0] + "=" + behind[1]}, "", 2
	case m.words == 3:
		if values := ValuesBetween(behind[1], behind[2], m.step); values != "" {
			return []string{ours, behind[0] + "=" + values}, "", 3
		}
		return nil, "", 0
	}
	if m.flag.Value.Type() == "time" { // others count seconds
		if rest == "" && len(behind) > 0 && isNumber(behind[0]) {
			return []string{ours, behind[0] + "s"}, "", 1
		}
		if isNumber(strings.TrimPrefix(rest, "=")) {
			rest += "s"
		}
	}
	return []string{ours + rest}, "", 0
}

// isNumber reports whether a word is a number without a unit.
func isNumber(word string) bool {
	_, err := strconv.ParseFloat(word, 64)
	return err == nil
}

// stepOf takes the step between the values of hyperfine's --parameter-scan out of arguments; it is 1 if there is none.
func stepOf(args []string) (rest []string, step string) {
	for i, word := range args {
		name, value, joined := strings.Cut(word, "=")
		switch {
		case word == "--":
			return args, "1"
		case name != "-D" && name != "--parameter-step-size":
		case joined:
			return slices.Delete(slices.Clone(args), i, i+1), value
		case i+1 < len(args):
			return slices.Delete(slices.Clone(args), i, i+2), args[i+1]
		}
	}
	return args, "1"
}

// ValuesBetween lists the whole numbers from one to another by steps, "" if there are none or many.
func ValuesBetween(from, to, by string) string {
	const most = 100
	least, err := strconv.Atoi(from)
	greatest, errTo := strconv.Atoi(to)
	step, errBy := strconv.Atoi(by)
	if errors.Join(err, errTo, errBy) != nil || step < 1 || greatest < least || (greatest-least)/step > most {
		return ""
	}
	var list []string
	for v := least; v <= greatest; v += step {
		list = append(list, strconv.Itoa(v))
	}
	return strings.Join(list, ",")
}
