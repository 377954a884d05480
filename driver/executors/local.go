package executors

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"zonemark/invocations/cgroups"
)

// ProtocolFloor is the number from which on an executor keeps the descriptors of the protocol, so that native code that
// writes to, or closes, small numbers does not hit them.
const ProtocolFloor = 4000

// InheritedFloor is the number of the first descriptor that a command's own ExtraFiles have in an executor.
const InheritedFloor = 5

// orphanDelay is how long the output of an ended executor is still read if another process holds it open.
const orphanDelay = 300 * time.Millisecond

// Local starts executors on this machine. It starts all of them from one thread, which lives until Close: the signal
// that ends an executor when its driver dies is sent when the starting thread ends.
type Local struct {
	command func(Allowance) (*exec.Cmd, error)
	threads Threads
	starts  chan startRequest
	watch   func(*os.Process, Allowance) Watch // may be nil
	loose   bool                               // see LoosenTimers
	lends   bool                               // see Lend
	kills   func() int64                       // of processes of this group, because memory ran out
	close   sync.Once
}

// Threads sets how the system treats the calling thread, which is locked, and the processes that it starts.
type Threads interface {
	Foreground()   // it keeps its CPU when others of this process wake
	LoosenTimers() // processes that it starts have no exact timers, until their threads call Foreground
}

type startRequest struct {
	allowed Allowance
	reply   chan startReply
}

type startReply struct {
	process *Process
	err     error
}

// NewLocal returns a starter that runs the commands that command makes for what an executor may take. The executor
// reads messages from descriptor 3 and writes them to descriptor 4; the command's own ExtraFiles begin at InheritedFloor.
func NewLocal(threads Threads, command func(Allowance) (*exec.Cmd, error)) *Local {
	l := &Local{
		command: command, threads: threads, starts: make(chan startRequest), kills: cgroups.FindOutOfMemory().Kills,
	}
	go func() {
		runtime.LockOSThread()
		l.threads.Foreground() // executors are started with it; the other threads shall not disturb them
		defer growTable(ProtocolFloor)()
		for r := range l.starts {
			if l.loose {
				l.threads.LoosenTimers()
			}
			p, err := l.start(r.allowed)
			r.reply <- startReply{p, err}
		}
	}()
	return l
}

// WatchBy has each executor watched from its start to its end. It is called before the first Start.
func (l *Local) WatchBy(watch func(*os.Process, Allowance) Watch) { l.watch = watch }

// LoosenTimers has the threads of executors do without exact timers, so that they disturb the one that measures less often.
// That one must be in the foreground. It is called before the first Start.
func (l *Local) LoosenTimers() { l.loose = true }

// Lend has executors inherit what they need to exchange memory with another one, if their Allowance says so. It begins
// at InheritedFloor. It is called before the first Start.
func (l *Local) Lend() { l.lends = true }

// Start starts an executor.
func (l *Local) Start(allowed Allowance) (*Process, error) {
	reply := make(chan startReply)
	l.starts <- startRequest{allowed, reply}
	s := <-reply
	return s.process, s.err
}

// Close ends the starting thread and thereby every executor that still runs.
func (l *Local) Close() { l.close.Do(func() { close(l.starts) }) }

func (l *Local) start(allowed Allowance) (*Process, error) {
	cmd, err := l.command(allowed)
	if err != nil {
		return nil, err
	}
	lent, err := l.lend(cmd, allowed.Exchange)
	if err != nil {
		return nil, err
	}
	p, err := l.launch(cmd, allowed)
	if lent == nil {
		return p, err
	}
	lent.begin(func() { _ = cmd.Process.Kill() }) // it may have ended
	if err != nil {
		lent.end()
		return nil, err
	}
	wait := p.Wait
	p.Wait = func() Exit {
		exit := wait()
		if lent.end() {
			exit.Exceeded = Exceeded{Limit: LimitLoan}
		}
		return exit
	}
	return p, nil
}

// lend has an executor inherit what it needs to exchange memory. It returns nil if it exchanges none.
func (l *Local) lend(cmd *exec.Cmd, x *Exchange) (*loan, error) {
	if !l.lends || x == nil {
		return nil, nil
	}
	lent, err := x.lendTo()
	if lent != nil {
		cmd.ExtraFiles = append(lent.inherited(), cmd.ExtraFiles...)
	}
	return lent, err
}

// launch starts the command of an executor.
func (l *Local) launch(cmd *exec.Cmd, allowed Allowance) (*Process, error) {
	childIn, to, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("pipe to the executor: %w", err)
	}
	from, childOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("pipe from the executor: %w", err), childIn.Close(), to.Close())
	}
	to.Fd() // makes it blocking: a thread that blocks in the kernel wakes sooner than through the poller
	from.Fd()
	stdout, stderr := &Tail{}, &Tail{}
	cmd.ExtraFiles = append([]*os.File{childIn, childOut}, cmd.ExtraFiles...)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = orphanDelay
	kills := l.kills()
	err = cmd.Start()
	childIn.Close()
	childOut.Close()
	if err != nil {
		to.Close()
		from.Close()
		return nil, fmt.Errorf("start the executor %s: %w", cmd.Path, err)
	}
	var watched Watch = unwatched{}
	if l.watch != nil {
		watched = l.watch(cmd.Process, allowed)
	}
	wait := func() Exit {
		// ProcessState tells more than the error; output that an orphan holds open does not matter here.
		_ = cmd.Wait()
		to.Close()
		from.Close()
		exit := ExitOf(cmd.ProcessState)
		if exit.Exceeded = watched.Stop(); exit.Exceeded.Limit == "" && exit.Signal == "SIGKILL" && l.kills() > kills {
			exit.Exceeded.Limit = LimitKernel
		}
		exit.Stderr = lastWords(stdout, stderr)
		return exit
	}
	worked := &work{times: func() map[int]int64 { return threadTimes(cmd.Process.Pid) }}
	discard := func() {
		worked.forget()
		stdout.Discard()
		stderr.Discard()
		watched.Renew()
	}
	kill := func() { killGroup(cmd.Process) }
	return &Process{
		To: to, From: from, Kill: kill, Wait: wait, DiscardOutput: discard, Stopped: watched.Stopped,
		Starved: watched.Starved, BeginWork: worked.begin, WorkedNS: worked.longestNS,
	}, nil
}

// unwatched is the Watch of a process that has no limits.
type unwatched struct{}

func (unwatched) Renew()                 {}
func (unwatched) Stopped() time.Duration { return 0 }
func (unwatched) Starved() bool          { return false }
func (unwatched) Stop() Exceeded         { return Exceeded{} }
