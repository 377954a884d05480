package farm

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"zonemark/invocations/lazyregexp"
	"zonemark/invocations/shellwords"
)

// Gap is a shard that is missing or not complete.
type Gap struct {
	Index   int
	Path    string // of its journal; empty: there is none
	Missing int    // invocations without a result; not known without a journal
	Places  []int  // of these in the plan, if they are known
	Why     string // its journal is not complete

	of *ShardJournal // its journal, or that of another shard
}

// findGaps finds the shards that are missing or not complete.
func (m *Merged) findGaps() {
	next := 0 // in m.Shards
	for index := range m.Shards[0].Header.Shard.Count {
		if next == len(m.Shards) || m.Shards[next].Header.Shard.Index != index {
			m.Gaps = append(m.Gaps, Gap{Index: index, of: m.Shards[0]})
			continue
		}
		s := m.Shards[next]
		next++
		if missing := s.Header.Shard.Invocations - s.invocations; missing > 0 || !s.Complete {
			m.Gaps = append(m.Gaps, Gap{Index: index, Path: s.Path, Missing: missing, Why: s.Why,
				of: s})
		}
	}
	if len(m.Gaps) != 1 {
		return // the places do not tell to which of them they belong
	}
	for place, seen := range m.seen {
		if seen.shard == 0 {
			m.Gaps[0].Places = append(m.Gaps[0].Places, place)
		}
	}
}

// String says what is missing, and how to finish it.
func (g Gap) String() string {
	command := "\n    " + shellwords.Line(g.Command()...)
	switch {
	case g.Path == "":
		return fmt.Sprintf("shard %d has no journal%s; measure it:%s", g.Index, placesText(g.Places), command)
	case g.Missing <= 0:
		return fmt.Sprintf("shard %d, %s: %s; finish it:%s", g.Index, g.Path, g.Why, command)
	}
	return fmt.Sprintf("shard %d, %s: %d of its invocations have no result%s; finish it:%s", g.Index, g.Path, g.Missing,
		placesText(g.Places), command)
}

// Command returns the command that finishes it, in the folder where the run began.
func (g Gap) Command() []string { return commandOf(g.of, g.Index, g.Path != "") }

// fewPlaces is the number of places that a message lists.
const fewPlaces = 10

func placesText(places []int) string {
	if len(places) == 0 {
		return ""
	}
	var words []string
	for _, place := range places[:min(len(places), fewPlaces)] {
		words = append(words, strconv.Itoa(place))
	}
	text := strings.Join(words, ", ")
	if len(places) > fewPlaces {
		text += fmt.Sprintf(" and %d more", len(places)-fewPlaces)
	}
	return " (places in the plan, from 0: " + text + ")"
}

// commandOf returns the command that measures the shard with a number, from the command of one that is that shard or
// another one. It goes on with the shard's journal if there is one.
func commandOf(s *ShardJournal, index int, there bool) []string {
	words := slices.DeleteFunc(slices.Clone(s.Header.Command), func(w string) bool {
		return w == "--overwrite" || w == "--resume"
	})
	setFlag(words, "--shard", func(string) string { return strconv.Itoa(index) })
	for _, flag := range []string{"-o", "--output"} {
		setFlag(words, flag, func(path string) string {
			folder, name := filepath.Split(path)
			return folder + renumbered(name, s.Header.Shard.Index, index)
		})
	}
	if !there {
		return words
	}
	end := len(words)
	if at := slices.Index(words, "--"); at >= 0 {
		end = at
	}
	return slices.Insert(words, end, "--resume")
}

// renumbered returns a file's name with the last number that equals before replaced by now. Where one has leading zeros,
// so has the other.
func renumbered(name string, before, now int) string {
	for _, at := range slices.Backward(wholeNumber().FindAllStringIndex(name, -1)) {
		digits := name[at[0]:at[1]]
		if n, err := strconv.Atoi(digits); err != nil || n != before {
			continue
		}
		width := 0
		if digits[0] == '0' {
			width = len(digits)
		}
		return fmt.Sprintf("%s%0*d%s", name[:at[0]], width, now, name[at[1]:])
	}
	return name
}

var wholeNumber = lazyregexp.New("[0-9]+")

// setFlag changes the value of a flag of a command line, up to the word --, behind which are commands of the user.
func setFlag(words []string, flag string, change func(string) string) {
	for i, w := range words {
		old, joined := strings.CutPrefix(w, flag+"=")
		switch {
		case w == "--":
			return
		case joined:
			words[i] = flag + "=" + change(old)
		case i > 0 && words[i-1] == flag:
			words[i] = change(w)
		}
	}
}
