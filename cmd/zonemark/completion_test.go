package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"zonemark/invocations/testneeds"
)

// completionSessions ask a shell what it makes of the beginnings of command lines: each is an argument, and behind it
// what must appear. The shells run the script that zonemark prints for them, and the script runs zonemark.
var completionSessions = map[string]string{
	"bash": `source <(zonemark completion bash)
while [ $# -gt 0 ]; do
    read -r -a COMP_WORDS <<<"${1//=/ = }"; COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _zonemark
    last=${COMP_WORDS[COMP_CWORD]}
    case "${1%"$last"}${COMPREPLY[0]}" in "$2"*) echo "completed $1" ;; *) echo "$1: ${COMPREPLY[*]}" ;; esac
    shift 2
done`,
	"fish": `zonemark completion fish | source
while test (count $argv) -gt 0
    set -l found (complete -C $argv[1] | string split -f 1 \t)
    set -l begun (string replace -r '[^ ]*$' '' -- $argv[1])
    string match -q -- "$argv[2]*" $begun$found[1]; and echo "completed $argv[1]"; or echo "$argv[1]: $found"
    set argv $argv[3..-1]
end`,
	// A terminal of its own, into which a tab is typed. Reading waits for what must appear.
	"zsh": `zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; autoload -Uz compinit; compinit -D; source <(zonemark completion zsh); print load''ed"
zpty -r shell said '*loaded*'
while (( $# )); do
    zpty -w -n shell "$1"$'\t'
    zpty -r shell said "*${(b)2}*" && print "completed $1"
    zpty -w -n shell $'\C-u'
    shift 2
done
zpty -d shell`,
}

// TestCompletion completes command lines in each shell that is there. Bash must be there in CI.
func TestCompletion(t *testing.T) {
	t.Parallel()
	lines := []string{
		"zonemark ver", "zonemark version",
		"zonemark run --forma", "zonemark run --format",
		"zonemark run --format ndj", "zonemark run --format ndjson",
		"zonemark run --format=ndj", "zonemark run --format=ndjson",
		"zonemark trace dif", "zonemark trace diff",
		"zonemark setup iree-o", "zonemark setup iree-onnx",
	}
	for shell, session := range completionSessions {
		t.Run(shell, func(t *testing.T) {
			program, err := exec.LookPath(shell)
			if err != nil && shell != "bash" {
				t.Skip(err)
			}
			testneeds.Missing(t, err)
			folder := t.TempDir()
			script := filepath.Join(folder, "session")
			if err := os.WriteFile(script, []byte(session), 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // for zsh, which waits
			defer cancel()
			cmd := exec.CommandContext(ctx, program, append([]string{script}, lines...)...)
			cmd.Dir, cmd.WaitDelay = folder, time.Second
			cmd.Env = append(os.Environ(), "HOME="+folder, "TERM=xterm", "LC_ALL=C.UTF-8")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			for i := 0; i < len(lines); i += 2 {
				if want := fmt.Sprintf("completed %s\n", lines[i]); !strings.Contains(
					strings.ReplaceAll(string(out), "\r", ""), want) {
					t.Errorf("%s does not become %s:\n%s", lines[i], lines[i+1], out)
				}
			}
		})
	}
}
