package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// NotifyContext returns a context that ends when the process is asked to end, or its terminal is gone. A process that
// was told to ignore the end of its terminal, as nohup does, goes on. It has a thread wait for signals.
func NotifyContext() (context.Context, context.CancelFunc) {
	asked := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		asked = append(asked, syscall.SIGHUP)
	}
	return signal.NotifyContext(context.Background(), asked...)
}
