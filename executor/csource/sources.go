package csource

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"zonemark/executor/toolchain"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// source is a further file that a library is made of: C or C++ source, an object or an archive.
type source struct {
	input    toolchain.Input
	language string // of preprocessed source, as -x has it; empty for static code
}

// The languages of preprocessed source, as gcc and clang have them.
const (
	languageC   = "cpp-output"
	languageCXX = "c++-cpp-output"
)

// languageOf returns the language of a file once it is preprocessed; empty for one that is no source.
func languageOf(path string) string {
	switch {
	case toolchain.IsSource(path):
		return languageC
	case toolchain.IsCXX(path):
		return languageCXX
	}
	return ""
}

func (s *source) languageFlag() string {
	if s.language == "" {
		return "none"
	}
	return s.language
}

// readSources reads the files that the option names. Sources are preprocessed in their folders.
func (f *file) readSources(ctx context.Context, option string, getenv func(string) string) error {
	for i, path := range invocations.SplitFiles(option) {
		s := source{input: toolchain.Input{Name: strconv.Itoa(i+1) + "-" + filepath.Base(path)}}
		err := toolchain.CheckName(filepath.Base(path))
		if err == nil { // a compiler would take what is missing for a header
			_, err = os.Stat(path)
		}
		switch {
		case err != nil:
		case toolchain.IsSource(path):
			s.language = languageC
			s.input.Code, err = f.preprocess(ctx, path)
		case toolchain.IsCXX(path):
			s.language = languageCXX
			s.input.Code, err = f.preprocessCXX(ctx, path, getenv)
		case toolchain.IsStatic(path):
			s.input.Code, err = os.ReadFile(path)
		default:
			err = remedy.With(fmt.Errorf("%s is no C or C++ source, object or archive", path),
				remedy.Remedy{Kind: remedy.Say, Name: OptionCFlags, Value: "which library it is (-LFOLDER -lNAME)"})
		}
		if err != nil {
			return fmt.Errorf("%s: %w", OptionSource, err)
		}
		f.sources = append(f.sources, s)
	}
	return nil
}

// preprocessCXX returns the output of the preprocessor for a C++ file. The C++ compiler then makes the library.
func (f *file) preprocessCXX(ctx context.Context, path string, getenv func(string) string) ([]byte, error) {
	if f.cxx == nil {
		c, err := f.compiler.CXX(ctx, getenv)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		f.cxx = &c
	}
	return f.cxx.Preprocess(ctx, path, f.flags.compile, compileRemedies)
}
