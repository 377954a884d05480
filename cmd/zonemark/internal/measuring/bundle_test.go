package measuring

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"zonemark/cmd/zonemark/internal/program"
	"zonemark/driver/bundle"
	"zonemark/driver/plan"
	"zonemark/invocations"
)

// opened writes a bundle with one invocation and one file, and opens it.
func opened(t *testing.T, inv invocations.Invocation) *bundle.Bundle {
	t.Helper()
	plan := bundle.Plan{Invocations: []plan.Entry{{Invocation: inv}}}
	text, err := plan.Encode()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "bundle")
	if _, err := bundle.Write(path, bundle.Source{Plan: text, Files: []string{kept(t)}}); err != nil {
		t.Fatal(err)
	}
	b, err := bundle.Open(path, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// kept returns the path of a file that bundles of tests hold.
func kept(t *testing.T) string {
	path, err := filepath.Abs("bundle_test.go")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A bundle of a stranger cannot leave the sandbox, and cannot have files read that it does not hold.
func TestBundleOfAStranger(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := kept(t)
	hat := func(change func(*invocations.Invocation)) invocations.Invocation {
		inv := invocations.Invocation{Name: "f", Runtime: "hat", Artifact: invocations.Artifact{Path: file}}
		change(&inv)
		return inv
	}
	for what, c := range map[string]struct {
		inv  invocations.Invocation
		want string // in the error; empty: none
	}{
		"an honest one": {hat(func(*invocations.Invocation) {}), ""},
		"a command":     {hat(func(i *invocations.Invocation) { i.Runtime = "command" }), "outside of the sandbox"},
		"words":         {hat(func(i *invocations.Invocation) { i.Command = []string{"sh"} }), "outside of the sandbox"},
		"no runtime":    {hat(func(i *invocations.Invocation) { i.Runtime = "x" }), "does not know"},
		"an artifact":   {hat(func(i *invocations.Invocation) { i.Artifact.Path = secret }), "does not hold"},
		"a build":       {hat(func(i *invocations.Invocation) { i.Artifact.Built = secret }), "does not hold"},
		"contents": {hat(func(i *invocations.Invocation) {
			i.Arguments = []invocations.Argument{{Contents: invocations.Contents{Path: secret}}}
		}), "does not hold"},
		"an output":             {hat(func(i *invocations.Invocation) { i.Verify.Expected = []string{"@" + secret} }), "does not hold"},
		"a reference":           {hat(func(i *invocations.Invocation) { i.Verify.Of.Path = secret }), "does not hold"},
		"a bare output":         {hat(func(i *invocations.Invocation) { i.Verify.Expected = []string{secret + ".npy"} }), "does not hold"},
		"a reference in a file": {hat(func(i *invocations.Invocation) { i.Verify.Reference = secret + ":f" }), "does not hold"},
		"reading":               {hat(func(i *invocations.Invocation) { i.Limits.Read = []string{secret} }), "cannot have that"},
		"an option":             {hat(func(i *invocations.Invocation) { i.Artifact.Options = map[string]string{"x": "y=" + secret} }), "the option x names"},
		"a way out": {hat(func(i *invocations.Invocation) {
			i.Artifact.Options = map[string]string{"x": "/usr/../" + secret}
		}), "the option x names"},
		"a profile": {hat(func(i *invocations.Invocation) { i.Limits.Profile = "device" }), ""},
		"devices":   {hat(func(i *invocations.Invocation) { i.Limits.Devices = []string{secret} }), ""}, // they are forgotten
		"flags of a compiler": {hat(func(i *invocations.Invocation) {
			i.Runtime, i.Artifact.Options = "c", map[string]string{"cflags": "-O3 -fplugin=x.so"}
		}), `the option cflags: the flag "-fplugin=x.so"`},
		"a program as compiler": {hat(func(i *invocations.Invocation) {
			i.Runtime, i.Artifact.Options = "c", map[string]string{"cc": "./x"}
		}), `the option cc: "./x" is not the name`},
		"a compiler": {hat(func(i *invocations.Invocation) { i.Artifact.Options = map[string]string{"cc": "/usr/bin/cc"} }), ""},
	} {
		m := New(NewTask(program.Standard(), ReplaySettings()), nil)
		folder := t.TempDir()
		b := opened(t, c.inv)
		if err := b.Unpack(folder); err != nil {
			t.Fatal(err)
		}
		plan, err := m.Unpacked(b, folder)
		switch {
		case c.want == "" && (err != nil || plan.Len() != 1 ||
			!strings.HasPrefix(plan.At(0).Invocation.Artifact.Path, folder) ||
			len(plan.At(0).Invocation.Limits.Devices) > 0 || plan.At(0).Invocation.Limits.Profile != "plain"):
			t.Errorf("%s: %v", what, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
}

// A bundle of a stranger gets the lesser of the limits that it asks for and those of the user; hopeless ones and none
// are the user's.
func TestLimitsOfAStranger(t *testing.T) {
	user := ReplaySettings()
	user.Base.Limits = invocations.Limits{MemoryBytes: 1 << 30, Threads: 100, TimeoutNS: 10e9, BuildNS: 10e9, Profile: "plain"}
	most := user.Base.Limits
	less := invocations.Limits{MemoryBytes: 1 << 20, Threads: 70, TimeoutNS: 1e9, BuildNS: 10e9, Profile: "plain"}
	for _, c := range []struct {
		asked, want invocations.Limits
		maxTimeNS   int64 // of the measurement
		wantNS      int64
		told        int // notes
	}{
		{invocations.Limits{MemoryBytes: 1 << 50, Threads: 1 << 30, TimeoutNS: 1 << 62, BuildNS: 1 << 62}, most,
			1 << 62, 5e9, 3},
		{invocations.Limits{MemoryBytes: -5, Threads: -5, TimeoutNS: -5}, most, 1e9, 1e9, 0},
		{invocations.Limits{}, most, 1e9, 1e9, 0},
		{less, less, 3e9, 5e8, 0},
	} {
		measure := invocations.Measure{MaxTimeNS: c.maxTimeNS, MinTimeNS: c.maxTimeNS, Launches: 1 << 40}
		var notes strings.Builder
		p := program.Standard()
		p.Err = &notes
		b, folder := opened(t, invocations.Invocation{Name: "f", Runtime: "hat", Limits: c.asked, Measure: measure,
			Artifact: invocations.Artifact{Path: kept(t)}}), t.TempDir()
		if err := b.Unpack(folder); err != nil {
			t.Fatal(err)
		}
		plan, err := New(NewTask(p, user), nil).Unpacked(b, folder)
		if err != nil {
			t.Fatal(err)
		}
		got := plan.At(0).Invocation
		if l := got.Limits; !reflect.DeepEqual(l, c.want) || got.Measure.MaxTimeNS != c.wantNS ||
			got.Measure.MinTimeNS != c.wantNS || got.Measure.Launches != MostLaunches {
			t.Errorf("%+v: %+v, %+v", c.asked, got.Limits, got.Measure)
		}
		if n := strings.Count(notes.String(), "allows more"); n != c.told {
			t.Errorf("%+v: %d notes\n%s", c.asked, n, notes.String())
		}
	}
}

// A package that names a file of its user as its library does not get it into a bundle.
func TestBundleOfAForeignLibrary(t *testing.T) {
	folder := t.TempDir()
	secret, path := filepath.Join(folder, "secret"), filepath.Join(folder, "package", "k.hat")
	for name, text := range map[string]string{secret: "x", filepath.Join(folder, "package", "k.so"): "y"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	for library, refused := range map[string]bool{"k.so": false, secret: true, "../secret": true} {
		text := "#ifdef TOML\n[description]\nauthor = \"x\"\nversion = \"1\"\nlicense_url = \"\"\n" +
			"[functions]\n[target]\n[dependencies]\nlink_target = \"" + library +
			"\"\ndeploy_files = []\ndynamic = []\n[compiled_with]\n[declaration]\ncode = \"\"\n#endif\n"
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		whole := &plan.Plan{}
		whole.Add(plan.Entry{Invocation: invocations.Invocation{Name: "f", Runtime: "hat",
			Artifact: invocations.Artifact{Path: path}}})
		b, err := New(NewTask(program.Standard(), ReplaySettings()), nil).bundleOf(whole)
		switch {
		case refused && (err == nil || !strings.Contains(err.Error(), "outside of its folder")):
			t.Errorf("%s: %v", library, err)
		case !refused && (err != nil || len(b.files) != 2):
			t.Errorf("%s: %v", library, err)
		}
	}
}
