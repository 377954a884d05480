package executors

import (
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"zonemark/invocations/loans"
)

const (
	lendingPause = time.Millisecond
	// mostRequests of an executor are answered: more than it has turns.
	mostRequests = 64
)

// loan is what one executor is lent of an Exchange. It asks for a part by a socket, and gives it back before the other
// executor gets it. A part that is given back must be open nowhere else: native code that has kept a way to write
// there would write into the arguments of the other side.
type loan struct {
	exchange *Exchange
	ours     *os.File // end of the socket
	theirs   *os.File
	kill     func()
	kept     atomic.Bool
}

// lendTo returns the loan of an executor that is about to be started; nil if another machine lends.
func (x *Exchange) lendTo() (*loan, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.parts == nil {
		return nil, nil
	}
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("lend memory to exchange: %w", err)
	}
	if err := unix.SetNonblock(ends[0], true); err != nil { // no thread waits for requests
		unix.Close(ends[0])
		unix.Close(ends[1])
		return nil, fmt.Errorf("lend memory to exchange: %w", err)
	}
	x.loans++
	return &loan{exchange: x, ours: os.NewFile(uintptr(ends[0]), "loan"),
		theirs: os.NewFile(uintptr(ends[1]), "loan")}, nil
}

// inherited returns what the executor inherits; see platform.TakeExchange.
func (l *loan) inherited() []*os.File { return []*os.File{l.theirs, l.exchange.steps} }

// begin serves the executor, which has been started; nil: it has not. It is killed if it keeps what it gives back.
func (l *loan) begin(kill func()) {
	l.theirs.Close()
	l.kill = kill
	go l.serve()
}

// end ends the loan, after the executor, and reports whether that has kept what it gave back.
func (l *loan) end() (kept bool) {
	l.ours.Close()
	return l.kept.Load()
}

// serve answers requests until the executor ends.
func (l *loan) serve() {
	defer l.settle()
	request := make([]byte, 1)
	for range mostRequests {
		if n, err := l.ours.Read(request); n == 0 || err != nil {
			return
		}
		answer, part := loans.Refused, (*os.File)(nil)
		switch at := int(request[0]); {
		case request[0] == loans.Returned:
			if !l.takeBack() {
				l.kept.Store(true)
				l.kill()
				return
			}
			answer = loans.Granted
		case at < loans.Parts:
			if part = l.give(at); part != nil {
				answer = loans.Granted
			}
		}
		if err := l.answer(answer, part); err != nil {
			return
		}
	}
}

// give returns a part, opened for the executor; nil if the other one has it, or if this one has the other part.
func (l *loan) give(at int) (part *os.File) {
	x := l.exchange
	x.soon(func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.holders[1-at] == l {
			return true
		}
		if x.holders[at] != l && openElsewhere(x.parts[at]) {
			return false
		}
		if f, err := reopen(x.parts[at]); err == nil {
			part, x.holders[at] = f, l
		}
		return true
	})
	return part
}

// takeBack takes the executor's parts back, and reports whether they are open nowhere else.
func (l *loan) takeBack() bool {
	x := l.exchange
	return x.soon(func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		for at, holder := range x.holders {
			if holder != l {
				continue
			}
			if openElsewhere(x.parts[at]) {
				return false
			}
			x.holders[at] = nil
		}
		return true
	})
}

// settle ends the loan of an executor that asks for nothing more.
func (l *loan) settle() {
	l.takeBack()
	x := l.exchange
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.loans--; x.loans == 0 && x.closed {
		x.closeFiles()
	}
}

// answer sends an answer, with a part if there is one.
func (l *loan) answer(word byte, part *os.File) error {
	var rights []byte
	if part != nil {
		defer part.Close()
		rights = unix.UnixRights(int(part.Fd()))
	}
	raw, err := l.ours.SyscallConn()
	if err != nil {
		return err
	}
	sending := raw.Write(func(fd uintptr) bool {
		err = unix.Sendmsg(int(fd), []byte{word}, rights, nil, unix.MSG_NOSIGNAL)
		return err != unix.EAGAIN
	})
	if sending != nil {
		return sending
	}
	return err
}

// soon waits until something has happened, for a while, and reports whether it has.
func (x *Exchange) soon(happened func() bool) bool {
	x.mu.Lock()
	most := x.patience
	x.mu.Unlock()
	for begun := time.Now(); !happened(); time.Sleep(lendingPause) {
		if time.Since(begun) > most {
			return false
		}
	}
	return true
}
