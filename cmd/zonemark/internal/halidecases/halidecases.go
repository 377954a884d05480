// Package halidecases gives invocations of the shipped Halide benchmarks what these need: the source of the generator,
// inputs, scalars, and the outputs that the reference has. The files lie in the cache. The package builds and measures
// nothing.
package halidecases

import (
	"path/filepath"

	"zonemark/cmd/zonemark/internal/cachedir"
	"zonemark/driver/halide"
	"zonemark/driver/python"
	"zonemark/invocations"
)

// cacheFolder holds the sources and the arguments of shipped benchmarks.
const cacheFolder = "halide"

// Source writes the sources of the shipped generators into the cache, and returns the path of that of a benchmark.
func Source(cache cachedir.Cache, b halide.Benchmark) (string, error) {
	sources, err := cache.Unpack(filepath.Join(cacheFolder, "sources"), python.Files())
	return filepath.Join(sources, filepath.FromSlash(b.Source)), err
}

// Complete gives an invocation the arguments of a benchmark, drawn from the seed of the invocation, the outputs that
// the reference computes of them, with the tolerance, and what a call computes and moves.
func Complete(cache cachedir.Cache, inv *invocations.Invocation, b halide.Benchmark) error {
	below, err := cache.Folder(cacheFolder)
	if err != nil {
		return err
	}
	inv.Verify.Tolerance = b.Tolerance
	inv.FLOP, inv.Bytes = float64(b.Operations), float64(b.Bytes())
	return addContents(inv, b, filepath.Join(below, "arguments", b.Name))
}
