package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// csvTables are the tables that zonemark writes as CSV, each with the declarations in the code that name its columns: a
// struct with csv tags, or a function or constant that lists them.
var csvTables = []struct {
	title, about, folder string
	declarations         []string
}{
	{"Results", "`run`, `hat` and the other verbs that measure, by `--format csv`.", "driver/report", []string{"csvRow"}},
	{"Results of packages", "`hat --results-file`: the columns of hatlib in seconds (or milliseconds), then zonemark's own.",
		"driver/report/hatcsv", []string{"theirColumns", "addedColumns"}},
	{"Dispatches", "`run -d` and `trace dispatches --format csv`: a row for each dispatch of each call, or the median of calls.",
		"trace/dispatchcsv", []string{"columns"}},
	{"Dispatches of a profile", "`trace dispatches FILE.ireeprof --format csv`.", "cmd/zonemark/internal/traceverbs",
		[]string{"writeProfileCSV"}},
	{"Comparisons", "`compare --format csv`.", "cmd/zonemark/internal/comparing", []string{"line"}},
	{"Statistics of zones", "`trace stats --format csv`.", "cmd/zonemark/internal/statstable", []string{"row"}},
	{"Differences of captures", "`trace diff --format csv`.", "cmd/zonemark/internal/traceverbs", []string{"diffRow"}},
	{"Operations of Tenstorrent's profiler", "`trace tt --format csv`.", "cmd/zonemark/internal/ttreport",
		[]string{"opRow"}},
	{"Devices of Tenstorrent's profiler", "`trace tt --by device --format csv`.", "cmd/zonemark/internal/ttreport",
		[]string{"deviceRow"}},
	{"Calls of Tenstorrent's profiler", "`trace tt --by call --format csv`.", "cmd/zonemark/internal/ttreport",
		[]string{"callRow"}},
	{"Captures: zones by name", "`trace csv`; the other dialects have the columns up to `std_ns`.", "trace/tracycsv",
		[]string{"columnsAggregate", "columnsOurAggregates", "columnsTruncated"}},
	{"Captures: zones", "`trace csv -u`.", "trace/tracycsv", []string{"columnsOurZones"}},
	{"Captures: zones as tracy-csvexport writes them", "`trace csv -u --dialect VERSION`.", "trace/tracycsv",
		[]string{"columnsZones"}},
	{"Captures: zones as Tenstorrent's fork writes them", "`trace csv -u --dialect tt`.", "trace/tracycsv",
		[]string{"columnsTTZones"}},
	{"Captures: messages", "`trace csv -m`; the other dialects have the second table.", "trace/tracycsv",
		[]string{"columnsOurMessages"}},
	{"Captures: messages as tracy-csvexport writes them", "`trace csv -m --dialect VERSION`.", "trace/tracycsv",
		[]string{"columnsMessages"}},
	{"Captures: zones of the GPU", "`trace csv -g`.", "trace/tracycsv", []string{"columnsOurGPU"}},
	{"Captures: zones of the GPU as tracy-csvexport writes them", "`trace csv -g --dialect VERSION`.", "trace/tracycsv",
		[]string{"columnsGPU"}},
	{"Captures: plots", "`trace csv -p`.", "trace/tracycsv", []string{"columnsOurPlots"}},
	{"Fits of cost models", "`fit --format csv`.", "cmd/zonemark/internal/fitting", []string{"row"}},
	{"Errors of published parameters", "`fit --against --format csv`.", "cmd/zonemark/internal/fitting", []string{"mistake"}},
	{"Operations on several runtimes", "`sweep --runtime tt,iree --format csv`: a row for each configuration on each " +
		"runtime.", "cmd/zonemark/internal/sweeping", []string{"line"}},
	{"Schedules of Halide", "`halide run --timings-csv`: seconds.", "cmd/zonemark/internal/halidebench",
		[]string{"timingsColumns"}},
}

// TestCSVReference compares the page of CSV columns with the code that writes them. What a column means is the comment of
// its field, of results else that of the journal's field of the same name, else what csvMeanings says.
func TestCSVReference(t *testing.T) {
	t.Parallel()
	journal := csvSource{t, declarationsIn(t, "invocations")}.columnsByTag("Record", "json")
	meanings := map[string]string{}
	for _, c := range journal {
		meanings[c.name] = c.meaning
	}
	b := &strings.Builder{}
	b.WriteString("# Columns of CSV\n\nEvery table that zonemark writes as CSV. Names that end in `_ns` are nanoseconds. " +
		"Columns are added at the end,\nnever renamed. Sweeps have the columns of their operation: `zonemark sweep --help`. " +
		"[columns.md](columns.md) tells\nwhat the columns of the text mean.\n")
	for _, table := range csvTables {
		source := csvSource{t, declarationsIn(t, table.folder)}
		fmt.Fprintf(b, "\n## %s\n\n%s\n\n| column | |\n|---|---|\n", table.title, table.about)
		seen := map[string]bool{}
		for _, name := range table.declarations {
			list := source.columns(name)
			if len(list) == 0 {
				t.Errorf("%s: %s names no columns", table.folder, name)
			}
			for _, c := range list {
				if seen[c.name] {
					continue
				}
				seen[c.name] = true
				if c.meaning == "" && strings.HasPrefix(table.folder, "driver/report") {
					c.meaning = meanings[c.name]
				}
				if c.meaning == "" {
					c.meaning = csvMeanings[c.name]
				}
				if c.meaning == "" {
					t.Errorf("%s: nothing says what %s means: write a comment, or add it to csvMeanings", table.title, c.name)
				}
				fmt.Fprintf(b, "| `%s` | %s |\n", c.name, cell(c.meaning))
			}
		}
	}
	comparePage(t, "csv-columns.md", b.String())
}

// csvColumn is a column with what the code says about it.
type csvColumn struct{ name, meaning string }

// csvSource holds the declarations of a package by name.
type csvSource struct {
	*testing.T
	declarations map[string]ast.Node // *ast.StructType, *ast.FuncDecl, or the value of a constant
}

func declarationsIn(t *testing.T, folder string) map[string]ast.Node {
	t.Helper()
	found := map[string]ast.Node{}
	paths, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(folder), "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v", folder, err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					found[d.Name.Name] = d
				}
			case *ast.GenDecl:
				maps.Copy(found, specsOf(d))
			}
		}
	}
	return found
}

// specsOf returns the structs and the values of a declaration by name.
func specsOf(d *ast.GenDecl) map[string]ast.Node {
	found := map[string]ast.Node{}
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if structure, ok := s.Type.(*ast.StructType); ok {
				found[s.Name.Name] = structure
			}
		case *ast.ValueSpec:
			for i := range s.Values {
				found[s.Names[i].Name] = s.Values[i]
			}
		}
	}
	return found
}

// columns returns the columns that a declaration names.
func (s csvSource) columns(name string) (list []csvColumn) {
	switch d := s.declarations[name].(type) {
	case *ast.StructType:
		return s.columnsByTag(name, "csv")
	case *ast.FuncDecl:
		if name == "columns" {
			return s.columnsByCalls(d)
		}
		for _, text := range s.texts(firstList(d)) {
			list = append(list, csvColumn{name: text})
		}
	case ast.Expr:
		for _, one := range strings.Split(strings.Join(s.texts(d), ""), ",") {
			if one != "" {
				list = append(list, csvColumn{name: one})
			}
		}
	}
	return list
}

// firstList returns the first list of texts in a function.
func firstList(d *ast.FuncDecl) (list ast.Node) {
	ast.Inspect(d.Body, func(n ast.Node) bool {
		if literal, ok := n.(*ast.CompositeLit); ok && list == nil && len(literal.Elts) > 0 {
			if _, ok := literal.Elts[0].(*ast.BasicLit); ok {
				list = literal
			}
		}
		return list == nil
	})
	return list
}

// texts returns the texts below a node, with those of constants that it names.
func (s csvSource) texts(node ast.Node) (list []string) {
	if node == nil {
		return nil
	}
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
				list = append(list, text)
			}
		case *ast.Ident:
			if value, ok := s.declarations[n.Name].(ast.Expr); ok {
				list = append(list, s.texts(value)...)
			}
		}
		return true
	})
	return list
}

// columnsByCalls returns the columns of a list of values that are each made with the name and a field of Row.
func (s csvSource) columnsByCalls(d *ast.FuncDecl) (list []csvColumn) {
	meanings := map[string]string{}
	for _, f := range s.declarations["Row"].(*ast.StructType).Fields.List {
		meanings[f.Names[0].Name] = commentOf(f)
	}
	for _, element := range d.Body.List[0].(*ast.ReturnStmt).Results[0].(*ast.CompositeLit).Elts {
		var c csvColumn
		field := ""
		node := ast.Node(element)
		if call, ok := element.(*ast.CallExpr); ok && len(call.Args) == 0 {
			node = s.declarations[call.Fun.(*ast.Ident).Name]
		}
		ast.Inspect(node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); err == nil && c.name == "" {
					c.name = text
				}
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "r" && field == "" {
					field = n.Sel.Name
					c.meaning = meanings[field]
				}
			}
			return true
		})
		list = append(list, c)
	}
	return list
}

// columnsByTag returns the keys of the fields of a struct, and of those that it embeds.
func (s csvSource) columnsByTag(name, tag string) (list []csvColumn) {
	structure, ok := s.declarations[name].(*ast.StructType)
	if !ok {
		return nil
	}
	for _, f := range structure.Fields.List {
		if len(f.Names) == 0 {
			if embedded, ok := f.Type.(*ast.Ident); ok {
				list = append(list, s.columnsByTag(embedded.Name, tag)...)
			}
			continue
		}
		if f.Tag == nil {
			continue
		}
		text, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			s.Fatal(err)
		}
		key, _, _ := strings.Cut(reflect.StructTag(text).Get(tag), ",")
		if key != "" && key != "-" {
			list = append(list, csvColumn{key, commentOf(f)})
		}
	}
	return list
}

// commentOf returns the comment of a field without the field's name and its first verb.
func commentOf(f *ast.Field) string {
	text := f.Comment.Text()
	if said, found := strings.CutPrefix(f.Doc.Text(), f.Names[0].Name+" "); found {
		text = regexp.MustCompile(`^(is|are|has|tells|says|say) `).ReplaceAllString(said, "")
	}
	text = strings.TrimSuffix(strings.Join(strings.Fields(text), " "), ".")
	first, size := utf8.DecodeRuneInString(text)
	if second, _ := utf8.DecodeRuneInString(text[size:]); size == 0 || unicode.IsUpper(second) {
		return text
	}
	return string(unicode.ToLower(first)) + text[size:]
}
