package iree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"zonemark/executor/iree/dispatchmode"
	"zonemark/executor/toolchain"
)

// tool returns what runs IREE's tools, which may read the folders of these files. Returns nil if they are not installed.
func (in Installation) tool(files ...string) dispatchmode.Tool {
	if in.Tools == "" {
		return nil
	}
	return func(ctx context.Context, folder, name string, args ...string) ([]byte, error) {
		folder, err := filepath.Abs(folder)
		if err != nil {
			return nil, err
		}
		var output bytes.Buffer
		_, err = in.run(ctx, toolchain.Program{
			Command: append([]string{filepath.Join(in.Tools, name)}, args...),
			Folder:  folder,
			Output:  &output,
		}, folder, files...)
		var failed *toolchain.FailedError
		if errors.As(err, &failed) {
			return nil, fmt.Errorf("%s: %w: %s", name, failed.Err, firstLine(failed.Said))
		}
		return output.Bytes(), err
	}
}

// firstLine returns the first line of a message that is not empty, short enough for one line.
func firstLine(text string) string {
	const longest = 300
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			return line[:min(len(line), longest)]
		}
	}
	return "it said nothing"
}
