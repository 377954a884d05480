package suite

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/invocations"
	"zonemark/invocations/repeats"
	"zonemark/invocations/shellwords"
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
	var list []invocations.Invocation
	for v, err := range s.Points(base, override) {
		if err != nil {
			return nil, err
		}
		list = append(list, *v)
	}
	return list, nil
}

// Where returns the place that sets a key for one of the invocations that Expand has returned, or Points has yielded,
// such as "sizes.toml:7: invocation.axes.M", for errors that are found later. table is the table of the key, or empty.
// If neither the entry nor an axis sets it, Where returns the place of the entry.
func (s *Suite) Where(invocation int, table, name string) string {
	after, _ := slices.BinarySearch(s.begins, invocation+1)
	if after == 0 || s.count > 0 && invocation >= s.count {
		return s.File
	}
	e := s.entries[after-1]
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

// Points yields what Expand returns, one after the other, and keeps none of it: a suite may have a million points. Each
// is valid until the next one, and may be changed; its lists and maps are its own. If there is an error, it comes last,
// with nil. That two points have the same name is known only at the end. Ranging over all points once more does not look
// for that again.
func (s *Suite) Points(
	base invocations.Invocation, override func(*invocations.Invocation),
) iter.Seq2[*invocations.Invocation, error] {
	if override == nil {
		override = func(*invocations.Invocation) {}
	}
	distinct := false // the names are known to be distinct
	return func(yield func(*invocations.Invocation, error) bool) {
		var names repeats.Finder
		stopped := false
		err := s.walk(base, override, func(v *invocations.Invocation, _ int) bool {
			if !distinct {
				names.Add(v.Name)
			}
			stopped = !yield(v, nil)
			return !stopped
		})
		if err == nil && !stopped && !distinct {
			err = s.distinctNames(names.Suspect(), base, override)
			distinct = err == nil
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// walk makes the invocation of each point and hands it to visit with the line of its entry, until visit returns false.
func (s *Suite) walk(base invocations.Invocation, override func(*invocations.Invocation),
	visit func(v *invocations.Invocation, line int) (more bool)) error {
	if len(s.entries) == 0 {
		return s.nothing()
	}
	count := 0
	for i, e := range s.entries {
		if i == len(s.begins) {
			s.begins = append(s.begins, count)
		}
		before, more := count, true
		base.Point = []int{i}
		err := s.walkEntry(e, base, func(v *invocations.Invocation) bool {
			override(v)
			count++
			more = visit(v, e.line)
			return more
		})
		if err != nil || !more {
			return err
		}
		if count == before {
			return &Error{File: s.File, Line: e.line, Key: "invocation",
				Err: errors.New("excludes remove every point: remove an exclude")}
		}
	}
	s.count = count
	return nil
}

// walkEntry makes the invocations of one entry and hands them to visit until that returns false.
func (s *Suite) walkEntry(e entry, base invocations.Invocation, visit func(*invocations.Invocation) bool) error {
	common, err := s.common(e, base)
	if err != nil {
		return err
	}
	index := make([]int, len(e.axes))
	texts := make(map[string]string, len(index))
	renew := func(d int) {
		texts[e.axes[d].name], _ = scalarText(e.axes[d].values.at(index[d])) // checked when the axis was read
	}
	for d := range index {
		renew(d)
	}
	var v invocations.Invocation
	for {
		if !e.excluded(texts) {
			if err := s.invocation(&v, e, index, texts, &common); err != nil || !visit(&v) {
				return err
			}
		}
		d := len(index) - 1
		for ; d >= 0; d-- {
			if index[d]++; index[d] < e.axes[d].values.count {
				break
			}
			index[d] = 0
		}
		if d < 0 {
			return nil
		}
		for ; d < len(index); d++ {
			renew(d)
		}
	}
}

// commonPoint is what the points of an entry have in common.
type commonPoint struct {
	invocations.Invocation           // with the settings that are equal at every point
	varying                []setting // with placeholders, or after one that has some
	placed                 map[placing]bool
}

// placing tells that an axis is in the text of a key; tableArguments stands for all arguments and options.
type placing struct{ key, axis string }

// common applies the settings of an entry that are equal at every point. Arguments keep their order, so that they are
// equal at every point only if all of them are.
func (s *Suite) common(e entry, base invocations.Invocation) (commonPoint, error) {
	c := commonPoint{Invocation: base, placed: map[placing]bool{}}
	c.Parameters, c.Arguments = maps.Clone(base.Parameters), slices.Clone(base.Arguments)
	arguments := slices.ContainsFunc(e.settings, func(set setting) bool {
		return set.table == tableArguments && set.varies()
	})
	for _, set := range e.settings {
		if set.varies() || arguments && set.table == tableArguments {
			c.varying = append(c.varying, set)
		} else if err := set.apply(&c.Invocation, s.folder); err != nil {
			return c, &Error{File: s.File, Line: set.line, Key: set.label, Err: err}
		}
	}
	return c, nil
}

// invocation sets v to the invocation of a point. index holds the position of each axis, and texts the values as texts
// by the names of the axes.
func (s *Suite) invocation(
	v *invocations.Invocation, e entry, index []int, texts map[string]string, common *commonPoint,
) error {
	*v = common.Invocation
	v.Point = append(slices.Clone(v.Point), index...)
	v.Parameters = maps.Clone(v.Parameters)
	v.Arguments = slices.Clone(v.Arguments)
	for _, set := range common.varying {
		var err error
		if set.template() {
			var used []string
			set.value, used, err = set.fill(texts)
			for _, name := range used {
				switch {
				case set.key != nil && set.key.Option != "":
					common.placed[placing{tableArguments, name}] = true
				case set.table == tableArguments, set.table == tableParameters:
					common.placed[placing{set.table, name}] = true
				case set.table == "":
					common.placed[placing{set.name, name}] = true
				}
			}
		}
		if err == nil {
			err = set.apply(v, s.folder)
		}
		if err != nil {
			return &Error{File: s.File, Line: set.line, Key: set.label, Err: err}
		}
	}
	for d, a := range e.axes { // literal values, without placeholders
		if err := a.at(index[d]).apply(v, s.folder); err != nil {
			return &Error{File: s.File, Line: a.line, Key: a.label, Err: err}
		}
		if a.table != tableParameters {
			continue
		}
		inValue := common.placed[placing{tableArguments, a.name}] || common.placed[placing{tableParameters, a.name}]
		if common.placed[placing{keyModel, a.name}] || v.Model != "" && inValue {
			delete(v.Parameters, a.name) // it is part of the model's name or of a parameter, and no parameter of the model
		} else if inValue {
			v.Placed = append(v.Placed, a.name)
		}
	}
	named := "name" // the key that the name comes from
	switch {
	case v.Name == "" && len(v.Command) > 0:
		named = "command"
	case v.Name == "" && v.Model != "":
		named = keyModel
	}
	if err := s.subject(v); err != nil {
		return &Error{File: s.File, Line: e.line, Key: "invocation", Err: err}
	}
	if v.Name == "" {
		v.Name = v.Function
	}
	if v.Name == "" {
		v.Name = v.Model
	}
	if v.Name == "" {
		v.Name = strings.TrimSuffix(filepath.Base(v.Artifact.Path), filepath.Ext(v.Artifact.Path))
	}
	var suffix strings.Builder
	for _, a := range e.axes {
		whole := named == keyModel && a.table == "" && a.name == keyModel // the axis is the name
		if !whole && !common.placed[placing{named, a.name}] {
			suffix.WriteString("/" + a.name + "=" + texts[a.name])
		}
	}
	v.Name += suffix.String()
	return nil
}

// keyModel is the key of a model.
const keyModel = "model"

// subject checks that an invocation measures either an artifact, a model or a command, and completes a command.
func (s *Suite) subject(v *invocations.Invocation) error {
	switch {
	case v.Model != "" && (len(v.Command) > 0 || v.Artifact.Path != "" || v.Function != ""):
		return errors.New("has a model, and an artifact, a function or a command: remove one of them")
	case v.Model != "" && len(v.Arguments) > 0:
		return errors.New("has a model and arguments: a model has inputs of its own; remove the arguments")
	case v.Model != "":
		return nil
	case len(v.Command) == 0 && v.Artifact.Path == "":
		return errors.New("lacks an artifact: write artifact = \"FILE\", model = \"MODEL:CONFIGURATION\", or " +
			"command = [\"PROGRAM\", \"ARGUMENT\"]")
	case len(v.Command) == 0:
		return nil
	case v.Artifact.Path != "" || v.Function != "":
		return errors.New("has a command, and an artifact or a function: remove one of them")
	}
	v.Function, v.Folder = invocations.CommandFunction, s.folder
	if v.Name == "" {
		v.Name = shellwords.Line(v.Command...)
	}
	return nil
}

// fillAxes replaces each {axis} in the value of an option by its text, and lists the axes that it replaced. Other braces
// stay, since values may be texts of other languages.
func fillAxes(template string, texts map[string]string) (filled string, used []string) {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if place := "{" + name + "}"; strings.Contains(template, place) {
			pairs, used = append(pairs, place, texts[name]), append(used, name)
		}
	}
	return strings.NewReplacer(pairs...).Replace(template), used
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
