package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"zonemark/invocations/environ"
)

// fakeExporter returns an exporter that is a shell script, with the command line in $verb and $out.
func fakeExporter(t *testing.T, script string) *Exporter {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for Python is a shell script")
	}
	path := filepath.Join(t.TempDir(), "python")
	text := "#!/bin/sh\nverb=$3\nfor a in \"$@\"; do case $a in --out=*) out=${a#--out=};; esac; done\n" + script
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return &Exporter{Interpreter: path, Sources: t.TempDir(), Variables: environ.OfProcess(), Timeout: time.Minute}
}

// exporting is a script that exports the small model and counts its calls in $PWD/count.
const exporting = `echo run >> count
mkdir -p "$out" && cat > "$out/manifest.json" <<'END'
` + small + `
END
echo "{\"version\":1,\"manifest\":\"$out/manifest.json\"}"
`

func count(t *testing.T, e *Exporter) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(e.Sources, "count"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}

func entries(t *testing.T, folder string) int {
	t.Helper()
	all, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// An export is made once for equal requests, sources, versions and variables, and again if one of them changes.
func TestExports(t *testing.T) {
	e := fakeExporter(t, exporting)
	models := t.TempDir()
	e.Models = []string{models}
	x := &Exports{Exporter: e, Folder: t.TempDir(), Generator: "1"}
	r := Request{Model: "mlp", Config: "small", DType: "float32"}
	made := 0
	get := func(fresh bool) {
		t.Helper()
		if fresh {
			made++
		}
		export, err := x.Get(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if export.Cached == fresh || export.Model != "mlp" || (export.Took > 0) != fresh || count(t, e) != made {
			t.Errorf("cached %v, took %v, %d were made, want %d", export.Cached, export.Took, count(t, e), made)
		}
	}
	get(true)
	get(false)
	for _, change := range []func(){
		func() { r.Layers = 1 }, func() { r.Training = true }, func() { r.EmulatedFormat = "Bfp4" },
		func() { r.Seed = 2 }, func() { x.Generator = "2" }, func() { x.Variables = []string{"A=1"} },
		func() {
			if err := os.WriteFile(filepath.Join(models, "m.py"), []byte("pass"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		func() {
			if err := os.WriteFile(filepath.Join(models, "m.py"), []byte("pass\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		change()
		get(true)
		get(false)
	}
	if err := os.WriteFile(filepath.Join(models, "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	get(false)
	// An incomplete export is made again.
	export, err := x.Get(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(export.Folder, manifestName), []byte(`{"version":1`), 0o600); err != nil {
		t.Fatal(err)
	}
	get(true)
	e.Models = []string{filepath.Join(models, "gone")}
	if _, err := x.Get(t.Context(), r); err == nil ||
		!strings.Contains(err.Error(), "there is no such folder or file") {
		t.Errorf("error %v", err)
	}
}

// Two benchmarks at once each get a complete export.
func TestExportsAtOnce(t *testing.T) {
	e := fakeExporter(t, exporting)
	x := &Exports{Exporter: e, Folder: t.TempDir()}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if export, err := x.Get(t.Context(), Request{Model: "mlp"}); err != nil || export.Microbatch != 4 {
				t.Errorf("%+v, %v", export, err)
			}
		})
	}
	all.Wait()
	if n := entries(t, x.Folder); n != 1 {
		t.Errorf("%d folders are in the cache, want 1", n)
	}
}

// An exporter that fails leaves nothing, and the error has its message.
func TestExportFails(t *testing.T) {
	for script, want := range map[string]string{
		`echo half > "$out"; ` +
			`echo '{"version":1,"error":"it is none","file":"/m.py",` +
			`"line":4,"kind":"return-value"}'; exit 1`: "/m.py:4: it is none",
		`mkdir "$out"; echo "no memory" >&2; exit 3`: "zonemark.models export: exit status 3\n  no memory",
		`echo hello`: `no JSON object`,
		`echo '{"version":1,"manifest":"/elsewhere"}'`:               `its manifest is "/elsewhere"`,
		`echo "{\"version\":1,\"manifest\":\"$out/manifest.json\"}"`: "manifest of an export",
		`kill -9 $$`: "signal: killed",
	} {
		e := fakeExporter(t, script)
		var said []string
		e.Line = func(text string) { said = append(said, text) }
		x := &Exports{Exporter: e, Folder: t.TempDir()}
		if _, err := x.Get(t.Context(), Request{Model: "mlp"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
		if n := entries(t, x.Folder); n != 0 {
			t.Errorf("%s: %d things are left", script, n)
		}
		if strings.Contains(script, "no memory") && (len(said) != 1 || said[0] != "no memory") {
			t.Errorf("said %q", said)
		}
	}
	e := fakeExporter(t,
		`echo '{"version":1,"error":"no","file":"'$PWD'/zonemark/models/bert.py",`+
			`"line":4,"kind":"unsupported"}'; exit 1`)
	if _, err := e.List(t.Context()); err == nil || err.Error() != "zonemark/models/bert.py:4: no" {
		t.Errorf("error %v", err)
	}
	e.Interpreter += "x"
	if _, err := e.List(t.Context()); err == nil || !strings.Contains(err.Error(), "pythonx") {
		t.Errorf("error %v", err)
	}
}

// After the timeout or an interrupt, the exporter and its children end.
func TestExportEnds(t *testing.T) {
	for _, interrupted := range []bool{false, true} {
		e := fakeExporter(t, `sh -c 'echo $$ > child; exec sleep 300' & wait`)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		child := filepath.Join(e.Sources, "child")
		if interrupted {
			go func() {
				defer cancel() // too late is an error of the exporter's own, which the test sees
				for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
					if text, err := os.ReadFile(child); err == nil && len(text) > 1 {
						return
					}
				}
			}()
		} else {
			e.Timeout = 2 * time.Second
		}
		x := &Exports{Exporter: e, Folder: t.TempDir()}
		_, err := x.Get(ctx, Request{Model: "mlp"})
		if interrupted && !errors.Is(err, context.Canceled) ||
			!interrupted && (err == nil || !strings.Contains(err.Error(), "--export-timeout")) {
			t.Errorf("interrupted %v: error %v", interrupted, err)
		}
		if n := entries(t, x.Folder); n != 0 {
			t.Errorf("%d things are left", n)
		}
		text, err := os.ReadFile(child)
		if err != nil {
			t.Fatal(err)
		}
		status := fmt.Sprintf("/proc/%s/stat", strings.TrimSpace(string(text)))
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			if stat, err := os.ReadFile(status); err != nil || strings.Contains(string(stat), ") Z ") {
				break // gone, or waiting to be
			} else if time.Now().After(end) {
				t.Errorf("what the exporter has started is still there: %s", stat)
				break
			}
		}
	}
}

func TestListAndDescribe(t *testing.T) {
	e := fakeExporter(t, `echo "$@" >> count
case $verb in
list) echo '{"version":1,"models":[{"name":"mlp","configs":["small"]}],"mistakes":[{"file":"/m.py","line":2,`+
		`"error":"no"}]}';;
describe) cat <<'END'
`+small+`
END
;; esac`)
	x := &Exports{Exporter: e, Folder: t.TempDir()}
	if c, err := e.List(t.Context()); err != nil || len(c.Models) != 1 || len(c.Mistakes) != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	r := Request{Model: "mlp", Config: "small", Training: true, Generative: true, Layers: 2, Microbatch: 3,
		DType: "float16", EmulatedFormat: "Bfp8", Seed: 1 << 63}
	for range 2 {
		if m, err := x.Describe(t.Context(), r); err != nil || m.Parameters != 8 {
			t.Errorf("%+v, %v", m, err)
		}
	}
	if n := count(t, e); n != 2 {
		t.Errorf("the exporter ran %d times, want 2", n)
	}
	const want = "-m zonemark.models describe --model=mlp --config=small --dtype=float16 --emulate-format=Bfp8 " +
		"--layers=2 --microbatch=3 --seed=9223372036854775808 --training --generative"
	if text, err := os.ReadFile(filepath.Join(e.Sources, "count")); err != nil ||
		!strings.Contains(string(text), want) {
		t.Errorf("%s, %v", text, err)
	}
}

// A cache that is too large loses the least recently used exports, but none that was used within the last hour.
func TestPrune(t *testing.T) {
	x := &Exports{Folder: t.TempDir(), MaxBytes: 250}
	old := time.Now().Add(-2 * recently)
	for i, name := range []string{"oldest", "older", "kept", partialPrefix + "old", partialPrefix + "new", "recent"} {
		folder := filepath.Join(x.Folder, name)
		used := old.Add(time.Duration(i) * time.Minute)
		if name == "recent" || name == partialPrefix+"new" {
			used = time.Now()
		}
		if err := errors.Join(
			os.Mkdir(folder, 0o755),
			os.WriteFile(filepath.Join(folder, "weights"), make([]byte, 100), 0o600),
			os.Chtimes(folder, used, used),
		); err != nil {
			t.Fatal(err)
		}
	}
	for name, when := range map[string]time.Time{"old.json": time.Now().Add(-2 * longAgo), "new.json": old} {
		path := filepath.Join(x.Folder, name)
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, when, when)); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.prune("kept"); err != nil {
		t.Fatal(err)
	}
	all, err := os.ReadDir(x.Folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range all {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != "kept new.json partial-new recent" {
		t.Errorf("left: %s", got)
	}
}
