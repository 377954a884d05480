package csource

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"zonemark/executor/toolchain"
	"zonemark/invocations/lazyregexp"
	"zonemark/invocations/remedy"
)

// preprocess returns the output of the preprocessor for a C file.
func (f *file) preprocess(ctx context.Context, path string, more ...string) ([]byte, error) {
	return f.compiler.Preprocess(ctx, path, slices.Concat(f.flags.compile, more), compileRemedies)
}

// unknownFlag is what compilers say of a flag that they do not know.
var unknownFlag = lazyregexp.New(`(?:unrecognized command-line option|unknown argument:?) .?(-[^\s'’"]+)`)

// compileRemedies returns what to do about the messages of a compiler of a C file.
func compileRemedies(words string) []remedy.Remedy {
	switch {
	case toolchain.Undefined(words):
		return definingSymbol
	case strings.Contains(words, ": No such file"), strings.Contains(words, "' file not found"):
		return []remedy.Remedy{{Kind: remedy.Say, Name: OptionCFlags, Value: "where the header is (-IFOLDER)"}}
	}
	if m := unknownFlag().FindStringSubmatch(words); m != nil {
		return []remedy.Remedy{{Kind: remedy.Instead, Name: m[1], Value: "-O2"}}
	}
	return []remedy.Remedy{{Kind: remedy.Act, Value: "correct the source"}}
}

// definingSymbol is what to do about symbols that no file defines.
var definingSymbol = []remedy.Remedy{
	{Kind: remedy.File, Name: OptionSource, Value: "the source, object or archive that defines the symbol"},
	{Kind: remedy.Say, Name: OptionCFlags, Value: "which library defines it (-lNAME)"},
}

// hash returns the hash of what is measured: the code of the file and of the further sources. The lines of a
// preprocessed source that name files are left out.
func (f *file) hash() string {
	h := sha256.New()
	for line := range bytes.Lines(f.code) {
		if f.language == "" || !lineMarker(line) {
			h.Write(line)
		}
	}
	for _, s := range f.sources {
		fmt.Fprintf(h, "\x00%s\x00", filepath.Ext(s.input.Name))
		for line := range bytes.Lines(s.input.Code) {
			if s.language == "" || !lineMarker(line) {
				h.Write(line)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// lineMarker reports whether a line of a preprocessed source names a line of a file, as # 12 "file.h" does. Other lines
// with a number sign are pragmas.
func lineMarker(line []byte) bool {
	return len(line) > 2 && line[0] == '#' && line[1] == ' ' && line[2] >= '0' && line[2] <= '9'
}

// compile makes a shared library of the preprocessed sources, so that exactly the hashed text is compiled.
func (f *file) compile(ctx context.Context, cache string) (string, error) {
	name := filepath.Base(f.path)
	suffix := ".i"
	if f.language == languageCXX {
		suffix = ".ii"
	}
	input := toolchain.Input{Name: strings.TrimSuffix(name, filepath.Ext(name)) + suffix, Code: f.code}
	folder, err := filepath.Abs(filepath.Dir(f.path))
	if err != nil {
		return "", err
	}
	l := toolchain.Library{
		Compiler: f.compiler, Inputs: []toolchain.Input{input}, Read: []string{folder}, Remedies: compileRemedies,
	}
	l.Flags = slices.Clone(f.flags.compile)
	if f.cxx != nil {
		l.Compiler = *f.cxx
		l.Flags = append(l.Flags, "-x", f.language)
	}
	l.Flags = append(l.Flags, input.Name)
	f.addSources(&l)
	if runtime.GOOS == "linux" {
		l.Flags = append(l.Flags, "-Wl,-z,defs")
	}
	l.Flags = append(append(l.Flags, f.flags.link...), "-lm")
	return f.make(ctx, &l, cache)
}

// link makes a shared library of an archive or object file, and of the further sources.
func (f *file) link(ctx context.Context, cache string) (string, error) {
	if len(f.compiler.Command) == 0 {
		return "", fmt.Errorf("%s: static code is linked by a C compiler, and none was found; install one", f.path)
	}
	input := toolchain.Input{Name: filepath.Base(f.path), Code: f.code}
	undefined := append(slices.Clone(definingSymbol[:1]), remedy.Remedy{Kind: remedy.Act,
		Value: "link it into a shared library that names what defines the symbol"})
	l := toolchain.Library{Compiler: f.compiler, Inputs: []toolchain.Input{input},
		Remedies: toolchain.LinkRemedies(undefined, "install it where the linker looks")}
	if f.cxx != nil {
		l.Compiler = *f.cxx
	}
	if len(f.sources) > 0 {
		l.Flags = slices.Clone(f.flags.compile)
	}
	f.addSources(&l)
	l.Flags = append(l.Flags, toolchain.LinkFlags(runtime.GOOS, []string{input.Name})...)
	return f.make(ctx, &l, cache)
}

// addSources adds the further sources to the inputs of a library, and the flags that name them.
func (f *file) addSources(l *toolchain.Library) {
	for _, s := range f.sources {
		l.Inputs = append(l.Inputs, s.input)
		if f.cxx != nil || s.language != "" {
			l.Flags = append(l.Flags, "-x", s.languageFlag())
		}
		l.Flags = append(l.Flags, s.input.Name)
	}
	if len(f.sources) > 0 || f.cxx != nil {
		l.Flags = append(l.Flags, "-x", "none")
	}
}

func (f *file) make(ctx context.Context, l *toolchain.Library, cache string) (string, error) {
	target, err := l.Make(ctx, filepath.Join(cache, Name))
	if err != nil {
		return "", fmt.Errorf("%s: %w", f.path, err)
	}
	return target, nil
}
