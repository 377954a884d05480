// Package suite reads suite files: TOML with entries that expand to one invocation for each point of their axes. A
// table lists the keys of an entry. The parser, the reference and the flags of the command line are made from it. The
// package knows no runtime, so callers give it the options of runtimes.
package suite

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"zonemark/invocations"
	"zonemark/invocations/files"
	"zonemark/invocations/spelling"

	"github.com/BurntSushi/toml"
)

// Limits of a suite. They are far larger than any suite that makes sense.
const (
	maxSuiteBytes   = 8 << 20
	maxSuiteNesting = 64
	maxPoints       = 1_000_000
)

// Suite is a suite file: entries that each expand to one invocation for every point of their axes.
type Suite struct {
	File string // path that Parse was given
	// TraceRules are the rules under the key trace_rules in the order of the file. Each is valid for tracerule.Parse,
	// and the first that matches a zone applies.
	TraceRules []string
	// Via are the commands under the key via that lead to the hosts which measure the suite. None is empty.
	Via []string
	// Spread has each of the hosts measure everything.
	Spread bool

	folder  string // absolute; paths in the suite are relative to it
	entries []entry
	begins  []int // position of the first invocation of each entry that Points has come to
	count   int   // of all invocations; 0: Points has not come to the end
}

// entry is one [[invocation]], completed by the defaults.
type entry struct {
	line     int
	settings []setting // in order of application
	axes     []axis    // the first one varies slowest
	excludes []exclude
}

// Error is a fault in a suite file.
type Error struct {
	File string
	Line int    // 1-based; 0 if the fault is not on any line
	Key  string // "invocation.axes.M"; may be empty
	Err  error  // what is wrong and what to do
}

func (e *Error) Error() string {
	text := e.File
	if e.Line > 0 {
		text += fmt.Sprintf(":%d", e.Line)
	}
	if e.Key != "" {
		text += ": " + e.Key
	}
	return text + ": " + e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// Parse reads the suite file at path, which may also set the options of runtimes. Faults in it are of type *Error.
func Parse(path string, options []invocations.Option) (*Suite, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, fmt.Errorf("suite: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSuiteBytes+1))
	if err != nil {
		return nil, fmt.Errorf("suite: %w", err)
	}
	return ParseText(path, string(text), options)
}

// ParseText reads a suite from its text. Errors show the name, and paths in the suite are relative to its folder.
func ParseText(name, text string, options []invocations.Option) (*Suite, error) {
	return parse(name, text, AllKeys(options), maxPoints)
}

func parse(name, text string, keys keyTable, limit int) (*Suite, error) {
	absolute, err := filepath.Abs(name)
	if err != nil {
		return nil, fmt.Errorf("suite %s: %w", name, err)
	}
	if len(text) > maxSuiteBytes {
		return nil, &Error{File: name, Err: fmt.Errorf("longer than %d bytes: split it into several suites",
			maxSuiteBytes)}
	}
	// The decoder recurses into nested values; no suite needs more than a few levels.
	if nestsDeeperThan(text, maxSuiteNesting) {
		return nil, &Error{File: name, Err: fmt.Errorf("values nest deeper than %d levels: a suite needs three",
			maxSuiteNesting)}
	}
	var root map[string]any
	if _, err := toml.Decode(text, &root); err != nil {
		var syntax toml.ParseError
		if errors.As(err, &syntax) {
			return nil, &Error{File: name, Line: syntax.Position.Line, Key: syntax.LastKey,
				Err: errors.New(syntax.Message)}
		}
		return nil, &Error{File: name, Err: err}
	}
	p := &parser{file: name, lines: locateKeys(text), keys: keys, points: limit, limit: limit}
	s := &Suite{File: name, folder: filepath.Dir(absolute)}
	if err := p.suite(s, table{values: root}); err != nil {
		return nil, err
	}
	return s, nil
}

// parser turns the decoded tables of a suite into entries.
type parser struct {
	file   string
	lines  *keyLocations
	keys   keyTable
	points int // points left until the limit
	limit  int
}

// table is a decoded TOML table with its position.
type table struct {
	path   keyPath
	name   string // for people: "invocation.axes"
	values map[string]any
}

func (t table) child(key string) (path keyPath, name string) {
	if t.name == "" {
		return t.path.key(key), key
	}
	return t.path.key(key), t.name + "." + key
}

// fail returns the error for the key at path.
func (p *parser) fail(path keyPath, name string, err error) error {
	return &Error{File: p.file, Line: p.lines.line(path), Key: name, Err: err}
}

// keysOf lists the keys of a table in file order.
func (p *parser) keysOf(t table) []string {
	return slices.SortedFunc(maps.Keys(t.values), func(a, b string) int {
		return p.lines.compare(t.path.key(a), t.path.key(b))
	})
}

// sub returns the table under key.
func (p *parser) sub(t table, key string) (table, error) {
	path, name := t.child(key)
	values, ok := t.values[key].(map[string]any)
	if !ok {
		return table{}, p.fail(path, name, fmt.Errorf("is %s; write a table, [%s]", kindOf(t.values[key]), name))
	}
	return table{path, name, values}, nil
}

// list returns the array of tables under key.
func (p *parser) list(t table, key string) ([]table, error) {
	path, name := t.child(key)
	wrong := func(v any) error {
		return p.fail(path, name, fmt.Errorf("is %s; write an array of tables, [[%s]]", kindOf(v), name))
	}
	var items []any
	switch v := t.values[key].(type) {
	case []map[string]any:
		for _, m := range v {
			items = append(items, m)
		}
	case []any:
		items = v
	default:
		return nil, wrong(v)
	}
	var tables []table
	for i, item := range items {
		values, ok := item.(map[string]any)
		if !ok {
			return nil, wrong(t.values[key])
		}
		tables = append(tables, table{path.index(i), name, values})
	}
	return tables, nil
}

// suite reads all keys. A suite for captures of other programs may hold rules only.
func (p *parser) suite(s *Suite, root table) error {
	defaults := entry{}
	var list []table
	for _, key := range p.keysOf(root) {
		var err error
		switch key {
		case "defaults":
			var t table
			if t, err = p.sub(root, key); err == nil {
				defaults, err = p.entry(t)
			}
		case "invocation":
			list, err = p.list(root, key)
		case keyTraceRules:
			s.TraceRules, err = p.traceRules(root, key)
		case keyVia:
			s.Via, err = p.via(root, key)
		case keySpread:
			s.Spread, err = p.spread(root)
		default:
			path, name := root.child(key)
			err = p.fail(path, name, unknownKey(key, []string{"defaults", "invocation", keyTraceRules, keyVia, keySpread}))
		}
		if err != nil {
			return err
		}
	}
	if len(list) == 0 && len(s.TraceRules) == 0 {
		return s.nothing()
	}
	s.entries = make([]entry, len(list))
	for i, t := range list {
		e, err := p.entry(t)
		if err != nil {
			return err
		}
		if s.entries[i], err = p.inherit(defaults, e); err != nil {
			return err
		}
	}
	return p.checkDefaultExcludes(defaults, s.entries)
}

// nothing returns the error of a suite without invocations.
func (s *Suite) nothing() error {
	return &Error{File: s.File, Err: errors.New("nothing to measure: write at least one [[invocation]]")}
}

// entry reads the keys of an [[invocation]] or of [defaults].
func (p *parser) entry(t table) (entry, error) {
	e := entry{line: p.lines.line(t.path)}
	var excludes []table
	for _, key := range p.keysOf(t) {
		var err error
		switch key {
		case tableAxes:
			e.axes, err = p.axes(t)
		case tableExclude:
			excludes, err = p.list(t, key)
		case tableParameters, tableArguments, tableVerify:
			var settings []setting
			settings, err = p.settings(t, key)
			e.settings = append(e.settings, settings...)
		case keyTraceRules, keyVia, keySpread:
			path, name := t.child(key)
			err = p.fail(path, name, errors.New("belongs to the suite as a whole: write it above the first table"))
		default:
			var s setting
			s, err = p.setting(t, "", key)
			e.settings = append(e.settings, s)
		}
		if err != nil {
			return entry{}, err
		}
	}
	for _, x := range excludes {
		read, err := p.exclude(x)
		if err != nil {
			return entry{}, err
		}
		e.excludes = append(e.excludes, read)
	}
	for _, a := range e.axes {
		if s := e.setter(a); s != nil {
			return entry{}, p.fail(a.path, a.label, fmt.Errorf("is set on line %d as well; remove one of the two",
				s.line))
		}
	}
	return e, nil
}

// setter returns the setting of e that sets the same as the axis, nil if there is none.
func (e entry) setter(a axis) *setting {
	for i, s := range e.settings {
		if s.table == a.table && s.name == a.name {
			return &e.settings[i]
		}
	}
	return nil
}

// axis returns the index of the axis of that name, -1 if there is none.
func (e entry) axis(name string) int {
	return slices.IndexFunc(e.axes, func(a axis) bool { return a.name == name })
}

// inherit completes e by the defaults. An axis or a key of e replaces an axis of the defaults that sets the same. An
// exclude of the defaults applies if all of its axes remain. An exclude of e must name existing axes.
func (p *parser) inherit(defaults, e entry) (entry, error) {
	merged := entry{line: e.line}
	for _, s := range defaults.settings {
		overridden := func(own setting) bool { return own.table == s.table && own.name == s.name }
		if !slices.ContainsFunc(e.settings, overridden) {
			merged.settings = append(merged.settings, s)
		}
	}
	merged.settings = append(merged.settings, e.settings...)
	for _, a := range defaults.axes {
		if e.axis(a.name) < 0 && e.setter(a) == nil {
			merged.axes = append(merged.axes, a)
		}
	}
	merged.axes = append(merged.axes, e.axes...)
	for _, x := range defaults.excludes {
		if merged.lacks(x) == nil {
			merged.excludes = append(merged.excludes, x)
		}
	}
	for _, x := range e.excludes {
		if c := merged.lacks(x); c != nil {
			return entry{}, p.fail(c.path, c.label, fmt.Errorf("no axis has this name%s", spelling.Suggest(c.axis,
				merged.axisNames())))
		}
		if c, value := merged.never(x); c != nil {
			return entry{}, p.fail(c.path, c.label, fmt.Errorf("excludes nothing: the axis has no value %s; it has %s",
				value, merged.axes[merged.axis(c.axis)].listed()))
		}
		merged.excludes = append(merged.excludes, x)
	}
	if err := p.checkPlaceholders(merged); err != nil {
		return entry{}, err
	}
	return merged, p.spend(merged)
}

// checkPlaceholders replaces the placeholders at the first point, so that Parse reports a wrong name.
func (p *parser) checkPlaceholders(e entry) error {
	first := make(map[string]string, len(e.axes))
	for _, a := range e.axes {
		first[a.name], _ = scalarText(a.values.at(0)) // checked when the axis was read
	}
	for _, s := range e.settings {
		if !s.template() {
			continue
		}
		if _, _, err := s.fill(first); err != nil {
			return p.fail(s.path, s.label, err)
		}
	}
	return nil
}

func (p *parser) checkDefaultExcludes(defaults entry, entries []entry) error {
	for _, x := range defaults.excludes {
		if !slices.ContainsFunc(entries, func(e entry) bool { return e.lacks(x) == nil }) {
			return p.fail(x.path, x.label,
				errors.New("no invocation has all axes that this names; correct the names or remove it"))
		}
		removes := func(e entry) bool { return e.lacks(x) == nil && e.removes(x) }
		if !slices.ContainsFunc(entries, removes) {
			return p.fail(x.path, x.label,
				errors.New("excludes nothing: no invocation has axes with these values; correct the values or remove it"))
		}
	}
	return nil
}
