package commands

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
)

// Verb is the hidden verb that the scripts call. Its arguments are the name of the shell and the words of the command
// line, and it prints the candidates, one a line.
const Verb = "__complete"

// shell is a shell whose command lines can be completed.
type shell struct {
	name   string
	script string
	line   func(Candidate) string // how a candidate is printed for it
}

// shells is the table of shells. A script hands what is typed to the hidden verb, so that it need not be renewed when
// zonemark is.
func shells() []shell {
	return []shell{
		{"bash", bashScript, func(c Candidate) string { return c.Word }},
		{"zsh", zshScript, zshLine},
		{"fish", fishScript, func(c Candidate) string { return c.Word + "\t" + c.Help }},
	}
}

// Shells returns the names of the shells whose command lines can be completed.
func Shells() (names []string) {
	for _, s := range shells() {
		names = append(names, s.name)
	}
	return names
}

func shellOf(name string) (shell, error) {
	all := shells()
	if i := slices.IndexFunc(all, func(s shell) bool { return s.name == name }); i >= 0 {
		return all[i], nil
	}
	return shell{}, cli.Misspelt(fmt.Sprintf("no completion for %q", name), name, Shells())
}

// Script returns the script that makes a shell complete command lines of zonemark. The error for an unknown shell names
// those that there are.
func Script(name string) (string, error) {
	s, err := shellOf(name)
	return strings.ReplaceAll(s.script, "VERB", Verb), err
}

// WriteCandidates does the work of the hidden verb.
func (p Pages) WriteCandidates(w io.Writer, name string, words []string) error {
	s, err := shellOf(name)
	if err != nil {
		return err
	}
	behind := ""
	if name == "bash" {
		words, behind = joined(words)
	}
	for _, c := range p.Complete(words) {
		c.Word = strings.TrimPrefix(c.Word, behind)
		if _, err := fmt.Fprintln(w, s.line(c)); err != nil {
			return err
		}
	}
	return nil
}

// joined puts the words together again that bash has taken apart at "=". behind is the part of the last word that bash
// does not replace.
func joined(words []string) (list []string, behind string) {
	for i, word := range words {
		n := len(list)
		if n > 0 && strings.HasPrefix(list[n-1], "-") && (word == "=" || i > 0 && words[i-1] == "=") {
			list[n-1] += word
			continue
		}
		list = append(list, word)
	}
	if n := len(list); n > 0 && len(list) < len(words) && strings.HasPrefix(list[n-1], "-") {
		if name, _, found := strings.Cut(list[n-1], "="); found {
			behind = name + "="
		}
	}
	return list, behind
}

// zshLine prints a candidate as _describe reads it: a colon ends the word.
func zshLine(c Candidate) string {
	line := strings.ReplaceAll(c.Word, ":", `\:`)
	if c.Help != "" {
		line += ":" + c.Help
	}
	return line
}

const bashScript = `# bash completion for zonemark: source <(zonemark completion bash)
_zonemark() {
    local IFS=$'\n'
    COMPREPLY=($(zonemark VERB bash "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _zonemark zonemark
`

const zshScript = `#compdef zonemark
# zsh completion for zonemark: source <(zonemark completion zsh), or save it as _zonemark in a folder of $fpath
_zonemark() {
    local -a candidates option
    candidates=("${(@f)$(zonemark VERB zsh "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n "$candidates[1]" ]]; then
        [[ "$candidates[1]" = -* ]] && option=(-o)
        _describe $option zonemark candidates
    else
        _files
    fi
}
if [[ "$funcstack[1]" = _zonemark ]]; then
    _zonemark "$@"
else
    compdef _zonemark zonemark
fi
`

const fishScript = `# fish completion for zonemark: zonemark completion fish | source
function __zonemark_candidates
    set -l words (commandline -opc) (commandline -ct)
    zonemark VERB fish $words[2..-1] 2>/dev/null
end
complete -c zonemark -k -a '(__zonemark_candidates)'
`
