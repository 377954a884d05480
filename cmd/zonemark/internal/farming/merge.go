// Package farming holds the verbs for runs in parts on several machines: merge joins the journals of the parts, and farm
// writes the scripts that measure them.
package farming

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/program"
	"zonemark/driver/farm"
	"zonemark/driver/report"
	"zonemark/invocations/files"
)

const mergeIntro = `Join the journals of all shards of a plan, as "zonemark run --shards" writes them, into the journal that one machine
would have written. Journals of other plans or other versions of zonemark are refused, and so is an invocation or a
shard that is there twice. Missing results are named, with the command that measures them.

Usage: zonemark merge [flags] FOLDER|JOURNAL… -o FILE

A folder stands for all its files *.ndjson except FILE.

Examples:
  zonemark merge shards -o all.ndjson
  zonemark merge shards/0.ndjson shards/1.ndjson -o all.ndjson
  zonemark merge shards -o some.ndjson --partial      what there is; run --resume finishes it on this machine
`

// merging is a call of the verb merge.
type merging struct {
	program.Program
	output                    string
	overwrite, partial, quiet bool
}

// Merge joins journals of shards.
func Merge(ctx context.Context, p program.Program, args []string) int {
	m := merging{Program: p}
	set := cli.NewFlagSet("merge")
	set.StringVarP(&m.output, "output", "o", "", "write the journal to this file")
	set.BoolVar(&m.overwrite, "overwrite", false, "replace the file if it is there")
	set.BoolVar(&m.partial, "partial", false, "join the journals that exist, although results are missing")
	set.BoolVarP(&m.quiet, "quiet", "q", false, "no progress and no messages but errors")
	err := cli.Parse(set, p.Streams, args, mergeIntro)
	switch {
	case err == nil && set.NArg() == 0:
		err = errors.New("merge needs the folder, or the paths, of the journals of all shards")
	case err == nil && m.output == "":
		err = &cli.Signpost{Text: "merge needs the name of the journal to write:",
			Command: cli.CommandLine("merge", append(slices.Clone(args), "-o", "merged.ndjson")...)}
	}
	if err != nil {
		return p.Misused("merge --help", err)
	}
	return p.Done(m.run(ctx, set.Args()))
}

func (m *merging) run(ctx context.Context, paths []string) error {
	if err := (cli.Output{Flag: "-o", Path: m.output, Kept: !m.overwrite}).Check(); err != nil {
		return err
	}
	journals, err := m.journals(paths)
	if err != nil {
		return err
	}
	merged, err := farm.Read(ctx, journals)
	if err != nil {
		return err
	}
	if len(merged.Gaps) > 0 && !m.partial {
		return fmt.Errorf("%s\n%s was not written; --partial joins what there is",
			gapsText(merged.Gaps), m.output)
	}
	err = files.Replace(m.output, 0o644, func(w io.Writer) error { return merged.Write(ctx, w, os.Args) })
	if err != nil {
		return err
	}
	if !m.quiet {
		m.tell(merged)
	}
	return nil
}

// journals returns the journals at paths and in folders.
func (m *merging) journals(paths []string) (list []string, err error) {
	output, _ := os.Stat(m.output) // a file that is not there is no input either
	for _, path := range paths {
		if err := cli.CheckExists(path, "a journal of a shard, or a folder with such (run --shards writes them)"); err != nil {
			return nil, err
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			if os.SameFile(info, output) {
				return nil, fmt.Errorf("-o %s: this file is one of those to join; give another name", m.output)
			}
			list = append(list, path)
			continue
		}
		found, err := fs.Glob(os.DirFS(path), "*.ndjson")
		if err != nil {
			return nil, err
		}
		before := len(list)
		for _, name := range found {
			file := filepath.Join(path, name)
			if info, err := os.Stat(file); err == nil && !os.SameFile(info, output) {
				list = append(list, file)
			}
		}
		if len(list) == before {
			return nil, fmt.Errorf("%s: the folder has no journals (*.ndjson)", path)
		}
	}
	return list, nil
}

// gapsText says what is missing.
func gapsText(gaps []farm.Gap) string {
	lines := []string{fmt.Sprintf("%s not complete:", report.Counted(len(gaps), "shard"))}
	for i, g := range gaps {
		if i == fewGaps {
			lines = append(lines, fmt.Sprintf("and %d more", len(gaps)-i))
			break
		}
		lines = append(lines, g.String())
	}
	return strings.Join(lines, "\n")
}

// fewGaps is the number of gaps that a message describes.
const fewGaps = 16

// tell says what was written and which machines measured it.
func (m *merging) tell(merged *farm.Merged) {
	missing := ""
	if len(merged.Gaps) > 0 {
		missing = fmt.Sprintf(", %d are missing", merged.Of-merged.Results)
	}
	m.Say("wrote %s: %s of %s%s", m.output, report.Counted(merged.Results, "invocation"),
		report.Counted(len(merged.Shards), "shard"), missing)
	if len(merged.Machines) < 2 {
		return
	}
	m.Say("measured on %d machines, whose times do not compare unless they are alike; groups are whole, each on one machine:",
		len(merged.Machines))
	for _, machine := range merged.Machines {
		m.Say("  %s: shards %s", machine.Environment["host"], numbers(machine.Shards))
	}
	for _, line := range merged.Differences() {
		m.Say("  %s", line)
	}
}

func numbers(list []int) string {
	return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(list)), ", "), "[]")
}
