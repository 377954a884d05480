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
)

// fakeFolder is where the component of the tests lies.
func fakeFolder(o Options) string { return filepath.Join(o.Home, "runtimes", "fake-1.0") }

func wantFile(t *testing.T, path string, want bool) {
	t.Helper()
	if _, err := os.Stat(path); (err == nil) != want {
		t.Errorf("%s is there: %v, want %v", path, err == nil, want)
	}
}

// Packages are installed, described in the manifest, and can be imported; what was downloaded is gone afterwards.
func TestWheels(t *testing.T) {
	links, o := pipFrom(t), homeOf(t)
	one := makeWheel(t, "zmone")
	one.put(t, links)
	var steps []string
	o.Progress = func(p Progress) {
		if len(steps) == 0 || steps[len(steps)-1] != p.Step {
			steps = append(steps, p.Step)
		}
	}
	c := pythonComponent(t, one.pin)
	m, err := ensure(t.Context(), o, c)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Artifacts) != 1 || m.Artifacts[0].Name != one.name || !strings.Contains(one.pin, m.Artifacts[0].SHA256) || m.Artifacts[0].Bytes != int64(len(one.data)) {
		t.Errorf("artifacts %+v, want the wheel %s", m.Artifacts, one.name)
	}
	read, err := readManifest(fakeFolder(o), "fake", "1.0")
	if err != nil || read.Bytes <= int64(len(one.data)) || read.Python == "" || read.When.IsZero() {
		t.Errorf("manifest %+v, error %v", read, err)
	}
	out, err := exec.Command(environmentPython(filepath.Join(fakeFolder(o), environmentFolder)), "-I", "-c", "import zmone; print(zmone.name)").CombinedOutput()
	if strings.TrimSpace(string(out)) != "zmone" {
		t.Errorf("the package says %q, error %v", out, err)
	}
	wantFile(t, filepath.Join(fakeFolder(o), downloadsFolder), false)
	if got := strings.Join(steps, " "); got != "downloading unpacking" {
		t.Errorf("progress told of %q", got)
	}
}

// A file that is not the pinned one is refused, and nothing is left.
func TestWheelsHashMismatch(t *testing.T) {
	links, o := pipFrom(t), homeOf(t)
	one := makeWheel(t, "zmone")
	other := one
	other.data = append([]byte("PK"), one.data...)
	other.put(t, links)
	_, err := ensure(t.Context(), o, pythonComponent(t, one.pin))
	if err == nil || !strings.Contains(err.Error(), "not the file that was pinned") {
		t.Errorf("error %v", err)
	}
	wantFile(t, fakeFolder(o), false)
}

// Without a network the error says so and what to do, and nothing is left.
func TestWheelsOffline(t *testing.T) {
	pipFrom(t)
	o := homeOf(t)
	t.Setenv("PIP_NO_INDEX", "")
	t.Setenv("PIP_RETRIES", "1")
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	t.Setenv("PIP_INDEX_URL", closed.URL)
	_, err := ensure(t.Context(), o, pythonComponent(t, makeWheel(t, "zmone").pin))
	if err == nil || !strings.Contains(err.Error(), "cannot be reached, so nothing was installed") || !strings.Contains(err.Error(), "or do it yourself") {
		t.Errorf("error %v", err)
	}
	wantFile(t, fakeFolder(o), false)
}

// What was downloaded before a failure is not downloaded again, and what is none of the pinned files goes.
func TestWheelsResume(t *testing.T) {
	links, o := pipFrom(t), homeOf(t)
	one, two := makeWheel(t, "zmone"), makeWheel(t, "zmtwo")
	one.put(t, links)
	c := pythonComponent(t, one.pin+two.pin)
	if _, err := ensure(t.Context(), o, c); err == nil || !strings.Contains(err.Error(), "download zmtwo") {
		t.Fatalf("error %v, want that zmtwo is not there", err)
	}
	downloads := filepath.Join(fakeFolder(o), downloadsFolder)
	wantFile(t, filepath.Join(downloads, one.name), true)
	wantFile(t, filepath.Join(downloads, partialFolder), false)
	wantFile(t, filepath.Join(fakeFolder(o), environmentFolder), false)
	wantFile(t, filepath.Join(fakeFolder(o), manifestName), false)

	cut := wheelFile{name: two.name, data: two.data[:len(two.data)/2]}
	cut.put(t, downloads)
	two.put(t, links)
	if err := os.Remove(filepath.Join(links, one.name)); err != nil {
		t.Fatal(err)
	}
	m, err := ensure(t.Context(), o, c)
	if err != nil || len(m.Artifacts) != 2 {
		t.Errorf("artifacts %+v, error %v", m.Artifacts, err)
	}
}

// An installation that is interrupted in the middle of a download leaves nothing that passes for installed, and the next one succeeds.
func TestWheelsInterrupted(t *testing.T) {
	pipFrom(t)
	o := homeOf(t)
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
	t.Setenv("PIP_NO_INDEX", "")
	t.Setenv("PIP_FIND_LINKS", "")
	t.Setenv("PIP_INDEX_URL", index.URL)
	c := pythonComponent(t, one.pin)
	if _, err := ensure(ctx, o, c); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want that it was interrupted", err)
	}
	wantFile(t, fakeFolder(o), false)
	if _, err := ensure(t.Context(), o, c); err != nil {
		t.Errorf("after the interruption: %v", err)
	}
	wantFile(t, filepath.Join(fakeFolder(o), manifestName), true)
}
