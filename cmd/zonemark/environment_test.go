package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mayUseEnvironment lists the files that may use the environment of their process, with the functions of package os
// that they may call. Other code gets values as environ.Variables, and no code sets a variable of its own process.
var mayUseEnvironment = map[string][]string{
	"invocations/environ/environ.go": {"Environ"}, // the one reader
	// A confined process first takes the order of its parent out of the environment.
	"executor/sandbox/order.go":           {"LookupEnv", "Getenv", "Unsetenv"},
	"executor/sandbox/network.go":         {"LookupEnv", "Unsetenv"},
	"executor/sandbox/enter_linux.go":     {"Environ"}, // the process becomes a new image of itself
	"executor/sandbox/processes_linux.go": {"Environ"}, // it starts itself again
	"executor/dl/dltest/dltest.go":        {"Getenv"},  // for tests
	// Likewise.
	"cmd/zonemark/internal/slurmtest/slurmtest.go": {"Getenv", "Environ"},
	"invocations/testneeds/testneeds.go":           {"Getenv"},
	"invocations/testneeds/anotheruser_linux.go":   {"Getenv", "Environ"}, // it starts a test again
	"invocations/testsize/testsize.go":             {"Getenv"},
}

// helpsTests is a folder with nothing but tests and what they have in common.
const helpsTests = "cmd/zonemark/internal/e2e"

// TestEnvironment looks for uses of the process environment in the whole module except tests.
func TestEnvironment(t *testing.T) {
	functions := []string{"Setenv", "Unsetenv", "Clearenv", "Getenv", "LookupEnv", "Environ", "ExpandEnv"}
	root := forSources(t, func(name, path string) {
		for _, function := range usesOf(t, path, "os", functions) {
			if !slices.Contains(mayUseEnvironment[name], function) {
				t.Errorf("%s uses os.%s; variables are handed down as environ.Variables", name, function)
			}
		}
	})
	for name := range mayUseEnvironment {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Errorf("a rule for a file that is not there: %v", err)
		}
	}
}

// forSources calls a function for each source of the module but tests and what helps them: with its name, in which
// slashes separate folders, and its path. It returns the top of the module.
func forSources(t *testing.T, call func(name, path string)) (root string) {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == "testdata" || strings.HasPrefix(e.Name(), ".")):
			return filepath.SkipDir
		case e.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		name, err := filepath.Rel(root, path)
		if err != nil || strings.HasPrefix(filepath.ToSlash(name), helpsTests+"/") {
			return err
		}
		files++
		call(filepath.ToSlash(name), path)
		return nil
	})
	if err != nil || files == 0 {
		t.Errorf("%d files, error %v", files, err)
	}
	return root
}

// usesOf returns the functions of a package that a file uses.
func usesOf(t *testing.T, path, of string, functions []string) (used []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := selector.X.(*ast.Ident); ok && x.Name == of && slices.Contains(functions, selector.Sel.Name) {
			used = append(used, selector.Sel.Name)
		}
		return true
	})
	return used
}
