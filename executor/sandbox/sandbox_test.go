package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseMode(t *testing.T) {
	for _, text := range []string{"auto", "require", "off"} {
		if m, err := ParseMode(text); err != nil || string(m) != text {
			t.Errorf("%q: %q, %v", text, m, err)
		}
	}
	for _, text := range []string{"", "Auto", "on", "off "} {
		if _, err := ParseMode(text); err == nil || !strings.Contains(err.Error(), "write auto, require or off") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAllLayers(t *testing.T) {
	var names []string
	for _, l := range AllLayers() {
		names = append(names, string(l))
		if wayTo(l) == "unknown layer" {
			t.Errorf("layer %s has no remedy", l)
		}
	}
	slices.Sort(names)
	want := []string{"ipc", "landlock", "mount", "net", "no-new-privs", "rlimit", "seccomp", "user"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("layers (-want +got):\n%s", diff)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	root := filepath.VolumeName(dir) + string(filepath.Separator)
	good := Options{
		Mode:        Auto,
		Scratch:     dir,
		ReadWrite:   []string{file},
		MemoryBytes: 1 << 30,
		FileBytes:   1,
		OpenFiles:   4096,
	}
	if err := good.check(); err != nil {
		t.Errorf("good options: %v", err)
	}
	for want, edit := range map[string]func(*Options){
		"write auto, require or off":        func(o *Options) { o.Mode = "" },
		`Scratch "" is not an absolute`:     func(o *Options) { o.Scratch = "" },
		`Scratch "here" is not an`:          func(o *Options) { o.Scratch = "here" },
		"Scratch must exist":                func(o *Options) { o.Scratch = filepath.Join(dir, "none") },
		"is not a folder":                   func(o *Options) { o.Scratch = file },
		"is the root folder":                func(o *Options) { o.Scratch = root },
		"ReadWrite must exist":              func(o *Options) { o.ReadWrite = []string{filepath.Join(dir, "none")} },
		`ReadWrite "x" is not an absolute`:  func(o *Options) { o.ReadWrite = []string{"x"} },
		"does not hold the executor itself": func(o *Options) { o.MemoryBytes = 1 << 20 },
		"a memory limit of -1 bytes":        func(o *Options) { o.MemoryBytes = -1 },
		"a file size limit of -1":           func(o *Options) { o.FileBytes = -1 },
		"a limit of 64 open files":          func(o *Options) { o.OpenFiles = 64 },
	} {
		bad := good
		edit(&bad)
		cmd := exec.Command("program")
		if err := Configure(cmd, bad, Support{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
		if cmd.Env != nil || cmd.SysProcAttr != nil {
			t.Errorf("%s: the command was changed all the same", want)
		}
	}
	off := Options{Mode: Off}
	if err := off.check(); err != nil {
		t.Errorf("off needs no scratch folder: %v", err)
	}
}

// TestConfigureEnvironment checks that Configure adds its own variables, once, and keeps the rest of the environment
// and of the command.
func TestConfigureEnvironment(t *testing.T) {
	cmd := exec.Command("program")
	cmd.Env = []string{"A=1", orderVariable + "={old}", "B=2", parentMountVariable + "=mnt:[7]"}
	if err := Configure(cmd, Options{Mode: Auto, Scratch: t.TempDir()}, Support{}); err != nil {
		t.Fatal(err)
	}
	var orders []string
	for _, entry := range cmd.Env {
		if text, found := strings.CutPrefix(entry, orderVariable+"="); found {
			orders = append(orders, text)
		}
		if entry == parentMountVariable+"=mnt:[7]" {
			t.Error("an enclosing sandbox's mount namespace was inherited")
		}
	}
	if len(orders) != 1 || !slices.Contains(cmd.Env, "A=1") || !slices.Contains(cmd.Env, "B=2") {
		t.Fatalf("environment: %q", cmd.Env)
	}
	o, err := decodeOrder(orders[0])
	if err != nil {
		t.Fatal(err)
	}
	if o.ParentPID != os.Getpid() || len(o.Missing) != len(AllLayers()) || o.Missing[LayerUser] != "not probed" {
		t.Errorf("order %+v", o)
	}
}

func TestSupportWithout(t *testing.T) {
	all := Support{Layers: AllLayers()}
	for _, l := range AllLayers() {
		s := all.Without(l, "test")
		gone := []Layer{l}
		if l == LayerUser {
			gone = []Layer{LayerUser, LayerMount, LayerNet, LayerIPC}
		}
		for _, m := range AllLayers() {
			if s.Has(m) == slices.Contains(gone, m) || (s.Missing[m] == "test") != slices.Contains(gone, m) {
				t.Errorf("without %s: layer %s: available %v, reason %q", l, m, s.Has(m), s.Missing[m])
			}
		}
	}
	if !slices.Equal(all.Layers, AllLayers()) || all.Missing != nil {
		t.Errorf("Without changed its receiver: %+v", all)
	}
	if missing := (Support{}).missing(Plain); len(missing) != len(AllLayers()) {
		t.Errorf("the zero value lacks %v", missing)
	}
}

func TestWritablePaths(t *testing.T) {
	o := Options{Scratch: "/b/c/", ReadWrite: []string{"/dev/x", "/b", "/b/c", "/b/./d"}}
	want := []string{"/b", "/b/c", "/b/d", "/dev/x"}
	if diff := cmp.Diff(want, o.writable()); diff != "" && filepath.Separator == '/' {
		t.Errorf("writable (-want +got):\n%s", diff)
	}
}

func TestDecodeOrder(t *testing.T) {
	want := order{
		Options: Options{
			Mode:        Require,
			Scratch:     "/s",
			MemoryBytes: 1,
			FileBytes:   2,
			OpenFiles:   3,
			ReadWrite:   []string{"/r"},
			AllowInet:   true,
		},
		ParentPID:  5,
		Namespaces: map[Layer]string{LayerNet: "net:[1]"},
		Missing:    map[Layer]string{LayerUser: "why"},
	}
	entry, err := want.encode()
	if err != nil {
		t.Fatal(err)
	}
	text := strings.TrimPrefix(entry, orderVariable+"=")
	if got, err := decodeOrder(text); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	for bad, message := range map[string]string{
		"":                        "byte 0",
		text[:len(text)-1]:        "unexpected EOF",
		text + "}":                "more text",
		text + "{}":               "more text",
		`{"Options":{"Mode":""}}`: "sandbox mode",
		`{"Options":{"Mode":"off"},"Missing":{"walls":"x"}}`:   `unknown layer "walls"`,
		`{"Options":{"Mode":"off"},"Namespaces":{"roof":"x"}}`: `unknown layer "roof"`,
		`{"Options":{"Mode":"off","Colour":"red"}}`:            "unknown field",
	} {
		_, err := decodeOrder(bad)
		if err == nil || !strings.Contains(err.Error(), message) || !strings.Contains(err.Error(), orderVariable) {
			t.Errorf("%q: %v, want %q", bad, err, message)
		}
	}
}

// The paths of thousands of files fit an entry of the environment, which Linux limits to 128 KiB.
func TestLongOrder(t *testing.T) {
	want := order{Options: Options{Mode: Auto}, ParentPID: 5}
	for i := range 5000 {
		want.Options.Read = append(want.Options.Read, fmt.Sprintf("/home/user/.cache/zonemark/exports/62689eef233511419ada/weight%d.npy", i))
	}
	entry, err := want.encode()
	if err != nil || len(entry) >= 128<<10 {
		t.Fatalf("an entry of %d bytes, %v", len(entry), err)
	}
	text := strings.TrimPrefix(entry, orderVariable+"=")
	if got, err := decodeOrder(text); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%d paths came, %v", len(got.Options.Read), err)
	}
	for _, bad := range []string{packedOrder + "?", text[:len(text)/2]} {
		if _, err := decodeOrder(bad); err == nil || !strings.Contains(err.Error(), orderVariable) {
			t.Errorf("%.20q: %v", bad, err)
		}
	}
}

func FuzzDecodeOrder(f *testing.F) {
	entry, err := order{
		Options:   Options{Mode: Auto, Scratch: "/s"},
		ParentPID: 1,
		Missing:   map[Layer]string{LayerNet: "x"},
	}.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(strings.TrimPrefix(entry, orderVariable+"="))
	f.Add(`{"Options":{"Mode":"off"}}`)
	f.Add(`{"Options":{"Mode":"auto"},"Namespaces":{"net":"net:[1]"}}x`)
	f.Add(`[[[[`)
	f.Add(packedOrder + "q1YqLU4tUrJSqlYqSy0qzszPU7JSUErLzEtVqgUA")
	f.Fuzz(func(t *testing.T, text string) {
		o, err := decodeOrder(text)
		if err != nil {
			return
		}
		entry, err := o.encode()
		if err != nil {
			t.Fatalf("an order that was read cannot be written: %v", err)
		}
		again, err := decodeOrder(strings.TrimPrefix(entry, orderVariable+"="))
		if err != nil {
			t.Fatalf("%s: %v", entry, err)
		}
		second, err := again.encode()
		if err != nil || second != entry {
			t.Errorf("written twice: %s and %s (%v)", entry, second, err)
		}
	})
}

func TestParseIDMap(t *testing.T) {
	tests := map[string]struct {
		want    []idRange
		message string
	}{
		"         0          0 4294967295\n": {want: []idRange{{0, 4294967295}}},
		"0 1000 1\n1 100000 65536\n":         {want: []idRange{{0, 1}, {1, 65536}}},
		"1000 1000 1":                        {want: []idRange{{1000, 1}}},
		"":                                   {message: "line 1"},
		"\n":                                 {message: "line 1"},
		"0 0\n":                              {message: "2 numbers"},
		"0 0 1\n0 x 1\n":                     {message: "line 2"},
		"0 0 4294967296\n":                   {message: "out of range"},
		"-1 0 1\n":                           {message: "line 1"},
		"0 0 0\n":                            {message: "no ids"},
	}
	for text, test := range tests {
		got, err := parseIDMap(text)
		switch {
		case test.message != "" && (err == nil || !strings.Contains(err.Error(), test.message)):
			t.Errorf("%q: %v, want an error with %q", text, err, test.message)
		case test.message == "" && (err != nil || !slices.Equal(got, test.want)):
			t.Errorf("%q: %v, %v, want %v", text, got, err, test.want)
		}
	}
}

func FuzzParseIDMap(f *testing.F) {
	f.Add("         0          0 4294967295\n")
	f.Add("0 1000 1\n1 100000 65536\n")
	f.Add("0 0 0\n")
	f.Add("x")
	f.Fuzz(func(t *testing.T, text string) {
		ranges, err := parseIDMap(text)
		if err == nil && len(ranges) == 0 {
			t.Error("no ranges and no error")
		}
		for _, r := range ranges {
			if r.First < 0 || r.Count < 1 {
				t.Errorf("range %+v", r)
			}
		}
	})
}
