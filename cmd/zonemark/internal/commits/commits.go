// Package commits tells at which commit of Git a folder is, without starting Git.
package commits

import (
	"os"
	"path/filepath"
	"strings"

	"zonemark/invocations/files"
)

// Of returns the commit of Git that a folder, or one above it, is at; "" if it is at none. It reads Git's files,
// so that each run need not start Git. Changes that were not committed do not show.
func Of(folder string) string {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return ""
	}
	for {
		if git := gitFolder(filepath.Join(folder, ".git")); git != "" {
			return headOf(git)
		}
		above := filepath.Dir(folder)
		if above == folder {
			return ""
		}
		folder = above
	}
}

// gitFolder returns the folder that path is, or that the file at path names, as in further work trees; "" if there is
// none.
func gitFolder(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	if info.IsDir() {
		return path
	}
	named, isLink := strings.CutPrefix(firstLine(path), "gitdir: ")
	if !isLink {
		return ""
	}
	if !filepath.IsAbs(named) {
		named = filepath.Join(filepath.Dir(path), named)
	}
	return named
}

// headOf returns the commit of HEAD in a folder of Git.
func headOf(git string) string {
	head := firstLine(filepath.Join(git, "HEAD"))
	name, isName := strings.CutPrefix(head, "ref: ")
	if !isName {
		return commitHash(head)
	}
	folders := []string{git}
	if common := firstLine(filepath.Join(git, "commondir")); common != "" { // branches are kept once for all work trees
		if !filepath.IsAbs(common) {
			common = filepath.Join(git, common)
		}
		folders = append(folders, common)
	}
	for _, folder := range folders {
		if hash := commitHash(firstLine(filepath.Join(folder, filepath.FromSlash(name)))); hash != "" {
			return hash
		}
		packed, err := files.Read(filepath.Join(folder, "packed-refs"))
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(packed)) {
			if hash, of, _ := strings.Cut(strings.TrimSpace(line), " "); of == name {
				return commitHash(hash)
			}
		}
	}
	return ""
}

// firstLine returns the first line of a small file; "" if it cannot be read.
func firstLine(path string) string {
	b, err := files.Read(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(line)
}

// commitHash returns the text if it is a hash.
func commitHash(text string) string {
	if len(text) < 40 || strings.Trim(text, "0123456789abcdef") != "" {
		return ""
	}
	return text
}
