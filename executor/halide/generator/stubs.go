package generator

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/executor/toolchain"
)

// stub is a header by which a generator calls one of a further source.
type stub struct{ name, source string }

// stubsOf returns the stubs that the sources include and that generators of further sources can make.
func (o *opened) stubsOf() (list []stub) {
	for _, f := range o.files {
		for _, m := range include().FindAllStringSubmatch(f.contents, -1) {
			name, is := strings.CutSuffix(m[1], stubSuffix)
			if !is || slices.ContainsFunc(list, func(s stub) bool { return s.name == name }) {
				continue
			}
			for _, path := range o.further.generator {
				if text, err := readSource(path); err == nil && registers(text, name) {
					list = append(list, stub{name, path})
					break
				}
			}
		}
	}
	return list
}

// makeStubs makes the stubs and returns the flags for the folders that hold them. A further source whose generators are
// called is compiled by itself first, as it need no stub of another.
func (o *opened) makeStubs(ctx context.Context) (flags []string, err error) {
	for _, s := range o.stubs {
		own, err := o.t.open(ctx, Request{Source: s.source, Flags: o.words}, o.cache)
		if err != nil {
			return nil, fmt.Errorf("stub of the generator %s: %w", s.name, err)
		}
		k := &toolchain.Key{}
		k.Add("stub", s.name)
		own.addTo(k)
		folder, err := cached(o.cache, *k, []string{s.name + stubSuffix}, func(folder string) error {
			args := []string{"-g", s.name, "-o", folder, "-n", s.name, "-e", "cpp_stub", "target=" + hostTarget}
			_, err := own.start(ctx, folder, args...)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("stub of the generator %s: %w", s.name, err)
		}
		flags = append(flags, "-I"+filepath.Clean(folder))
	}
	return flags, nil
}

// called reports whether a generator is there only because another one calls it.
func (o *opened) called(name string) bool {
	return slices.ContainsFunc(o.stubs, func(s stub) bool { return s.name == name })
}
