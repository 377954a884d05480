package setup

import (
	"strings"
	"testing"

	"zonemark/driver/setup/pip"
	"zonemark/driver/setup/python"
)

// The pins that are built in can be read, and every package has hashes.
func TestRequirements(t *testing.T) {
	for _, test := range []struct {
		text  string
		names string
	}{
		{ireeRequirements, "iree-base-compiler iree-base-runtime ml-dtypes mpmath numpy sympy"},
		{cmakeRequirements, "cmake ninja"},
		{halideRequirements, "halide numpy"},
		{modelsRequirements, "absl-py h5py jax jaxlib keras markdown-it-py mdurl ml-dtypes namex numpy opt-einsum " +
			"optree packaging pygments rich scipy typing-extensions"},
	} {
		all, err := pip.ParseRequirements(test.text)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, r := range all {
			names = append(names, r.Name)
			if len(r.Hashes) == 0 || !strings.Contains(r.Text, r.Name+"==") {
				t.Errorf("%s: %d hashes, text %q", r.Name, len(r.Hashes), r.Text)
			}
		}
		if got := strings.Join(names, " "); got != test.names {
			t.Errorf("packages %s, want %s", got, test.names)
		}
	}
	if !strings.Contains(ireeRequirements, ireeRuntime+"=="+ireeVersion+" ") ||
		!strings.Contains(ireeRequirements, ireeCompiler+"=="+ireeVersion+" ") {
		t.Errorf("the requirements pin another version than %s", ireeVersion)
	}
	if !strings.Contains(modelsRequirements, "\njax=="+jaxVersion+" ") ||
		!strings.Contains(modelsRequirements, "\nkeras=="+kerasVersion+" ") {
		t.Errorf("the requirements pin other versions than %s", modelsEnvironment().pins)
	}
}

func FuzzManifest(f *testing.F) {
	f.Add(
		[]byte(
			`{"name":"iree","version":"3.13.0","when":"2026-01-02T03:04:05Z","bytes":1,` +
				`"artifacts":[{"name":"a.whl","sha256":"00","bytes":1}],"iree":{"interpreter":"/x"}}`,
		),
	)
	f.Add([]byte(`{"name":"iree","version":"3.13.0","bytes":-1}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseManifest(data, "iree", ireeVersion)
		if err != nil {
			return
		}
		if m.Name != "iree" || m.Bytes < 0 {
			t.Errorf("%+v passes", m)
		}
		// Whatever the manifest names, no file outside of the component's folder is used, and nothing panics.
		if ireeEnvironment().broken(t.TempDir(), m) == "" {
			t.Errorf("%+v passes for an environment", m)
		}
		capi().broken(t.TempDir(), m)
		if modelsEnvironment().broken(t.TempDir(), m) == "" {
			t.Errorf("%+v passes for an environment of models", m)
		}
	})
}

func FuzzReleaseOfIREE(f *testing.F) {
	f.Add("3.13.0")
	f.Add("3.")
	f.Fuzz(func(t *testing.T, version string) {
		p := python.Interpreter{Runtime: &python.Distribution{Version: version, Site: "/s"}}
		if checkIREE(p) != nil {
			return
		}
		if major, lesser, ok := python.Minor(version); !ok || major != ireeMajor || lesser < oldestIREE || lesser > newestIREE {
			t.Errorf("%q passes", version)
		}
	})
}
