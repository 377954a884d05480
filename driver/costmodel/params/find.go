package params

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// SingleFile returns the path of an architecture's parameters without versions: <folder>/<architecture>_params.yaml.
func SingleFile(folder, architecture string) string {
	return filepath.Join(folder, architecture+"_params.yaml")
}

// ReadFolder reads an architecture's parameters from a folder: <architecture>/params_v<N>.yaml of that version, or
// <architecture>_params.yaml if there are no versions. Version 0 stands for the newest.
func ReadFolder(folder, architecture string, version int) (*File, error) {
	newest, err := Versions(folder, architecture)
	if err != nil {
		return nil, err
	}
	single := SingleFile(folder, architecture)
	if newest > 0 || version > 0 {
		return ReadVersion(folder, architecture, version)
	}
	f, err := ReadFile(single)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: neither %s nor %s is there: name a folder with parameters of %s",
			folder, VersionFile(folder, architecture, 1), single, architecture)
	}
	if err != nil {
		return nil, err
	}
	f.Architecture = architecture
	return f, nil
}

// Next returns where the next parameters of an architecture belong, and what they begin with: the version after the
// newest, with the newest's contents, if the folder has versions; else <architecture>_params.yaml, which must not exist
// yet, and an empty file.
func Next(folder, architecture string) (path string, begin *File, err error) {
	newest, err := Versions(folder, architecture)
	if err != nil {
		return "", nil, err
	}
	if newest > 0 {
		if begin, err = ReadVersion(folder, architecture, newest); err != nil {
			return "", nil, err
		}
		begin.Version = newest + 1
		return VersionFile(folder, architecture, newest+1), begin, nil
	}
	path = SingleFile(folder, architecture)
	if _, err := os.Lstat(path); err == nil {
		return "", nil, fmt.Errorf("%s: %w: name another folder, or keep versions: move it to %s",
			path, ErrExists, VersionFile(folder, architecture, 1))
	}
	return path, &File{Name: path, Architecture: architecture}, nil
}

// SparseFile returns the weights of a sparse matmul, which are the same in all published versions of an architecture
// (tt-budabackend, perf_lib/op_model/params, Apache-2.0).
func SparseFile(architecture string) *File {
	tile := 18.0
	if architecture == "grayskull" {
		tile = 36
	}
	weights := []Weight{
		{Name: "tile_weight", Value: tile}, {Name: "reload", Value: 20}, {Name: "reload_config", Value: 20},
		{Name: "reload_wait_pop", Value: 20}, {Name: "pack_wait_push", Value: 25}, {Name: "pack", Value: 25},
		{Name: "ublock_decode", Value: 8}, {Name: "nz_ublock_decode", Value: 8}, {Name: "nz_tile_decode", Value: 12},
		{Name: "v2_ublock_decode", Value: 80}, {Name: "v2_nz_ublock_decode", Value: 80},
		{Name: "v2_nz_strip_decode", Value: 100},
	}
	return &File{
		Name: "published weights", Architecture: architecture,
		Operations: []Operation{{Name: "matmul_sparse", Sets: []Set{{Name: "base", Weights: weights}}}},
	}
}
