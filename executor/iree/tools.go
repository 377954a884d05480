package iree

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"zonemark/executor/iree/dispatchmode"
)

// tool returns what runs IREE's tools, which may read the folders of these files. Returns nil if they are not installed.
func (in Installation) tool(files ...string) dispatchmode.Tool {
	if in.Tools == "" {
		return nil
	}
	return func(ctx context.Context, folder, name string, args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, filepath.Join(in.Tools, name), args...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		cmd.Dir = folder
		folder, err := filepath.Abs(folder)
		if err == nil {
			err = in.run(cmd, folder, files...)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w: %s", name, err, firstLine(stderr.String()))
		}
		return stdout.Bytes(), nil
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
