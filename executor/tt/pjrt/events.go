package pjrt

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"zonemark/executor/native"
)

// implemented is what is known of a function of a plugin. Some plugins have functions in their table and do not
// implement them.
type implemented struct{ yes, no atomic.Bool }

// waiter waits for events and destroys them. It is not safe for concurrent use.
type waiter struct {
	known   *implemented // whether the plugin can wait
	event   handleArgs
	ready   isReadyArgs
	handing onReadyArgs
	signal  *native.Signal
	await   prepared // of no function if the plugin has none, as the next three
	onReady prepared
	isReady prepared
	failure prepared
	destroy prepared
}

// waiting prepares waiting for events and destroying them.
func (p *Plugin) waiting() (*waiter, error) {
	w := &waiter{known: &p.awaiting, event: handleArgs{base: sized[handleArgs]()},
		ready: isReadyArgs{base: sized[isReadyArgs]()}, handing: onReadyArgs{base: sized[onReadyArgs]()},
		signal: new(native.Signal)}
	w.handing.callback, w.handing.callbackWith = native.SignalEntry(), unsafe.Pointer(w.signal)
	for _, one := range []struct {
		call     *prepared
		function function
		args     unsafe.Pointer
	}{
		{&w.await, eventAwait, unsafe.Pointer(&w.event)},
		{&w.onReady, eventOnReady, unsafe.Pointer(&w.handing)},
		{&w.isReady, eventIsReady, unsafe.Pointer(&w.ready)},
		{&w.failure, eventError, unsafe.Pointer(&w.event)},
	} {
		if c, err := p.prepare(one.function, one.args); err == nil {
			*one.call = c
		}
	}
	if w.handing.callback == 0 {
		w.onReady = prepared{}
	}
	if w.await.plugin == nil && w.onReady.plugin == nil && w.isReady.plugin == nil {
		return nil, p.absent(eventAwait)
	}
	var err error
	w.destroy, err = p.prepare(eventDestroy, unsafe.Pointer(&w.event))
	return w, err
}

// each waits for an event and destroys it. An event of 0 does not exist. The error is that of the operation behind the event.
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
	if w.await.plugin == nil || w.known.no.Load() {
		return w.waitOtherwise()
	}
	err := w.await.call()
	if err == nil {
		w.known.yes.Store(true)
		return nil
	}
	if !NotImplemented(err) || w.known.yes.Load() {
		return err
	}
	// Either waiting is not implemented, or the operation behind the event is not. The event itself tells which.
	if err := w.waitOtherwise(); err != nil {
		return err
	}
	w.known.no.Store(true)
	return nil
}

// waitOtherwise has the plugin call back when the event is ready, or asks it again and again.
func (w *waiter) waitOtherwise() error {
	if w.onReady.plugin == nil {
		return w.poll()
	}
	w.handing.event = w.event.handle
	if err := w.onReady.call(); err != nil {
		if NotImplemented(err) {
			return w.poll()
		}
		return err
	}
	if failed := w.signal.Wait(); failed != 0 {
		return w.onReady.plugin.failure(eventOnReady, failed)
	}
	return nil
}

// poll asks whether the event is ready until it is. It pauses for a hundredth of the time that has passed, but not for
// less than a millisecond, because shorter pauses last as long.
func (w *waiter) poll() error {
	if w.isReady.plugin == nil {
		return fmt.Errorf("waiting for the plugin: it implements none of %s, %s and %s; take a newer plugin",
			eventAwait, eventOnReady, eventIsReady)
	}
	w.ready.event, w.ready.ready = w.event.handle, false
	for start := time.Now(); ; {
		if err := w.isReady.call(); err != nil {
			return fmt.Errorf("waiting for the plugin: it does not implement %s: %w", eventAwait, err)
		}
		if w.ready.ready {
			break
		}
		if pause := time.Since(start) / 100; pause >= time.Millisecond {
			time.Sleep(pause)
		} else {
			runtime.Gosched()
		}
	}
	if w.failure.plugin == nil {
		return nil
	}
	return w.failure.call()
}

// resultWaiter waits until buffers are ready.
type resultWaiter struct {
	known *implemented // whether the plugin tells when buffers are ready
	args  readyEventArgs
	tell  prepared // of no function if the plugin has none
}

// waitingForResults prepares waiting for buffers.
func (p *Plugin) waitingForResults() *resultWaiter {
	w := &resultWaiter{known: &p.readiness, args: readyEventArgs{base: sized[readyEventArgs]()}}
	if tell, err := p.prepare(bufferReadyEvent, unsafe.Pointer(&w.args)); err == nil {
		w.tell = tell
	}
	return w
}

// each waits until a buffer is ready. It does nothing if the plugin does not tell. The error is that of the operation
// that makes the buffer. It allocates nothing unless a call fails.
func (w *resultWaiter) each(buffer uintptr, events *waiter) error {
	if buffer == 0 || w.tell.plugin == nil || w.known.no.Load() {
		return nil
	}
	w.args.buffer, w.args.event = buffer, 0
	err := w.tell.call()
	if err != nil {
		if NotImplemented(err) && !w.known.yes.Load() {
			w.known.no.Store(true)
			return nil
		}
		return err
	}
	w.known.yes.Store(true)
	return events.each(w.args.event)
}
