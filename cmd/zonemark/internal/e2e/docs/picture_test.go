package docs

import (
	"bytes"
	"flag"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"zonemark/cmd/zonemark/internal/e2e"
)

var updateDocs = flag.Bool("update-docs", false, "draw the pictures of the pages anew")

// recording is what a terminal showed: the command after "$ ", and its output with the colours.
const recording = "testdata/terminal.txt"

// TestPicture compares the picture in the README with what was recorded, or draws it anew with -update-docs.
func TestPicture(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(recording)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(e2e.Top(t), "docs", "terminal.svg")
	drawn := drawTerminal(string(text))
	if *updateDocs {
		if err := os.WriteFile(path, drawn, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if there, err := os.ReadFile(path); err != nil || !bytes.Equal(there, drawn) {
		t.Errorf("%s is not what was recorded (%v); run go test ./cmd/zonemark/internal/e2e/docs -run TestPicture -update-docs",
			path, err)
	}
	readme, err := os.ReadFile(filepath.Join(e2e.Top(t), "README.md"))
	if err != nil || !bytes.Contains(readme, []byte("(docs/terminal.svg)")) {
		t.Errorf("the README does not show docs/terminal.svg (%v)", err)
	}
	if words := len(bytes.Fields(readme)); words > 900 {
		t.Errorf("the README has %d words; newcomers read 900: move some to the pages of docs", words)
	}
}

// TestPictureIsTrue runs the command of the picture. Its output has the columns and the rows that the picture shows;
// figures differ from run to run.
func TestPictureIsTrue(t *testing.T) {
	t.Parallel()
	runtimes := findDocumented(t)
	text, err := os.ReadFile(recording)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(plain(string(text)), "\n")
	words := strings.Fields(strings.TrimPrefix(lines[0], "$ zonemark "))
	if !runtimes.has(words) {
		t.Skip("the runtime of the picture is not installed")
	}
	cmd := e2e.Command(t, append(words, "--min-time", "10ms", "--max-time", "100ms")...)
	cmd.Dir = e2e.Top(t)
	cmd.Env = append(cmd.Env, runtimes.environment...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	checked := 0
	for _, line := range lines[1:] {
		if !strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "   ") { // no row of a table
			continue
		}
		want := strings.Fields(line)[:1]
		if want[0] == "name" || want[0] == "dispatch" {
			want = strings.Fields(strings.NewReplacer("wall/CPU", "", "10 … 90 %", "").Replace(line))
		}
		for _, word := range want {
			checked++
			if !bytes.Contains(out, []byte(word)) {
				t.Errorf("the picture shows %q, and the program does not:\n%s", word, out)
			}
		}
	}
	if checked < 12 {
		t.Errorf("the picture has %d words of tables; it shows too little", checked)
	}
}

// The size of a character, in the units of the picture.
const (
	charWidth, lineHeight, fontSize = 8.0, 18.0, 13.0
	margin                          = 14.0
)

// sgr is a change of colour, as terminals take it.
var sgr = regexp.MustCompile(`\x1b\[([0-9;]*)m`)

// plain returns a text without colours.
func plain(text string) string { return sgr.ReplaceAllString(text, "") }

// colours are those of a terminal, by the numbers of its changes of colour; "bold" is none.
var colours = map[string]string{"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "1": "bold"}

// drawTerminal draws a terminal (SVG) that shows a text. Each line has the width of its characters whatever font there
// is, so that tables keep their columns.
func drawTerminal(text string) []byte {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	columns := 0
	for _, line := range lines {
		columns = max(columns, utf8.RuneCountInString(plain(line)))
	}
	width, height := 2*margin+charWidth*float64(columns), 2*margin+lineHeight*float64(len(lines))
	b := &bytes.Buffer{}
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g" role="img">
<title>%s</title>
<rect width="100%%" height="100%%" rx="8" fill="#0d1117"/>
<g fill="#e6edf3" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="%g">
`, width, height, width, height, html.EscapeString(plain(lines[0])), fontSize)
	for i, line := range lines {
		y := margin + lineHeight*(float64(i)+0.75)
		column, style := 0, ""
		draw := func(part string) {
			for _, run := range blocks(part) {
				writeRun(b, margin+charWidth*float64(column), y, run, style)
				column += utf8.RuneCountInString(run)
			}
		}
		for at := 0; at < len(line); {
			change := sgr.FindStringSubmatchIndex(line[at:])
			if change == nil {
				draw(line[at:])
				break
			}
			draw(line[at : at+change[0]])
			style = colours[line[at+change[2]:at+change[3]]]
			at += change[1]
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.Bytes()
}

// blocks divides a text where two or more blanks are, so that each part keeps its column. Blanks go.
func blocks(text string) (parts []string) {
	from := 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && !strings.HasPrefix(text[i:], "  ") {
			continue
		}
		parts = append(parts, text[from:i])
		for from = i; from < len(text) && text[from] == ' '; from++ {
		}
		parts = append(parts, text[i:from])
		i = from
	}
	return parts
}

// writeRun writes characters of one style at a place. Bars are drawn as rectangles, since fonts differ in them.
func writeRun(b *bytes.Buffer, x, y float64, run, style string) {
	switch {
	case strings.TrimSpace(run) == "":
		return
	case strings.ContainsFunc(run, func(r rune) bool { return r >= '█' && r <= '▏' }):
		eighths := 0
		for _, r := range run {
			eighths += 8 - int(r-'█')
		}
		fmt.Fprintf(b, `<rect x="%g" y="%g" width="%g" height="%g" fill="#58a6ff"/>`+"\n", x, y-11, charWidth*float64(eighths)/8,
			lineHeight-5)
		return
	}
	attribute := ""
	switch {
	case style == "bold":
		attribute = ` font-weight="bold"`
	case style != "":
		attribute = ` fill="` + style + `"`
	}
	run = strings.TrimRightFunc(run, unicode.IsSpace)
	fmt.Fprintf(b, `<text x="%g" y="%g" textLength="%g"%s>%s</text>`+"\n", x, y,
		charWidth*float64(utf8.RuneCountInString(run)), attribute, html.EscapeString(run))
}
