package halide

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"zonemark/driver/setup/setuptest"
)

// made holds what the tests build, once for all of them.
var made struct {
	folder string
	c      func() (string, error)
	once   sync.Once
	err    error
}

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "halide-test-")
	if err != nil {
		panic(err)
	}
	made.folder = folder
	made.c = sync.OnceValues(func() (string, error) {
		path := filepath.Join(folder, "pipelines.so")
		return path, command("cc", "-std=c11", "-O1", "-shared", "-fPIC", "-o", path, "testdata/pipelines.c")
	})
	status := m.Run()
	os.RemoveAll(folder)
	os.Exit(status)
}

// failure is the error of a program with what it has said.
type failure struct {
	err  error
	said string
}

func (e *failure) Error() string { return e.err.Error() + "\n" + e.said }

func command(name string, args ...string) error {
	return say(exec.Command(name, args...))
}

func say(cmd *exec.Cmd) error {
	if said, err := cmd.CombinedOutput(); err != nil {
		return &failure{err, string(said)}
	}
	return nil
}

func run(t *testing.T, name string, args ...string) {
	t.Helper()
	if err := command(name, args...); err != nil {
		t.Fatal(err)
	}
}

// inC returns the path of a library with the pipelines that are written in C.
func inC(t *testing.T) string {
	t.Helper()
	path, err := made.c()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// byHalide returns the folder with the pipelines that Halide has made: box.so with box, box_plain and box_open,
// profile.so with box and Halide's profiler, double.o, and arm.o for another processor.
func byHalide(t *testing.T) string {
	t.Helper()
	objects := setuptest.HalidePipelines(t, "testdata/pipelines.py",
		"-g box -f box target=host",
		"-g box -f box_plain target=host-no_runtime scheduled=0",
		"-g box -f box_open target=host-no_runtime edge=0",
		"-g box -f box -n profile target=host-profile",
		"-g double -f double target=host",
		"-g double -f arm target=arm-64-linux",
	)
	folder := filepath.Join(made.folder, "halide")
	made.once.Do(func() { made.err = link(folder, objects) })
	if made.err != nil {
		t.Fatal(made.err)
	}
	return folder
}

func link(folder, objects string) error {
	if err := os.CopyFS(folder, os.DirFS(objects)); err != nil {
		return err
	}
	in := func(name string) string { return filepath.Join(folder, name) }
	libraries := []string{"-lpthread", "-ldl", "-lm"}
	if err := command("cc", append([]string{"-shared", "-o", in("box.so"), in("box.o"), in("box_plain.o"),
		in("box_open.o")}, libraries...)...); err != nil {
		return err
	}
	return command("cc", append([]string{"-shared", "-o", in("profile.so"), in("profile.o")}, libraries...)...)
}
