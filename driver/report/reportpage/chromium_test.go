package reportpage

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"zonemark/invocations/race"
	"zonemark/invocations/testneeds"
)

// browser is a Chromium without a window that shows pages one after the other. It is told what to do over a pipe, in the
// messages of Chrome's DevTools protocol.
type browser struct {
	commands, answers *os.File
	lines             *bufio.Reader // of answers
	last              int           // number of the last command
}

// browserTime limits the time of a command.
const browserTime = 2 * time.Minute

// newBrowser starts Chromium, which ends with the test. The test fails then for messages on the console of a page, which
// are errors. Without Chromium, the test is skipped; in CI it fails.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	if race.Enabled {
		t.Skip("Chromium shows what this process has written: the race detector does not watch it")
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		testneeds.Missing(t, fmt.Errorf("pages are tested in Chromium (Debian: package chromium): %w", err))
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context())) // it is still needed when the test cleans up
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, path, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
		"--user-data-dir="+t.TempDir(), "--enable-logging=stderr", "--remote-debugging-pipe")
	var messages bytes.Buffer
	cmd.Stderr, cmd.WaitDelay = &messages, 5*time.Second
	b := &browser{}
	theirs := make([]*os.File, 2)
	for i, ends := range [][2]**os.File{{&theirs[0], &b.commands}, {&b.answers, &theirs[1]}} {
		if *ends[0], *ends[1], err = os.Pipe(); err != nil {
			t.Fatal(err)
		}
		defer theirs[i].Close()
	}
	b.lines, cmd.ExtraFiles = bufio.NewReader(b.answers), theirs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.send("", "Browser.close", nil, nil); err != nil {
			cancel()
		}
		time.AfterFunc(browserTime, cancel)
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v\n%s", err, messages.String())
		}
		b.commands.Close()
		b.answers.Close()
		for line := range strings.Lines(messages.String()) {
			if strings.Contains(line, "CONSOLE") {
				t.Errorf("the page's console: %s", line)
			}
		}
	})
	return b
}

// fields are those of a command.
type fields = map[string]any

// call is send for a command that must succeed.
func (b *browser) call(t *testing.T, session, method string, params fields, result any) {
	t.Helper()
	if err := b.send(session, method, params, result); err != nil {
		t.Fatalf("%s: %v", method, err)
	}
}

// send sends a command to a page, or to the browser if session is empty, and reads its result.
func (b *browser) send(session, method string, params fields, result any) error {
	b.last++
	command := fields{"id": b.last, "method": method, "params": params}
	if session != "" {
		command["sessionId"] = session
	}
	text, err := json.Marshal(command)
	if err == nil {
		err = b.answers.SetReadDeadline(time.Now().Add(browserTime))
	}
	if err == nil {
		_, err = b.commands.Write(append(text, 0))
	}
	for err == nil {
		var answer struct {
			ID            int
			Result, Error json.RawMessage
		}
		if text, err = b.lines.ReadBytes(0); err != nil {
			break
		}
		if err = json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &answer); err != nil || answer.ID != b.last {
			continue // what happens in the browser is told, too
		}
		if answer.Error != nil {
			return fmt.Errorf("%s", answer.Error)
		}
		if result != nil {
			err = json.Unmarshal(answer.Result, result)
		}
		break
	}
	return err
}

// look is how a page is looked at.
type look struct {
	width, height int // of the window, in pixels
	dark          bool
	picture       *[]byte // gets a picture (PNG) of the window unless it is nil
}

// open shows a page in a window of its own, and returns the document when it is loaded.
func (b *browser) open(t *testing.T, page string, as look) (document string) {
	t.Helper()
	var target struct{ TargetID string }
	b.call(t, "", "Target.createTarget", fields{"url": "about:blank"}, &target)
	defer b.call(t, "", "Target.closeTarget", fields{"targetId": target.TargetID}, nil)
	var at struct{ SessionID string }
	b.call(t, "", "Target.attachToTarget", fields{"targetId": target.TargetID, "flatten": true}, &at)
	b.call(t, at.SessionID, "Emulation.setDeviceMetricsOverride",
		fields{"width": as.width, "height": as.height, "deviceScaleFactor": 1, "mobile": false}, nil)
	if as.dark {
		b.call(t, at.SessionID, "Emulation.setEmulatedMedia",
			fields{"features": []fields{{"name": "prefers-color-scheme", "value": "dark"}}}, nil)
	}
	var shown struct{ ErrorText string }
	b.call(t, at.SessionID, "Page.navigate", fields{"url": "file://" + page}, &shown)
	if shown.ErrorText != "" {
		t.Fatalf("%s: %s", page, shown.ErrorText)
	}
	var text struct{ Result struct{ Value string } }
	b.call(t, at.SessionID, "Runtime.evaluate", fields{"awaitPromise": true, "expression": `new Promise((done) => {
		const loaded = () => setTimeout(() => done(document.documentElement.outerHTML));
		if (document.readyState === "complete") loaded(); else addEventListener("load", loaded);
	})`}, &text)
	if as.picture != nil {
		var picture struct{ Data []byte }
		b.call(t, at.SessionID, "Page.captureScreenshot", fields{"format": "png"}, &picture)
		*as.picture = picture.Data
	}
	return text.Result.Value
}
