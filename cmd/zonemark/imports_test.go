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

// mayImport is the plan of the house: what each room may import of this module. A runtime's room is below executor and may not be
// imported by another one. The keys are matched with path.Match, first come first served.
var mayImport = []struct {
	room    string
	imports []string
}{
	{"invocations/spelling", nil},
	{"invocations/tracerule", nil},
	{"invocations/suite", []string{"invocations"}},
	{"invocations/wire", []string{"invocations"}},
	{"invocations", nil},
	{"executor", []string{"invocations", "invocations/wire", "executor/native", "executor/tracy"}},
	{"executor/dl", nil},
	{"executor/native", []string{"executor/dl"}},
	{"executor/sandbox", nil},
	{"executor/iree", []string{"executor", "executor/native", "executor/dl", "executor/tracy", "executor/iree/*", "invocations"}},
	{"executor/iree/*", []string{"executor/native", "executor/dl", "executor/tracy", "executor/iree/tensor", "invocations"}},
	{"executor/tt", []string{"executor", "executor/native", "executor/tt/*", "invocations"}},
	{"executor/tt/*", []string{"executor/dl"}},
	{"executor/*", []string{"executor", "executor/native", "executor/dl", "invocations"}},
	{"driver", []string{"invocations", "invocations/wire", "driver/filelock"}},
	{"driver/stats", []string{"invocations"}},
	{"driver/report", []string{"invocations", "driver/stats"}},
	{"driver/setup", nil},
	{"driver/filelock", nil},
	{"driver/*", []string{"invocations", "driver", "driver/stats", "driver/filelock"}},
	{"trace", []string{"invocations"}},
	{"cmd/zonemark", []string{"*", "*/*"}},
}

// leaves import nothing of this module; anybody may import them.
var leaves = []string{"invocations/spelling", "invocations/tracerule"}

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

func plan(room string) (allowed []string, known bool) {
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
