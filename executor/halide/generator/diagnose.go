package generator

import (
	"fmt"
	"regexp"
	"strings"

	"zonemark/executor/toolchain"
	"zonemark/invocations/lazyregexp"
	"zonemark/invocations/remedy"
	"zonemark/invocations/spelling"
)

// kind is what a generator's output says is wrong.
type kind int

const (
	notUnderstood kind = iota
	otherError         // the text says it
	noValue            // of a parameter of the generator; subject is the value
	noGenerator        // subject is its name, known are the names that are there
	noParameter        // of the generator; subject is its name
	noTarget           // known are the words of targets
	noEstimate
	noGPU
)

// diagnosis is an error that a generator printed.
type diagnosis struct {
	kind    kind
	text    string
	subject string
	known   []string
	printed string // before it, see printed
}

// unhandled begins the error of a generator, as Halide and build.py print it.
const unhandled = "Unhandled exception: "

// The messages of Halide 19 to 21 and its autoschedulers. Each word of the target's message is one that a target may
// have.
var (
	missingGenerator = lazyregexp.New(`Generator not found: (\S+)`)
	missingParameter = lazyregexp.New(`has no GeneratorParam(?:\(s\))? named: (?:\[')?([^'\]\s]+)`)
	missingEstimate  = lazyregexp.New(`(?i)(need an estimate|valid estimate|missing estimate|find estimate)`)
	targetWord       = lazyregexp.New(`[a-z][a-z0-9]*(_[a-z0-9]+)*`)
	pythonFrame      = lazyregexp.New(`^  (.+\(\d+\): \S+)$`)
)

// diagnose finds the error in what a generator printed.
func diagnose(output string) diagnosis {
	at := strings.Index(output, unhandled)
	if at < 0 {
		return diagnosis{}
	}
	message, frames, _ := strings.Cut(output[at+len(unhandled):], "\n\nAt:\n")
	message = strings.TrimSpace(message)
	for _, prefix := range []string{"HalideError: ", "Error: "} {
		message = strings.TrimPrefix(message, prefix)
	}
	message = strings.TrimSpace(message)
	first, rest, _ := strings.Cut(message, "\n")
	if m := missingGenerator().FindStringSubmatch(first); m != nil {
		return diagnosis{kind: noGenerator, subject: m[1], known: strings.Fields(afterLine(rest, "Did you mean:"))}
	}
	if m := missingParameter().FindStringSubmatch(first); m != nil {
		return diagnosis{kind: noParameter, subject: m[1]}
	}
	if value, found := strings.CutPrefix(first, "Unable to parse: "); found {
		return diagnosis{kind: noValue, text: toolchain.FirstLines(message), subject: strings.TrimSpace(value)}
	}
	d := diagnosis{kind: otherError, text: toolchain.FirstLines(message), printed: printed(output[:at])}
	switch {
	case strings.HasPrefix(first, "Did not understand Halide target"):
		return diagnosis{kind: noTarget, text: first, known: targetWord().FindAllString(rest, -1)}
	case missingEstimate().MatchString(first):
		d.kind = noEstimate
	case strings.Contains(first, "does not support GPU"):
		d.kind = noGPU
	case frames != "":
		d.text += place(frames)
	}
	return d
}

// afterLine returns the text behind a line, up to an empty line.
func afterLine(text, line string) string {
	_, rest, _ := strings.Cut(text, line+"\n")
	rest, _, _ = strings.Cut(rest, "\n\n")
	return rest
}

// place returns where a Python exception was raised: its innermost call outside of Halide's package and of build.py,
// and the calls around it.
func place(frames string) string {
	var places []string
	for line := range strings.Lines(frames) {
		m := pythonFrame().FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			break
		}
		if !strings.Contains(m[1], "_generator_helpers.py(") && !strings.HasPrefix(m[1], "<") {
			places = append(places, m[1])
		}
	}
	if len(places) == 0 {
		return ""
	}
	return "\n  at " + toolchain.FirstLines(strings.Join(places, "\n  from "))
}

// availableGenerators returns the names that a C++ generator lists when it is started without arguments.
func availableGenerators(output string) []string {
	_, rest, found := strings.Cut(output, "available Generators are:\n")
	if !found {
		return nil
	}
	rest, _, _ = strings.Cut(rest, "\n\n")
	return strings.Fields(rest)
}

// The lines of a stub that set parameters, those that name inputs and outputs, and those that tell the type of one.
var (
	stubParameter = lazyregexp.New(`->set_generatorparam_value\("([^"\n]+)"`)
	stubTyped     = lazyregexp.New(`Stub(?:Input|Output)Buffer<[\w:]+>>? (\w+);`)
	stubPort      = lazyregexp.New(`->(?:bind_input|output_func)\("([^"\n]+)"`)
)

// firstGroups returns what the first group of a regular expression has matched in a text, each time.
func firstGroups(r *regexp.Regexp, text string) (list []string) {
	for _, m := range r.FindAllStringSubmatch(text, -1) {
		list = append(list, m[1])
	}
	return list
}

// printed returns what a program had printed before its error, for the end of a text; empty if that is nothing.
func printed(before string) string {
	const most = 4
	if said := toolchain.LastLines(before, most); said != "" {
		return "\nit had printed before that:\n" + said
	}
	return ""
}

// suggestion returns the known name that is near to a mistaken one, and all of them.
func suggestion(mistaken string, known []string) string {
	if len(known) == 0 {
		return ""
	}
	return spelling.Suggest(mistaken, known) + "; it has " + strings.Join(known, ", ")
}

// unknown returns the error about an unknown name: a text, the name, and what is known. Its remedy is the name that was
// meant, if one is near.
func unknown(text, mistaken string, known []string) error {
	err := fmt.Errorf("%s %q%s", text, mistaken, suggestion(mistaken, known))
	if near := spelling.Nearest(mistaken, known); near != "" {
		return remedy.With(err, remedy.Remedy{Kind: remedy.Instead, Name: mistaken, Value: near})
	}
	return err
}

// misspelt returns what the first unknown word of a target may have meant.
func misspelt(target string, known []string) string {
	words := map[string]bool{"32": true, "64": true}
	for _, w := range known {
		words[w] = true
	}
	for _, w := range strings.Split(target, "-") {
		if !words[w] {
			return ": it has no word " + `"` + w + `"` + spelling.Suggest(w, known)
		}
	}
	return ""
}
