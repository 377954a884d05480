package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"zonemark/invocations/files"
)

// disturbance is something that happens to a run.
type disturbance struct {
	name string
	// before changes files before the run starts; may be nil.
	before func(s *soak) error
	// during happens at a random moment; may be nil. The driver has this process id.
	during func(s *soak, driver int) error
	// wrap makes another command of the run's; nil: it is run as it is.
	wrap func(s *soak, run []string) []string
	// deadly tells that results may say that an executor crashed.
	deadly bool
	// possible reports whether it can happen to the runs of this round; nil: it always can.
	possible func(s *soak) bool
}

func send(sig syscall.Signal) func(*soak, int) error {
	return func(_ *soak, driver int) error { return syscall.Kill(driver, sig) }
}

var disturbances = []disturbance{
	{name: "SIGKILL", during: send(syscall.SIGKILL)},
	{name: "SIGTERM", during: send(syscall.SIGTERM)},
	{name: "SIGHUP", during: send(syscall.SIGHUP)},
	{name: "SIGINT", during: send(syscall.SIGINT)},
	{name: "executor killed", during: killExecutor, deadly: true},
	{name: "stopped", during: stopForAWhile},
	{name: "cache damaged", before: damageCache},
	{name: "cache damaged meanwhile", during: func(s *soak, _ int) error { return damageCache(s) }},
	{name: "torn line", before: tearLine},
	{name: "file size limit", wrap: limitFiles},
	{name: "disk full", wrap: fillDisk, possible: func(s *soak) bool { return s.mounts }},
	{name: "node killed", during: loseNode, possible: on("Slurm")},
	{name: "node drained", during: drainNode, possible: on("Slurm")},
	{name: "network cut", during: cutNetwork, possible: on("ssh")},
	{name: "connection killed", during: killConnection, possible: func(s *soak) bool { return len(s.place.via) > 0 }},
}

// on reports whether a round is at a place.
func on(place string) func(*soak) bool { return func(s *soak) bool { return s.place.name == place } }

func (s *soak) choose() disturbance {
	for {
		d := disturbances[s.rng.IntN(len(disturbances))]
		if d.possible == nil || d.possible(s) {
			return d
		}
	}
}

// runTimeout is how long a run may take. It takes some seconds.
const runTimeout = 5 * time.Minute

// disturbed starts or continues the run, and disturbs it. It tells what happened.
func (s *soak) disturbed(d disturbance) (what string, err error) {
	if d.before != nil {
		if err := d.before(s); err != nil {
			return d.name, err
		}
	}
	s.deadly = s.deadly || d.deadly
	args := s.command()
	if d.wrap != nil {
		args = d.wrap(s, args)
	}
	cmd := s.start(args)
	if err := cmd.Start(); err != nil {
		return d.name, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	after := time.Duration(s.rng.ExpFloat64() * float64(time.Second))
	select {
	case <-ended: // its state tells how
		what = d.name
		if d.during != nil {
			what = "ended before " + what
		} else {
			s.made[d.name]++
		}
		return fmt.Sprintf("%s (%s)", what, s.exit(cmd)), s.orderly(d, cmd)
	case <-time.After(after):
	}
	s.made[d.name]++
	s.detail = ""
	if d.during != nil {
		if err := d.during(s, cmd.Process.Pid); err != nil && !errors.Is(err, syscall.ESRCH) {
			return d.name, err
		}
	}
	select {
	case <-ended:
	case <-time.After(runTimeout):
		return d.name, fmt.Errorf("the run has not ended after %v; its process is %d", runTimeout, cmd.Process.Pid)
	}
	return fmt.Sprintf("%s%s at %d ms (%s)", d.name, s.detail, after.Milliseconds(), s.exit(cmd)), s.orderly(d, cmd)
}

// command is the command line of the run.
func (s *soak) command() []string {
	args := []string{s.in("zonemark"), "run", "-q", s.in("in", "suite.toml")}
	for _, via := range s.place.via {
		args = append(args, "--via", via)
	}
	return append(args, "-o", s.journal(), "--resume")
}

// start prepares a command in the folder and in an environment of its own, in which everything that it leaves is found.
func (s *soak) start(args []string) *exec.Cmd {
	args = slices.Concat(s.place.within, args)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = s.in("in")
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.in("home"), "ZONEMARK_HOME=" + s.in("cache"),
		"TMPDIR=" + s.in("tmp")}, s.place.variables...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	s.output.Reset()
	cmd.Stderr = &s.output
	return cmd
}

// exit says how a run ended, with the first line of what it said.
func (s *soak) exit(cmd *exec.Cmd) string {
	state := cmd.ProcessState.String()
	if line, _, _ := strings.Cut(s.output.String(), "\n"); line != "" {
		line = strings.ReplaceAll(line, s.folder, "FOLDER")
		state += ": " + line[:min(len(line), mostSaid)]
	}
	return state
}

// mostSaid is how many bytes of a line that a run said are shown.
const mostSaid = 160

// orderly checks that a run which did not succeed has told so. A panic, or a failure without a word, is an error.
func (s *soak) orderly(d disturbance, cmd *exec.Cmd) error {
	state, text := cmd.ProcessState.Sys().(syscall.WaitStatus), s.output.String()
	switch {
	case strings.Contains(text, "goroutine "):
		return fmt.Errorf("the run panicked:\n%s", text)
	case strings.Contains(text, files.ErrLocked.Error()):
		return fmt.Errorf("the journal is still locked for a run that has ended:\n%s", text)
	case state.Signaled() && d.name == state.Signal().String(), state.Signaled() && d.during != nil:
		return nil
	case state.Signaled():
		return fmt.Errorf("a signal has ended it: %v\n%s", state.Signal(), text)
	case state.ExitStatus() != 0 && strings.TrimSpace(text) == "" && !s.deadly:
		return fmt.Errorf("exit status %d without a message", state.ExitStatus())
	case state.ExitStatus() == 0:
		return s.complete()
	}
	return nil
}

// killExecutor kills one of the driver's executors, if there is one.
func killExecutor(s *soak, driver int) error {
	var executors []int
	for _, p := range s.processes() {
		if p.id != driver && strings.Contains(p.command, "--role=") {
			executors = append(executors, p.id)
		}
	}
	if len(executors) == 0 {
		return nil
	}
	return syscall.Kill(executors[s.rng.IntN(len(executors))], syscall.SIGKILL)
}

func stopForAWhile(s *soak, driver int) error {
	if err := syscall.Kill(driver, syscall.SIGSTOP); err != nil {
		return err
	}
	time.Sleep(time.Duration(s.rng.IntN(400)) * time.Millisecond)
	return syscall.Kill(driver, syscall.SIGCONT)
}

// damageCache removes, cuts off or overwrites a file of the cache.
func damageCache(s *soak) error {
	var list []string
	err := filepath.WalkDir(s.in("cache"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			list = append(list, path)
		}
		return nil // others may remove files meanwhile
	})
	if err != nil || len(list) == 0 {
		return err
	}
	path := list[s.rng.IntN(len(list))]
	switch s.rng.IntN(3) {
	case 0:
		err = os.Remove(path)
	case 1:
		err = os.Truncate(path, int64(s.rng.IntN(100)))
	default:
		err = os.WriteFile(path, bytes.Repeat([]byte{byte(s.rng.IntN(256))}, s.rng.IntN(5000)), 0o666)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// tearLine puts behind the journal what a process leaves that is killed while it writes.
func tearLine(s *soak) error {
	f, err := os.OpenFile(s.journal(), os.O_WRONLY|os.O_APPEND, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	line := `{"kind":"result","id":"0123456789abc`
	if info.Size() == 0 { // a run was killed before its first line, which is a header
		line = `{"kind":"header","version":1,"zonemark`
	}
	_, err = f.WriteString(line[:1+s.rng.IntN(30)])
	return err
}

// limitFiles lets files grow a little beyond the journal only.
func limitFiles(s *soak, run []string) []string {
	size := int64(0)
	if info, err := os.Stat(s.journal()); err == nil {
		size = info.Size()
	}
	blocks := size/1024 + 1 + int64(s.rng.IntN(40))
	return append([]string{"bash", "-c", `ulimit -f "$0"; exec "$@"`, strconv.FormatInt(blocks, 10)}, run...)
}

// fillDisk runs on a small file system of its own that nobody else sees: a tmpfs in a mount namespace. The script ends
// if it is not in another namespace than this process. It copies the journal in and out.
func fillDisk(s *soak, run []string) []string {
	const script = `
outside=$1 disk=$2 journal=$3 size=$4
shift 4
[ "$(readlink /proc/self/ns/mnt)" != "$outside" ] || { echo "not in a mount namespace" >&2; exit 98; }
mount -t tmpfs -o "size=$size" tmpfs "$disk" || exit 98
[ ! -e "$journal" ] || cp "$journal" "$disk/results.ndjson" || exit 98
"$@" -o "$disk/results.ndjson" --resume
status=$?
[ ! -e "$disk/results.ndjson" ] || cp "$disk/results.ndjson" "$journal" || exit 98
exit $status`
	outside, _ := os.Readlink("/proc/self/ns/mnt")
	size := int64(0)
	if info, err := os.Stat(s.journal()); err == nil {
		size = info.Size()
	}
	size = (size/4096 + 2 + int64(s.rng.IntN(8))) * 4096
	at := len(run) - 3 // of -o
	return append([]string{"unshare", "--mount", "--propagation", "private", "bash", "-c", script, "soak", outside,
		s.in("disk"), s.journal(), strconv.FormatInt(size, 10)}, run[:at]...)
}

// canMount reports whether fillDisk works here.
func canMount() bool {
	return exec.Command("unshare", "--mount", "--propagation", "private", "true").Run() == nil
}
