package remote

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// shell is the conversation with a POSIX shell on the other side. Each of our lines is answered before the next is sent,
// so that the shell reads nothing that is meant for a program that it starts. Answers begin with a mark, so that what
// login scripts print is passed over.
type shell struct {
	in    *bufio.Reader
	out   io.Writer
	mark  string
	timer *connecting
}

func newShell(in *bufio.Reader, out io.Writer, timer *connecting) *shell {
	return &shell{in, out, "zonemark-" + rand.Text(), timer}
}

// ask sends a line and returns the first answer.
func (s *shell) ask(line string) (string, error) {
	if _, err := io.WriteString(s.out, line+"\n"); err != nil {
		return "", io.EOF // the command has ended, and its last words tell why
	}
	return s.answer()
}

const (
	mostForeign = 1 << 20 // bytes that the other side may print before an answer
	longestLine = 4 << 10 // bytes of an answer
)

func (s *shell) answer() (string, error) {
	foreign := 0
	var line []byte
	for {
		b, err := s.in.ReadByte()
		if err != nil {
			return "", err
		}
		if foreign++; foreign > mostForeign {
			return "", errors.New("what answers is no shell, and does not stop to print")
		}
		if b != '\n' {
			if len(line) < longestLine {
				line = append(line, b)
			}
			continue
		}
		if text, found := strings.CutPrefix(string(line), s.mark+" "); found {
			s.timer.answered()
			return text, nil
		}
		line = line[:0]
	}
}

// folderLine sets d to the folder of the cache for sessions; see setup.CacheRoot.
const folderLine = `if [ "$(uname -s)" = Darwin ]; then c=$HOME/Library/Caches; else c=${XDG_CACHE_HOME:-$HOME/.cache}; fi; ` +
	`d=${ZONEMARK_HOME:-$c/zonemark}/remote`

// sumLine defines what prints the SHA-256 of a file, and more behind a space. Of the three programs, one or another is
// everywhere; the first uses instructions for it, and takes a fifth of the others' time.
const sumLine = `sum() { (openssl dgst -sha256 -r <"$1" || sha256sum <"$1" || shasum -a 256 <"$1") 2>/dev/null; }`

// install finds out what the other side is, brings the program there unless it is there, and starts it as a host.
func (s *shell) install(o Options) error {
	machine, err := s.ask(folderLine + "; echo " + s.mark + ` "$(uname -sm)"`)
	if err != nil {
		return err
	}
	program, err := o.Program.For(machine)
	if err != nil {
		return err
	}
	path := "$d/bin/" + program.SHA256
	state, err := s.ask(fmt.Sprintf(
		`p="%s/zonemark"; %s; if [ -x "$p" ] && s=$(sum "$p") && `+
			`[ "${s%%%% *}" = %s ]; then echo %s there; else echo %s missing; fi`,
		path, sumLine, program.SHA256, s.mark, s.mark))
	if err != nil {
		return err
	}
	if state != "there" {
		if err := s.push(program, path, o); err != nil {
			return err
		}
	}
	if _, err := s.ask("echo " + s.mark + ` run; exec "$p" ` + o.Verb); err != nil {
		return err
	}
	return nil
}

// push brings the program to the other side, checks its hash there and then gives it its name. The shell ends if
// anything fails, since it would take the rest of the program for commands.
func (s *shell) push(program *Binary, path string, o Options) error {
	if o.Say != nil {
		o.Say("--via %s: pushing zonemark (%d MiB)", Quoted(o.Via), program.Bytes>>20)
	}
	ready, err := s.ask(fmt.Sprintf(`umask 022; t="%s/%s"; mkdir -p "%s" && : >"$t" && echo %s ready || `+
		`{ echo %s no; exit 1; }; `+
		`head -c %d >"$t" && s=$(sum "$t") && [ "${s%%%% *}" = %s ] && `+
		`chmod 755 "$t" && mv -f "$t" "$p" && echo %s stored || { rm -f "$t"; echo %s failed; exit 1; }`,
		path, "part-"+s.mark, path, s.mark, s.mark, program.Bytes, program.SHA256, s.mark, s.mark))
	if err != nil {
		return err
	}
	if ready != "ready" {
		return errors.New("the folder for zonemark cannot be made there; set ZONEMARK_HOME there to one that can be written")
	}
	f, err := os.Open(program.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	s.timer.pause()
	if _, err := io.CopyN(s.out, f, program.Bytes); err != nil {
		return fmt.Errorf("zonemark could not be pushed: %w", err)
	}
	s.timer.answered()
	if stored, err := s.answer(); err != nil {
		return err
	} else if stored != "stored" {
		return errors.New("zonemark did not arrive whole, or there is no room for it")
	}
	return nil
}
