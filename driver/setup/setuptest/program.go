package setuptest

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"zonemark/invocations/environ"
	"zonemark/invocations/files"
	"zonemark/invocations/race"
)

// buildPatience is how long a build takes at most, on a busy machine and with the race detector.
const buildPatience = 10 * time.Minute

// Program makes zonemark of the sources around the tests, watched by the race detector if the tests are, and returns its
// path. Tests of all packages share it, since linking takes longer than most tests; Go makes it anew if a source has
// changed.
var Program = sync.OnceValues(func() (path string, err error) {
	top, err := Top()
	if err != nil {
		return "", err
	}
	checkout := fnv.New64a()
	checkout.Write([]byte(top))
	folder := filepath.Join(os.TempDir(), fmt.Sprintf("zonemark-test-program-%d-%x", os.Getuid(), checkout.Sum64()))
	arguments := []string{"build", "-buildvcs=false"}
	cgo := "CGO_ENABLED=0"
	if race.Enabled {
		folder, arguments, cgo = folder+"-race", append(arguments, "-race"), "CGO_ENABLED=1"
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	lock, err := os.OpenFile(folder+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	defer lock.Close()                                                                // which unlocks it
	if _, err := files.Await(context.Background(), lock, buildPatience); err != nil { // tests of other packages build the same
		return "", err
	}
	path = filepath.Join(folder, "zonemark")
	cmd := exec.Command("go", append(arguments, "-o", path, "zonemark/cmd/zonemark")...)
	cmd.Env = environ.OfProcess().With(cgo).Entries()
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build zonemark: %w\n%s", err, out)
	}
	return path, nil
})

// Top returns the top of the module, in which the working folder lies.
func Top() (string, error) {
	folder, err := os.Getwd()
	for ; err == nil; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		if folder == filepath.Dir(folder) {
			return "", errors.New("the tests do not run in the module's checkout")
		}
	}
	return "", err
}
