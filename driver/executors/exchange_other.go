//go:build !linux

package executors

import (
	"errors"
	"os"
)

// exchangeParts returns nil: this system has no memory to exchange.
func exchangeParts(int64) []*os.File { return nil }

// HugePages returns "": this system does not tell of huge pages.
func HugePages() string { return "" }

// loan is never made here.
type loan struct{}

func (*Exchange) lendTo() (*loan, error) {
	return nil, errors.New("this system has no memory to exchange")
}

func (*loan) inherited() []*os.File { return nil }

func (*loan) begin(func()) {}

func (*loan) end() (kept bool) { return false }
