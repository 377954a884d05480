package pjrt

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"
)

// awaiting is what is known of a plugin's Event_Await. Some plugins have it in their table and do not implement it.
type awaiting struct{ works, fails atomic.Bool }

// waiter waits for events and destroys them. It is not safe for concurrent use.
type waiter struct {
	known   *awaiting
	event   handleArgs
	ready   isReadyArgs
	await   prepared // of no function if the plugin has none
	isReady prepared // of no function if the plugin has none
	failure prepared // of no function if the plugin has none
	destroy prepared
}

// waiting prepares waiting for events and destroying them.
func (p *Plugin) waiting() (*waiter, error) {
	w := &waiter{known: &p.awaiting, event: handleArgs{base: sized[handleArgs]()},
		ready: isReadyArgs{base: sized[isReadyArgs]()}}
	for _, one := range []struct {
		call     *prepared
		function function
		args     unsafe.Pointer
	}{
		{&w.await, eventAwait, unsafe.Pointer(&w.event)},
		{&w.isReady, eventIsReady, unsafe.Pointer(&w.ready)},
		{&w.failure, eventError, unsafe.Pointer(&w.event)},
	} {
		if c, err := p.prepare(one.function, one.args); err == nil {
			*one.call = c
		}
	}
	if w.await.plugin == nil && w.isReady.plugin == nil {
		return nil, p.absent(eventAwait)
	}
	var err error
	w.destroy, err = p.prepare(eventDestroy, unsafe.Pointer(&w.event))
	return w, err
}

// each waits for an event and destroys it. An event of 0 is none. The error is that of the operation behind the event.
// It allocates nothing unless a call fails.
func (w *waiter) each(event uintptr) error {
	if event == 0 {
		return nil
	}
	w.event.handle = event
	failed := w.wait()
	if err := w.destroy.call(); err != nil {
		failed = errors.Join(failed, err)
	}
	return failed
}

func (w *waiter) wait() error {
	if w.await.plugin == nil || w.known.fails.Load() {
		return w.poll()
	}
	err := w.await.call()
	if err == nil {
		w.known.works.Store(true)
		return nil
	}
	if !NotImplemented(err) || w.known.works.Load() {
		return err
	}
	// Either waiting is not implemented, or the operation behind the event is not. The event itself tells which.
	if w.isReady.plugin == nil {
		return fmt.Errorf("waiting for the plugin: %w; it has no %s either; take a newer plugin", err, eventIsReady)
	}
	if err := w.poll(); err != nil {
		return err
	}
	w.known.fails.Store(true)
	return nil
}

// spin is how long poll asks without a pause.
const spin = 100 * time.Microsecond

// poll asks whether the event is ready until it is. The pauses grow to a hundredth of the time that has passed, so that
// they lengthen a call by no more than that.
func (w *waiter) poll() error {
	w.ready.event, w.ready.ready = w.event.handle, false
	for start := time.Now(); ; {
		if err := w.isReady.call(); err != nil {
			return fmt.Errorf("waiting for the plugin: it does not implement %s: %w", eventAwait, err)
		}
		if w.ready.ready {
			break
		}
		passed := time.Since(start)
		if passed < spin {
			runtime.Gosched()
			continue
		}
		time.Sleep(min(passed/100, time.Millisecond))
	}
	if w.failure.plugin == nil {
		return nil
	}
	return w.failure.call()
}
