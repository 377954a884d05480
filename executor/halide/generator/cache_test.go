package generator

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// The compiler of a tuning that was killed may outlive it for a moment, and fill a folder while that is removed. The next
// tuning begins nevertheless: "unlinkat …: directory not empty" ended it.
func TestRemoveUnfinished(t *testing.T) {
	cache := t.TempDir()
	if err := RemoveUnfinished(cache); err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(cache, cacheFolder)
	built, unfinished := filepath.Join(root, "0123"), filepath.Join(root, unfinishedPrefix+"1", "scratch")
	for _, folder := range []string{built, unfinished} {
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				_ = os.WriteFile(filepath.Join(unfinished, fmt.Sprint(i)), nil, 0o666) // the folder may be gone
			}
		}
	}()
	for range 20 {
		_ = os.MkdirAll(unfinished, 0o777)
		if err := RemoveUnfinished(cache); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	<-stopped
	if err := RemoveUnfinished(cache); err != nil {
		t.Error(err)
	}
	left, err := os.ReadDir(root)
	if err != nil || len(left) != 1 || left[0].Name() != "0123" {
		t.Errorf("%v are left, %v", left, err)
	}
}
