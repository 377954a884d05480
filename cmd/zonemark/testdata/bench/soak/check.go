package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// results are the lines of a journal's results, by id.
type results map[string]string

// read reads the journal's whole lines. A result that is there twice is an error.
func (s *soak) read() (found results, last map[string]any, err error) {
	text, err := os.ReadFile(s.journal())
	if errors.Is(err, fs.ErrNotExist) {
		return results{}, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	found = results{}
	lines := bytes.SplitAfter(text, []byte{'\n'})
	for i, line := range lines[:len(lines)-1] { // without what has no line end
		last = nil
		if err := json.Unmarshal(line, &last); err != nil {
			return nil, nil, fmt.Errorf("line %d of the journal: %w", i+1, err)
		}
		if last["kind"] != "result" {
			continue
		}
		id := fmt.Sprint(last["id"])
		if found[id] != "" {
			return nil, nil, fmt.Errorf("line %d of the journal: the result of %s is there twice", i+1, id)
		}
		found[id] = string(line)
	}
	return found, last, nil
}

// kept checks that all results which were there before are there, unchanged, and returns those that are there now.
func (s *soak) kept(before results) (results, error) {
	now, _, err := s.read()
	if err != nil {
		return nil, err
	}
	for id, line := range before {
		if now[id] != line {
			return nil, fmt.Errorf("the result of %s is lost: it was %q, and is %q", id, line, now[id])
		}
	}
	return now, nil
}

// complete checks that the journal ends as that of a complete run does.
func (s *soak) complete() error {
	found, last, err := s.read()
	if err == nil && (last["kind"] != "end" || fmt.Sprint(last["results"]) != strconv.Itoa(len(found))) {
		err = fmt.Errorf("exit status 0, and the journal of %d results ends with %v", len(found), last)
	}
	return err
}

// finished completes the run and checks that it has all results.
func (s *soak) finished(before results, want int) error {
	cmd := s.start(s.command())
	err := cmd.Run()
	if status := cmd.ProcessState.ExitCode(); err != nil && !(status == 2 && s.deadly) {
		return fmt.Errorf("the run that nothing disturbed: %w: %s", err, s.output.String())
	}
	now, err := s.kept(before)
	if err == nil {
		err = s.complete()
	}
	if err != nil {
		return err
	}
	if len(now) != want {
		return fmt.Errorf("%d results of %d invocations", len(now), want)
	}
	for _, line := range now {
		var r struct{ ID, Status, Error string }
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			return err
		}
		// A command that is being started is still the executor, so that the command may be killed in its place.
		killed := r.Status == "crashed" || r.Status == "failed" && strings.Contains(r.Error, "ended by SIGKILL")
		if r.Status != "ok" && !(killed && s.deadly) {
			return fmt.Errorf("the result of %s is %q: %s", r.ID, r.Status, r.Error)
		}
	}
	return nil
}

// process is a process of a run.
type process struct {
	id      int
	program string // its path
	command string
}

// processes returns the processes that run a program of the folder, are at work in it or use the network of it, without
// this one and the ssh server.
func (s *soak) processes() (list []process) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil || id == os.Getpid() || s.network != nil && id == s.network.server.Process.Pid {
			continue
		}
		program, _ := os.Readlink(filepath.Join("/proc", e.Name(), "exe"))
		place, _ := os.Readlink(filepath.Join("/proc", e.Name(), "cwd"))
		net, _ := os.Readlink(filepath.Join("/proc", e.Name(), "ns", "net"))
		if strings.HasPrefix(program, s.folder) || strings.HasPrefix(place, s.folder) ||
			s.network != nil && net == s.network.namespace {
			command, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
			list = append(list, process{id, program, string(bytes.ReplaceAll(command, []byte{0}, []byte{' '}))})
		}
	}
	return list
}

// graceTime is how long processes of a killed run may take to end.
const graceTime = 20 * time.Second

// nothingLeft checks that no process and no file is left.
func (s *soak) nothingLeft() error {
	list := s.processes()
	for end := time.Now().Add(graceTime); len(list) > 0 && time.Now().Before(end); list = s.processes() {
		time.Sleep(10 * time.Millisecond)
	}
	if len(list) > 0 {
		return fmt.Errorf("processes are left: %v", list)
	}
	now, err := s.files()
	if err != nil {
		return err
	}
	mine := []string{"in/suite.toml", "in/results.ndjson", "in/results.ndjson.torn"}
	for _, path := range now {
		if !slices.Contains(s.before, path) && !slices.Contains(mine, path) {
			return fmt.Errorf("a file is left: %s", s.in(path))
		}
	}
	return nil
}

// files returns the files and folders below the folder. Of the caches, only unfinished files count, and the folders of
// hosts' sessions.
func (s *soak) files() (list []string, err error) {
	for _, name := range []string{"home", "cache", "hosts", "tmp", "disk"} {
		if err := os.MkdirAll(s.in(name), 0o777); err != nil {
			return nil, err
		}
	}
	err = filepath.WalkDir(s.folder, func(path string, e fs.DirEntry, err error) error {
		name, relative := filepath.Rel(s.folder, path)
		first, _, inside := strings.Cut(name, string(filepath.Separator))
		unfinished := strings.HasPrefix(e.Name(), ".") && strings.Contains(e.Name(), "-") ||
			filepath.Base(filepath.Dir(name)) == "sessions"
		if first != "cache" && first != "hosts" || !inside || unfinished {
			list = append(list, name)
		}
		return errors.Join(err, relative)
	})
	return list, err
}

// clear removes what a round has made, but not the cache.
func (s *soak) clear() error {
	s.deadly, s.abandoned = false, false
	return errors.Join(os.Remove(s.in("in", "suite.toml")), os.Remove(s.journal()),
		os.RemoveAll(s.journal()+".torn"))
}
