package main

import (
	"embed"
	"io/fs"

	"zonemark/cmd/zonemark/internal/cachedir"
)

//go:embed example
var exampleFiles embed.FS

// unpackExample writes the shipped examples into the cache and returns their folder.
func unpackExample(cache cachedir.Cache) (string, error) {
	files, err := fs.Sub(exampleFiles, "example")
	if err != nil {
		return "", err
	}
	return cache.Unpack("example", files)
}
