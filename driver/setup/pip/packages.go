package pip

import (
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"zonemark/driver/filehash"
	"zonemark/invocations/files"
)

// BrokenPackages returns which file of the Python packages in an environment is not what was installed; empty if none
// is. The environment is the name of a folder in folder, which remembers what was checked. Each package has a file
// RECORD with the hashes of its files. Compiled Python (*.pyc) is not checked: Python makes it anew, also where RECORD
// has a hash of it.
func BrokenPackages(folder, environment string) string {
	var list []filehash.File
	for _, installed := range installedIn(folder, environment) {
		record := filepath.Join(installed, "RECORD")
		if !files.IsFile(record) {
			continue
		}
		recorded, err := readRecord(record, folder)
		if err != nil {
			return err.Error()
		}
		list = append(list, recorded...)
	}
	return filehash.Check(filepath.Join(folder, "checked.sha256"), list)
}

// Packages returns the packages of an environment as "jax-0.6.2", in order, without those that come with it.
func Packages(folder, environment string) (list []string) {
	for _, path := range installedIn(folder, environment) {
		installed := strings.TrimSuffix(filepath.Base(path), infoSuffix)
		if name, _, _ := strings.Cut(installed, "-"); name != "pip" && name != "setuptools" {
			list = append(list, installed)
		}
	}
	slices.Sort(list)
	return list
}

// infoSuffix ends the name of the folder that describes an installed package.
const infoSuffix = ".dist-info"

// installedIn returns the folders that describe the packages of an environment.
func installedIn(folder, environment string) (list []string) {
	for _, pattern := range []string{"lib/python*", "Lib"} { // Windows has the second
		found, _ := filepath.Glob(filepath.Join(folder, environment, pattern, "site-packages", "*"+infoSuffix)) // well formed
		list = append(list, found...)
	}
	return list
}

// readRecord reads a file RECORD of a package below a folder.
func readRecord(path, folder string) ([]filehash.File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	site := filepath.Dir(filepath.Dir(path))
	list, err := parseRecord(data, site)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, f := range list {
		if inside, err := filepath.Rel(folder, f.Path); err != nil || !filepath.IsLocal(inside) {
			return nil, fmt.Errorf("%s: %s is not in %s", path, f.Path, folder)
		}
	}
	return list, nil
}

// parseRecord reads lines of the form "path,sha256=HASH,size", with paths from the folder site and hashes in base64
// (packaging.python.org, "Recording installed projects"). It leaves out files without a hash, and compiled Python.
func parseRecord(data []byte, site string) (list []filehash.File, err error) {
	rows := csv.NewReader(bytes.NewReader(data))
	rows.FieldsPerRecord = 3
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		algorithm, text, _ := strings.Cut(row[1], "=")
		if algorithm != "sha256" || strings.HasSuffix(row[0], ".pyc") {
			continue
		}
		line, _ := rows.FieldPos(1)
		sum, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil || len(sum) != 32 {
			return nil, fmt.Errorf("line %d: %q is no hash", line, row[1])
		}
		size, err := strconv.ParseInt(row[2], 10, 64)
		if err != nil || size < 0 {
			return nil, fmt.Errorf("line %d: %q is no size", line, row[2])
		}
		path := filepath.FromSlash(row[0])
		if !filepath.IsAbs(path) {
			path = filepath.Join(site, path)
		}
		list = append(list, filehash.File{Path: path, SHA256: hex.EncodeToString(sum), Bytes: size})
	}
}
