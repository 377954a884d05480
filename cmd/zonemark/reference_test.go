package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/commands"
	"zonemark/cmd/zonemark/internal/program"

	"github.com/spf13/pflag"
)

var updateDocs = flag.Bool("update-docs", false, "write the pages that are made from the code anew")

// comparePage compares a page of docs with what the code says, or writes it anew with -update-docs.
func comparePage(t *testing.T, name, got string) {
	t.Helper()
	page := filepath.Join("..", "..", "docs", name)
	if *updateDocs {
		if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s is not what the code says; run go test ./cmd/zonemark -run %s -update-docs", page, t.Name())
	}
}

// TestFlagReference compares the page of flags with the flags of the verbs.
func TestFlagReference(t *testing.T) {
	t.Parallel()
	b := &strings.Builder{}
	b.WriteString("# Flags\n\nEvery flag of every verb. `zonemark help VERB all` shows them with examples. A flag without a " +
		"value in the\nsecond column is a switch. An empty default means that nothing is set.\n")
	for _, page := range pages(t.Context(), program.Standard()) {
		writeFlags(b, page)
	}
	comparePage(t, "flags.md", b.String())
}

// writeFlags writes a table of the flags of a verb, if it has some.
func writeFlags(b *strings.Builder, page commands.Page) {
	if page.Flags == nil || !page.Flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, "\n## zonemark %s\n\n%s.\n\n| flag | value | default | |\n|---|---|---|---|\n", page.Name,
		cell(page.Summary))
	page.Flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name := "`--" + f.Name + "`"
		if f.Shorthand != "" {
			name = "`-" + f.Shorthand + "`, " + name
		}
		kind, usage := pflag.UnquoteUsage(f)
		if f.NoOptDefVal != "" && kind != "" {
			usage += "; without a value: " + f.NoOptDefVal
		}
		value := f.DefValue
		if strings.Contains(usage, "(default") { // depends on the machine
			value = ""
		}
		if value == "[]" || f.Value.Type() == "bool" && value == "false" {
			value = ""
		}
		if value != "" {
			value = "`" + value + "`"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", name, cell(kind), cell(value), cell(usage))
	})
}

// cell escapes what would end a cell of a table or be taken for a tag.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", `\<`, "\n", " ").Replace(text)
}
