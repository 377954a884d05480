package measuring

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"zonemark/cmd/zonemark/internal/cachedir"
	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/driver/machine"
	"zonemark/driver/peaks"
	"zonemark/driver/report/reportpage"
	"zonemark/invocations/files"
)

// CheckPage returns an error if the page that a flag names cannot be written, or if the file that is there is none.
func CheckPage(flag, path string) error { return page(flag, path).Check() }

func page(flag, path string) cli.Output {
	return cli.Output{Flag: flag, Path: path, Kind: "page of zonemark", Holds: holdsPage}
}

var errNoPage = errors.New("not a page of zonemark")

// holdsPage returns an error if the file does not begin as a page does.
func holdsPage(path string) error {
	f, err := files.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 1024))
	if err == nil && !bytes.Contains(head, []byte(reportpage.Generator)) {
		err = errNoPage
	}
	return err
}

// WritePage writes the page about these runs to path, with the peaks of their machines as far as the cache has them.
// The page is written even if these cannot be read.
func WritePage(path string, cache cachedir.Cache, sources []reportpage.Source) error {
	folder, unread := cache.Folder("")
	for i := range sources {
		if s := &sources[i]; unread == nil {
			s.Peaks, unread = peaks.Load(filepath.Join(folder, peaks.File), machine.Fingerprint(s.Run.Environment))
		}
	}
	err := files.Replace(path, 0o644, func(w io.Writer) error { return reportpage.Write(w, sources) })
	if err != nil {
		return fmt.Errorf("the page %s was not written: %w", path, err)
	}
	return unread
}
