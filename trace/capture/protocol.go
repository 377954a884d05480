package capture

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"
)

// What the two sides say first (Tracy's public/common/TracyProtocol.hpp, the same from 0.9 to 0.14): the capture tool
// sends a fixed text and the number of its protocol, 32 bits; the client answers with one byte.
const (
	handshakeText     = "TracyPrf"
	handshakeWelcome  = 1 // and goes on with a message of its own
	handshakeMismatch = 2
	handshakeBytes    = len(handshakeText) + 4
	// askWithin is how long a side may take to tell its protocol.
	askWithin = 3 * time.Second
)

// releasesOf are the Tracy releases that speak a protocol; empty: none that is known.
func releasesOf(protocol int) string {
	switch protocol {
	case 63:
		return "0.9"
	case 64:
		return "0.10"
	case 66:
		return "0.11.0, or Tenstorrent's fork of 0.10"
	case 69:
		return "0.11.1"
	case 72:
		return "0.11.2, as in IREE 3"
	case 74:
		return "0.12"
	case 76:
		return "0.13"
	case 82:
		return "0.14"
	}
	return ""
}

// ProtocolError is a capture tool and a client that do not understand each other, so that there is no capture.
type ProtocolError struct {
	Tool           string // path
	Output         string // of the capture that is not there
	ToolProtocol   int    // 0: it did not tell
	ClientProtocol int    // 0: it did not tell, or was gone
	Said           string // by the tool
}

func (e *ProtocolError) Error() string {
	return fmt.Sprintf("tracy capture: %s speaks %s and the client %s, so there is no %s; the tool says: %s. "+
		"Take the capture tool of the release that the client was built with: the wheel iree-base-runtime carries both",
		e.Tool, protocolName(e.ToolProtocol), protocolName(e.ClientProtocol), e.Output, e.Said)
}

func protocolName(protocol int) string {
	if protocol == 0 {
		return "another protocol that is not known"
	}
	if release := releasesOf(protocol); release != "" {
		return fmt.Sprintf("protocol %d (Tracy %s)", protocol, release)
	}
	return fmt.Sprintf("protocol %d", protocol)
}

// protocolError asks both sides what they speak. Tracy's own message names no version, but each side tells its own in
// the handshake, as long as it runs.
func (c *Session) protocolError(said string) *ProtocolError {
	ctx, stop := context.WithTimeout(context.Background(), askWithin)
	defer stop()
	e := &ProtocolError{Tool: c.tool, Output: c.options.Output, Said: said}
	// An error leaves the number unknown, which the message says; the capture has failed anyway.
	e.ClientProtocol, _ = clientProtocol(ctx, c.port)
	e.ToolProtocol, _ = c.toolProtocol()
	return e
}

// clientProtocol is the protocol of the client on a port of the loopback interface: the one that it welcomes.
func clientProtocol(ctx context.Context, port int) (int, error) {
	for _, protocol := range candidates() {
		status, err := greet(ctx, port, protocol)
		if err != nil {
			return 0, fmt.Errorf("ask the client for its protocol: %w", err)
		}
		if status == handshakeWelcome {
			return protocol, nil
		}
	}
	return 0, fmt.Errorf("the client welcomes no protocol from %d to %d", oldestProtocol, newestProtocol)
}

// The protocols that are tried: from that of 0.9 to well beyond those of the releases that exist.
const (
	oldestProtocol = 63
	newestProtocol = 120
)

// candidates are the protocols to try, those of releases first.
func candidates() (protocols []int) {
	var others []int
	for p := oldestProtocol; p <= newestProtocol; p++ {
		if releasesOf(p) != "" {
			protocols = append(protocols, p)
		} else {
			others = append(others, p)
		}
	}
	return append(protocols, others...)
}

// greet opens a handshake as a tool does and returns the client's answer.
func greet(ctx context.Context, port, protocol int) (status byte, err error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp4", net.JoinHostPort(loopback, strconv.Itoa(port)))
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(deadline); err != nil {
			return 0, err
		}
	}
	if _, err := conn.Write(binary.LittleEndian.AppendUint32([]byte(handshakeText), uint32(protocol))); err != nil {
		return 0, err
	}
	var answer [1]byte
	_, err = io.ReadFull(conn, answer[:])
	return answer[0], err
}

// toolProtocol runs the capture tool again, against a client that refuses every protocol.
func (c *Session) toolProtocol() (int, error) {
	listener, err := net.Listen("tcp4", loopback+":0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	if err := listener.(*net.TCPListener).SetDeadline(time.Now().Add(askWithin)); err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "zonemark-capture-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithTimeout(context.Background(), askWithin)
	defer stop()
	port := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	command := exec.CommandContext(ctx, c.tool, "-f", "-o", filepath.Join(dir, "none"), "-a", loopback, "-p", port)
	command.WaitDelay = time.Second
	if err := c.start(command); err != nil {
		return 0, err
	}
	go func() {
		_ = command.Wait()   // it fails, as it is refused
		_ = listener.Close() // nobody will come any more
	}()
	conn, err := listener.Accept()
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(askWithin)); err != nil {
		return 0, err
	}
	protocol, err := readGreeting(conn)
	if err != nil {
		return 0, err
	}
	_, err = conn.Write([]byte{handshakeMismatch})
	return protocol, err
}

// readGreeting reads what a tool says first.
func readGreeting(r io.Reader) (protocol int, err error) {
	var greeting [handshakeBytes]byte
	if _, err := io.ReadFull(r, greeting[:]); err != nil {
		return 0, fmt.Errorf("handshake of a Tracy tool: %w", err)
	}
	if text := string(greeting[:len(handshakeText)]); text != handshakeText {
		return 0, fmt.Errorf("handshake of a Tracy tool begins with %q instead of %q", text, handshakeText)
	}
	return int(binary.LittleEndian.Uint32(greeting[len(handshakeText):])), nil
}
