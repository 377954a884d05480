// Package wiretest plays executors in the process of a test: they answer as real ones do, and run no native code.
package wiretest

import (
	"io"

	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// Player is how an executor that is played answers.
type Player struct {
	Hello wire.Hello // what it says of itself; the protocol is that of this build
	// Play returns the result of an invocation. The executor dies if it is nil. Executors play at the same time.
	Play func(*wire.Execute) *invocations.Result
	// Phase returns the phase in which an invocation is when Play is called; "": none has begun. Nil: "trace".
	Phase func(*wire.Execute) string
}

// Serve answers a driver's messages until one of them says goodbye, or the executor dies.
func (p *Player) Serve(from io.Reader, to io.Writer) {
	conn := wire.NewConn(from, to)
	for {
		m, err := conn.Receive()
		if err != nil {
			return
		}
		reply := p.answer(conn, m)
		if reply == nil || conn.Send(reply) != nil {
			return
		}
		if _, last := reply.(*wire.Goodbye); last {
			return
		}
	}
}

// answer returns the reply to a message, nil if the executor dies of it.
func (p *Player) answer(conn *wire.Conn, m wire.Message) wire.Message {
	switch m := m.(type) {
	case *wire.Hello:
		hello := p.Hello
		hello.Protocol = wire.Protocol
		return &hello
	case *wire.Goodbye:
		return &wire.Goodbye{}
	case *wire.Execute:
		phase := "trace"
		if p.Phase != nil {
			phase = p.Phase(m)
		}
		if phase != "" && conn.Send(&wire.Started{ID: m.ID, Phase: phase}) != nil {
			return nil
		}
		r := p.Play(m)
		if r == nil {
			return nil
		}
		r.ID = m.ID
		return &wire.Result{Result: *r}
	}
	return nil
}
