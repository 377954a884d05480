package bench_test

import (
	"os"
	"slices"
	"testing"
	"testing/fstest"

	"zonemark/driver/bench"
	"zonemark/driver/python"
	"zonemark/driver/setup/setuptest"
	"zonemark/invocations/environ"
)

// The names that are found without Python are those that the exporter lists.
func TestShippedModels(t *testing.T) {
	got, err := bench.ShippedModels(python.Files())
	if err != nil || !slices.Contains(got, "bert") {
		t.Fatalf("%v, %v", got, err)
	}
	models := setuptest.Models(t)
	sources := t.TempDir()
	if err := os.CopyFS(sources, python.Files()); err != nil {
		t.Fatal(err)
	}
	e := bench.Exporter{Interpreter: models.Interpreter, Sources: sources, Variables: environ.OfProcess()}
	catalog, err := e.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := catalog.Names()
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Only functions with the decorator at the beginning of a line are models.
func TestShippedModelsOfText(t *testing.T) {
	text := "@benchmark_model()\ndef one(\n@benchmark_model(configs=list(X))\n@other\ndef two(a):\n" +
		"  @benchmark_model()\n  def three():\ndef four():\n# @benchmark_model()\ndef five():\n"
	files := fstest.MapFS{"zonemark/models/a.py": {Data: []byte(text)}, "zonemark/models/b.txt": {Data: []byte(text)},
		"zonemark/models/exporter/c.py": {Data: []byte("@benchmark_model()\ndef six():\n")}}
	got, err := bench.ShippedModels(files)
	if err != nil || !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("%v, %v", got, err)
	}
}
