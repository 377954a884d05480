package setup

import (
	"slices"
	"strings"
	"testing"

	"zonemark/driver/setup/python"
	"zonemark/invocations/files"
	"zonemark/invocations/testneeds"
)

// modelsPython returns a stand-in for an interpreter with these versions of JAX and Keras; an empty version stands for
// a missing package.
func modelsPython(t *testing.T, jax, keras string) string {
	t.Helper()
	site := t.TempDir()
	return interpreterWith(t, python.Interpreter{Site: site, JAX: packaged(jax, site), Keras: packaged(keras, site)})
}

func TestFindModels(t *testing.T) {
	whole := modelsPython(t, "0.6.2", "3.12.0")
	testFind(t, modelsEnvironment(), FindModels, whole, Models{"3.12.1", "/env/bin/python", "0.6.2", "3.12.0", ""},
		map[string]string{
			modelsPython(t, "0.6.2", ""): "keras", modelsPython(t, "", "3.12.0"): "jax", modelsPython(t, "", ""): "jax and keras",
		})
	list, err := All().List(homeOf(t, ModelsPythonVariable, whole))
	at := slices.IndexFunc(list, func(s Status) bool { return s.Name == "models" && s.State == Existing })
	if err != nil || at < 0 || list[at].Version != "0.6.2-keras3.12.0" {
		t.Errorf("list %+v, error %v", list, err)
	}
}

// A package that models may use is told, so that exports are made anew with another release of it.
func TestFindModelsWithTorch(t *testing.T) {
	site := t.TempDir()
	whole := python.Interpreter{Site: site, JAX: packaged("0.6.2", site), Keras: packaged("3.12.0", site), Torch: packaged("2.15.0", site)}
	found, err := FindModels(homeOf(t, ModelsPythonVariable, interpreterWith(t, whole)))
	if err != nil || found.Torch != "2.15.0" {
		t.Errorf("%+v, error %v", found, err)
	}
}

func TestManagedModels(t *testing.T) {
	testManaged(t, modelsEnvironment(), FindModels, func(at func(...string) string, m *Manifest) (Models, string) {
		found := Models{Python: "3.11.7", Interpreter: at("venv", "bin", "python"), JAX: jaxVersion, Keras: kerasVersion}
		m.Models = &found
		return found, found.Interpreter
	})
}

// A Python for which the packages have no wheels is refused.
func TestUnfitForModels(t *testing.T) {
	for version, want := range map[string]string{"3.10.0": "", "3.13.9": "", "3.14.0": "is Python 3.14.0, and the " +
		"pinned packages are made for 3.10 to 3.13", "3.9.0": "3.10 or later"} {
		p := python.Interpreter{Version: version, Implementation: "cpython", Venv: true}
		if got := p.UnfitFor(newestModelsPython); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %q, want %q", version, got, want)
		}
	}
}

// TestRealModels checks the real environment that exports models, which variables name or which is in the user's cache.
func TestRealModels(t *testing.T) {
	found, err := FindModels(ownOptions())
	if err != nil {
		testneeds.Missing(t, err)
	}
	if !files.IsFile(found.Interpreter) || found.JAX == "" || found.Keras == "" || found.Python == "" {
		t.Errorf("%+v", found)
	}
}
