// Package serving answers the driver's messages inside the sandboxed child process: it loads programs, keeps sessions, and
// has them measured, checked, traced or recorded. It knows nothing of the driver, of traces on disk or of any runtime's files.
package serving

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"runtime"
	"slices"
	"time"

	"zonemark/executor"
	"zonemark/executor/native"
	"zonemark/executor/platform"
	"zonemark/executor/rounds"
	"zonemark/invocations"
	"zonemark/invocations/building"
	"zonemark/invocations/remedy"
	"zonemark/invocations/wire"
)

const (
	maxPrograms     = 16                    // loaded at once; those without a session are closed first
	maxSessionBytes = 1 << 30               // argument memory of waiting sessions; the oldest are dropped first
	calibration     = 10 * time.Millisecond // how long the clock is compared with the system's, at least
)

// Server answers the driver's messages, one at a time, on one locked thread.
type Server struct {
	Runtimes []executor.Runtime
	// Options are those of each runtime, by its name. An artifact with any other option is refused, whatever is asked of
	// it: the option would be part of an id that depends on it in nothing.
	Options map[string][]invocations.Option
	Hello   wire.Hello // what this executor says about itself
	// Outside returns further layers of the sandbox, which the driver has brought into force before its first message; nil:
	// there are none.
	Outside func() []string
	// ParentGone is called when the driver's end of the pipe closes, even while native code runs: from another goroutine
	// then. It must not return.
	ParentGone func()
	// MemoryBytes is the limit on data memory, 0 for none. An invocation that leaves more than half of it allocated
	// ends the executor.
	MemoryBytes int64
	// Counters count events of the thread that calls Serve. It is nil if the processor offers none.
	Counters *native.Counters
	// Tool makes this executor one that records and emulates: it starts the runtime's own tools, which make the traced
	// calls, or all calls; see Recorder and Emulator. It is nil in every other executor.
	Tool executor.ToolStarter
	// Confine confines the programs that this executor starts to build something. It is nil in one that builds nothing.
	Confine building.Confine
	// Supervision tells what the sandbox refuses to native code.
	Supervision Supervision
	measured    *rounds.Session // in the present round; nil before it measures
	refused     []Refusal       // in the calls of the present round, as far as they were told
	// Exchange is memory that this executor and another one exchange, see wire.Execute; nil: there is none.
	Exchange *platform.Exchange
	steps    *platform.Steps // of the exchange; nil: not asked for yet
	Scratch  string          // folder for what such tools read and write; empty: the system's for temporary files

	conn        *wire.Conn
	begun       native.Calibration // of the clock
	instruments *rounds.Instruments
	programs    map[string]*program
	loads       int64             // programs that were loaded
	sessions    []*rounds.Session // waiting for their next round, oldest first
	pinned      int
	threads     map[int]int64 // that existed before native code was loaded; nil before, or if the system does not tell
	own         int64         // bytes of data that the executor itself had when it began

	capture captureState
	left    leftovers
	strange strangers
}

// ReplyError reports that an answer could not be sent: native code has closed the protocol's descriptors, or written to
// them.
type ReplyError struct{ Err error }

func (e *ReplyError) Error() string { return "reply: " + e.Err.Error() }
func (e *ReplyError) Unwrap() error { return e.Err }

type program struct {
	executor.Program
	path   string // of its artifact
	used   int    // sessions
	loaded int64  // number of programs before it
}

// Serve answers until Goodbye, then returns nil. The caller must have sealed the sandbox.
func (s *Server) Serve(r io.Reader, w io.Writer) error {
	runtime.LockOSThread()
	s.begun = native.BeginCalibration()
	s.conn = wire.NewConn(r, w)
	s.own = platform.DataBytes()
	s.instruments = rounds.NewInstruments(s.Counters, s.Supervision.Slower)
	s.programs = map[string]*program{}
	s.pinned = -1
	// No native code runs before the first message, so this thread receives it: to wake another one for that, which wakes
	// this one, takes longer than the answer to a Hello, and each executor is a new process.
	first := s.receive()
	if first == nil {
		return errUnread
	}
	if _, greets := first.(*wire.Hello); greets {
		if ended, err := s.handle(first, s.conn.Send); ended || err != nil {
			return err
		}
		first = nil
	}
	incoming := s.read(first)
	for m := range incoming {
		send := s.conn.Send
		if len(incoming) > 0 { // the message before the next native call takes this reply along
			send = s.conn.Queue
		}
		if ended, err := s.handle(m, send); ended || err != nil {
			return err
		}
	}
	return errUnread
}

// errUnread is the error of a server that does not end with its driver.
var errUnread = errors.New("the driver's messages could not be read")

// handle answers a message, and reports whether it was the last one.
func (s *Server) handle(m wire.Message, send func(wire.Message) error) (ended bool, err error) {
	reply, err := s.answer(m)
	if err != nil {
		return false, err
	}
	if err := send(reply); err != nil {
		return false, &ReplyError{err}
	}
	if _, ends := reply.(*wire.Goodbye); ends {
		return true, nil
	}
	if reason := s.outgrown(); reason != "" {
		return true, s.conn.Send(&wire.Goodbye{Reason: reason})
	}
	return false, nil
}

// receive returns the next message; nil if the driver is gone.
func (s *Server) receive() wire.Message {
	m, err := s.conn.Receive()
	if err != nil {
		s.ParentGone()
		return nil
	}
	return m
}

// read returns what comes after a first message, and that one before, unless it is nil. It receives in a goroutine of its
// own, so that the driver's end is noticed while native code runs.
func (s *Server) read(first wire.Message) <-chan wire.Message {
	incoming := make(chan wire.Message, 64)
	if first != nil {
		incoming <- first
	}
	go func() {
		defer close(incoming)
		for m := s.receive(); m != nil; m = s.receive() {
			incoming <- m
		}
	}()
	return incoming
}

func (s *Server) answer(m wire.Message) (wire.Message, error) {
	switch m := m.(type) {
	case *wire.Hello:
		if err := m.Check(); err != nil {
			return nil, err
		}
		hello := s.Hello
		if s.Outside != nil {
			hello.Layers = append(slices.Clone(hello.Layers), s.Outside()...)
		}
		return &hello, nil
	case *wire.Describe:
		return s.describe(m), nil
	case *wire.Build:
		return s.build(m), nil
	case *wire.Execute:
		if s.strange.disturb(m.Invocation.ID) {
			return &wire.Goodbye{Reason: "an invocation has left threads"}, nil
		}
		return &wire.Result{Result: *s.execute(m)}, nil
	case *wire.Goodbye:
		return &wire.Goodbye{}, nil
	}
	return nil, fmt.Errorf("unexpected message %T", m)
}

func (s *Server) runtime(name string) (executor.Runtime, error) {
	var names []string
	for _, r := range s.Runtimes {
		if r.Name() == name {
			return r, nil
		}
		names = append(names, r.Name())
	}
	return nil, fmt.Errorf("runtime %q is not known; this zonemark has %v", name, names)
}

// runtimeOf returns the runtime of an artifact. It refuses options that the runtime's row does not declare: they are
// part of ids.
func (s *Server) runtimeOf(name string, a *invocations.Artifact) (executor.Runtime, error) {
	rt, err := s.runtime(name)
	if err != nil {
		return nil, err
	}
	return rt, executor.CheckOptions(a.Path+": the runtime "+name, s.Options[name], a.Options)
}

func (s *Server) describe(m *wire.Describe) *wire.Described {
	reply := &wire.Described{ID: m.ID}
	rt, err := s.runtimeOf(m.Runtime, &invocations.Artifact{Path: m.Path, Options: m.Options})
	if err == nil {
		o := executor.DescribeOptions{
			Parameters: m.Parameters, Options: m.Options, Cache: m.Cache, Functions: m.Functions, Confine: s.Confine,
		}
		reply.Descriptions, err = rt.Describe(m.Path, o)
	}
	if err != nil {
		reply.Error, reply.Remedies = err.Error(), remedy.Of(err)
	}
	return reply
}

func (s *Server) build(m *wire.Build) *wire.Built {
	reply := &wire.Built{ID: m.ID}
	rt, err := s.runtimeOf(m.Runtime, &m.Artifact)
	if err == nil {
		builder, ok := rt.(executor.Builder)
		if !ok {
			err = fmt.Errorf("runtime %q builds nothing", m.Runtime)
		} else {
			reply.Path, err = builder.Build(context.Background(), m.Artifact,
				building.Workshop{Cache: m.Cache, Confine: s.Confine})
		}
	}
	if err != nil {
		reply.Error, reply.Remedies = err.Error(), remedy.Of(err)
	}
	return reply
}

// pin moves the thread to the CPU that the invocation asks for. A thread that was pinned once cannot know its former
// CPUs, so the driver does not mix pinned and other invocations in one executor.
func (s *Server) pin(cpu int) error {
	if cpu < 0 || cpu == s.pinned {
		return nil
	}
	s.left.disturb()
	if err := platform.Pin(cpu); err != nil {
		return err
	}
	s.pinned = cpu
	return nil
}

// prepare loads the artifact if it is not loaded, and sets up the arguments and the timer.
func (s *Server) prepare(m *wire.Execute) (*rounds.Session, error) {
	inv := &m.Invocation
	p, err := s.load(inv)
	if err != nil {
		return nil, err
	}
	setBytes, err := coldBytes(inv.Measure)
	if err != nil {
		return nil, err
	}
	call, err := s.place(p, inv, setBytes, m.Part)
	if err != nil {
		return nil, err
	}
	if !s.instruments.HasClock() {
		s.instruments.SetClock(s.begun.Clock(calibration))
	}
	ses, err := rounds.New(m, call, s.instruments, s.threads)
	if err != nil {
		call.Release()
		return nil, err
	}
	p.used++
	return ses, nil
}

// place prepares a call, with the arguments in a part of the memory that is exchanged if that is possible.
func (s *Server) place(p *program, inv *invocations.Invocation, setBytes int64, part int) (*executor.Call, error) {
	placer, can := p.Program.(executor.Placer)
	if s.Exchange == nil || part == 0 || !can {
		return p.Prepare(inv, setBytes)
	}
	return placer.PrepareIn(inv, setBytes, platform.Shared{Exchange: s.Exchange, Part: part - 1})
}

// coldBytes returns the least total size of the argument sets: 0, which means one set, in every mode but Cold.
func coldBytes(m invocations.Measure) (int64, error) {
	if m.Mode != invocations.Cold {
		return 0, nil
	}
	if m.SetBytes > 0 {
		return m.SetBytes, nil
	}
	cache, err := platform.LastLevelCacheBytes()
	if err != nil {
		err = fmt.Errorf("mode \"cold\" needs the size of the last-level cache: %w", err)
		return 0, remedy.With(err, remedy.Remedy{Kind: remedy.SetsSize})
	}
	return 2 * cache, nil
}

func (s *Server) load(inv *invocations.Invocation) (*program, error) {
	key := programKey(&inv.Artifact, inv.Runtime)
	if p := s.programs[key]; p != nil {
		return p, nil
	}
	rt, err := s.runtimeOf(inv.Runtime, &inv.Artifact)
	if err != nil {
		return nil, err
	}
	if err := s.makeRoom(); err != nil {
		return nil, err
	}
	s.left.disturb()
	if s.threads == nil {
		s.threads = platform.Threads(nil)
	}
	loaded, err := rt.Load(inv.Artifact)
	if err != nil {
		return nil, err
	}
	p := &program{Program: loaded, path: inv.Artifact.Path, loaded: s.loads}
	s.programs[key] = p
	s.loads++
	return p, nil
}

// makeRoom closes the programs that were loaded first, among those without a session, until there is room for another.
func (s *Server) makeRoom() error {
	for len(s.programs) >= maxPrograms {
		oldest := ""
		for key, p := range s.programs {
			if p.used == 0 && (oldest == "" || p.loaded < s.programs[oldest].loaded) {
				oldest = key
			}
		}
		p := s.programs[oldest]
		if p == nil {
			return nil // all have sessions
		}
		delete(s.programs, oldest)
		if err := p.Close(); err != nil {
			return fmt.Errorf("close %s, which was measured before: %w", p.path, err)
		}
	}
	return nil
}

func programKey(a *invocations.Artifact, runtime string) string {
	key := runtime + "\x00" + a.Path + "\x00" + a.Built + "\x00" + a.SHA256
	for _, k := range slices.Sorted(maps.Keys(a.Options)) {
		key += "\x00" + k + "=" + a.Options[k]
	}
	return key
}

// take removes and returns the waiting session of an invocation. It returns nil if there is none.
func (s *Server) take(id string) *rounds.Session {
	i := slices.IndexFunc(s.sessions, func(ses *rounds.Session) bool { return ses.Invocation().ID == id })
	if i < 0 {
		return nil
	}
	ses := s.sessions[i]
	s.sessions = slices.Delete(s.sessions, i, i+1)
	return ses
}

// keep stores a session for its next round. It drops the oldest sessions if all together hold too much memory; those
// prepare again.
func (s *Server) keep(ses *rounds.Session) {
	s.sessions = append(s.sessions, ses)
	var held int64
	for _, one := range s.sessions {
		held += one.Call().SetBytes
	}
	for held > maxSessionBytes && len(s.sessions) > 1 {
		held -= s.sessions[0].Call().SetBytes
		s.drop(s.sessions[0])
		s.sessions = s.sessions[1:]
	}
}

func (s *Server) drop(ses *rounds.Session) {
	ses.Close()
	if p := s.programs[programKey(&ses.Invocation().Artifact, ses.Invocation().Runtime)]; p != nil {
		p.used--
	}
}

// outgrown returns why this executor should be replaced before the next invocation, or "". The next invocation would be
// blamed for leaked memory, or a runtime needs a new process.
func (s *Server) outgrown() string {
	if s.left.spoiled != "" {
		return s.left.spoiled
	}
	if len(s.sessions) > 0 {
		return ""
	}
	for _, rt := range s.Runtimes {
		if single, ok := rt.(executor.SingleUse); ok && single.NeedsNewProcess() != "" {
			return single.NeedsNewProcess()
		}
	}
	if s.MemoryBytes <= 0 {
		return ""
	}
	if data := platform.DataBytes() - s.own; data > s.MemoryBytes/2 {
		return fmt.Sprintf("invocations have left %d MiB of memory allocated", data>>20)
	}
	return ""
}

// heapRoom is what the heap of the executor may still need, in bytes.
const heapRoom = 64 << 20

// room returns how many bytes of data memory an invocation may still take.
func (s *Server) room() int64 {
	if s.MemoryBytes == 0 {
		return math.MaxInt64
	}
	return s.MemoryBytes - platform.DataBytes() - heapRoom
}
