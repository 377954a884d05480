package main

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// leaves import nothing of this module and may be imported by every package. The keys are matched with path.Match.
var leaves = []string{"driver/stats", "driver/files", "invocations/spelling"}

// mayImport says what each package that is no leaf may import of this module beside the leaves. A runtime's package is
// below executor and may not be imported by another one. The keys are matched with path.Match; the first match decides.
var mayImport = []struct {
	room    string
	imports []string
}{
	{"invocations", nil},
	{"executor", []string{"invocations", "executor/native", "executor/tracy"}},
	{"executor/dl", nil},
	{"executor/native", []string{"executor/dl"}},
	{"executor/sandbox", nil},
	{"executor/iree", []string{"executor", "executor/native", "executor/dl", "executor/tracy", "executor/iree/*", "invocations"}},
	{"executor/iree/*", []string{"executor/native", "executor/dl", "executor/tracy", "executor/iree/tensor", "invocations"}},
	{"executor/tt", []string{"executor", "executor/native", "executor/tt/*", "invocations"}},
	{"executor/tt/*", []string{"executor/dl"}},
	{"executor/*", []string{"executor", "executor/native", "executor/dl", "invocations"}},
	{"driver", []string{"invocations"}},
	{"driver/report", []string{"invocations"}},
	{"driver/setup", nil},
	{"driver/setup/setuptest", []string{"driver/setup"}}, // for tests, which may import what they need: the table holds what is built
	{"driver/filehash", []string{"driver/files"}},
	{"driver/*", []string{"invocations", "driver"}},
	{"trace", []string{"invocations"}},
	{"cmd/zonemark", []string{"*", "*/*", "cmd/zonemark/internal/*"}},
	{"cmd/zonemark/internal/cli", nil},
	{"cmd/zonemark/internal/cachedir", []string{"driver/setup"}},
}

func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports", "zonemark/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		room := strings.TrimPrefix(p.ImportPath, "zonemark/")
		allowed, planned := plan(room)
		if planned && !isLeaf(room) {
			allowed = append(slices.Clone(allowed), leaves...)
		}
		if !planned {
			t.Errorf("%s: a room that the plan does not know", room)
		}
		for _, imported := range p.Imports {
			checked++
			if imported == "github.com/ebitengine/purego" && room != "executor/dl" {
				t.Errorf("%s imports purego; only executor/dl may", room)
			}
			other, ours := strings.CutPrefix(imported, "zonemark/")
			if ours && !slices.Contains(leaves, other) && !slices.ContainsFunc(allowed, func(pattern string) bool { return matches(pattern, other) }) {
				t.Errorf("%s imports %s; it may import %v", room, other, allowed)
			}
		}
	}
	if checked == 0 {
		t.Error("no imports were checked")
	}
}

func isLeaf(room string) bool {
	return slices.ContainsFunc(leaves, func(pattern string) bool { return matches(pattern, room) })
}

func plan(room string) (allowed []string, known bool) {
	if isLeaf(room) {
		return nil, true
	}
	for _, row := range mayImport {
		if matches(row.room, room) {
			return row.imports, true
		}
	}
	return nil, false
}

func matches(pattern, room string) bool {
	ok, err := path.Match(pattern, room)
	return ok && err == nil
}
