package measuring

import (
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/executor/halide/generator"
	"zonemark/invocations/remedy"
	"zonemark/invocations/shellwords"
)

// Words says what a user may do about an error. A call is the whole command that makes it, and options are that which
// builds. Of the functions that cannot be called, only those matter that the user has named, if any.
func (t *Task) Words(r remedy.Remedy) string {
	switch {
	case r.Kind == remedy.Options && t.arguments != nil:
		return cli.Completed(append(strings.Fields(t.verb), t.arguments...), r)
	case r.Kind == remedy.Instead:
		if command := cli.Instead(t.verb, t.arguments, r); command != "" {
			return "\n  " + command
		}
		return ""
	case r.Kind == remedy.Shape && t.arguments != nil && len(cli.ValuesOf("--input", t.arguments)) == 0:
		return "give it: " + cli.CommandLine(t.verb, append(slices.Clone(t.arguments), "--input", r.Value)...)
	case r.Kind == remedy.Generated:
		return t.generated(r)
	case r.Kind != remedy.Call:
		if words := cli.Given(t.arguments, r); words != nil && t.arguments != nil {
			return cli.Remedy(r) + ":\n  " + cli.CommandLine(t.verb, words...)
		}
		return cli.Remedy(r)
	case len(t.Functions) > 0 && r.Name != "" && !slices.Contains(t.Functions, r.Name):
		return ""
	case t.arguments == nil:
		return cli.Remedy(r)
	}
	switch {
	case r.Name == "":
		return "give each value, for example:\n  " + shellwords.Line(t.calling(r)...)
	case r.Value == "":
		return "give them: " + shellwords.Line(t.calling(r)...)
	}
	if strings.Contains(r.Value, "\n") { // prototypes of several functions
		return "this measures them, if these are their shapes: " + shellwords.Line(t.calling(r)...)
	}
	return "this measures it, if these are its shapes: " + shellwords.Line(t.calling(r)...)
}

// onAnyCPU returns a line with the command in which the system chooses the CPU.
func (t *Task) onAnyCPU() string {
	for _, v := range cli.ValuesOf("--cpu", t.arguments) {
		return t.with(v, "--cpu", "any")
	}
	return ""
}

// with returns a line with the command that has words in place of a flag with its value.
func (t *Task) with(v cli.Value, words ...string) string {
	return "\n  " + cli.CommandLine(t.verb, v.Replaced(t.arguments, words...)...)
}

// generated returns the command that gives a parameter to a generator or, if none is measured, to the parameter that was
// meant, or that leaves it out; "" if the parameter is not among the arguments.
func (t *Task) generated(r remedy.Remedy) string {
	if !slices.ContainsFunc(t.arguments, func(w string) bool { return generator.IsSource(w) && cli.Exists(w) }) {
		return t.withoutParameter(r)
	}
	for _, v := range cli.ValuesOf("--param", t.arguments) {
		if strings.HasPrefix(v.Text, r.Name+"=") {
			size := ""
			if strings.HasSuffix(r.Value, ".extent") {
				size = "sizes are those of an array, as in --param " + r.Value + "=640x480; "
			}
			return size + "parameters of the generator itself have a flag of their own:" +
				t.with(v, "--generator-param", v.Text)
		}
	}
	return ""
}

// withoutParameter returns the command in which another parameter has the value of one that no function has, or none.
func (t *Task) withoutParameter(r remedy.Remedy) string {
	for _, v := range cli.ValuesOf("--try", t.arguments) {
		if strings.HasPrefix(v.Text, r.Name+"=") { // a macro of C
			return t.with(v, "--try", "D."+v.Text)
		}
	}
	for _, v := range cli.ValuesOf("--param", t.arguments) {
		switch value, given := strings.CutPrefix(v.Text, r.Name+"="); {
		case !given:
		case r.Value != "":
			return t.with(v, "--param", r.Value+"="+value)
		default:
			return "leave it out:" + t.with(v)
		}
	}
	return ""
}

// apart returns arguments in which each of some missing parameters has a --param of its own: "--param n=1,m=2" gives n
// two values, of which the second one is no number.
func apart(arguments, missing []string) (words []string) {
	for _, word := range arguments {
		flag, value := "--param", word
		if rest, joined := strings.CutPrefix(word, "--param="); joined {
			value = rest
		} else if len(words) == 0 || words[len(words)-1] != "--param" {
			words = append(words, word)
			continue
		} else {
			words = words[:len(words)-1]
		}
		words = append(words, flag)
		for i, part := range strings.Split(value, ",") {
			name, _, assigned := strings.Cut(part, "=")
			switch {
			case i == 0:
				words = append(words, part)
			case assigned && slices.ContainsFunc(missing, func(p string) bool { return strings.HasPrefix(p, name+"=") }):
				words = append(words, flag, part)
			default:
				words[len(words)-1] += "," + part
			}
		}
	}
	return words
}

// calling returns the words of the command that makes a call: those of this one, with what the remedy has instead of
// what was said of the same, and without parameters that its prototype lacks.
func (t *Task) calling(r remedy.Remedy) []string {
	words := append([]string{"zonemark"}, strings.Fields(t.verb)...)
	given := apart(t.arguments, strings.Fields(r.Parameters))
	known := map[string]bool{} // parameters
	for i := 0; i < len(given); i++ {
		name, value, joined := strings.Cut(given[i], "=")
		if name == "--" { // commands
			break
		}
		if !joined && (name == "--function" || name == "--param") && i+1 < len(given) {
			value = given[i+1]
		}
		switch {
		case name == "--function" && r.Value != "": // the prototype takes its place
			if !joined {
				i++
			}
			continue
		case name == "--param":
			parameter, _, _ := strings.Cut(value, "=")
			if r.Value != "" && r.Parameters != "" && !strings.Contains(" "+r.Parameters, " "+parameter+"=") { // it lacks that
				if !joined {
					i++
				}
				continue
			}
			known[parameter] = true
		}
		words = append(words, given[i])
	}
	missing := slices.DeleteFunc(strings.Fields(r.Parameters), func(p string) bool {
		name, _, _ := strings.Cut(p, "=")
		return known[name]
	})
	r.Parameters = strings.Join(missing, " ")
	return append(words, cli.CallFlags(r)...)
}
