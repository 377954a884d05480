package wiretest

import "io"

// Connected is an executor that is played, as the process of a driver has it.
type Connected struct {
	To    io.WriteCloser
	From  io.ReadCloser
	Ended chan struct{} // closed when it has ended
	End   func()        // ends it
}

// Connect plays an executor in a goroutine until it dies, until somebody says goodbye to it, or until End.
func (p *Player) Connect() Connected {
	fromDriver, to := io.Pipe()
	from, toDriver := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer toDriver.Close()
		p.Serve(fromDriver, toDriver)
	}()
	return Connected{To: to, From: from, Ended: ended, End: func() { fromDriver.Close(); toDriver.Close() }}
}
