package files_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"zonemark/invocations/files"
	"zonemark/invocations/files/faults"
)

// TestUpdate has several writers count in one document: none of them takes back what another has written.
func TestUpdate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "count")
	var all sync.WaitGroup
	const writers, times = 4, 10
	for range writers {
		all.Go(func() {
			for range times {
				err := files.Update(t.Context(), path, 0o600, func(old []byte) ([]byte, error) {
					n := 0
					if old != nil {
						var err error
						if n, err = strconv.Atoi(string(old)); err != nil {
							return nil, err
						}
					}
					return []byte(strconv.Itoa(n + 1)), nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if text, err := os.ReadFile(path); err != nil || string(text) != strconv.Itoa(writers*times) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestUpdateFails: a change that fails, and a context that ends while another writes, leave the document.
func TestUpdateFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("no")
	if err := files.Update(t.Context(), path, 0o600, func([]byte) ([]byte, error) { return nil, failed }); err != failed {
		t.Errorf("%v", err)
	}
	lock, err := os.OpenFile(path+".lock", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if _, err := files.TryLock(lock); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = files.Update(ctx, path, 0o600, func([]byte) ([]byte, error) { return []byte("new"), nil })
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), path) {
		t.Errorf("while another writes: %v", err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "old" {
		t.Errorf("%s, %v", text, err)
	}
}

// TestAppendedFaults lets each operation fail once while lines are appended, and appends those again that failed. Each
// line that was acknowledged is there, whole, and once.
func TestAppendedFaults(t *testing.T) {
	var acknowledged string
	faults.Each(t, 6, nil, func(folder string) error {
		acknowledged = ""
		f, err := files.OpenFile(filepath.Join(folder, "f"), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
		if err != nil {
			return err
		}
		failed := files.SyncName(f.Name())
		lines := files.Append(f, 0, true)
		for i := range 4 {
			line := strconv.Itoa(i) + " is a line\n"
			for range 2 {
				err := lines.WriteSynced([]byte(line))
				failed = errors.Join(failed, err)
				if err == nil {
					acknowledged += line
					break
				}
			}
		}
		if lines.Size() != int64(len(acknowledged)) {
			return errors.New("the size is wrong")
		}
		return errors.Join(failed, f.Close())
	}, func(folder string, f faults.Fault, err error) {
		text, _ := os.ReadFile(filepath.Join(folder, "f"))
		whole := string(text[:strings.LastIndexByte(string(text), '\n')+1])
		if f.Ends() && strings.HasPrefix(whole, acknowledged) { // a line may be there of which nobody was told
			return
		}
		if string(text) != acknowledged || err != nil && strings.Contains(err.Error(), "the size is wrong") {
			t.Errorf("%v: %q, acknowledged %q, %v", f, text, acknowledged, err)
		}
	})
}
