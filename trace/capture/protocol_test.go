//go:build !windows

package capture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"zonemark/driver/setup/setuptest"
)

// refusingClient returns a Tracy client that speaks one protocol, as far as the handshake goes. It ends with the test.
func refusingClient(t *testing.T, protocol int) (port int) {
	t.Helper()
	l, err := net.Listen("tcp4", loopback+":0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			answer := byte(handshakeMismatch)
			if got, err := readGreeting(conn); err == nil && got == protocol {
				answer = handshakeWelcome
			}
			conn.Write([]byte{answer})
			conn.Close()
		}
	}()
	return l.Addr().(*net.TCPAddr).Port
}

// protocolMismatch captures a client that speaks another protocol.
func protocolMismatch(t *testing.T, tool string, client int) *ProtocolError {
	t.Helper()
	c, err := Start(t.Context(), Options{Tool: tool, Output: filepath.Join(t.TempDir(), "out.tracy"),
		Port: refusingClient(t, client)})
	if err != nil {
		t.Fatal(err)
	}
	<-c.Done() // the client lives on, as one that waits for a capture does
	c.ClientEnded()
	_, err = c.Wait()
	e, ok := errors.AsType[*ProtocolError](err)
	if !ok {
		t.Fatalf("%v is no *ProtocolError", err)
	}
	return e
}

// The real tool and a client of another release: the error says which is which.
func TestCapturedProtocolMismatch(t *testing.T) {
	tool, err := FindTool("", os.Getenv(ToolVariable), setuptest.IREE(t).Site)
	if err != nil {
		t.Fatal(err)
	}
	for client, words := range map[int]string{66: "the client protocol 66 (Tracy 0.11.0, or Tenstorrent's fork",
		97: "the client protocol 97,"} {
		e := protocolMismatch(t, tool, client)
		if e.ToolProtocol != 72 || e.ClientProtocol != client {
			t.Errorf("tool %d, client %d, which speaks %d", e.ToolProtocol, e.ClientProtocol, client)
		}
		if text := e.Error(); !strings.Contains(text, "speaks protocol 72 (Tracy 0.11.2") ||
			!strings.Contains(text, words) || !strings.Contains(text, "iree-base-runtime") {
			t.Errorf("it says %q", text)
		}
		t.Log(e)
	}
}

// A tool that does not tell its protocol leaves that of the client, and one whose client is gone the other way round.
func TestProtocolsAsFarAsTold(t *testing.T) {
	const says = `echo 'The client you are trying to connect to uses incompatible protocol version.'; exit 1`
	if e := protocolMismatch(t, captureTool(t, says), 64); e.ToolProtocol != 0 || e.ClientProtocol != 64 ||
		!strings.Contains(e.Error(), "another protocol that is not known") {
		t.Errorf("%+v", e)
	}
	if _, err := clientProtocol(t.Context(), refusingClient(t, 7)); err == nil ||
		!strings.Contains(err.Error(), "no protocol from 63 to 120") {
		t.Errorf("a client of an unknown protocol: %v", err)
	}
	port, err := freePort(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := clientProtocol(t.Context(), port); err == nil {
		t.Error("nobody listens on port " + strconv.Itoa(port))
	}
}

func FuzzGreeting(f *testing.F) {
	f.Add(binary.LittleEndian.AppendUint32([]byte(handshakeText), 72))
	f.Add([]byte("TracyPrf"))
	f.Add([]byte("HTTP/1.1 200"))
	f.Fuzz(func(t *testing.T, b []byte) {
		protocol, err := readGreeting(bytes.NewReader(b))
		switch {
		case err == nil && !bytes.HasPrefix(b, binary.LittleEndian.AppendUint32([]byte(handshakeText),
			uint32(protocol))):
			t.Errorf("%q: protocol %d", b, protocol)
		case err != nil && len(b) < handshakeBytes && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			t.Errorf("%q: %v", b, err)
		}
	})
}
