package suite

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/invocations"
	"zonemark/invocations/spelling"
)

// Expand makes an invocation of every point of every entry, in file order, the first axis varying slowest. Each begins
// as a copy of base, takes the suite's defaults, its entry and its axes in that order, and is handed to override, which
// may be nil, last: base holds the built-in defaults and override applies what was given explicitly on the command
// line. Each invocation has parameters and a list of arguments of its own.
//
// Artifact paths and .npy files are made absolute. Arguments carry overrides only: the Name is the argument's name or
// position as the suite has it, with the Contents. Hashes, described arguments and ids are for the caller to add;
// Function is empty where every function of the artifact is meant. Names are distinct.
func (s *Suite) Expand(base invocations.Invocation, override func(*invocations.Invocation)) ([]invocations.Invocation,
	error) {
	if len(s.entries) == 0 {
		return nil, s.nothing()
	}
	var list []invocations.Invocation
	var lines []int
	s.ends = nil
	for _, e := range s.entries {
		before := len(list)
		var err error
		if list, err = s.expand(list, e, base, override); err != nil {
			return nil, err
		}
		if len(list) == before {
			return nil, &Error{File: s.File, Line: e.line, Key: "invocation",
				Err: errors.New("excludes remove every point: remove an exclude")}
		}
		for range len(list) - before {
			lines = append(lines, e.line)
		}
		s.ends = append(s.ends, len(list))
	}
	if i, j := invocations.Duplicate(list); i >= 0 {
		err := fmt.Errorf("the name %q is taken by the entry on line %d: give each its own name", list[j].Name,
			lines[i])
		return nil, &Error{File: s.File, Line: lines[j], Key: "invocation", Err: err}
	}
	return list, nil
}

// Where returns the place that sets a key for one of the invocations that Expand has returned last, such as
// "sizes.toml:7: invocation.axes.M", for errors that are found later. table is the table of the key, or empty. If
// neither the entry nor an axis sets it, Where returns the place of the entry.
func (s *Suite) Where(invocation int, table, name string) string {
	i, _ := slices.BinarySearch(s.ends, invocation+1)
	if i == len(s.ends) {
		return s.File
	}
	e := s.entries[i]
	line, label := e.line, "invocation"
	for _, set := range e.settings {
		if set.table == table && set.name == name {
			line, label = set.line, set.label
		}
	}
	for _, a := range e.axes {
		if a.table == table && a.name == name {
			line, label = a.line, a.label
		}
	}
	return fmt.Sprintf("%s:%d: %s", s.File, line, label)
}

// expand appends the invocations of one entry.
func (s *Suite) expand(list []invocations.Invocation, e entry, base invocations.Invocation,
	override func(*invocations.Invocation)) ([]invocations.Invocation, error) {
	index := make([]int, len(e.axes))
	texts := make(map[string]string, len(index))
	for {
		for d, a := range e.axes {
			texts[a.name], _ = scalarText(a.values[index[d]]) // checked when the axis was read
		}
		if !e.excluded(texts) {
			v, err := s.invocation(e, index, texts, base)
			if err != nil {
				return nil, err
			}
			if override != nil {
				override(&v)
			}
			list = append(list, v)
		}
		d := len(index) - 1
		for ; d >= 0; d-- {
			if index[d]++; index[d] < len(e.axes[d].values) {
				break
			}
			index[d] = 0
		}
		if d < 0 {
			return list, nil
		}
	}
}

// invocation returns the invocation of a point. index holds the position of each axis, and texts the values as texts by
// the names of the axes.
func (s *Suite) invocation(e entry, index []int, texts map[string]string,
	base invocations.Invocation) (invocations.Invocation, error) {
	v := base
	v.Parameters = maps.Clone(base.Parameters)
	v.Arguments = slices.Clone(base.Arguments)
	type place struct{ key, axis string }
	placed := map[place]bool{} // which axes are in the texts of which keys
	for _, set := range e.settings {
		var err error
		if set.template() {
			var used []string
			set.value, used, err = set.fill(texts)
			for _, name := range used {
				placed[place{set.name, name}] = set.table == ""
			}
		}
		if err == nil {
			err = set.apply(&v, s.folder)
		}
		if err != nil {
			return v, &Error{File: s.File, Line: set.line, Key: set.label, Err: err}
		}
	}
	for d, a := range e.axes { // literal values, without placeholders
		if err := a.at(index[d]).apply(&v, s.folder); err != nil {
			return v, &Error{File: s.File, Line: a.line, Key: a.label, Err: err}
		}
	}
	named := "name" // the key that the name comes from
	if v.Name == "" && len(v.Command) > 0 {
		named = "command"
	}
	if err := s.subject(&v); err != nil {
		return v, &Error{File: s.File, Line: e.line, Key: "invocation", Err: err}
	}
	if v.Name == "" {
		v.Name = v.Function
	}
	if v.Name == "" {
		v.Name = strings.TrimSuffix(filepath.Base(v.Artifact.Path), filepath.Ext(v.Artifact.Path))
	}
	for _, a := range e.axes {
		if !placed[place{named, a.name}] {
			v.Name += "/" + a.name + "=" + texts[a.name]
		}
	}
	return v, nil
}

// subject checks that an invocation measures either an artifact or a command, and completes a command.
func (s *Suite) subject(v *invocations.Invocation) error {
	switch {
	case len(v.Command) == 0 && v.Artifact.Path == "":
		return errors.New("lacks an artifact: write artifact = \"FILE\", or command = [\"PROGRAM\", \"ARGUMENT\"]")
	case len(v.Command) == 0:
		return nil
	case v.Artifact.Path != "" || v.Function != "":
		return errors.New("has a command, and an artifact or a function: remove one of them")
	}
	v.Function, v.Folder = invocations.CommandFunction, s.folder
	if v.Name == "" {
		v.Name = invocations.CommandLine(v.Command)
	}
	return nil
}

// fillPlaceholders replaces each {axis} by its text and lists the axes that it replaced. Two braces stand for one.
func fillPlaceholders(template string, texts map[string]string) (filled string, used []string, err error) {
	var b strings.Builder
	for {
		i := strings.IndexAny(template, "{}")
		if i < 0 {
			b.WriteString(template)
			return b.String(), used, nil
		}
		b.WriteString(template[:i])
		brace, rest := template[i], template[i+1:]
		if rest != "" && rest[0] == brace {
			b.WriteByte(brace)
			template = rest[1:]
			continue
		}
		name, after, closed := strings.Cut(rest, "}")
		if brace == '}' || !closed {
			return "", nil, fmt.Errorf("the brace before %q has no partner: write %c%c for the character itself", rest,
				brace, brace)
		}
		text, known := texts[name]
		if !known {
			axes := slices.Sorted(maps.Keys(texts))
			return "", nil,
				fmt.Errorf("the placeholder {%s} names no axis%s: use an axis of the entry, or {{ for a brace", name,
					spelling.Suggest(name, axes))
		}
		b.WriteString(text)
		used = append(used, name)
		template = after
	}
}
