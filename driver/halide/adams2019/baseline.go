package adams2019

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"zonemark/invocations/files"
)

// baselineSHA256 is the hash of the weights that the plugin of Halide 21.0.0 holds.
const baselineSHA256 = "de088dc7285ad431cf3412bb00cc8e86eccc3bb75339e79999d445984d0bc44c"

// Baseline returns the weights that Halide schedules with when it is given none. The package holds no file of them, but
// its plugin libautoschedule_adams2019.so does. It is an error if the library lacks them, or has others.
func Baseline(library string) (*Weights, error) {
	data, err := files.Read(library)
	if err != nil {
		return nil, fmt.Errorf("baseline weights of the cost model: %w", err)
	}
	// the magic number, both versions and the number of buffers
	head := (&Weights{}).Append(nil)[:16]
	for from := 0; ; {
		at := bytes.Index(data[from:], head)
		if at < 0 {
			break
		}
		from += at
		if len(data)-from >= WeightsBytes {
			found := data[from : from+WeightsBytes]
			if sum := sha256.Sum256(found); hex.EncodeToString(sum[:]) == baselineSHA256 {
				return ParseWeights(found)
			}
		}
		from++
	}
	return nil, fmt.Errorf("%s: the baseline weights of Halide 21.0.0 are not in it: name "+
		"libautoschedule_adams2019.so of the package halide 21.0.0, or weights of your own", library)
}
