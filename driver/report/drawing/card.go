package drawing

import (
	"html/template"
	"strings"
	"unicode/utf8"

	"zonemark/invocations/lazyregexp"
)

// Card is what a page begins with: the result in one sentence, and what it depends on. Texts are shown as they are. The
// template "card" shows it.
type Card struct {
	Title    string // the heading: what this is of
	Place    string // where and when that was, in short; part of the heading
	Headline string // the result
	Facts    []Fact // in this order; those without a text are left out
	Warnings []string
	Links    []Link // to the sections of the page
}

// Fact is a name with its text.
type Fact struct {
	Name, Text string
	Differs    bool // between the runs of the page
}

// Link leads to the element of the page with this id.
type Link struct{ ID, Text string }

// Table names the columns of a table of results for narrow windows, in which each row is a few lines: its name, and
// below it the other cells, each behind the title of its column. The template "narrow" shows it, as CSS.
type Table struct {
	ID     string   // of the element
	Titles []string // of the columns behind the first one, which has the names; empty: the cells need none
}

// leastBreaks is the length of names from which on they can be broken. Shorter ones fit in a telephone.
const leastBreaks = 24

// breakable returns a name that a browser may break between words and, in long words, behind separators, and nowhere else
// if that is enough.
func breakable(name string) template.HTML {
	words := strings.Split(name, " ")
	for i, word := range words {
		if utf8.RuneCountInString(word) >= leastBreaks {
			words[i] = broken(word)
		} else {
			words[i] = whole(word)
		}
	}
	return template.HTML(strings.Join(words, " "))
}

// whole returns a word that is not broken, as HTML.
func whole(word string) string {
	text := template.HTMLEscapeString(word)
	if strings.Contains(word, "-") { // at which browsers break
		return `<span class="whole">` + text + "</span>"
	}
	return text
}

// broken returns a long word that may be broken behind its separators, as HTML. Parts of a path that are short stay whole,
// as "D.TILE=16" in "product/cflags=-O3/D.TILE=16".
func broken(word string) string {
	parts := strings.SplitAfter(word, "/")
	for i, part := range parts {
		if utf8.RuneCountInString(part) >= leastBreaks {
			parts[i] = separated(part)
		} else {
			parts[i] = whole(part)
		}
	}
	return strings.Join(parts, "<wbr>")
}

// separated returns a word that may be broken behind its separators, as HTML.
func separated(word string) string {
	var b strings.Builder
	begin := 0
	for i := 0; i < len(word); i++ {
		if strings.IndexByte("_.$:,=-@", word[i]) >= 0 && i-begin >= 2 {
			b.WriteString(template.HTMLEscapeString(word[begin : i+1]))
			b.WriteString("<wbr>")
			begin = i + 1
		}
	}
	b.WriteString(template.HTMLEscapeString(word[begin:]))
	return b.String()
}

// unitOfFigure is the end of a figure, and its unit.
var unitOfFigure = lazyregexp.New(`(\d) (%|(?:ns|µs|ms|s|GHz)\b)`)

// joined returns a text in which lines end before a figure or behind its unit, not between them, and not within a word that
// breakable keeps whole, such as a date.
func joined(text string) template.HTML {
	return breakable(unitOfFigure().ReplaceAllString(text, "$1\u00a0$2"))
}

// After returns the number of the column of a title, from 1; the names are in the first column.
func (Table) After(i int) int { return i + 2 }

// WholeTitle returns the title with the place, for the head of the page.
func (c Card) WholeTitle() string {
	if c.Place == "" {
		return c.Title
	}
	return c.Title + " — " + c.Place
}
