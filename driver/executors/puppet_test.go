package executors

import (
	"sync"

	"zonemark/invocations"
	"zonemark/invocations/wire"
	"zonemark/invocations/wire/wiretest"
)

// puppet is an executor in this process. It answers each Execute as play tells, and dies if play returns nil.
type puppet struct {
	play   func(*wire.Execute) *invocations.Result
	phase  func(*wire.Execute) string // in which it plays, empty: before any; nil: "trace"
	exits  []Exit                     // of its processes in the order of their starts; SIGSEGV of others
	starts int
	mu     sync.Mutex // of starts
}

func (p *puppet) Start(Allowance) (*Process, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	exit := Exit{Signal: "SIGSEGV"}
	if p.starts < len(p.exits) {
		exit = p.exits[p.starts]
	}
	p.starts++
	c := (&wiretest.Player{Play: p.play, Phase: p.phase}).Connect()
	return &Process{To: c.To, From: c.From, Kill: c.End, DiscardOutput: func() {},
		Wait: func() Exit { <-c.Ended; return exit }}, nil
}
