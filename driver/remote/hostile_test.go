package remote

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"zonemark/driver/executors"
	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// everyMessage returns a message of each kind, about an executor and a file.
func everyMessage(stream int64, sum string) []wire.Message {
	return []wire.Message{
		&wire.Hello{Protocol: wire.Protocol, Build: "test"}, &wire.Describe{ID: "x"}, &wire.Described{ID: "x"},
		&wire.Build{ID: "x"}, &wire.Built{ID: "x"}, &wire.Execute{Invocation: invocations.Invocation{ID: "x"}},
		&wire.Started{ID: "x"}, &wire.Result{Result: invocations.Result{ID: "x"}}, &wire.Goodbye{Reason: "tired"},
		&wire.Host{Name: "h", Folder: "/f"}, &wire.Offer{Files: []wire.File{{Path: "a"}}}, &wire.Needs{SHA256: []string{sum}},
		&wire.Piece{SHA256: sum}, &wire.Start{Stream: stream}, &wire.Data{Stream: stream, Bytes: []byte("x")},
		&wire.Credit{Stream: stream, Bytes: 1}, &wire.Kill{Stream: stream}, &wire.Ended{Stream: stream}, &wire.Tick{},
	}
}

// playedHost is a host in this process that play answers for. The session with it has begun.
func playedHost(t *testing.T, play func(conn *wire.Conn, m wire.Message)) *Session {
	t.Helper()
	in, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s := &Session{
		Via: "played", Name: "there", said: &executors.Tail{}, needs: make(chan *wire.Needs, 1), ended: make(chan struct{}),
		streams: map[int64]*stream{}, killPatience: time.Minute, cmd: exec.Command("true"), pipes: &pipes{to, from},
	}
	s.pulse = newPulse(func() {})
	s.conn = &line{wire.NewConn(from, to), s.pulse}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go s.receive()
	go func() {
		defer out.Close()
		defer in.Close()
		conn := wire.NewConn(in, out)
		for {
			m, err := conn.Receive()
			if err != nil {
				return
			}
			play(conn, m)
		}
	}()
	t.Cleanup(func() { s.fail("the test is over"); <-s.ended })
	return s
}

// A host that answers a request with a message of another kind, or one about what it was not asked for, is lost: the
// driver goes on without it.
func TestHostileAnswers(t *testing.T) {
	const sum = "00ff"
	file := []Source{{wire.File{Path: "a", SHA256: sum, Bytes: 1}, os.DevNull}}
	kinds := map[wire.Kind]bool{}
	for _, own := range []bool{true, false} { // about what the driver has started and offered, or about something else
		stream, hash := int64(1), sum
		if !own {
			stream, hash = 77, "dead"
		}
		for _, reply := range everyMessage(stream, hash) {
			kinds[reply.Kind()] = true
			name := strings.TrimPrefix(wireName(reply), "*wire.")
			answer := func(conn *wire.Conn, m wire.Message) {
				switch m.(type) {
				case *wire.Offer, *wire.Start:
					_ = conn.Send(reply)
					_ = conn.Send(&wire.Goodbye{Reason: "that was all"})
				}
			}
			s := playedHost(t, answer)
			if err := s.Push(t.Context(), file, nil); !errors.Is(err, executors.ErrHostLost) {
				t.Errorf("an offer, answered by %s of its own %v: %v", name, own, err)
			}
			s = playedHost(t, answer)
			p, err := s.Starter("measure", wire.ExecutorSettings{}, nil).Start(executors.Allowance{})
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.ReadAll(p.From)
			allowed := own && (name == "Data" || name == "Ended")
			lost := p.Wait().Lost
			<-s.ended // by the Goodbye at the latest
			if name != "Ended" && lost == "" || !allowed && name != "Tick" && name != "Goodbye" &&
				!strings.Contains(s.lost.Error(), "which nobody asked for") {
				t.Errorf("a start, answered by %s of its own %v: %q, the session: %v", name, own, lost, s.lost)
			}
		}
	}
	for kind := wire.KindHello; kind <= wire.KindTick; kind++ {
		if !kinds[kind] {
			t.Errorf("no message of kind %d was tried", kind)
		}
	}
}

func wireName(m wire.Message) string { return fmt.Sprintf("%T", m) }

// What a host says in its first messages is checked, too.
func TestHostileGreeting(t *testing.T) {
	hello := &wire.Hello{Protocol: wire.Protocol, Build: "test", Environment: map[string]string{"cpu": "A"}}
	long := strings.Repeat("x", 1<<20)
	many := map[string]string{}
	for i := range 2 * mostEnvironment {
		many[strings.Repeat("k", i)] = "v"
	}
	type greeting struct {
		messages []wire.Message
		good     bool
	}
	list := []greeting{
		{[]wire.Message{hello, &wire.Host{Name: "h", Folder: "/f"}}, true},
		{[]wire.Message{hello, &wire.Host{Folder: "/f"}}, false},
		{[]wire.Message{hello, &wire.Host{Name: long, Folder: "/f"}}, false},
		{[]wire.Message{hello, &wire.Host{Name: "h\x00", Folder: "/f"}}, false},
		{[]wire.Message{hello, &wire.Host{Name: "h", Folder: "../f"}}, false},
		{[]wire.Message{hello, &wire.Host{Name: "h", Folder: "/" + long}}, false},
		{[]wire.Message{&wire.Hello{Protocol: wire.Protocol, Build: "test", Environment: many}, &wire.Host{Name: "h", Folder: "/f"}}, false},
		{[]wire.Message{&wire.Hello{Protocol: wire.Protocol, Build: "test", Environment: map[string]string{"a": long}},
			&wire.Host{Name: "h", Folder: "/f"}}, false},
	}
	for _, m := range everyMessage(1, "00") {
		_, isHello := m.(*wire.Hello)
		_, isHost := m.(*wire.Host)
		list = append(list, greeting{[]wire.Message{m, &wire.Host{Name: "h", Folder: "/f"}}, isHello},
			greeting{[]wire.Message{hello, m}, isHost})
	}
	for i, c := range list {
		from, out := io.Pipe()
		go func() {
			conn := wire.NewConn(from, out)
			for _, m := range c.messages {
				_ = conn.Send(m)
			}
			out.Close()
		}()
		nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		s := &Session{pulse: newPulse(func() {}), pipes: &pipes{to: nowhere}}
		if err := s.meet(from, "test"); (err == nil) != c.good {
			t.Errorf("greeting %d (%s, %s): %v", i, wireName(c.messages[0]), wireName(c.messages[1]), err)
		}
		s.pulse.stop()
		from.Close()
		nowhere.Close()
	}
}

// What a host tells of an executor is believed only if it can be so, and no more of its output is taken than was asked
// for.
func TestHostileExecutors(t *testing.T) {
	for name, c := range map[string]struct {
		reply wire.Message
		want  string // in why the host is lost
	}{
		"a limit that there is not": {&wire.Ended{Stream: 1, Limit: "patience"}, "what cannot be so"},
		"a signal that is prose":    {&wire.Ended{Stream: 1, Signal: "\x1b[2J"}, "what cannot be so"},
		"negative memory":           {&wire.Ended{Stream: 1, MaxRSSBytes: -1}, "what cannot be so"},
		"a book of last words":      {&wire.Ended{Stream: 1, Stderr: make([]string, 1<<16)}, "what cannot be so"},
		"twice":                     {&wire.Ended{Stream: 1}, "Ended, which nobody asked for"},
		"a flood":                   {&wire.Data{Stream: 1, Bytes: make([]byte, window+window/2)}, "more of an executor's output"},
		"a reason without end":      {&wire.Goodbye{Reason: strings.Repeat("y", 1<<20)}, "yyy…"},
	} {
		s := playedHost(t, func(conn *wire.Conn, m wire.Message) {
			if _, start := m.(*wire.Start); start {
				_ = conn.Send(c.reply)
				_ = conn.Send(c.reply)
			}
		})
		p, err := s.Starter("measure", wire.ExecutorSettings{}, nil).Start(executors.Allowance{})
		if err != nil {
			t.Fatal(err)
		}
		p.Wait()
		<-s.ended
		if text := s.lost.Error(); !strings.Contains(text, c.want) || len(text) > 2*mostText {
			t.Errorf("%s: %.200q, want %q", name, text, c.want)
		}
	}
}

// An executor on a host may end for each reason for which one here may: the kernel of a host that ended native code
// because memory ran out was taken for a lie, and the host for lost.
func TestEndsAreBelieved(t *testing.T) {
	for _, limit := range append(executors.Limits[:], "") {
		if err := checkEnded(&wire.Ended{Stream: 1, Limit: string(limit)}); err != nil {
			t.Errorf("%q: %v", limit, err)
		}
	}
}

// A host that needs a file twice, or one that nobody offered, gets none; also when it is asked again.
func TestHostileNeeds(t *testing.T) {
	file := []Source{{wire.File{Path: "a", SHA256: "00", Bytes: 0}, os.DevNull}, {wire.File{Path: "b", Link: "a"}, ""}}
	for name, answers := range map[string][][]string{
		"a stranger": {{"ff"}}, "twice": {{"00", "00"}}, "a link": {{""}}, "a stranger later": {{"00"}, {"ff"}},
	} {
		offers := 0
		s := playedHost(t, func(conn *wire.Conn, m wire.Message) {
			if _, offer := m.(*wire.Offer); offer {
				_ = conn.Send(&wire.Needs{SHA256: answers[offers]})
				offers++
			}
		})
		if err := s.Push(t.Context(), file, nil); !errors.Is(err, executors.ErrHostLost) ||
			!strings.Contains(err.Error(), "a file that nobody offered") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A host that does not end an executor is given up.
func TestHostThatDoesNotKill(t *testing.T) {
	s := playedHost(t, func(*wire.Conn, wire.Message) {})
	s.killPatience = time.Millisecond
	p, err := s.Starter("measure", wire.ExecutorSettings{}, nil).Start(executors.Allowance{})
	if err != nil {
		t.Fatal(err)
	}
	p.Kill()
	if exit := p.Wait(); !strings.Contains(exit.Lost, "which it was told to end") {
		t.Errorf("%+v", exit)
	}
}
