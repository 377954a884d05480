package remote

import (
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"zonemark/driver/executors"
	"zonemark/invocations/wire"
)

// Limits of what a host says. Hosts of this program stay far below them.
const (
	mostName        = 255
	mostText        = 4 << 10  // of a reason, a path or a value
	mostEnvironment = 200      // entries
	mostValue       = 64 << 10 // of an entry
	mostLines       = 100      // of an executor's last words
	mostSignal      = 20
)

// short returns the begin of a text for people.
func short(text string) string {
	if len(text) <= mostText {
		return text
	}
	return strings.ToValidUTF8(text[:mostText], "") + "…"
}

// checkHost returns an error if what a host says of itself cannot be so.
func checkHost(h *wire.Host, environment map[string]string) error {
	text := func(s string, most int) bool {
		return len(s) <= most && utf8.ValidString(s) && !strings.ContainsRune(s, 0)
	}
	switch {
	case h.Name == "" || !text(h.Name, mostName):
		return errors.New("it has no name, or none that a host can have")
	case !path.IsAbs(h.Folder) || !text(h.Folder, mostText):
		return errors.New("it names no folder for files")
	case len(environment) > mostEnvironment:
		return fmt.Errorf("it tells %d facts of its machine, and at most %d are known", len(environment), mostEnvironment)
	}
	for key, value := range environment {
		if !text(key, mostName) || !text(value, mostValue) {
			return fmt.Errorf("it tells of its machine what cannot be so (%.40q)", key)
		}
	}
	return nil
}

// checkNeeds returns an error if a host needs what nobody has offered, or something twice.
func checkNeeds(needs []string, offered []Source) error {
	left := map[string]bool{}
	for i := range offered {
		if sum := offered[i].SHA256; sum != "" { // a link is in no file
			left[sum] = true
		}
	}
	for _, sum := range needs {
		if !left[sum] {
			return errors.New("it asks for a file that nobody offered, or for one twice")
		}
		delete(left, sum)
	}
	return nil
}

// checkEnded returns an error if an executor cannot have ended so.
func checkEnded(m *wire.Ended) error {
	exceeded := m.Limit == "" || slices.Contains(executors.Limits[:], executors.Limit(m.Limit))
	named := len(m.Signal) <= mostSignal &&
		strings.Trim(m.Signal, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-abcdefghijklmnopqrstuvwxyz ") == ""
	switch {
	case !exceeded || !named || m.Code < math.MinInt32 || m.Code > math.MaxUint32 ||
		min(m.MaxRSSBytes, m.Used, m.Allowed) < 0 || len(m.Stderr) > mostLines:
		return errors.New("it tells of an executor's end what cannot be so")
	}
	for i := range m.Stderr {
		m.Stderr[i] = short(m.Stderr[i])
	}
	return nil
}
