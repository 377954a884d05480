package ttsim

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"zonemark/invocations/spelling"
)

// placement is an image with the cores that run it: one core of each of its tiles.
type placement struct {
	name  string // prefix of its arguments if the program has several placements
	image image
	core  core
	tiles []tile
}

// manifestExtension is the extension of manifests.
const manifestExtension = ".tensix"

// Limits of manifests. The largest simulator has 32 chips of 140 tiles.
const (
	maxManifest   = 1 << 20
	maxPlacements = 64
	maxChips      = 32
	maxCoordinate = 31
	maxTiles      = 256
)

// manifestEntry is a [[core]] of a manifest.
type manifestEntry struct {
	Name    string `toml:"name"`
	Core    string `toml:"core"`
	Program string `toml:"program"`
	Tiles   string `toml:"tiles"`
	Chip    int    `toml:"chip"`
}

// manifest is a program of several ELF files.
type manifest struct {
	Core []manifestEntry `toml:"core"`
}

// isManifest reports whether a path has the name of a manifest.
func isManifest(path string) bool { return strings.EqualFold(filepath.Ext(path), manifestExtension) }

// readProgram reads a program and returns its placements with a hash of all its files.
func readProgram(path, l1 string) ([]placement, string, error) {
	if !isManifest(path) {
		m, data, err := readImage(path, l1)
		hash := sha256.Sum256(data)
		alone := placement{name: functionName, image: m, core: brisc, tiles: []tile{{}}}
		return []placement{alone}, hex.EncodeToString(hash[:]), err
	}
	if l1 != "" {
		return nil, "", fmt.Errorf("the option %s is for flat binaries, and this is a manifest of ELF files", optionL1)
	}
	data, err := readManifestFile(path)
	if err != nil {
		return nil, "", err
	}
	list, files, err := parseManifest(data)
	if err != nil {
		return nil, "", err
	}
	hash := sha256.New()
	hash.Write(data)
	for i := range list {
		file := filepath.Join(filepath.Dir(path), files[i])
		var content []byte
		if content, err = readFile(file); err == nil {
			list[i].image, err = readELF(content, list[i].core.start)
		}
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w", files[i], err)
		}
		hash.Write(content)
	}
	if err := checkShared(list); err != nil {
		return nil, "", err
	}
	return list, hex.EncodeToString(hash.Sum(nil)), nil
}

func readManifestFile(path string) ([]byte, error) {
	data, err := readFile(path)
	if err == nil && len(data) > maxManifest {
		err = fmt.Errorf("larger than %d KiB, which no manifest is", maxManifest>>10)
	}
	return data, err
}

// parseManifest reads a manifest and returns its placements without images, and the name of the file of each.
func parseManifest(data []byte) (list []placement, files []string, err error) {
	var m manifest
	meta, err := toml.NewDecoder(bytes.NewReader(data)).Decode(&m)
	if at := (toml.ParseError{}); errors.As(err, &at) {
		return nil, nil, fmt.Errorf("line %d: %s", at.Position.Line, at.Message)
	}
	if err != nil {
		return nil, nil, err
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		known := []string{"name", "core", "program", "tiles", "chip"}
		return nil, nil, fmt.Errorf("no key %q in a manifest%s", unknown[0],
			spelling.SuggestOrList(unknown[0][len(unknown[0])-1], known))
	}
	if len(m.Core) == 0 || len(m.Core) > maxPlacements {
		return nil, nil, fmt.Errorf("it has %d tables [[core]]; want 1 to %d, each with core and program",
			len(m.Core), maxPlacements)
	}
	for i, e := range m.Core {
		p, err := e.placement()
		if err != nil {
			return nil, nil, fmt.Errorf("[[core]] %d: %w", i+1, err)
		}
		if slices.ContainsFunc(list, func(other placement) bool { return other.name == p.name }) {
			return nil, nil, fmt.Errorf("[[core]] %d: there are two named %s; give one another name", i+1, p.name)
		}
		list, files = append(list, p), append(files, e.Program)
	}
	return list, files, checkCores(list)
}

func (e manifestEntry) placement() (placement, error) {
	p := placement{name: e.Name}
	if p.name == "" {
		p.name = strings.TrimSuffix(filepath.Base(e.Program), filepath.Ext(e.Program))
	}
	var err error
	switch {
	case !filepath.IsLocal(e.Program):
		return p, fmt.Errorf("program %q: want the path of an ELF file in the manifest's folder or below", e.Program)
	case strings.TrimLeft(p.name, nameLetters) != "":
		return p, fmt.Errorf("name %q: want letters, digits and _", p.name)
	case e.Chip < 0 || e.Chip >= maxChips:
		return p, fmt.Errorf("chip %d: want a number from 0 to %d", e.Chip, maxChips-1)
	}
	if p.core, err = coreOf(e.Core); err != nil {
		return p, err
	}
	p.tiles, err = parseTiles(e.Tiles, e.Chip)
	return p, err
}

const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// parseTiles reads tiles and rectangles of tiles: "0,0", or "0,0-3,1 0,4". The tiles of a rectangle come row by row.
func parseTiles(text string, chip int) (tiles []tile, err error) {
	if text == "" {
		return []tile{{chip: chip}}, nil
	}
	for field := range strings.FieldsSeq(text) {
		first, last, isRange := strings.Cut(field, "-")
		if !isRange {
			last = first
		}
		from, fromOK := parseTile(first)
		to, toOK := parseTile(last)
		if !fromOK || !toOK || to.column < from.column || to.row < from.row {
			return nil, fmt.Errorf("tiles %q: want COLUMN,ROW or a rectangle such as 0,0-3,1, each number from 0 to %d",
				field, maxCoordinate)
		}
		for row := from.row; row <= to.row; row++ {
			for column := from.column; column <= to.column; column++ {
				t := tile{chip, column, row}
				if slices.Contains(tiles, t) {
					return nil, fmt.Errorf("tiles %q: the tile %s is there twice", text, t)
				}
				if len(tiles) == maxTiles {
					return nil, fmt.Errorf("tiles %q: more than %d tiles", text, maxTiles)
				}
				tiles = append(tiles, t)
			}
		}
	}
	if tiles == nil {
		return nil, fmt.Errorf("tiles %q: want tiles such as 0,0-3,1, or leave the key out", text)
	}
	return tiles, nil
}

func parseTile(text string) (t tile, ok bool) {
	column, row, both := strings.Cut(text, ",")
	var err, second error
	t.column, err = strconv.Atoi(column)
	t.row, second = strconv.Atoi(row)
	return t, both && err == nil && second == nil && t.column >= 0 && t.row >= 0 &&
		t.column <= maxCoordinate && t.row <= maxCoordinate
}

// Companions returns the paths of the programs that the manifest at path names. It returns none for a file that is no
// manifest.
func Companions(path string) ([]string, error) {
	if !isManifest(path) {
		return nil, nil
	}
	data, err := readManifestFile(path)
	if err != nil {
		return nil, err
	}
	_, files, err := parseManifest(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i := range files {
		files[i] = filepath.Join(filepath.Dir(path), files[i])
	}
	return files, nil
}

// partOfProgram returns a function that reports whether an ELF file of a folder belongs to a manifest in it. Manifests
// that cannot be read name none; describing them says why.
func partOfProgram(folder string) func(name string) bool {
	var parts []string
	entries, err := os.ReadDir(folder)
	if err != nil {
		return func(string) bool { return false }
	}
	for _, e := range entries {
		if e.IsDir() || !isManifest(e.Name()) {
			continue
		}
		if files, err := Companions(filepath.Join(folder, e.Name())); err == nil {
			parts = append(parts, files...)
		}
	}
	return func(name string) bool { return slices.Contains(parts, filepath.Join(folder, name)) }
}
