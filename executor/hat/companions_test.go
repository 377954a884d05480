package hat

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Paths of libraries are changed however TOML spells them, and nothing else is.
func TestRelocate(t *testing.T) {
	const text = `# "/old/a.so" stays in a comment
[description]
comment = "/old/a.so"
[functions]
[target]
[target.required]
os = ""
[dependencies] # '/old/a.so'
link_target = LINK
deploy_files = ["/old/a.so"]
dynamic = [ # "/old/b.so"
    {name = "/old/a.so", target_file = FIRST}, {target_file = 'c.so'},
    {target_file = SECOND},
]
[compiled_with]
[declaration]
code = '''
// "/old/a.so"
'''
`
	written := func(link, first, second string) string {
		return strings.NewReplacer("LINK", link, "FIRST", first, "SECOND", second).Replace(text)
	}
	for _, c := range []struct{ name, before, after string }{
		{"basic strings", written(`"/old/a.so"`, `"/old/b.so"`, `"/old/d.so"`),
			written(`"/new/a.so"`, `"/new/b.so"`, `"/new/d.so"`)},
		{"literal strings", written(`'/old/a.so'`, `'/old/b.so'`, `'/old/d.so'`),
			written(`"/new/a.so"`, `"/new/b.so"`, `"/new/d.so"`)},
		{"escapes", written(`"\u002fold/a.so"`, `"/old/\u0062.so"`, `"/old/d.so"`),
			written(`"/new/a.so"`, `"/new/b.so"`, `"/new/d.so"`)},
		{"several lines", written(`'''/old/a.so'''`, `"""/old/b.so"""`, `"/old/d.so"`),
			written(`"/new/a.so"`, `"/new/b.so"`, `"/new/d.so"`)},
		{"relative paths", written(`"a.so"`, `'b.so'`, `"/old/d.so"`), written(`"a.so"`, `'b.so'`, `"/new/d.so"`)},
		{"tables of an array",
			strings.NewReplacer("LINK", "'/old/a.so'", "dynamic = [", "", "]\n[compiled", "[compiled",
				`    {name = "/old/a.so", target_file = FIRST}, {target_file = 'c.so'},`, "",
				"    {target_file = SECOND},\n", "[[dependencies.dynamic]]\ntarget_file = '/old/b.so'\n").Replace(text),
			strings.NewReplacer("LINK", `"/new/a.so"`, "dynamic = [", "", "]\n[compiled", "[compiled",
				`    {name = "/old/a.so", target_file = FIRST}, {target_file = 'c.so'},`, "",
				"    {target_file = SECOND},\n", "[[dependencies.dynamic]]\ntarget_file = \"/new/b.so\"\n").Replace(text)},
	} {
		path := filepath.Join(t.TempDir(), "k.hat")
		if err := os.WriteFile(path, []byte(c.before), 0o600); err != nil {
			t.Fatal(err)
		}
		err := Relocate(path, func(name string) string { return strings.Replace(name, "/old/", "/new/", 1) })
		got, _ := os.ReadFile(path) // an empty text differs
		if err != nil || string(got) != c.after {
			t.Errorf("%s: error %v\n%s\nwant\n%s", c.name, err, got, c.after)
		}
	}
}

// A package is replaced as a whole: another name of the same file keeps the old text.
func TestRelocateReplaces(t *testing.T) {
	folder := t.TempDir()
	path, other := filepath.Join(folder, "k.hat"), filepath.Join(folder, "other.hat")
	const text = "[description]\n[functions]\n[target]\n[dependencies]\nlink_target = '/old/a.so'\n[compiled_with]\n" +
		"[declaration]\n"
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(path, other); err != nil {
		t.Skip(err)
	}
	if err := Relocate(path, func(string) string { return "/new/a.so" }); err != nil {
		t.Fatal(err)
	}
	old, _ := os.ReadFile(other) // an empty text differs
	if string(old) != text {
		t.Errorf("the file was written over in place:\n%s", old)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 2 {
		t.Errorf("%d files in the folder, error %v", len(entries), err)
	}
}
