package invocations

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

var updateDocs = flag.Bool("update-docs", false, "write the pages that are made from the code anew")

// TestJournalReference compares the page of journal fields with the types of the lines and their comments, from which it
// is made. Every field has a comment that begins with its name.
func TestJournalReference(t *testing.T) {
	const page = "../docs/journal-fields.md"
	lines := parseStructs(t)
	b := &strings.Builder{}
	b.WriteString("# Fields of the journal\n\nTimes are nanoseconds of a call, sizes bytes. A key that does not apply is " +
		"absent; a zero that is written was measured.\n")
	for _, section := range []struct{ title, about, name string }{
		{"The header", "The first line, and a line of kind `resume` for each continuation.", "Header"},
		{"A shard", "`shard` of the header.", "Shard"},
		{"What results have in common", "A line before the first result that refers to it by the key `common`. It gives values " +
			"for the keys that the result's own line lacks, and counters besides the result's own. A later line with the same " +
			"number replaces it.", "Common"},
		{"A result", "A line for each invocation. If an id has several, the last one counts. A result with the key " +
			"`common` takes absent keys from that line. It also lacks what follows from its other keys: the share of quiet " +
			"batches, the note on the others and, if it has one launch of at most 16 samples, the figures of these.", "Record"},
		{"A host", "Each of `hosts` of a result.", "HostRecord"},
		{"An argument", "Each of `arguments` of a result.", "ArgumentRecord"},
		{"A crash", "`crash` of a result.", "CrashRecord"},
		{"Disturbed batches", "`disturbed` of a result.", "DisturbedRecord"},
		{"A dispatch", "Each of `dispatches` of a result.", "DispatchRecord"},
		{"A traced call", "Each of `traced_calls` of a result.", "TracedCallRecord"},
		{"A dispatch of a traced call", "Each of `dispatches` of a traced call.", "PlacedDispatchRecord"},
		{"A simulated core", "Each of `simulated_cores` of a result. Its cycles count from the begin of the first core of the " +
			"call.", "SimulatedCore"},
		{"A zone of a simulated core", "Each of `zones` of a simulated core.", "SimulatedZone"},
		{"The end", "The last line. A journal without it is not complete.", "End"},
	} {
		fmt.Fprintf(b, "\n## %s\n\n%s\n\n| key | value | |\n|---|---|---|\n", section.title, section.about)
		writeFields(t, b, lines, section.name)
	}
	if *updateDocs {
		if err := os.WriteFile(page, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != b.String() {
		t.Errorf("%s is not what the code says; run go test ./invocations -run TestJournalReference -update-docs", page)
	}
}

// parseStructs returns the struct types of the package by name.
func parseStructs(t *testing.T) map[string]*ast.StructType {
	structs := map[string]*ast.StructType{}
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range g.Specs {
				if one, ok := s.(*ast.TypeSpec); ok {
					if structure, ok := one.Type.(*ast.StructType); ok {
						structs[one.Name.Name] = structure
					}
				}
			}
		}
	}
	return structs
}

// writeFields writes a row for each field of a struct, and of those that it embeds.
func writeFields(t *testing.T, b *strings.Builder, structs map[string]*ast.StructType, name string) {
	structure := structs[name]
	if structure == nil {
		t.Fatalf("there is no struct %s", name)
	}
	for _, f := range structure.Fields.List {
		if len(f.Names) == 0 {
			writeFields(t, b, structs, f.Type.(*ast.Ident).Name)
			continue
		}
		field := f.Names[0].Name
		comment := strings.Join(strings.Fields(f.Doc.Text()), " ")
		said, found := strings.CutPrefix(comment, field+" ")
		if !found {
			t.Errorf("%s.%s has no comment that begins with its name", name, field)
		}
		for _, verb := range []string{"is ", "are ", "has ", "tells ", "says ", "say "} {
			said = strings.TrimPrefix(said, verb)
		}
		first, size := utf8.DecodeRuneInString(said)
		if next, _ := utf8.DecodeRuneInString(said[size:]); !unicode.IsUpper(next) { // "CPU" stays
			first = unicode.ToLower(first)
		}
		tag, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			t.Fatal(err)
		}
		key, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", key, kindOf(f.Type),
			string(first)+strings.TrimSuffix(said[size:], "."))
	}
}

// kindOf returns what JSON holds of a type, in words.
func kindOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return kindOf(e.X)
	case *ast.ArrayType:
		return "list: " + kindOf(e.Elt)
	case *ast.MapType:
		return "object: " + kindOf(e.Value)
	case *ast.SelectorExpr: // time.Time
		return "time"
	case *ast.Ident:
		switch {
		case e.Name == "bool":
			return "true or false"
		case strings.HasPrefix(e.Name, "int"):
			return "integer"
		case strings.HasPrefix(e.Name, "float"):
			return "number"
		case strings.HasSuffix(e.Name, "Record"), strings.HasPrefix(e.Name, "Simulated"), e.Name == "Dropped",
			e.Name == "LaunchTimes":
			return "object"
		}
	}
	return "text"
}
