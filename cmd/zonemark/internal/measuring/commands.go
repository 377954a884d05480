package measuring

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/executor/sandbox"
	"zonemark/invocations"
	"zonemark/invocations/shellwords"
)

// SplitCommands splits the words behind "--" into commands.
func SplitCommands(words []string) (commands [][]string, err error) {
	rest := words
	for {
		end := slices.Index(rest, cli.CommandSeparator)
		one := rest
		if end >= 0 {
			one = rest[:end]
		}
		if len(one) == 0 || one[0] == "" {
			return nil, fmt.Errorf("command %d after -- is empty: write -- PROGRAM ARGUMENTS %s PROGRAM ARGUMENTS",
				len(commands)+1, cli.CommandSeparator)
		}
		commands = append(commands, one)
		if end < 0 {
			return commands, nil
		}
		rest = rest[end+1:]
	}
}

// commandRequests makes the requests for whole commands, each swept over --param: {NAME} in its words stands for the
// value.
func (t *Task) commandRequests(commands [][]string) (list []invocations.Invocation, err error) {
	if len(commands) == 0 {
		return nil, nil
	}
	base, err := t.base()
	if err != nil {
		return nil, err
	}
	runtime := t.Runtimes.OfCommands()
	if base.Runtime != "" && base.Runtime != runtime {
		return nil, fmt.Errorf("--runtime %s does not run the commands after --; leave it out", base.Runtime)
	}
	base.Runtime, base.Function = runtime, invocations.CommandFunction
	if len(t.Functions) > 0 {
		return nil, errors.New("the commands after -- have no functions; leave --function out")
	}
	swept, _, err := t.sweep(base)
	if err != nil {
		return nil, err
	}
	taken := map[string]bool{} // names
	for _, words := range commands {
		for request := range swept {
			inv := *request
			if inv.Command, err = filled(words, inv.Parameters); err != nil {
				return nil, err
			}
			inv.Name = t.Runtimes.CommandName(&inv)
			if taken[inv.Name] {
				return nil, fmt.Errorf("the command %s is there twice; --launches measures a command more often", inv.Name)
			}
			taken[inv.Name] = true
			if word := t.Runtimes.ForShell(&inv); word != "" {
				t.Say("%s: %s gets the word %s as it is, since there is no shell; --shell runs the words as a line of one",
					inv.Name, inv.Command[0], word)
			}
			list = append(list, inv)
		}
	}
	return list, nil
}

// filled returns the words of a command with the values of parameters for their names in braces. Other braces stay.
func filled(words []string, parameters map[string]string) ([]string, error) {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		place := "{" + name + "}"
		if !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(word, place) }) {
			return nil, fmt.Errorf("--param %s: the command %s has no %s for its value", name,
				shellwords.Line(words...), place)
		}
		pairs = append(pairs, place, parameters[name])
	}
	replacer, out := strings.NewReplacer(pairs...), make([]string, len(words))
	for i, word := range words {
		out[i] = replacer.Replace(word)
	}
	return out, nil
}

// checkConfinement returns an error for requests that cannot be measured in one run, since some are programs of the
// user, which are not confined.
func (t *Task) checkConfinement(list []invocations.Invocation) error {
	program := func(inv invocations.Invocation) bool { return t.Runtimes.Programs(inv.Runtime) }
	i := slices.IndexFunc(list, program)
	switch {
	case i < 0:
		return nil
	case slices.ContainsFunc(list, func(inv invocations.Invocation) bool { return !program(inv) }):
		return fmt.Errorf("%s: a command is not confined, and native code is; measure commands in a run of their own",
			list[i].Name)
	case t.Sandbox == sandbox.Require:
		return fmt.Errorf("--sandbox require: %s, a command or a function of Python, is not confined; leave the flag out",
			list[i].Name)
	}
	return nil
}
