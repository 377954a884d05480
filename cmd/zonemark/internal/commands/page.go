// Package commands holds the pages of the verbs, and makes manual pages and completions of them. The pages are those
// that the verbs print themselves when they are asked for help. The package knows no single verb.
package commands

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Program is the name of the program, and of the page that stands above all others.
const Program = "zonemark"

// Page is the help of a verb.
type Page struct {
	Name    string // with the verbs above it: "trace diff"; empty for the program itself
	Summary string // one line
	Intro   string // the help text above the flags
	Flags   *pflag.FlagSet
	Words   []string // arguments that it takes, if they are words and not files
}

// Pages are the pages of a program. A page stands behind the one above it.
type Pages []Page

// find returns the page of a name, nil if there is none.
func (p Pages) find(name string) *Page {
	if i := slices.IndexFunc(p, func(page Page) bool { return page.Name == name }); i >= 0 {
		return &p[i]
	}
	return nil
}

// below returns the pages directly below the one of a name.
func (p Pages) below(name string) (list Pages) {
	for _, page := range p {
		if page.Name != "" && parent(page.Name) == name {
			list = append(list, page)
		}
	}
	return list
}

// parent returns the name of the page above that of a name.
func parent(name string) string {
	if i := strings.LastIndexByte(name, ' '); i >= 0 {
		return name[:i]
	}
	return ""
}

// last returns the last word of a name.
func last(name string) string { return name[strings.LastIndexByte(name, ' ')+1:] }
