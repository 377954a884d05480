package executors

import (
	"io"
	"testing"

	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// FuzzConversation lets an executor send any bytes instead of an answer.
func FuzzConversation(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 0x91})
	f.Add([]byte{0, 0, 0, 3, 0x92, 5, 0xc0})
	f.Fuzz(func(t *testing.T, answer []byte) {
		c := &child{state: executing, process: &Process{
			Kill: func() {}, Wait: func() Exit { return Exit{} }, DiscardOutput: func() {},
		}}
		from, to := io.Pipe()
		go func() { _, _ = to.Write(answer); to.Close() }()
		c.conn, c.received = wire.NewConn(from, io.Discard), make(chan received)
		go c.receive()
		defer from.Close()
		asked := &wire.Execute{Invocation: invocations.Invocation{ID: "a"}}
		reply, err := c.ask(t.Context(), asked, "a", 0)
		if _, ok := reply.(*wire.Result); !ok && err == nil {
			t.Errorf("%T answers Execute", reply)
		}
	})
}
