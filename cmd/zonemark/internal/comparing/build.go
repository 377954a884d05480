package comparing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"zonemark/driver/report"
)

// workshop makes checkouts of the repository here in a private folder. They are clones that share its objects, so that
// neither the user's checkout nor its repository is written to.
type workshop struct {
	folder     string
	repository string // absolute path of git's folder
	command    []string
}

// openWorkshop makes the folder. The command builds a checkout.
func (f *Flags) openWorkshop() (*workshop, error) {
	folder, err := f.Cache().Scratch()
	if err != nil {
		return nil, err
	}
	command := f.words
	if f.build != "" {
		command = []string{"sh", "-c", f.build}
	}
	return &workshop{folder: folder, command: command}, nil
}

func (w *workshop) close() { os.RemoveAll(w.folder) }

// buildBoth makes the artifacts of both sides: each is in a folder of the user, or a commit.
func (f *Flags) buildBoth(ctx context.Context, sides *[2]*side) (done func(), err error) {
	w, err := f.openWorkshop()
	if err != nil {
		return func() {}, err
	}
	for i, s := range sides {
		folder := s.path
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			commit, err := w.resolve(ctx, s.path)
			if err != nil {
				return w.close, err
			}
			if folder, err = w.clone(ctx, strings.Trim(prefixes[i], "/"), commit); err != nil {
				return w.close, err
			}
		}
		s.source = s.path + ":" + f.artifact
		if s.path, err = w.build(ctx, folder, f.artifact); err != nil {
			return w.close, fmt.Errorf("%s: %w", f.arguments[i], err)
		}
	}
	return w.close, nil
}

// build builds an artifact in a folder and returns its path.
func (w *workshop) build(ctx context.Context, folder, artifact string) (string, error) {
	path := filepath.Join(folder, artifact)
	if len(w.command) > 0 {
		if err := run(ctx, folder, w.command...); err != nil {
			return "", fmt.Errorf("the build: %w", err)
		}
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("there is no %s after the build; --artifact is a path in the checkout", artifact)
	}
	return path, nil
}

// resolve returns the commit that a user named.
func (w *workshop) resolve(ctx context.Context, name string) (string, error) {
	if w.repository == "" {
		var err error
		w.repository, err = git(ctx, ".", "rev-parse", "--path-format=absolute", "--git-common-dir")
		if err != nil {
			return "", fmt.Errorf("%s: no folder, and no commit, since there is no repository here: %w", name, err)
		}
	}
	commit, err := git(ctx, ".", "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("%s: neither a folder nor a commit of the repository here", name)
	}
	return commit, nil
}

// clone checks a commit out in a new clone and returns its folder.
func (w *workshop) clone(ctx context.Context, name, commit string) (string, error) {
	folder := filepath.Join(w.folder, name)
	if _, err := git(ctx, ".", "clone", "--quiet", "--shared", "--no-checkout", "--", w.repository, folder); err != nil {
		return "", err
	}
	_, err := git(ctx, folder, "checkout", "--quiet", "--detach", commit)
	return folder, err
}

// ofRepository are variables with which git names a repository. A program that git has started has them, and they would
// lead from the clone to the user's checkout.
var ofRepository = []string{
	"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
	"GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE",
}

// git runs git in a folder, without hooks, and returns what it printed.
func git(ctx context.Context, folder string, arguments ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.hooksPath=" + os.DevNull}, arguments...)...)
	cmd.Dir = folder
	out, err := output(cmd, folder != ".")
	return strings.TrimSpace(string(out)), err
}

// run runs a program of the user in a checkout.
func run(ctx context.Context, folder string, words ...string) error {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir = folder
	_, err := output(cmd, true)
	return err
}

// patience is how long a program may take to end when it is interrupted.
const patience = 5 * time.Second

// output runs a program and returns what it printed. The error has the last lines of that.
func output(cmd *exec.Cmd, elsewhere bool) ([]byte, error) {
	if elsewhere {
		cmd.Env = slices.DeleteFunc(cmd.Environ(), func(v string) bool {
			name, _, _ := strings.Cut(v, "=")
			return slices.Contains(ofRepository, name)
		})
	}
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = patience
	err := cmd.Run()
	if err == nil {
		return out.Bytes(), nil
	}
	if _, ended := errors.AsType[*exec.ExitError](err); !ended {
		return nil, err
	}
	const lines = 10
	last := strings.Split(strings.TrimSpace(out.String()+"\n"+said.String()), "\n")
	last = last[max(0, len(last)-lines):]
	for i := range last {
		last[i] = report.Printable(last[i])
	}
	return nil, fmt.Errorf("%s: %w\n%s", cmd.Args[0], err, strings.Join(last, "\n"))
}
