package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
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

// cell escapes what would end a cell of a table or be taken for a tag.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", `\<`, "\n", " ").Replace(text)
}
