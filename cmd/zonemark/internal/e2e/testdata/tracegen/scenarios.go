package main

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"zonemark/executor/tracy"
)

const (
	loadThreads       = 4
	zonesPerIteration = 5
	costPairs         = 100_000
)

// emitLoad emits n zones on four threads, five for each iteration: invoke, with a text; worker; inner, every tenth with
// a name of its own; one of 100 dynamic locations; leaf. One zone in five has a text. Every thousandth iteration sends
// a message, every hundredth a point of a plot.
func emitLoad(client *tracy.Client, n, names int64) error {
	var locations []tracy.StaticLocation
	for i, name := range []string{"invoke", "worker", `inner, with "comma"`, "leaf"} {
		l, err := client.Locate(tracy.Location{Name: name, Function: "emitLoad", File: "scenarios.go",
			Line: uint32(10 * (i + 1))})
		if err != nil {
			return err
		}
		locations = append(locations, l)
	}
	queue, err := client.NewPlot("queue")
	if err != nil {
		return err
	}
	began := time.Now()
	errs := make([]error, loadThreads)
	var threads sync.WaitGroup
	for thread := range loadThreads {
		threads.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			client.SetThreadName(fmt.Sprintf("load %d", thread))
			for i := range n / zonesPerIteration / loadThreads {
				invoke := client.BeginAt(locations[0])
				invoke.Text(fmt.Sprintf("inv=%d", i))
				worker := client.BeginAt(locations[1])
				inner := client.BeginAt(locations[2])
				switch {
				case names > 0:
					inner.Name(fmt.Sprintf("inner %d", i%names))
				case i%10 == 0:
					inner.Name(fmt.Sprintf("inner %d", i%1000))
				}
				inner.End()
				worker.End()
				k := i % 100
				dispatch := client.BeginDynamic(tracy.Location{
					Name:     fmt.Sprintf("main_dispatch_%d_matmul_%dx%d", k, 8*k, 16*k),
					Function: "dispatch", File: "model.mlir", Line: uint32(k)})
				client.BeginAt(locations[3]).End()
				dispatch.End()
				invoke.End()
				if i%1000 == 0 {
					errs[thread] = errors.Join(errs[thread], client.Message(fmt.Sprintf("iteration %d", i)))
				}
				if i%100 == 0 {
					queue.Set(i)
				}
			}
		})
	}
	threads.Wait()
	fmt.Printf("emitted %d zones in %.1f s\n", n/zonesPerIteration/loadThreads*zonesPerIteration*loadThreads,
		time.Since(began).Seconds())
	return errors.Join(errs...)
}

// emitInvocations emits zones for a test of correlation: six invocations of which the even and the odd ones have the
// same zones, three of each. Each has two nested zones on the invoking thread, during which two worker threads do two
// tiles each. Then each worker does a dispatch alone, for which the invoking thread waits. The workers live longer than
// an invocation. A stray zone comes between two invocations.
func emitInvocations(client *tracy.Client) error {
	issue, err := client.Locate(tracy.Location{Name: "issue", Function: "dispatch", File: "scenarios.go", Line: 1})
	if err != nil {
		return err
	}
	wait, err := client.Locate(tracy.Location{Name: "fence_wait", Function: "dispatch", File: "scenarios.go", Line: 3})
	if err != nil {
		return err
	}
	stray, err := client.Locate(tracy.Location{Name: "stray", Function: "between", File: "scenarios.go", Line: 2})
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	client.SetThreadName("invoking")
	var workers []chan func()
	for i := range 2 {
		work := make(chan func())
		workers = append(workers, work)
		defer close(work)
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			client.SetThreadName(fmt.Sprintf("worker %d", i))
			for do := range work {
				do()
			}
		}()
	}
	for i := range 6 {
		bracket := client.Begin(fmt.Sprintf("gemm/%d", i%2))
		outer := client.BeginAt(issue)
		inner := client.BeginDynamic(tracy.Location{Name: "gemm_dispatch_1", Function: "fn",
			File: "model.mlir", Line: 5})
		inner.Value(uint64(i))
		var done sync.WaitGroup
		done.Add(len(workers))
		for _, w := range workers {
			w <- func() {
				for range 2 {
					tile := client.BeginAt(issue)
					tile.Name("gemm_dispatch_0, 64x64")
					spin(50 * time.Microsecond)
					tile.End()
				}
				done.Done()
			}
		}
		done.Wait()
		inner.End()
		outer.End()
		for k, w := range workers {
			waitFor(client, wait, w, tracy.Location{Name: fmt.Sprintf("gemm_dispatch_%d", 2+k), Function: "fn",
				File: "model.mlir", Line: uint32(6 + k)})
		}
		bracket.End()
		client.BeginAt(stray).End()
	}
	return nil
}

// waitFor makes a worker do a dispatch of two milliseconds that begins before the zone of the wait for it and ends
// after that, however slow the machine is.
func waitFor(client *tracy.Client, wait tracy.StaticLocation, worker chan<- func(), dispatch tracy.Location) {
	begun, waiting, done, waited, ended := make(chan struct{}), make(chan struct{}), make(chan struct{}),
		make(chan struct{}), make(chan struct{})
	worker <- func() {
		zone := client.BeginDynamic(dispatch)
		close(begun)
		<-waiting
		spin(2 * time.Millisecond)
		close(done)
		<-waited
		zone.End()
		close(ended)
	}
	<-begun
	zone := client.BeginAt(wait)
	close(waiting)
	<-done
	zone.End()
	close(waited)
	<-ended
}

// emitCosts prints what a zone and a bracket cost with a capture attached.
func emitCosts(client *tracy.Client) error {
	l, err := client.Locate(tracy.Location{Name: "cost", Function: "emitCosts", File: "scenarios.go", Line: 3})
	if err != nil {
		return err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, c := range []struct {
		name string
		emit func()
	}{
		{"zone", func() { client.BeginAt(l).End() }},
		{"dynamic zone", func() { client.BeginDynamic(tracy.Location{Name: "cost", Function: "f", File: "g"}).End() }},
		{"bracket", func() { client.Begin("gemm/m=64").End() }},
	} {
		began := time.Now()
		for range costPairs {
			c.emit()
		}
		fmt.Printf("%s: %d ns\n", c.name, time.Since(began).Nanoseconds()/costPairs)
	}
	return nil
}

// emitLocations emits zones at more locations than Tracy can store, so that it gives the capture up.
func emitLocations(client *tracy.Client) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for i := range 40_000 {
		client.BeginDynamic(tracy.Location{Name: fmt.Sprintf("location %d", i), Function: "f", File: "g"}).End()
	}
}

// spin passes time without leaving the thread.
func spin(d time.Duration) {
	for began := time.Now(); time.Since(began) < d; {
	}
}
