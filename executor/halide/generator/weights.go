package generator

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
)

// The head of a file of weights, from Weights.cpp of Halide 21. All numbers are little endian.
const (
	weightsSuffix   = ".weights"
	weightsMagic    = 0x68776631
	weightsBuffers  = 6
	featureVersion  = 3 // of pipelines and of schedules, for Adams2019
	maxWeightsBytes = 64 << 20
)

// checkWeights returns the hash of a file of weights. A plugin goes on with random weights if it cannot read its file,
// so the file is checked before: its suffix, by which a plugin knows it from a folder of weights, its head and its
// size.
func checkWeights(path string, shapes [][]int) (hash string, err error) {
	if !strings.HasSuffix(path, weightsSuffix) {
		return "", fmt.Errorf("%s: a file of weights is named *%s; name such a file", path, weightsSuffix)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("%w; name a file of weights, or leave the parameter out to use the built-in ones", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxWeightsBytes+1))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	if err := parseWeights(data, shapes); err != nil {
		return "", fmt.Errorf("%s: not a file of weights: %w; train it again, or leave the parameter out to use the "+
			"built-in ones", path, err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// parseWeights checks the layout of a file of weights: a head of four numbers (magic, two versions of the features,
// number of buffers), then for each buffer the number of dimensions, the extents and the values. Shapes are the extents
// that the buffers must have, with the versions of Adams2019's features; nil: any.
func parseWeights(data []byte, shapes [][]int) error {
	at := 0
	next := func() (uint32, error) {
		if len(data)-at < 4 {
			return 0, fmt.Errorf("it ends at byte %d, inside", len(data))
		}
		at += 4
		return binary.LittleEndian.Uint32(data[at-4:]), nil
	}
	var head [4]uint32
	for i := range head {
		var err error
		if head[i], err = next(); err != nil {
			return err
		}
	}
	if head[0] != weightsMagic {
		return fmt.Errorf("it begins with %#08x, not %#08x", head[0], weightsMagic)
	}
	if shapes != nil && (head[1] != featureVersion || head[2] != featureVersion) {
		return fmt.Errorf("byte 4: it is for the versions %d and %d of the features, want %d and %d", head[1], head[2],
			featureVersion, featureVersion)
	}
	if head[3] != weightsBuffers {
		return fmt.Errorf("byte 12: %d buffers, want %d", head[3], weightsBuffers)
	}
	for n := range weightsBuffers {
		start := at
		extents, err := readExtents(next)
		if err != nil {
			return fmt.Errorf("buffer %d at byte %d: %w", n, start, err)
		}
		if shapes != nil && !slices.Equal(extents, shapes[n]) {
			return fmt.Errorf("buffer %d at byte %d has extents %v, want %v", n, start, extents, shapes[n])
		}
		values := 1
		for _, e := range extents {
			values *= e
		}
		if values > (len(data)-at)/4 {
			return fmt.Errorf("buffer %d at byte %d: it has %d values, and the file ends at byte %d", n, start, values,
				len(data))
		}
		for range values {
			bits, _ := next() // their room was checked
			if v := float64(math.Float32frombits(bits)); math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("buffer %d: the value at byte %d is %v", n, at-4, v)
			}
		}
	}
	if at != len(data) {
		return fmt.Errorf("%d bytes follow its end at byte %d", len(data)-at, at)
	}
	return nil
}

// readExtents reads the number of dimensions and the extents.
func readExtents(next func() (uint32, error)) (extents []int, err error) {
	const maxDimensions, maxValues = 8, maxWeightsBytes / 4
	dimensions, err := next()
	if err != nil {
		return nil, err
	}
	if dimensions > maxDimensions {
		return nil, fmt.Errorf("%d dimensions", dimensions)
	}
	values := 1
	for range dimensions {
		e, err := next()
		if err != nil {
			return nil, err
		}
		if e == 0 || int(e) > maxValues/values {
			return nil, errors.New("no weights of the cost model have these extents")
		}
		values *= int(e)
		extents = append(extents, int(e))
	}
	return extents, nil
}
