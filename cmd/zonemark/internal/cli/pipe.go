package cli

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// OutliveReaders lets the program go on when nobody reads its output any more, as behind "| head": writing then fails
// instead of ending the program. restore ends that. Programs that are started meanwhile do not inherit it.
func OutliveReaders() (restore func()) {
	ignored := make(chan os.Signal, 1)
	signal.Notify(ignored, syscall.SIGPIPE)
	return func() { signal.Stop(ignored) }
}

// ReaderGone reports whether writing failed because nobody reads the output any more, which is no fault.
func ReaderGone(err error) bool { return errors.Is(err, syscall.EPIPE) }
