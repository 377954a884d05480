package remote

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"zonemark/driver/executors"
	"zonemark/invocations/wire"
)

// Server is the host's side of a session.
type Server struct {
	Hello wire.Hello // first message
	Name  string     // of the host
	Store *Store     // keeps files
	// Starter returns what starts executors of a role.
	Starter func(role string, settings *wire.ExecutorSettings) (executors.Starter, error)

	conn  *line
	pulse *pulse
	mu    sync.Mutex
	live  map[int64]*hosted
	all   sync.WaitGroup

	exchange *executors.Exchange // that was lent last; of the goroutine that receives
}

// Serve serves a session until the driver leaves, the connection ends or the context does. Then it ends all executors.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	gone := make(chan error, 3)
	s.live = map[int64]*hosted{}
	s.pulse = newPulse(func() { gone <- errors.New("nothing was heard from the driver for a minute") })
	s.conn = &line{wire.NewConn(&prompting{r: in, soon: s.pulse.soon}, out), s.pulse}
	err := errors.Join(s.conn.Send(&s.Hello), s.conn.Send(&wire.Host{Name: s.Name, Folder: s.Store.Folder}))
	if err != nil {
		return err
	}
	go s.pulse.run(s.conn.Conn)
	go func() { gone <- s.receive() }()
	defer context.AfterFunc(ctx, func() { gone <- io.EOF })() // the driver need not know why: it notices the end
	err = <-gone
	s.pulse.stop()
	s.killAll()
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// receive carries out what the driver asks.
func (s *Server) receive() error {
	for {
		m, err := s.conn.Receive()
		if err != nil {
			return err
		}
		s.pulse.heard(m)
		switch m := m.(type) {
		case *wire.Goodbye:
			return io.EOF
		case *wire.Offer:
			go s.offered(m) // to hash what is there may take long; the driver waits for the answer
		case *wire.Piece:
			s.Store.Take(m) // an error is told when the files are offered again
		case *wire.Start:
			s.start(m)
		case *wire.Data:
			s.to(m.Stream, func(h *hosted) { h.feed(m) })
		case *wire.Credit:
			s.to(m.Stream, func(h *hosted) { h.allow(m.Bytes) })
		case *wire.Kill:
			s.to(m.Stream, func(h *hosted) { h.abandon() })
		}
	}
}

// offered answers an Offer.
func (s *Server) offered(m *wire.Offer) {
	needs, err := s.Store.Place(m.Files)
	answer := &wire.Needs{SHA256: needs}
	if err != nil {
		answer.Error = err.Error()
	}
	_ = s.conn.Send(answer) // who reads notices a lost connection
}

// to does something with an executor that has not ended.
func (s *Server) to(stream int64, do func(*hosted)) {
	s.mu.Lock()
	h := s.live[stream]
	s.mu.Unlock()
	if h != nil {
		do(h)
	}
}

// start starts an executor, and passes on what it writes until it ends.
func (s *Server) start(m *wire.Start) {
	starter, err := s.Starter(m.Role, &m.Settings)
	var process *executors.Process
	if err == nil {
		process, err = starter.Start(executors.Allowance{MemoryBytes: m.MemoryBytes, Threads: m.Threads, PrintsErrors: m.PrintsErrors,
			Profile: m.Profile, Allow: executors.JoinPaths(m.Allow), Devices: executors.JoinPaths(m.Devices),
			Supervised: m.Supervised, Exchange: s.lent(m)})
	}
	if err != nil {
		_ = s.conn.Send(&wire.Ended{Stream: m.Stream, NotStarted: err.Error()}) // who reads notices a lost connection
		return
	}
	h := &hosted{server: s, stream: m.Stream, process: process, fed: make(chan *wire.Data, feedDepth),
		over: make(chan struct{})}
	h.more = sync.NewCond(&h.mu)
	h.credit = window
	s.mu.Lock()
	s.live[m.Stream] = h
	s.mu.Unlock()
	s.all.Add(1)
	go h.write()
	go func() {
		defer s.all.Done()
		h.serve()
	}()
}

// lent returns the memory that an executor exchanges with another one; nil if it does not, or if there can be none.
func (s *Server) lent(m *wire.Start) *executors.Exchange {
	if m.Exchange == 0 {
		return nil
	}
	if number, _ := s.exchange.Named(); number != m.Exchange {
		s.exchange.Close() // those that were started with it have it
		s.exchange = executors.LentElsewhere(m.Exchange, m.ExchangeBytes)
	}
	return s.exchange
}

// killAll ends all executors and waits for their ends, for a while.
func (s *Server) killAll() {
	s.mu.Lock()
	for _, h := range s.live {
		h.abandon()
	}
	s.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		s.all.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(patience): // they die with this process
	}
}

// feedDepth is how many messages may wait for an executor. The driver sends one at a time.
const feedDepth = 1024

// hosted is the host's end of an executor.
type hosted struct {
	server  *Server
	stream  int64
	process *executors.Process
	fed     chan *wire.Data
	over    chan struct{} // closed at the end

	mu     sync.Mutex
	more   *sync.Cond
	credit int64 // bytes that may be sent
}

// feed has bytes written to the executor. One that reads none of a thousand messages is ended.
func (h *hosted) feed(m *wire.Data) {
	select {
	case h.fed <- m:
	case <-h.over:
	default:
		h.process.Kill()
	}
}

// write writes to the executor what the driver sends.
func (h *hosted) write() {
	defer h.process.To.Close()
	requests := int64(0)
	for {
		select {
		case <-h.over:
			return
		case m := <-h.fed:
			if m.Discard {
				requests++
				h.process.DiscardOutput()
			}
			if m.Measures > 0 && m.Measures == requests && h.process.BeginWork != nil { // else it has something else to do by now
				h.process.BeginWork()
			}
			var err error
			if len(m.Bytes) > 0 {
				_, err = h.process.To.Write(m.Bytes)
			}
			if err != nil || m.End { // its end is noticed by who reads
				return
			}
		}
	}
}

func (h *hosted) allow(bytes int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.credit += bytes
	h.more.Broadcast()
}

// abandon ends the executor. What it has written is sent without waiting for credit, so that its end is seen.
func (h *hosted) abandon() {
	h.process.Kill()
	h.allow(1 << 62)
}

// serve passes on what the executor writes, and how it ends.
func (h *hosted) serve() {
	buffer := make([]byte, chunk)
	for {
		n, err := h.process.From.Read(buffer[:h.room()])
		h.allow(-int64(n))
		m := &wire.Data{Stream: h.stream, Bytes: buffer[:n], End: err != nil}
		h.see(m) // after an answer was read: it is later than what was done for it
		if sending := h.server.conn.Send(m); sending != nil && err == nil {
			h.process.Kill()
			break
		}
		if err != nil {
			break
		}
	}
	exit := h.process.Wait()
	close(h.over)
	h.server.mu.Lock()
	delete(h.server.live, h.stream)
	h.server.mu.Unlock()
	_ = h.server.conn.Send(&wire.Ended{ // who reads notices a lost connection
		Stream: h.stream, Signal: exit.Signal, Code: int64(exit.Code), MaxRSSBytes: exit.MaxRSSBytes, Stderr: exit.Stderr,
		Limit: string(exit.Exceeded.Limit), Used: exit.Exceeded.Used, Allowed: exit.Exceeded.Allowed,
		Own: exit.Exceeded.Own, StoppedNS: h.stopped(),
	})
}

// see tells what this host sees of the executor beside its bytes.
func (h *hosted) see(m *wire.Data) {
	p := h.process
	m.StoppedNS, m.Starved = h.stopped(), p.Starved != nil && p.Starved()
	if p.WorkedNS != nil {
		m.WorkedNS = p.WorkedNS()
	}
}

// room waits until bytes may be sent and returns how many.
func (h *hosted) room() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.credit <= 0 {
		h.more.Wait()
	}
	return min(h.credit, chunk)
}

func (h *hosted) stopped() int64 {
	if h.process.Stopped == nil {
		return 0
	}
	return int64(h.process.Stopped())
}
