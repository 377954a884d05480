package main

import (
	"zonemark/cmd/zonemark/internal/farming"
	"zonemark/cmd/zonemark/internal/program"
)

// farmFamily is what "zonemark farm" can do.
func farmFamily() program.Family {
	return program.Family{
		Name: "farm",
		Intro: `Measure on many machines at once.

Usage: zonemark farm VERB [flags] PATH…
`,
		Verbs: []program.Verb{{
			Name: "sbatch", Summary: "write a script for Slurm that measures the shards of a plan as an array of jobs",
			Run: farming.Sbatch,
		}},
		End: `
"zonemark help farm VERB" shows its flags. "zonemark merge" joins the results.
`,
	}
}
