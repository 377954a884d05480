package inputs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/invocations"
)

// npy returns a .npy file of one number.
func npy() []byte {
	header := "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n"
	file := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), 0)
	return append(append(file, header...), 0, 0, 0, 0)
}

func filesOfArrays(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, content := range map[string][]byte{
		"one.npy": npy(), "two.npy": slices.Concat(npy(), npy()), "y=b.npy": npy(), "b.npy": npy(),
	} {
		if err := os.WriteFile(filepath.Join(".", name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Inputs have the forms of iree-run-module, or names, which may have equals signs.
func TestInputArguments(t *testing.T) {
	filesOfArrays(t)
	for _, c := range []struct{ inputs, want string }{
		{"42 0xFF -3 2.5", "=constant:42 =constant:255 =constant:-3 =constant:2.5"},
		{"one.npy @one.npy", "=one.npy =one.npy"},
		{"@two.npy +two.npy", "=two.npy[0] =two.npy[1]"},
		{"*two.npy 4xf32=1", "=two.npy[0] =two.npy[1] =constant:1"},
		{"two.npy", "=two.npy[0] =two.npy[1]"},
		{"two.npy[1]", "=two.npy[1]"},
		{"4xf32=@x.bin", "=@x.bin"},
		{"x=one.npy y=0x10", "x=one.npy y=constant:16"},
		{"gpu_0/data:0=zeros", "gpu_0/data:0=zeros"},
		{"x=y=0.5 x=y=2xf32=1", "x=y=constant:0.5 x=y=constant:1"},
		{"x=y=b.npy", "x=y=b.npy"}, // the file y=b.npy is there
		{"x=z=b.npy", "x=z=b.npy"},
		{"x=none.npy", "x=none.npy"},
	} {
		list, err := Arguments(strings.Fields(c.inputs))
		if err != nil {
			t.Errorf("%s: %v", c.inputs, err)
			continue
		}
		var got []string
		for _, a := range list {
			got = append(got, a.Name+"="+a.Contents.String())
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %s, want %s", c.inputs, got, c.want)
		}
	}
	list, err := Arguments([]string{"x=y=b.npy", "x=z=b.npy"})
	if err != nil || list[0].Name != "x" || list[1].Name != "x=z" {
		t.Errorf("%+v, %v", list, err)
	}
	for input, want := range map[string]string{
		"x=ones": `x: contents "ones": want random`, "ones": "want ARGUMENT=CONTENTS", "=1": "want ARGUMENT=CONTENTS",
		"@none.npy": "there is no such file", "(null)": "null references cannot be passed",
	} {
		if _, err := Arguments([]string{input}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", input, err, want)
		}
	}
	if _, err := Arguments([]string{"@two.npy", "+two.npy", "+two.npy"}); err == nil ||
		!strings.Contains(err.Error(), "all of them are given already") {
		t.Error(err)
	}
}

func TestExpectedOutputs(t *testing.T) {
	filesOfArrays(t)
	got, err := Expected([]string{"2xf32=1", "@one.npy", "*two.npy", invocations.IgnoredTensor, "5"})
	want := []string{"2xf32=1", "@one.npy", "@two.npy[0]", "@two.npy[1]", invocations.IgnoredTensor, "5"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	for _, text := range []string{"2xf32", "2xf32=random", "ones"} {
		if _, err := Expected([]string{text}); err == nil || !strings.Contains(err.Error(), "--expected-output") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
