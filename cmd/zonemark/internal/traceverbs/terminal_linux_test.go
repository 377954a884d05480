package traceverbs

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/program"
)

// terminal returns a pseudo-terminal of 100 columns, and what comes out of it once it is closed.
func terminal(t *testing.T) (tty *os.File, shown func() string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	fd := int(master.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 25, Col: 100})
	}
	if err == nil {
		tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		master.Close()
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	read := make(chan string)
	go func() {
		var all strings.Builder
		for lines := bufio.NewScanner(master); lines.Scan(); { // it ends with an error when the other side is closed
			all.WriteString(lines.Text() + "\n")
		}
		master.Close()
		read <- all.String()
	}()
	return tty, func() string {
		tty.Close()
		return <-read
	}
}

// TestStatsOnATerminal: a terminal is shown fifty rows, unless it asks for more or others. A pipe gets all.
func TestStatsOnATerminal(t *testing.T) {
	const capture, all = "../../../../trace/testdata/small_0112.tracy", 125 // with frames
	for _, c := range []struct {
		flags []string
		rows  int
		more  bool
	}{
		{nil, 51, true},
		{[]string{"--limit", "0"}, all, false},
		{[]string{"--limit", "3"}, 4, false},
		{[]string{"--format", "csv"}, all, false},
		{[]string{"--filter", "^leaf"}, 1, false},
	} {
		tty, shown := terminal(t)
		status := Family().Run(t.Context(), program.Program{Streams: cli.Streams{Out: tty, Err: &bytes.Buffer{}}},
			append([]string{"stats", capture}, c.flags...))
		text := shown()
		lines := strings.Split(strings.TrimSpace(text), "\n")
		rows := len(lines) - 1 // the titles
		more := strings.Contains(text, "and 74 more; --limit 0 shows all")
		if more {
			rows--
		}
		if status != cli.ExitOK || rows != c.rows || more != c.more {
			t.Errorf("%q: status %d, %d rows; want %d\n%s", c.flags, status, rows, c.rows, text)
		}
	}
	var piped bytes.Buffer
	Family().Run(t.Context(), program.Program{Streams: cli.Streams{Out: &piped, Err: &bytes.Buffer{}}},
		[]string{"stats", capture})
	if rows := strings.Count(piped.String(), "\n") - 1; rows != all {
		t.Errorf("%d rows through a pipe", rows)
	}
}
