// Command tracegen makes Tracy captures of known content. It loads the Tracy client of the wheel iree-base-runtime,
// emits zones through it from Go, and has the capture tool of the same wheel write them down: tests read such a capture
// back, and the benchmark of the reader needs a large one.
//
//	tracegen -site SITE-PACKAGES -o FILE load -zones 10000000 [-names 200000]
//	tracegen -site SITE-PACKAGES -o FILE invocations
//	tracegen -site SITE-PACKAGES -o FILE device
//	tracegen -site SITE-PACKAGES -o FILE costs
//	tracegen -site SITE-PACKAGES -o FILE locations
//	tracegen -site SITE-PACKAGES -o FILE module -file MODULE.vmfb -function NAME
//
// The scenarios crash and hold emit what invocations does and wait until the capture has it. Then crash ends by
// SIGSEGV, and hold names its process "held" and waits to be killed. They need Linux.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"zonemark/executor/dl"
	"zonemark/executor/sandbox"
	"zonemark/executor/tracy"
	"zonemark/trace/capture"
)

// connectWithin is how long the client waits for its capture.
const connectWithin = 20 * time.Second

type options struct {
	site, libpython, output string
	emit                    bool // this process is the client
	scenario                string
	zones, names            int64
}

func main() {
	runtime.LockOSThread() // Tracy names the main thread itself, so no zones are emitted from it
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "tracegen:", err)
		os.Exit(1)
	}
}

func run() error {
	var o options
	flag.StringVar(&o.site, "site", "", "site-packages folder with iree-base-runtime")
	flag.StringVar(&o.libpython, "libpython", "",
		"shared libpython, which the client library needs; empty: "+
			"that of the virtual environment around the site-packages folder")
	flag.StringVar(&o.output, "o", "", "capture to write")
	flag.BoolVar(&o.emit, "emit", false, "be the client (tracegen starts itself with it)")
	flag.Parse()
	o.scenario = flag.Arg(0)
	load := flag.NewFlagSet("load", flag.ContinueOnError)
	load.Int64Var(&o.zones, "zones", 1_000_000, "zones, five for each iteration")
	load.Int64Var(&o.names, "names", 0,
		"give one zone of each iteration one of so many names; 0: one in ten has one of 100")
	if o.scenario == "load" && flag.NArg() > 1 {
		if err := load.Parse(flag.Args()[1:]); err != nil {
			return err
		}
	}
	if o.emit {
		return emit(o)
	}
	if exit, done, err := inPrivateNetwork(); err != nil || done {
		if err == nil {
			os.Exit(exit)
		}
		return err
	}
	return record(o)
}

// record runs this program again as the client, under a capture tool.
func record(o options) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c, err := capture.Start(ctx, capture.Options{Variable: os.Getenv(capture.ToolVariable), Sites: []string{o.site},
		Output: o.output, MaxDuration: 5 * time.Minute, Grace: 2 * time.Minute})
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	client := exec.CommandContext(ctx, self, append([]string{"-emit"}, os.Args[1:]...)...)
	client.Stdout, client.Stderr = os.Stdout, os.Stderr
	began := time.Now()
	result, clientErr, captureErr := c.Run(client)
	if err := errors.Join(clientErr, captureErr); err != nil {
		return err
	}
	for _, w := range result.Warnings {
		fmt.Fprintln(os.Stderr, "tracegen:", w)
	}
	if result.Partial {
		return errors.New("the capture is not whole")
	}
	fmt.Printf("captured %s: %d bytes in %.1f s\n", result.Path, result.Bytes, time.Since(began).Seconds())
	return nil
}

// emit is the client's side. It leaves through C's exit, so that Tracy's own shutdown waits until the capture has
// everything.
func emit(o options) error {
	active, err := sandbox.Enter() // active if the host of a test has ordered it
	if err != nil {
		return err
	}
	if o.libpython == "" {
		if o.libpython, err = sharedPython(o.site); err != nil {
			return err
		}
	}
	if o.scenario == "module" {
		return emitModule(o, flag.Args()[1:])
	}
	if _, err := dl.OpenGlobal(o.libpython); err != nil {
		return err
	}
	found, err := filepath.Glob(filepath.Join(o.site, "iree", "_runtime_libs_tracy", "_runtime*.so"))
	if err != nil || len(found) != 1 {
		return fmt.Errorf("%s holds %d Tracy-enabled IREE runtimes, not one: install iree-base-runtime there (%v)",
			o.site, len(found), err)
	}
	library, err := dl.Open(found[0])
	if err != nil {
		return err
	}
	client, err := tracy.New(library.Lookup)
	if err != nil {
		return err
	}
	exit, err := library.Lookup("exit")
	if err != nil {
		return err
	}
	if err := active.Seal(); err != nil {
		return err
	}
	for began := time.Now(); !client.Connected(); time.Sleep(5 * time.Millisecond) {
		if time.Since(began) > connectWithin {
			return fmt.Errorf("no capture has connected within %v", connectWithin)
		}
	}
	emitted := make(chan error)
	go func() { emitted <- emitScenario(client, library, o) }()
	if err := <-emitted; err != nil {
		return err
	}
	if o.scenario == "crash" || o.scenario == "hold" {
		return endBadly(library, o.scenario)
	}
	dl.Call(exit, 0)
	return nil
}

// endBadly ends the process by a signal once the capture has received everything. It returns only if that fails.
func endBadly(library dl.Library, scenario string) error {
	emitPlot, err := library.Lookup("___tracy_emit_plot_int")
	if err != nil {
		return err
	}
	raise, err := library.Lookup("raise")
	if err != nil {
		return err
	}
	if err := waitForArrival(emitPlot); err != nil {
		return err
	}
	if scenario == "hold" {
		return hold()
	}
	dl.Call(raise, uintptr(syscall.SIGSEGV))
	return errors.New("the process has outlived SIGSEGV")
}

func emitScenario(client *tracy.Client, library dl.Library, o options) error {
	switch o.scenario {
	case "load":
		return emitLoad(client, o.zones, o.names)
	case "invocations", "crash", "hold":
		return emitInvocations(client)
	case "device":
		return emitDevice(client, library.Lookup)
	case "costs":
		return emitCosts(client)
	case "locations":
		emitLocations(client)
		return nil
	}
	return fmt.Errorf("scenario %q: give load, invocations, device, crash, hold, costs or locations", o.scenario)
}

// sharedPython asks the Python of the virtual environment around a site-packages folder for its shared library.
func sharedPython(site string) (string, error) {
	python := filepath.Join(site, "..", "..", "..", "bin", "python")
	const question = "import os, sysconfig as s; " +
		"print(os.path.join(s.get_config_var('LIBDIR'), s.get_config_var('INSTSONAME')))"
	answer, err := exec.Command(python, "-c", question).Output()
	if err != nil {
		return "", fmt.Errorf("ask %s for its shared library: %w; name it with -libpython", python, err)
	}
	path := strings.TrimSpace(string(answer))
	if _, err := os.Stat(path); err != nil || filepath.Ext(path) == ".a" {
		return "", fmt.Errorf("the Python of %s has no shared library (%s): "+
			"take one built with --enable-shared, or install the system's libpython3 package", site, path)
	}
	return path, nil
}
