package farm

import (
	"fmt"
	"path/filepath"
	"strings"

	"zonemark/invocations/shellwords"
)

// Script is a script for sbatch that measures the shards of a plan as the tasks of an array.
type Script struct {
	Program string   // zonemark on the nodes
	Folder  string   // absolute: that the command line is relative to
	Words   []string // what is measured, and flags: a command line of the verb run
	Shards  int
	Results string   // folder for journals and logs; relative: to Folder
	Options []string // of sbatch, further ones: an option and its values each
	Share   bool     // other jobs may run on the node meanwhile
}

// Text returns the script. It returns an error for paths that sbatch cannot be told.
func (s *Script) Text() (string, error) {
	results := s.Results
	if !filepath.IsAbs(results) {
		results = filepath.Join(s.Folder, results)
	}
	if at := strings.IndexAny(results, "\\\n\r"); at >= 0 {
		return "", fmt.Errorf("%q: sbatch takes no folder with the character %q in its path: name another one", results,
			results[at])
	}
	var b strings.Builder
	fmt.Fprintf(&b, `#!/bin/bash
# Measures a plan in %d shards, each a task of an array of jobs. zonemark farm sbatch wrote it.
#SBATCH --job-name=zonemark
#SBATCH --array=0-%d
#SBATCH --requeue
`, s.Shards, s.Shards-1)
	if !s.Share {
		b.WriteString("#SBATCH --exclusive\n")
	}
	fmt.Fprintf(&b, "#SBATCH --open-mode=append\n#SBATCH --output=%s/%%a.log\n",
		optionText(strings.ReplaceAll(results, "%", "%%")))
	for _, option := range s.Options {
		fmt.Fprintf(&b, "#SBATCH %s\n", option)
	}
	fmt.Fprintf(&b, `set -eu
cd %s
shard=${SLURM_ARRAY_TASK_ID:?is not set: submit this script with sbatch}
# A task that is requeued, or submitted again, measures only what its journal lacks. Slurm calls a task failed, with exit
# code 2, if some invocation did not end ok; its journal is complete nevertheless.
exec %s run %s --shards %d --shard "$shard" -o %s/"$shard".ndjson --resume
# When all tasks have ended: %s
`, shellwords.Quote(s.Folder), shellwords.Quote(s.Program), shellwords.Line(s.Words...), s.Shards,
		shellwords.Quote(s.Results), s.MergeCommand())
	return b.String(), nil
}

// MergeCommand returns the command that joins the journals of the shards, in the script's folder.
func (s *Script) MergeCommand() string {
	return shellwords.Line(s.Program, "merge", s.Results, "-o", filepath.Clean(s.Results)+".ndjson")
}

// optionText returns a value as sbatch reads it on a line of options.
func optionText(value string) string { return `"` + strings.ReplaceAll(value, `"`, `\"`) + `"` }

// SbatchOptions returns options of sbatch from the words of a command line, each with its values: a word with a hyphen at
// its beginning begins another one.
func SbatchOptions(words []string) (list []string, err error) {
	for i, w := range words {
		switch {
		case strings.ContainsAny(w, "\\\n\r"):
			return nil, fmt.Errorf("%q: options of sbatch cannot have a backslash or a line end here", w)
		case strings.HasPrefix(w, "--array") || strings.HasPrefix(w, "-a"):
			return nil, fmt.Errorf("%s: the tasks of the array are the shards; --shards says how many there are", w)
		case !strings.HasPrefix(w, "-") && i == 0:
			return nil, fmt.Errorf("%q: want options of sbatch after --, such as --mem=4G", w)
		}
		text := w
		if shellwords.Quote(w) != w {
			text = optionText(w)
		}
		if strings.HasPrefix(w, "-") {
			list = append(list, text)
		} else {
			list[len(list)-1] += " " + text
		}
	}
	return list, nil
}
