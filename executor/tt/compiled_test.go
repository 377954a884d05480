package tt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"zonemark/executor"
)

// kept returns the only file with an extension in a folder, or "" if there is none.
func kept(t *testing.T, folder, extension string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, "*"+extension))
	if err != nil || len(found) > 1 {
		t.Fatalf("%v, %v", found, err)
	}
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

// how returns the first note of a run, which describes the compilation.
func how(t *testing.T, r Runtime, path string, options map[string]string) (first string, all string) {
	t.Helper()
	inv := invocation(t, r, path, options, []string{"2x2xf32=1 2 3 4", "2x2xf32=2", "i32=7"},
		[]string{"2x2xf32=2 4 6 8", "2x2xi1=0 0 1 1", "2xf32=7 7", "i32=7"})
	mismatch, notes, err := check(t, r, inv, 0)
	if mismatch != "" || err != nil {
		t.Fatalf("%s %v", mismatch, err)
	}
	return notes[0], strings.Join(notes, "\n")
}

// TestCompiledIsKept checks that a program is compiled once. The kept program is used for the same program, options and
// plugin only, and gives the same results, types and cost.
func TestCompiledIsKept(t *testing.T) {
	r := cpuRuntime(t)
	r.compiled = Compiled{Folder: t.TempDir(), Fresh: t.TempDir()}
	path := filepath.Join("testdata", "results.mlirbc") // bytecode: the types of its arguments come from the executable
	before, notes := how(t, r, path, nil)
	if !strings.Contains(before, "compiled in ") || strings.Contains(before, "cached") {
		t.Errorf("%s", before)
	}
	file := kept(t, r.compiled.Fresh, compiledExtension)
	for _, name := range []string{file, kept(t, r.compiled.Fresh, identityExtension)} {
		if err := CheckCompiled(name); err != nil {
			t.Error(err)
		}
		// The driver moves files like this.
		if err := os.Rename(name, filepath.Join(r.compiled.Folder, filepath.Base(name))); err != nil {
			t.Fatal(err)
		}
	}
	file = filepath.Join(r.compiled.Folder, filepath.Base(file))
	after, again := how(t, r, path, nil)
	if !strings.Contains(after, "(cached: loaded in ") ||
		strings.Join(strings.Split(again, "\n")[1:], "\n") != strings.Join(strings.Split(notes, "\n")[1:], "\n") {
		t.Errorf("%s\nafter\n%s", again, notes)
	}
	t.Logf("%s\n%s", before, after)
	for name, options := range map[string]map[string]string{
		"option":  {"compile-options": "xla_cpu_enable_fast_math=true"},
		"devices": {"chips": "2"},
		"off":     {"compile-cache": "off"},
	} {
		if first, _ := how(t, r, path, options); strings.Contains(first, "cached") {
			t.Errorf("%s: %s", name, first)
		}
	}

	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	flipped := append([]byte{}, good...)
	flipped[len(flipped)-10] ^= 1
	for name, damaged := range map[string][]byte{
		"empty":   {},
		"cut off": good[:len(good)/2],
		"flipped": flipped,
		"other":   append([]byte(compiledMagic), make([]byte, 200)...),
	} {
		if err := os.WriteFile(file, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if CheckCompiled(file) == nil {
			t.Errorf("%s: it is taken for a good one", name)
		}
		first, all := how(t, r, path, nil)
		if strings.Contains(first, "cached:") ||
			!strings.Contains(all, "the cached program was not used, and was compiled anew: ") ||
			!strings.Contains(all, filepath.Base(file)) {
			t.Errorf("%s: %s", name, all)
		}
		fresh := filepath.Join(r.compiled.Fresh, filepath.Base(file))
		if err := CheckCompiled(fresh); err != nil {
			t.Errorf("%s: it is not replaced: %v", name, err)
		}
		if first, all := how(t, r, path, nil); !strings.Contains(first, "cached") || strings.Contains(all, "anew") {
			t.Errorf("%s: the new one is not used: %s", name, all)
		}
		if err := os.Remove(fresh); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDescribedIsKept checks that a program which the plugin compiles to be described is not compiled again: not when it
// is described once more, and not when it is measured. A damaged one is replaced, and the function says so.
func TestDescribedIsKept(t *testing.T) {
	r, cache := cpuRuntime(t), t.TempDir()
	path := filepath.Join("testdata", "results.mlirbc")
	describe := func(options map[string]string) (note, file string) {
		t.Helper()
		list, err := r.Describe(path, executor.DescribeOptions{Cache: cache, Options: options})
		if err != nil || len(list) != 1 || len(list[0].Functions[0].Arguments) != 7 {
			t.Fatalf("%+v, %v", list, err)
		}
		return list[0].Functions[0].Note, kept(t, filepath.Join(cache, CompiledFolder), compiledExtension)
	}
	if note, file := describe(map[string]string{"compile-cache": "off"}); note != "" || file != "" {
		t.Errorf("without the cache: %q, %q is kept", note, file)
	}
	_, file := describe(nil)
	if err := CheckCompiled(file); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	note, _ := describe(nil)
	if after, err := os.Stat(file); note != "" || err != nil || !os.SameFile(before, after) {
		t.Errorf("it is compiled again: %q, %v", note, err)
	}
	measuring := r
	measuring.compiled = Compiled{Folder: filepath.Join(cache, CompiledFolder), Fresh: t.TempDir()}
	if first, _ := how(t, measuring, path, nil); !strings.Contains(first, "(cached: loaded in ") {
		t.Errorf("measured, %s", first)
	}
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if note, _ := describe(nil); !strings.Contains(note, "the cached program was not used, and was compiled anew: ") {
		t.Errorf("of a damaged one it says %q", note)
	}
	if err := CheckCompiled(file); err != nil {
		t.Errorf("a damaged one is not replaced: %v", err)
	}
}

// TestCompiledIsRefused checks that a kept program is compiled again if it is intact but the plugin refuses it, and
// that nothing is kept of a plugin that cannot serialize.
func TestCompiledIsRefused(t *testing.T) {
	r := cpuRuntime(t)
	r.compiled = Compiled{Fresh: t.TempDir()}
	path := filepath.Join("testdata", "results.mlir")
	how(t, r, path, nil)
	file := kept(t, r.compiled.Fresh, compiledExtension)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	key := hash(data[len(compiledMagic):])
	if err := r.compiled.keepProgram(key, 1, []byte("no program of this plugin")); err != nil {
		t.Fatal(err)
	}
	first, all := how(t, r, path, nil)
	if strings.Contains(first, "cached:") || !strings.Contains(all, "compiled anew: ") ||
		!strings.Contains(all, "PJRT_Executable_DeserializeAndLoad") {
		t.Errorf("%s", all)
	}
	pretend, _ := pretendRuntime(t)
	pretend.compiled = Compiled{Fresh: t.TempDir()}
	inv := invocation(t, pretend, write(t, pretendProgram), nil, nil, nil)
	for range 2 {
		_, notes, err := check(t, pretend, inv, 0)
		if err != nil || strings.Contains(strings.Join(notes, " "), "cached") ||
			kept(t, pretend.compiled.Fresh, compiledExtension) != "" {
			t.Errorf("%v, %v", notes, err)
		}
	}
}

// TestCheckCompiled checks that only files of the right form are accepted into the cache.
func TestCheckCompiled(t *testing.T) {
	dir := t.TempDir()
	name := strings.Repeat("ab", 32)
	files := map[string]string{
		"x.executable":       "",
		name + ".executable": compiledMagic,
		name + ".plugin":     identityMagic + "short",
		name + ".so":         "code",
		name:                 "",
	}
	for file, text := range files {
		path := filepath.Join(dir, file)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if CheckCompiled(path) == nil {
			t.Errorf("%s is taken", file)
		}
	}
	good := filepath.Join(dir, name+".plugin")
	if err := os.WriteFile(good, []byte(identityMagic+strings.Repeat("x", 32)), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := CheckCompiled(good); err != nil {
		t.Error(err)
	}
	link := filepath.Join(dir, strings.Repeat("cd", 32)+".plugin")
	if err := os.Symlink(good, link); err == nil && CheckCompiled(link) == nil {
		t.Error("a link is taken")
	}
	if CheckCompiled(filepath.Join(dir, "none.plugin")) == nil {
		t.Error("nothing is taken")
	}
}

// TestPluginHash checks that a plugin is hashed again when it changes.
func TestPluginHash(t *testing.T) {
	c := Compiled{Fresh: t.TempDir()}
	path := filepath.Join(t.TempDir(), "plugin.so")
	var sums []hash
	for i, text := range []string{"one", "one", "two"} {
		if i != 1 {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, time.Time{}, time.Unix(int64(1000+i), 0)); err != nil {
				t.Fatal(err)
			}
		}
		sum, err := c.pluginHash(path)
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, sum)
	}
	if sums[0] != sums[1] || sums[1] == sums[2] {
		t.Errorf("%x", sums)
	}
}

func FuzzDecodeCompiled(f *testing.F) {
	f.Add([]byte(compiledMagic), make([]byte, 32))
	f.Add([]byte{}, []byte{})
	f.Fuzz(func(t *testing.T, file, name []byte) {
		var key hash
		copy(key[:], name)
		if serialized, _, err := decodeCompiled(file, key); err == nil && len(serialized) == 0 {
			t.Error("nothing is a program")
		}
		_, _ = decodeIdentity(file)
	})
}
