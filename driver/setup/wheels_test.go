package setup

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"zonemark/driver/setup/command"
	"zonemark/driver/setup/pip"
	"zonemark/driver/setup/python"
)

// fakeFolder returns the folder of the test's component.
func fakeFolder(o Options) string { return filepath.Join(o.Home, "runtimes", "fake-1.0") }

func wantFile(t *testing.T, path string, want bool) {
	t.Helper()
	if _, err := os.Stat(path); (err == nil) != want {
		t.Errorf("%s is there: %v, want %v", path, err == nil, want)
	}
}

// TestWheels checks that nothing is left after an attempt without a network, that a file with a wrong hash is refused
// while earlier files stay, and that the installation then continues to its end.
func TestWheels(t *testing.T) {
	t.Parallel()
	o := homeOf(t)
	links := pipFrom(t, &o)
	one, two := makeWheel(t, "zmone"), makeWheel(t, "zmtwo")
	c := pythonComponent(one.pin+two.pin, copyingPython(t))
	downloads := filepath.Join(fakeFolder(o), downloadsFolder)

	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	o.Variables = o.Variables.With("PIP_NO_INDEX=", "PIP_RETRIES=1", "PIP_INDEX_URL="+closed.URL)
	_, err := ensure(t.Context(), o, c)
	if err == nil || !strings.Contains(err.Error(), "cannot be reached, so nothing was installed") ||
		!strings.Contains(err.Error(), "or do it yourself") {
		t.Errorf("offline: error %v", err)
	}
	wantFile(t, fakeFolder(o), false)

	o.Variables = o.Variables.With("PIP_NO_INDEX=1")
	one.put(t, links)
	wheelFile{name: two.name, data: append([]byte("PK"), two.data...)}.put(t, links)
	_, err = ensure(t.Context(), o, c)
	if err == nil || !strings.Contains(err.Error(), "download zmtwo: what came is not the file that was pinned") {
		t.Errorf("wrong file: error %v", err)
	}
	wantFile(t, filepath.Join(downloads, one.name), true)
	wantFile(t, filepath.Join(downloads, partialFolder), false)
	wantFile(t, filepath.Join(fakeFolder(o), environmentFolder), false)
	wantFile(t, filepath.Join(fakeFolder(o), manifestName), false)

	// Now only the missing wheel can be downloaded, and an incomplete file lies in its place.
	wheelFile{name: two.name, data: two.data[:len(two.data)/2]}.put(t, downloads)
	two.put(t, links)
	if err := os.Remove(filepath.Join(links, one.name)); err != nil {
		t.Fatal(err)
	}
	var steps []string
	o.Progress = func(p Progress) {
		if len(steps) == 0 || steps[len(steps)-1] != p.Step {
			steps = append(steps, p.Step)
		}
	}
	m, err := ensure(t.Context(), o, c)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []wheelFile{one, two} {
		if a := m.Artifacts[i]; a.Name != want.name || !strings.Contains(want.pin, a.SHA256) ||
			a.Bytes != int64(len(want.data)) {
			t.Errorf("artifact %+v, want the wheel %s", a, want.name)
		}
	}
	read, err := readManifest(fakeFolder(o), "fake", "1.0")
	if err != nil || read.Bytes <= int64(len(one.data)) || read.Python == "" || read.When.IsZero() {
		t.Errorf("manifest %+v, error %v", read, err)
	}
	out, err := exec.Command(python.Of(filepath.Join(fakeFolder(o), environmentFolder)), "-I", "-c",
		"import zmone, zmtwo; print(zmone.name, zmtwo.name)").
		CombinedOutput()
	if strings.TrimSpace(string(out)) != "zmone zmtwo" {
		t.Errorf("the packages say %q, error %v", out, err)
	}
	wantFile(t, downloads, false)
	if got := strings.Join(steps, " "); got != "downloading unpacking" {
		t.Errorf("progress told of %q", got)
	}
}

// Messages of pip are explained.
func TestExplain(t *testing.T) {
	for _, test := range []struct{ said, want string }{
		{"ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", "not the file that was pinned"},
		{"ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "disk is full"},
		{"WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError'\nERROR: No matching " +
			"distribution found for a", "cannot be reached, so nothing"},
		{"ERROR: No matching distribution found for a==1.0", "no wheel of it for this Python"},
		{"ERROR: something new", "download a: pip: exit status 1"},
	} {
		err := wheels{}.explain(
			pip.Requirement{Name: "a"},
			&command.Error{Command: "pip", Tail: strings.Split(test.said, "\n"), Err: errors.New("exit status 1")},
		)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), test.said[:8]) {
			t.Errorf("%q is told as %v, want %q", test.said, err, test.want)
		}
	}
}

// An interrupted download leaves nothing that looks installed, and the next installation succeeds.
func TestWheelsInterrupted(t *testing.T) {
	t.Parallel()
	o := homeOf(t)
	pipFrom(t, &o)
	one := makeWheel(t, "zmone")
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	index := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, ".whl") && ctx.Err() == nil:
			_, _ = w.Write(one.data[:10])
			w.(http.Flusher).Flush()
			interrupt()
			<-r.Context().Done() // until pip is gone
		case strings.HasSuffix(r.URL.Path, ".whl"):
			_, _ = w.Write(one.data)
		default:
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(`<!DOCTYPE html><a href="/` + one.name + `">` + one.name + `</a>`))
		}
	}))
	defer index.Close()
	o.Variables = o.Variables.With("PIP_NO_INDEX=", "PIP_FIND_LINKS=", "PIP_INDEX_URL="+index.URL)
	c := pythonComponent(one.pin, copyingPython(t))
	if _, err := ensure(ctx, o, c); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want that it was interrupted", err)
	}
	wantFile(t, fakeFolder(o), false)
	if _, err := ensure(t.Context(), o, c); err != nil {
		t.Errorf("after the interruption: %v", err)
	}
	wantFile(t, filepath.Join(fakeFolder(o), manifestName), true)
}
