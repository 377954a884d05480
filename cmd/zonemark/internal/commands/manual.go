package commands

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// WriteManual writes a manual page for each page to a folder, which is made if it is missing. It returns the names of
// the files.
func (p Pages) WriteManual(folder, version string) (names []string, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("manual pages: %w; name a folder that can be written", err)
	}
	for i := range p {
		var b strings.Builder
		if err := p.writePage(&b, &p[i], version); err != nil {
			return names, err
		}
		name := p[i].file() + ".1"
		if err := os.WriteFile(filepath.Join(folder, name), []byte(b.String()), 0o644); err != nil {
			return names, fmt.Errorf("manual pages: %w", err)
		}
		names = append(names, name)
	}
	return names, nil
}

// file returns the name under which man finds the page: "zonemark-trace-diff".
func (page *Page) file() string {
	return strings.ReplaceAll(strings.TrimSpace(Program+" "+page.Name), " ", "-")
}

// writePage writes one page in the macros of man(7).
func (p Pages) writePage(w io.Writer, page *Page, version string) error {
	r := &roff{w: w}
	r.macro(".TH %s 1 \"\" \"%s\"", strings.ToUpper(page.file()), escape(Program+" "+version))
	r.macro(".SH NAME\n%s \\- %s", escape(page.file()), escape(page.Summary))
	below := p.below(page.Name)
	synopsis, description, examples := sections(page.Intro)
	description = slices.DeleteFunc(description, func(line string) bool { // they stand under VERBS
		return slices.ContainsFunc(below, func(verb Page) bool {
			return strings.HasPrefix(line, "  "+last(verb.Name)+" ")
		})
	})
	r.section("SYNOPSIS", synopsis)
	r.section("DESCRIPTION", description)
	if len(below) > 0 {
		r.macro(".SH VERBS")
		for _, verb := range below {
			r.macro(".TP\n.BR %s (1)\n%s", escape(verb.file()), escape(verb.Summary))
		}
	}
	r.options(page.Flags)
	r.section("EXAMPLES", examples)
	if page.Name != "" {
		above := p.find(parent(page.Name))
		r.macro(".SH SEE ALSO\n.BR %s (1)", escape(above.file()))
	}
	return r.err
}

// sections divides a help text into the command lines behind "Usage:", the examples, and all else.
func sections(intro string) (synopsis, description, examples []string) {
	into := &description
	for line := range strings.Lines(intro) {
		line = strings.TrimRight(line, "\n")
		usage, isUsage := strings.CutPrefix(line, "Usage:")
		switch {
		case isUsage:
			into, line = &synopsis, "  "+strings.TrimSpace(usage)
		case line == "Examples:" || line == "Example:":
			into = &examples
			continue
		case line != "" && !strings.HasPrefix(line, " ") && into != &description, line == "" && into == &synopsis:
			into = &description
		}
		*into = append(*into, line)
	}
	return synopsis, description, examples
}

// roff writes lines of a manual page and keeps the first error.
type roff struct {
	w   io.Writer
	err error
}

// macro writes lines that hold requests; what they quote is escaped already.
func (r *roff) macro(format string, args ...any) {
	if r.err == nil {
		_, r.err = fmt.Fprintf(r.w, format+"\n", args...)
	}
}

// section writes lines of a help text under a title. Indented lines stay as they are, others are filled.
func (r *roff) section(title string, lines []string) {
	if strings.TrimSpace(strings.Join(lines, "")) == "" {
		return
	}
	r.macro(".SH %s", title)
	verbatim, text := false, false // text: something stands above
	for i, line := range lines {
		if strings.TrimSpace(line) == "" {
			if text && !verbatim && i+1 < len(lines) {
				r.macro(".PP")
			}
			continue
		}
		if indented := strings.HasPrefix(line, " "); indented != verbatim {
			if verbatim = indented; indented {
				r.macro(".PP\n.nf")
			} else {
				r.macro(".fi\n.PP")
			}
		}
		r.macro("%s", escape(strings.TrimPrefix(line, "  ")))
		text = true
	}
	if verbatim {
		r.macro(".fi")
	}
}

// options writes the flags with their defaults.
func (r *roff) options(set *pflag.FlagSet) {
	if set == nil || !set.HasFlags() {
		return
	}
	r.macro(".SH OPTIONS")
	set.VisitAll(func(f *pflag.Flag) {
		names := `\fB\-\-` + escape(f.Name) + `\fR`
		if f.Shorthand != "" {
			names = `\fB\-` + escape(f.Shorthand) + `\fR, ` + names
		}
		kind, usage := pflag.UnquoteUsage(f)
		if f.Value.Type() != "bool" {
			kind = `\fI` + escape(kind) + `\fR`
			if f.NoOptDefVal != "" {
				names += "[=" + kind + "]"
			} else {
				names += " " + kind
			}
		}
		if !empty(f.DefValue) {
			usage += " (default " + f.DefValue + ")"
		}
		r.macro(".TP\n%s\n%s", names, escape(usage))
	})
}

// empty reports whether a default is that of a flag without one.
func empty(value string) bool {
	switch value {
	case "", "0", "false", "0s", "[]":
		return true
	}
	return false
}

// escape returns a line as text: nothing in it is a request or an escape, and hyphens can be copied.
func escape(line string) string {
	var b strings.Builder
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		b.WriteString(`\&`)
	}
	for _, r := range line {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r < ' ':
			b.WriteByte(' ')
		case r > '~':
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
