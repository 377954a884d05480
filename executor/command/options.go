package command

import (
	"fmt"
	"strconv"

	"zonemark/invocations"
)

// OptionShell is the option that names the shell by which the words of a command are run as a line; empty: none.
const OptionShell = "shell"

// Further keys of invocations.Artifact.Options.
const (
	optionPrepare = "prepare"        // line of a shell to run before each call
	optionSetup   = "setup"          // line of a shell to run once, before the first call
	optionStdout  = "stdout"         // where standard output goes: stdoutNull or stdoutPipe
	optionIgnore  = "ignore-failure" // a boolean: a call that fails is timed like any other
)

// Options returns the options of commands.
func Options() []invocations.Option {
	return []invocations.Option{
		{Name: optionPrepare, Placeholder: "line",
			Usage: "for commands: line that sh runs before each call, untimed"},
		{Name: optionSetup, Placeholder: "line",
			Usage: "for commands: line that sh runs once for each command, before its first call, untimed"},
		{Name: OptionShell, Placeholder: "program", Alone: "sh",
			Usage: "for commands: run the words of the command as a line of this shell; its time is part of the call's"},
		{Name: optionStdout, Placeholder: "null|pipe",
			Usage: "for commands: where their standard output goes: null: /dev/null, for which some programs do less work " +
				"(default); pipe: a pipe that is read to its end"},
		{Name: optionIgnore, Placeholder: "bool", Alone: "true",
			Usage: "for commands: time calls that fail like others, and count the exit statuses"},
	}
}

// options holds the parsed options of a command.
type options struct {
	prepare, setup string
	shell          string
	stdout         string
	ignoreFailure  bool
}

func parseOptions(given map[string]string) (options, error) {
	o := options{prepare: given[optionPrepare], setup: given[optionSetup], shell: given[OptionShell], stdout: given[optionStdout]}
	if o.stdout != "" && o.stdout != stdoutNull && o.stdout != stdoutPipe {
		return o, fmt.Errorf("option %s=%s: want %s or %s", optionStdout, o.stdout, stdoutNull, stdoutPipe)
	}
	if text := given[optionIgnore]; text != "" {
		var err error
		if o.ignoreFailure, err = strconv.ParseBool(text); err != nil {
			return o, fmt.Errorf("option %s=%s: want true or false", optionIgnore, text)
		}
	}
	return o, nil
}
