package remote

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"zonemark/invocations/files"
)

// Binary is a file with zonemark for a platform.
type Binary struct {
	Path   string
	SHA256 string
	Bytes  int64
}

// Program finds the binaries of this zonemark. It hashes each one once.
type Program struct {
	Path string // of this program
	// Beside is the path of this program as people know it. Binaries for other platforms lie beside it.
	Beside string

	mu    sync.Mutex
	known map[string]*Binary // by platform
}

// For returns the binary for a machine that "uname -sm" describes.
func (p *Program) For(machine string) (*Binary, error) {
	platform, err := platformOf(machine)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if b := p.known[platform]; b != nil {
		return b, nil
	}
	path := p.Path
	if own := runtime.GOOS + "-" + runtime.GOARCH; platform != own {
		path = filepath.Join(filepath.Dir(p.Beside), "zonemark-"+platform)
		if _, err := os.Stat(path); err != nil {
			system, arch, _ := strings.Cut(platform, "-")
			return nil, fmt.Errorf("it is a machine of %s, and this zonemark is for %s: put the same version for it at %s "+
				"(a release has it; or CGO_ENABLED=0 GOOS=%s GOARCH=%s go build ./cmd/zonemark)", platform, own, path, system, arch)
		}
	}
	sum, bytes, err := files.SHA256(path)
	if err != nil {
		return nil, fmt.Errorf("the program to push: %w", err)
	}
	if p.known == nil {
		p.known = map[string]*Binary{}
	}
	b := &Binary{path, sum, bytes}
	p.known[platform] = b
	return b, nil
}

// platformOf returns the platform, as Go names it, of a machine that "uname -sm" describes.
func platformOf(machine string) (string, error) {
	system, arch, _ := strings.Cut(strings.TrimSpace(machine), " ")
	systems := map[string]string{"Linux": "linux", "Darwin": "darwin"}
	arches := map[string]string{"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
	if systems[system] == "" || arches[arch] == "" {
		return "", fmt.Errorf("it is a machine of %.60q, for which there is no zonemark: it runs on Linux and macOS, on x86-64 "+
			"and ARM (64 bits)", machine)
	}
	return systems[system] + "-" + arches[arch], nil
}
