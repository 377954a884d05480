package adams2019

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"math"
	"slices"
)

// hashFloat adds a value to a hash (hash_floats of retrain_cost_model.cpp). The first sum has 32 bits and wraps: the
// order of schedules and the choice of the pipelines for validation depend on it.
func hashFloat(h uint64, v float32) uint64 {
	return h ^ (uint64(math.Float32bits(v)+0x9e3779b9) + h<<6 + h>>2)
}

// PipelineID returns the number by which training tells pipelines apart. It depends on the pipeline's name and on the
// generator parameters that it is built with, and on nothing else, so that it stays the same from run to run. It is
// positive.
//
// It is made of the SHA-256 of the name and of the parameters, sorted by name, each followed by a zero byte: the first
// four bytes, big endian, without the sign bit. If these are zero, the next four bytes are taken, and so on.
func PipelineID(name string, parameters map[string]string) int32 {
	text := append([]byte(name), 0)
	for _, key := range slices.Sorted(maps.Keys(parameters)) {
		text = append(append(append(append(text, key...), 0), parameters[key]...), 0)
	}
	sum := sha256.Sum256(text)
	for i := 0; i < len(sum); i += 4 {
		if id := int32(binary.BigEndian.Uint32(sum[i:]) & math.MaxInt32); id != 0 {
			return id
		}
	}
	return 1
}
