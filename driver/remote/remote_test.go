package remote

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"zonemark/driver/executors"
	"zonemark/invocations/wire"

	"github.com/google/go-cmp/cmp"
)

// hostVariable makes the test program a host, with the store in the folder that it names; see TestMain.
const hostVariable = "ZONEMARK_TEST_HOST"

// TestMain makes the test program a host if it is started as one: its executors are echoes.
func TestMain(m *testing.M) {
	folder := os.Getenv(hostVariable)
	if folder == "" || len(os.Args) < 2 || os.Args[1] != "host" {
		os.Exit(m.Run())
	}
	protocol, build := uint(wire.Protocol), "test"
	if os.Getenv("OTHER_PROTOCOL") != "" {
		protocol, build = 99, "of tomorrow"
	}
	s := &Server{
		Hello:   wire.Hello{Protocol: protocol, Build: build, Environment: map[string]string{"host": "h"}},
		Name:    "h",
		Store:   &Store{Root: filepath.Join(folder, "store"), Folder: filepath.Join(folder, "view")},
		Starter: func(role string, _ *wire.ExecutorSettings) (executors.Starter, error) { return echoes(role), nil },
	}
	if err := s.Serve(context.Background(), os.Stdin, os.Stdout); err != nil {
		os.Exit(3)
	}
	os.Exit(0)
}

// echoes starts executors that write what they read; of role crash, they end by a signal when they have read something;
// of role allowed, they write what they may write; of role watched, see startWatched.
type echoes string

func (role echoes) Start(a executors.Allowance) (*executors.Process, error) {
	if role == "none" {
		return nil, errors.New("no executor today")
	}
	if role == "watched" {
		return startWatched(), nil
	}
	in, to := io.Pipe()
	from, out := io.Pipe()
	killed := make(chan struct{}, 1)
	over := make(chan executors.Exit, 1)
	go func() {
		exit := executors.Exit{Code: 7, Stderr: []string{"the last words"}}
		switch role {
		case "allowed":
			number, bytes := a.Exchange.Named()
			_, _ = fmt.Fprint(out, slices.Concat(a.Paths(), a.DevicePatterns()), number, bytes)
		case "crash":
			_, _ = in.Read(make([]byte, 1))
			exit = executors.Exit{Signal: "SIGSEGV", MaxRSSBytes: 5 << 20}
		default:
			_, _ = io.Copy(out, in)
		}
		_ = out.Close()
		over <- exit
	}()
	kill := func() {
		select {
		case killed <- struct{}{}:
		default:
		}
		_ = in.CloseWithError(io.EOF)
		_ = from.CloseWithError(io.EOF)
	}
	wait := func() executors.Exit {
		exit := <-over
		select {
		case <-killed:
			return executors.Exit{Signal: "SIGKILL"}
		default:
			return exit
		}
	}
	return &executors.Process{To: to, From: from, Kill: kill, Wait: wait, DiscardOutput: func() {}}, nil
}

// dial starts this program as a host, as a shell on the other side does. The cache there has an odd name.
func dial(t *testing.T, variables ...string) (*Session, string, error) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), `a 'very' "odd" $place; x`)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s, err := Dial(t.Context(), Options{
		Via: "env", Build: "test", Program: &Program{Path: self, Beside: self}, Verb: "host",
		Variables: append([]string{"PATH=" + os.Getenv("PATH"), hostVariable + "=" + folder, "ZONEMARK_HOME=" + folder},
			variables...),
	})
	if err == nil {
		t.Cleanup(s.Close)
	}
	return s, folder, err
}

// What an executor may write is said to the host as it is: the host finds the files of devices. Memory that executors
// exchange is named, and made there.
func TestAllowed(t *testing.T) {
	s, _, err := dial(t)
	if err != nil {
		t.Fatal(err)
	}
	for _, number := range []int64{0, 7, 7, 8} {
		x := executors.LentElsewhere(number, 4096)
		defer x.Close()
		named, bytes := x.Named() // 0, where there is no such memory
		want := fmt.Sprint([]string{"/a", "/b", "/dev/board*"}, named, bytes)
		p, err := s.Starter("allowed", wire.ExecutorSettings{}, nil).Start(executors.Allowance{
			Allow: executors.JoinPaths([]string{"/a", "/b"}), Devices: executors.JoinPaths([]string{"/dev/board*"}), Exchange: x,
		})
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(p.From); err != nil || string(text) != want {
			t.Errorf("%q, %v, want %q", text, err, want)
		}
		p.Wait()
	}
}

// What is written to an executor comes back, however much it is, and its end is told.
func TestStreams(t *testing.T) {
	s, folder, err := dial(t)
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "h" || s.Environment["host"] != "h" {
		t.Errorf("host %q, environment %v", s.Name, s.Environment)
	}
	if list, err := filepath.Glob(filepath.Join(folderPattern(folder), "remote", "bin", "*", "zonemark")); err != nil ||
		len(list) != 1 {
		t.Errorf("binaries: %v, %v", list, err)
	}
	text := bytes.Repeat([]byte("0123456789abcdef"), 3*window/16)
	idle, err := s.Starter("echo", wire.ExecutorSettings{}, nil).Start(executors.Allowance{})
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = idle.To.Write(text) }() // nobody reads what comes back: others must not wait for it
	p, err := s.Starter("echo", wire.ExecutorSettings{}, nil).Start(executors.Allowance{})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = p.To.Write(text)
		_ = p.To.Close()
	}()
	got, err := io.ReadAll(p.From)
	if err != nil || !bytes.Equal(got, text) {
		t.Errorf("%d of %d bytes came back: %v", len(got), len(text), err)
	}
	if exit := p.Wait(); !cmp.Equal(exit, executors.Exit{Code: 7, Stderr: []string{"the last words"}}) {
		t.Errorf("it ended: %+v", exit)
	}
	idle.Kill()
	if exit := idle.Wait(); exit.Signal != "SIGKILL" {
		t.Errorf("the killed one ended: %+v", exit)
	}
}

func folderPattern(folder string) string {
	return strings.NewReplacer("[", `\[`, "*", `\*`).Replace(folder)
}

// Crashes come with their signal, and an executor that does not start says why.
func TestEnds(t *testing.T) {
	s, _, err := dial(t)
	if err != nil {
		t.Fatal(err)
	}
	crash, err := s.Starter("crash", wire.ExecutorSettings{}, nil).Start(executors.Allowance{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := crash.To.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if exit := crash.Wait(); !cmp.Equal(exit, executors.Exit{Signal: "SIGSEGV", MaxRSSBytes: 5 << 20}) {
		t.Errorf("it ended: %+v", exit)
	}
	none, err := s.Starter("none", wire.ExecutorSettings{}, nil).Start(executors.Allowance{})
	if err != nil {
		t.Fatal(err)
	}
	if exit := none.Wait(); !slices.Equal(exit.Stderr, []string{"no executor today"}) {
		t.Errorf("it ended: %+v", exit)
	}
}

// When the command ends, so does every executor, and what is known is that it was lost.
func TestLost(t *testing.T) {
	s, _, err := dial(t)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Starter("echo", wire.ExecutorSettings{}, nil).Start(executors.Allowance{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(p.From); err != nil {
		t.Errorf("reading: %v", err)
	}
	exit := p.Wait()
	if !strings.Contains(exit.Lost, "host h (--via env): the connection has ended (env ended with signal: killed)") {
		t.Errorf("it ended: %+v", exit)
	}
	late, err := s.Starter("echo", wire.ExecutorSettings{}, nil).Start(executors.Allowance{})
	if err == nil {
		if exit := late.Wait(); exit.Lost == "" {
			t.Errorf("one started after the end: %+v", exit)
		}
	} else if !errors.Is(err, executors.ErrHostLost) {
		t.Error(err)
	}
}

// Another protocol is refused, with both versions and the remedy.
func TestOtherProtocol(t *testing.T) {
	_, _, err := dial(t, "OTHER_PROTOCOL=1")
	for _, want := range []string{"--via env", "protocol 99", `"of tomorrow"`, "protocol 2", "install the same zonemark"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Files are brought once, keep their names, and are refused if they change on their way.
func TestPush(t *testing.T) {
	s, folder, err := dial(t)
	if err != nil {
		t.Fatal(err)
	}
	local := filepath.Join(t.TempDir(), "local")
	large := bytes.Repeat([]byte("large"), chunk)
	if err := os.WriteFile(local, large, 0o644); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	list := []Source{
		{wire.File{Path: "a/one", SHA256: sumOf(large), Bytes: int64(len(large))}, local},
		{wire.File{Path: "b/two", SHA256: sumOf(large), Bytes: int64(len(large))}, local},
		{wire.File{Path: "b/none", SHA256: sumOf(nil)}, empty},
		{wire.File{Path: "b/link", Link: "two"}, ""},
	}
	told := Pushed{}
	for range 2 {
		if err := s.Push(t.Context(), list, func(p Pushed) { told = p }); err != nil {
			t.Fatal(err)
		}
	}
	if told.Done != int64(len(large)) || told.Total != told.Done {
		t.Errorf("pushed %+v of %d bytes", told, len(large))
	}
	for _, name := range []string{"a/one", "b/two", "b/link"} {
		got, err := os.ReadFile(filepath.Join(folder, "view", name))
		if err != nil || !bytes.Equal(got, large) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	if got, err := os.ReadFile(filepath.Join(folder, "view", "b/none")); err != nil || len(got) > 0 {
		t.Errorf("the empty file: %q, %v", got, err)
	}
	changed := []Source{{wire.File{Path: "c", SHA256: sumOf([]byte("x")), Bytes: int64(len(large))}, local}}
	if err := s.Push(t.Context(), changed, nil); err == nil || !strings.Contains(err.Error(), "arrived damaged") {
		t.Errorf("a file that changed: %v", err)
	}
	if err := s.Push(t.Context(), list[:1], nil); err != nil {
		t.Errorf("after that: %v", err)
	}
	if parts, err := filepath.Glob(filepath.Join(folderPattern(folder), "store", "*", "part-*")); err != nil || len(parts) > 0 {
		t.Errorf("parts are left: %v, %v", parts, err)
	}
}

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// A shell that has no room, or another machine, says so in time.
func TestNotInstalled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	uname := "#!/bin/sh\necho \"${MACHINE:-Linux x86_64}\"\n"
	if err := os.WriteFile(filepath.Join(bin, "uname"), []byte(uname), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ variable, want string }{
		{"ZONEMARK_HOME=" + file, "set ZONEMARK_HOME there"},
		{"MACHINE=Linux riscv64", "there is no zonemark"},
		{"MACHINE=Darwin arm64", "at " + filepath.Join(filepath.Dir(self), "zonemark-darwin-arm64")},
	} {
		_, err := Dial(t.Context(), Options{
			Via: "env", Build: "test", Program: &Program{Path: self, Beside: self}, Verb: "host",
			Variables: []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + t.TempDir(), c.variable},
		})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "--via env") {
			t.Errorf("%s: %v, want %q", c.variable, err, c.want)
		}
	}
}

// Dialing ends with its context, although the command goes on.
func TestDialEnds(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	begin := time.Now()
	_, err := Dial(ctx, Options{Via: `sh -c "exec sleep 1000" x`, Build: "test", Program: &Program{}, Verb: "host",
		Variables: os.Environ()})
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > connectTime/2 {
		t.Errorf("after %v: %v", time.Since(begin), err)
	}
}

// A command needs a word.
func TestWords(t *testing.T) {
	for command, want := range map[string]string{"  ": "no command", "a 'b": "a quote (') is not closed"} {
		if _, err := Words(command); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", command, err, want)
		}
	}
}

// Whatever the other side prints, an answer is found behind it, or none is.
func FuzzAnswer(f *testing.F) {
	f.Add([]byte("Welcome!\n"))
	f.Add([]byte{0, 255, '\n', 'z'})
	f.Fuzz(func(t *testing.T, before []byte) {
		in := io.MultiReader(bytes.NewReader(before), strings.NewReader("\nMARK the answer\nrest"))
		timer := &connecting{limit: time.AfterFunc(time.Hour, func() {})}
		defer timer.stop()
		s := &shell{in: bufio.NewReader(in), mark: "MARK", timer: timer}
		if got, err := s.answer(); bytes.Contains(before, []byte("MARK ")) {
			return
		} else if err != nil || got != "the answer" {
			t.Errorf("%q, %v", got, err)
		}
		if rest, err := io.ReadAll(s.in); err != nil || string(rest) != "rest" {
			t.Errorf("it left %q, %v", rest, err)
		}
	})
}

// Wherever a file is to lie, and whatever pieces come, nothing is written outside of the two folders.
func FuzzStore(f *testing.F) {
	f.Add("a/b", "text", "text")
	f.Add("../x", "text", "text")
	f.Add("/etc/passwd", "", "x")
	f.Fuzz(func(t *testing.T, path, content, came string) {
		dir := t.TempDir()
		s := &Store{Root: filepath.Join(dir, "store"), Folder: filepath.Join(dir, "view")}
		file := wire.File{Path: path, SHA256: sumOf([]byte(content)), Bytes: int64(len(content))}
		missing, err := s.Place([]wire.File{file})
		if err != nil {
			return
		}
		if len(missing) != 1 {
			t.Fatalf("missing: %v", missing)
		}
		s.Take(&wire.Piece{SHA256: file.SHA256, Bytes: []byte(came), Last: true})
		_, err = s.Place([]wire.File{file})
		if (err == nil) != (came == content) && !strings.Contains(path, ".") {
			t.Errorf("%q came for %q: %v", came, content, err)
		}
		entries, listing := os.ReadDir(dir)
		if listing != nil {
			t.Fatal(listing)
		}
		for _, e := range entries {
			if e.Name() != "store" && e.Name() != "view" {
				t.Errorf("%q was made", e.Name())
			}
		}
	})
}

// A part of a frame has a tick sent, whole frames have none.
func TestPrompting(t *testing.T) {
	frames := []byte{3, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0, 1, 0, 0, 0, 9}
	for cut := range len(frames) {
		r, w := io.Pipe()
		ticks := 0
		p := &prompting{r: r, soon: func() { ticks++ }}
		go func() {
			for _, part := range [][]byte{frames[:cut], frames[cut:]} {
				if len(part) > 0 {
					_, _ = w.Write(part)
				}
			}
			_ = w.Close()
		}()
		if _, err := io.ReadFull(p, make([]byte, len(frames))); err != nil {
			t.Fatal(err)
		}
		want := 1
		if slices.Contains([]int{0, 7, 11}, cut) {
			want = 0
		}
		if ticks != want {
			t.Errorf("cut at byte %d: %d ticks, want %d", cut, ticks, want)
		}
	}
}

// The program runs once on the other side, and its output comes here. If it does not end well, its last words do.
func TestOutput(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	o := Options{Via: "env", Build: "test", Program: &Program{Path: self, Beside: self},
		Variables: append(os.Environ(), "ZONEMARK_HOME="+home), Verb: "-test.run ^$"}
	out, err := Output(t.Context(), o)
	if err != nil || !strings.Contains(string(out), "PASS") {
		t.Errorf("%q, %v", out, err)
	}
	o.Verb = "-test.nonsense"
	lost := new(LostError)
	if out, err := Output(t.Context(), o); !errors.As(err, &lost) || len(lost.Lines) == 0 ||
		lost.Why != "it did not end well (env ended with exit status 2)" {
		t.Errorf("%q, %+v", out, err)
	}
	o.Via = "false"
	if _, err := Output(t.Context(), o); !errors.As(err, &lost) || !strings.Contains(lost.Why, "before it answered") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	o.Via = "sh -c 'exec sleep 100'"
	if _, err := Output(ctx, o); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// A host that is asked to end does so, although its connection stands and nothing comes.
func TestServeEnds(t *testing.T) {
	in, keep := io.Pipe()
	defer keep.Close()
	ctx, cancel := context.WithCancel(t.Context())
	s := &Server{Hello: wire.Hello{Protocol: wire.Protocol}, Store: &Store{}}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, in, io.Discard) }()
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("it goes on")
	}
}
