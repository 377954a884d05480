package compare

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"golang.org/x/perf/benchfmt"

	"zonemark/invocations"
)

// readBenchfmt reads results of Go's benchmarks: sec/op, which benchfmt makes of ns/op.
func readBenchfmt(r io.Reader, path string) (*Set, error) {
	var c collector
	failures := &goFailures{in: r, names: map[int]string{}}
	in := benchfmt.NewReader(failures, path)
	for in.Scan() {
		var err error
		switch one := in.Result().(type) {
		case *benchfmt.SyntaxError:
			err = c.spoil(failures.names[one.Line], "", fmt.Errorf("line %d: %s", one.Line, failures.why(one)))
			delete(failures.names, one.Line)
		case *benchfmt.Result:
			err = c.addGo(one)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, name := range failures.told {
		if err := c.bad(name, "", invocations.Failed); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	c.oneProcess("the file")
	return c.done(path)
}

// addGo adds the times of a line.
func (c *collector) addGo(r *benchfmt.Result) error {
	if c.set.Environment == nil {
		c.set.Environment = map[string]string{"cpu": r.GetConfig("cpu"), "os": r.GetConfig("goos"),
			"arch": r.GetConfig("goarch")}
	}
	for _, v := range r.Values {
		if v.Unit != "sec/op" {
			continue
		}
		_, line := r.Pos()
		if err := c.add(fmt.Sprintf("line %d: ", line), r.Name.String(), "", v.Value*1e9); err != nil {
			return err
		}
	}
	return nil
}

// Go's test program tells of a benchmark that failed in the line of its name, or with -v in a line of its own.
const (
	goBenchmark = "Benchmark"
	goFailed    = "--- FAIL: "
)

// goFailures finds the names of benchmarks without results in the text that passes through it, as package benchfmt
// tells only the lines.
type goFailures struct {
	in    io.Reader
	line  int    // of start, from 0
	start []byte // of the line, at most mostName
	names map[int]string
	told  []string // names in lines of their own
}

// Read reads text, and looks at each line.
func (g *goFailures) Read(p []byte) (int, error) {
	n, err := g.in.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		part, after, ended := bytes.Cut(rest, []byte("\n"))
		g.start = append(g.start, part[:min(len(part), mostName-len(g.start))]...)
		if ended {
			g.look()
		}
		rest = after
	}
	if err != nil {
		g.look()
	}
	return n, err
}

// look looks at a line that has ended.
func (g *goFailures) look() {
	text := string(g.start)
	g.line, g.start = g.line+1, g.start[:0]
	if len(g.names)+len(g.told) >= mostRows {
		return
	}
	if name, failed := strings.CutPrefix(text, goFailed+goBenchmark); failed {
		g.told = append(g.told, strings.TrimSpace(name))
		return
	}
	name, benchmark := strings.CutPrefix(text, goBenchmark)
	fields := strings.Fields(name)
	if benchmark && len(fields) > 1 && strings.Trim(fields[1], "0123456789") != "" {
		g.names[g.line] = fields[0]
	}
}

// why returns what is wrong with a line.
func (g *goFailures) why(e *benchfmt.SyntaxError) string {
	if name := g.names[e.Line]; name != "" {
		return fmt.Sprintf("%.100s has no result: it failed, or the line is damaged (%s)", name, e.Msg)
	}
	return e.Msg
}
