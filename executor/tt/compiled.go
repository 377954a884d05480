package tt

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"zonemark/executor/tt/pjrt"
	"zonemark/invocations/cpuinfo"
	"zonemark/invocations/files"
)

// Compiled names the folders of programs that a plugin has compiled, so that the next run only loads them. Executors
// are sandboxed: they read Folder and write to Fresh, from where the driver takes new files, see CheckCompiled. If
// Fresh is empty, nothing is kept. If both are empty, nothing is looked up.
type Compiled struct{ Folder, Fresh string }

// CompiledFolder is the name of the folder of compiled programs, below zonemark's cache of what is built.
const CompiledFolder = "pjrt"

// compiledBelow returns the folder below the cache, for executors that may write there. Without a cache, it keeps
// nothing.
func compiledBelow(cache string) Compiled {
	if cache == "" {
		return Compiled{}
	}
	folder := filepath.Join(cache, CompiledFolder)
	return Compiled{Folder: folder, Fresh: folder}
}

// The driver passes Compiled to executors in these variables.
const (
	CompiledVariable      = "ZONEMARK_PJRT_COMPILED"
	CompiledFreshVariable = "ZONEMARK_PJRT_COMPILED_FRESH"
)

// CompiledFrom reads Compiled from the environment of an executor.
func CompiledFrom(getenv func(name string) string) Compiled {
	return Compiled{Folder: getenv(CompiledVariable), Fresh: getenv(CompiledFreshVariable)}
}

// A kept program is a file named after its key. It holds compiledMagic, the key, the nanoseconds that compiling took,
// the SHA-256 of the rest, and the rest. The identity of a plugin is a file that holds identityMagic and the SHA-256 of
// the plugin.
const (
	compiledMagic = "zonemark PJRT executable 1\n"
	identityMagic = "zonemark PJRT plugin 1\n"

	compiledExtension = ".executable"
	identityExtension = ".plugin"

	compiledHeader = len(compiledMagic) + sha256.Size + 8 + sha256.Size
)

// hash is the key of a file in Compiled.
type hash = [sha256.Size]byte

// place returns the file of a key in one of the folders.
func place(folder string, key hash, extension string) string {
	return filepath.Join(folder, hex.EncodeToString(key[:])+extension)
}

// find reads the first existing file of a key. Files of this run take precedence over older ones.
func (c Compiled) find(key hash, extension string) (data []byte, path string, err error) {
	for _, folder := range []string{c.Fresh, c.Folder} {
		if folder == "" {
			continue
		}
		path = place(folder, key, extension)
		if data, err = os.ReadFile(path); !errors.Is(err, os.ErrNotExist) {
			return data, path, err
		}
	}
	return nil, "", os.ErrNotExist
}

// keep writes a file atomically.
func (c Compiled) keep(key hash, extension string, parts ...[]byte) error {
	if err := os.MkdirAll(c.Fresh, 0o755); err != nil {
		return err
	}
	return files.Write(place(c.Fresh, key, extension), 0o644, parts...)
}

// keepProgram keeps a compiled program.
func (c Compiled) keepProgram(key hash, compileNS int64, serialized []byte) error {
	sum := sha256.Sum256(serialized)
	header := append([]byte(compiledMagic), key[:]...)
	header = append(binary.LittleEndian.AppendUint64(header, uint64(compileNS)), sum[:]...)
	return c.keep(key, compiledExtension, header, serialized)
}

// decodeCompiled checks the file of a kept program and returns its parts.
func decodeCompiled(file []byte, key hash) (serialized []byte, compileNS int64, err error) {
	rest, ok := bytes.CutPrefix(file, []byte(compiledMagic))
	switch {
	case !ok || len(file) <= compiledHeader:
		return nil, 0, errors.New("it is cut off, or no compiled program")
	case !bytes.Equal(rest[:sha256.Size], key[:]):
		return nil, 0, errors.New("it is of another program")
	}
	rest = rest[sha256.Size:]
	serialized = rest[8+sha256.Size:]
	if sum := sha256.Sum256(serialized); !bytes.Equal(sum[:], rest[8:8+sha256.Size]) {
		return nil, 0, errors.New("its checksum is wrong")
	}
	return serialized, int64(binary.LittleEndian.Uint64(rest)), nil
}

// CheckCompiled returns an error unless a file is one that an executor leaves in Compiled.Fresh, with the right name
// and contents. Native code can write there, too.
func CheckCompiled(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	extension := filepath.Ext(path)
	name, err := hex.DecodeString(strings.TrimSuffix(filepath.Base(path), extension))
	if err != nil || len(name) != sha256.Size || !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file of compiled programs", path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	switch extension {
	case compiledExtension:
		_, _, err = decodeCompiled(data, hash(name))
	case identityExtension:
		_, err = decodeIdentity(data)
	default:
		err = errors.New("it is no file of compiled programs")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func decodeIdentity(file []byte) (hash, error) {
	sum, ok := bytes.CutPrefix(file, []byte(identityMagic))
	if !ok || len(sum) != sha256.Size {
		return hash{}, errors.New("it is cut off, or no plugin's hash")
	}
	return hash(sum), nil
}

// pluginHash returns the SHA-256 of a plugin. Plugins have hundreds of megabytes, so it is computed again only if the
// size or the time of the file has changed.
func (c Compiled) pluginHash(path string) (hash, error) {
	info, err := os.Stat(path)
	if err != nil {
		return hash{}, err
	}
	key := sha256.Sum256(fmt.Appendf(nil, "%q %d %d", path, info.Size(), info.ModTime().UnixNano()))
	if data, _, err := c.find(key, identityExtension); err == nil {
		if sum, err := decodeIdentity(data); err == nil {
			return sum, nil
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return hash{}, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return hash{}, err
	}
	sum := hash(h.Sum(nil))
	if c.Fresh != "" {
		_ = c.keep(key, identityExtension, []byte(identityMagic), sum[:]) // on failure it is computed again
	}
	return sum, nil
}

// programKey returns the hash of everything that a compiled program depends on: the program, its options, the plugin,
// its API, its platform, its devices, and this processor, because plugins compile for it if it is the device.
func (c Compiled) programKey(client *client, source, options []byte) (hash, error) {
	plugin, err := c.pluginHash(client.path)
	if err != nil {
		return hash{}, err
	}
	name, version := client.Platform()
	var kinds []string
	for _, d := range client.Devices() {
		kinds = append(kinds, d.Kind)
	}
	h := sha256.New()
	fmt.Fprintf(h, "%x %q %q %q %q %q %x ", plugin, client.Plugin().Version(), name, version, kinds,
		runtime.GOOS+" "+runtime.GOARCH+cpuinfo.ProcessorKind(),
		sha256.Sum256(options))
	h.Write(source)
	return hash(h.Sum(nil)), nil
}

// compilation describes how a program was loaded.
type compilation struct {
	compileNS int64  // duration of compiling, now or when the program was kept
	loadNS    int64  // duration of loading the kept program; 0 if it was compiled now
	note      string // what was wrong with a kept program; empty if nothing was
}

// text describes the compilation for people.
func (c compilation) text() string {
	if c.loadNS == 0 {
		return fmt.Sprintf("compiled in %.1f ms", float64(c.compileNS)/1e6)
	}
	return fmt.Sprintf("compiled in %.1f ms (cached: loaded in %.1f ms)",
		float64(c.compileNS)/1e6, float64(c.loadNS)/1e6)
}

// compile loads a kept program. If there is none, it compiles the program, and keeps it if the plugin can serialize. A
// kept program that is damaged, or that the plugin refuses, is compiled again and replaced. With anew, the program is
// compiled in any case, and not kept.
func (r Runtime) compile(c *client, source, options []byte, anew bool) (*pjrt.Executable, compilation, error) {
	var how compilation
	if anew {
		r.compiled = Compiled{}
	}
	caching := r.compiled != (Compiled{})
	var key hash
	if caching {
		var err error
		if key, err = r.compiled.programKey(c, source, options); err != nil {
			return nil, how, err
		}
		executable, kept, err := r.loadKept(c, key)
		if err == nil {
			return executable, kept, nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			how.note = fmt.Sprintf("the cached program was not used, and was compiled anew: %v", err)
		}
	}
	start := time.Now()
	executable, err := c.compileNow(source, options)
	if err != nil {
		return nil, how, err
	}
	how.compileNS = int64(time.Since(start))
	if r.compiled.Fresh == "" {
		return executable, how, nil
	}
	serialized, err := executable.Serialize()
	if err != nil {
		return executable, how, nil // this plugin cannot serialize
	}
	if err := r.compiled.keepProgram(key, how.compileNS, serialized); err != nil {
		how.note = fmt.Sprintf("the compiled program could not be kept: %v", err)
	}
	return executable, how, nil
}

// loadKept loads the kept program of a key. The error is os.ErrNotExist if there is none.
func (r Runtime) loadKept(c *client, key hash) (*pjrt.Executable, compilation, error) {
	start := time.Now()
	file, path, err := r.compiled.find(key, compiledExtension)
	if err != nil {
		return nil, compilation{}, err
	}
	serialized, compileNS, err := decodeCompiled(file, key)
	if err != nil {
		return nil, compilation{}, fmt.Errorf("%s: %w", path, err)
	}
	executable, err := c.LoadSerialized(serialized)
	if err != nil {
		return nil, compilation{}, fmt.Errorf("%s: %w", path, err)
	}
	return executable, compilation{compileNS: compileNS, loadNS: max(1, int64(time.Since(start)))}, nil
}
