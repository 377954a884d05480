package capture

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// Run starts the client with Environment added to its own, waits for both sides, and never longer than Grace for one
// after the other has ended. The first error is the client's (an *exec.ExitError if it failed), the second the
// capture's: a client that fails may leave a good capture and the other way round.
func (c *Session) Run(client *exec.Cmd) (result Result, clientErr, captureErr error) {
	client.Env = append(client.Environ(), c.Environment()...)
	if err := client.Start(); err != nil {
		c.ClientEnded()
		c.stop()
		result, captureErr = c.Wait()
		return result, fmt.Errorf("tracy capture: start the client: %w", err), captureErr
	}
	ended := make(chan error, 1)
	go func() { ended <- client.Wait() }()
	select {
	case clientErr = <-ended:
		c.ClientEnded()
		result, captureErr = c.Wait()
		return result, clientErr, captureErr
	case <-c.Done():
	}
	select {
	case clientErr = <-ended:
		c.ClientEnded()
		result, captureErr = c.Wait()
	case <-time.After(c.options.Grace):
		// It has ended by itself if killing fails; either way Wait returns now.
		_ = client.Process.Kill()
		<-ended
		clientErr = fmt.Errorf("tracy capture: the client was still running %v after the capture had ended, and was "+
			"killed", c.options.Grace)
		c.ClientEnded()
		result, captureErr = c.Wait()
		result.Partial = true
		result.Warnings = append(result.Warnings, "the client did not end with its capture")
	}
	return result, clientErr, captureErr
}

// watch ends the tool when a limit is reached, and when its client has been gone for Grace.
func (c *Session) watch(ctx context.Context) {
	defer close(c.watched)
	var limit, connected, grace <-chan time.Time
	if c.options.MaxDuration > 0 {
		timer := time.NewTimer(c.options.MaxDuration)
		defer timer.Stop()
		limit = timer.C
	}
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	ended := c.ended
	for {
		select {
		case <-c.done:
			return
		case <-ctx.Done():
			c.giveUp(fmt.Sprintf("the capture was cancelled: %v", context.Cause(ctx)))
			return
		case <-limit:
			c.giveUp(fmt.Sprintf("the capture reached its limit of %v", c.options.MaxDuration))
			return
		case <-ended:
			ended = nil
			timer := time.NewTimer(c.options.Grace)
			defer timer.Stop()
			grace, connected = timer.C, time.After(connectDelay)
		case <-connected:
			if c.output.onlyConnecting() {
				c.giveUp("it had not connected to its client when that ended")
				return
			}
		case <-grace:
			c.giveUp(fmt.Sprintf("the capture was still running %v after its client had ended", c.options.Grace))
			return
		case <-ticker.C:
			if c.options.MaxBytes == 0 {
				continue
			}
			bytes, err := residentBytes(c.command.Process.Pid)
			if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrProcessDone) {
				continue // it has just ended
			}
			if err != nil {
				c.warnings = append(c.warnings, fmt.Sprintf("the limit of %d bytes is not watched on %s: %v",
					c.options.MaxBytes, runtime.GOOS, err))
				ticker.Stop()
			} else if bytes > c.options.MaxBytes {
				c.giveUp(fmt.Sprintf("the capture tool held %d bytes, which is more than its limit of %d", bytes,
					c.options.MaxBytes))
				return
			}
		}
	}
}

// giveUp asks the tool to write what it has, and kills it if that takes longer than Grace.
func (c *Session) giveUp(reason string) {
	c.partial = true
	c.warnings = append(c.warnings, reason)
	c.stop()
}

// stop ends the tool: it answers an interrupt by disconnecting and writing its file. Before a client has come it may
// not answer at all.
func (c *Session) stop() {
	if err := c.command.Process.Signal(os.Interrupt); err == nil {
		select {
		case <-c.done:
			return
		case <-time.After(c.options.Grace):
		}
	}
	// On Windows there is no interrupt. An error says that the tool has ended meanwhile.
	_ = c.command.Process.Kill()
	<-c.done
}
