package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/commands"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/cmd/zonemark/internal/traceverbs"

	"github.com/spf13/pflag"
)

const helpIntro = `Show what there is: all verbs, or the flags and examples of one.

Usage: zonemark help [VERB [VERB]] [TOPIC]
       zonemark help --man FOLDER

Examples:
  zonemark help run
  zonemark help trace diff
  zonemark help run timing                          the flags of a topic; all: every flag
  zonemark help --man /usr/local/share/man/man1     a manual page for each verb, then: man zonemark-run
`

func helpCommand(ctx context.Context, p program.Program, args []string) int {
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		verb := 1
		if len(args) > 1 && len(verbsOf(args[0])) > 0 {
			verb = 2
		}
		return doMain(ctx, p, slices.Insert(slices.Clone(args), verb, "--help")) // what follows is a topic
	}
	set := cli.NewFlagSet("help")
	folder := set.String("man", "", "write a manual page for each verb to this folder")
	err := cli.Parse(set, p.Streams, args, helpIntro)
	if err == nil && set.NArg() > 0 {
		err = fmt.Errorf("--man names one folder, and %q is too much", set.Arg(0))
	}
	switch {
	case err != nil:
		return p.Misused("help --help", err)
	case *folder == "":
		usage(p.Out)
		return cli.ExitOK
	}
	names, err := pages(ctx, p).WriteManual(*folder, cli.Version())
	if err != nil {
		return p.Fail("%v", err)
	}
	p.Say("%d manual pages are in %s", len(names), *folder)
	return cli.ExitOK
}

const completionIntro = `Print a script that makes a shell complete the verbs, flags and values of zonemark.

Usage: zonemark completion SHELL

Examples:
  source <(zonemark completion bash)           for this shell; in ~/.bashrc for every one
  source <(zonemark completion zsh)            likewise, in ~/.zshrc, behind compinit
  zonemark completion fish > ~/.config/fish/completions/zonemark.fish
`

func completionCommand(_ context.Context, p program.Program, args []string) int {
	set := cli.NewFlagSet("completion")
	err := cli.Parse(set, p.Streams, args, completionIntro)
	if err == nil && set.NArg() != 1 {
		err = fmt.Errorf("completion needs the name of a shell: %s", strings.Join(commands.Shells(), ", "))
	}
	script := ""
	if err == nil {
		script, err = commands.Script(set.Arg(0))
	}
	if err != nil {
		return p.Misused("completion --help", err)
	}
	fmt.Fprint(p.Out, script)
	return cli.ExitOK
}

// candidatesCommand is the hidden verb that the scripts of completion call.
func candidatesCommand(ctx context.Context, p program.Program, args []string) int {
	if len(args) == 0 {
		return p.Fail("%s needs the name of a shell and the words of a command line", commands.Verb)
	}
	return p.Done(pages(ctx, p).WriteCandidates(p.Out, args[0], args[1:]))
}

// pages asks every verb that the help shows for its help.
func pages(ctx context.Context, p program.Program) commands.Pages {
	var text bytes.Buffer
	usage(&text)
	list := commands.Pages{{
		Summary: "measure native kernels, and the dispatches inside them", Intro: text.String(),
	}}
	for _, c := range subcommands() {
		if c.Summary == "" {
			continue
		}
		list = append(list, page(ctx, p, c.Name, c.Summary))
		for _, below := range verbsOf(c.Name) {
			list = append(list, page(ctx, p, c.Name+" "+below.Name, below.Summary))
		}
	}
	return list
}

// page asks a verb for its help.
func page(ctx context.Context, p program.Program, name, summary string) commands.Page {
	made := commands.Page{Name: name, Summary: summary}
	var text bytes.Buffer
	asked := p
	asked.Streams = cli.Streams{Out: &text, Err: io.Discard, Describe: func(intro string, flags *pflag.FlagSet) {
		made.Intro, made.Flags = intro, flags
	}}
	doMain(ctx, asked, append(strings.Fields(name), "--help"))
	if made.Intro == "" { // it has no flags, or only verbs
		made.Intro = text.String()
	}
	switch name {
	case "setup":
		made.Words = p.Components.Names()
	case "completion":
		made.Words = commands.Shells()
	case "help":
		made.Words = commandNames()
	}
	return made
}

// verbsOf returns the verbs below a verb.
func verbsOf(name string) (list []program.Verb) {
	for _, family := range []program.Family{traceverbs.Family(), halideFamily(), farmFamily()} {
		for _, v := range family.Verbs {
			if family.Name == name && v.Summary != "" {
				list = append(list, v)
			}
		}
	}
	return list
}
