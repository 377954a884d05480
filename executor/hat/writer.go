package hat

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"

	"zonemark/executor/cfunction"
	"zonemark/invocations/tomltext"
)

// Text returns the package as a .hat file: TOML, and a C header with the declarations of the functions. Each line of
// remarks becomes a comment at its top.
func (p *Package) Text(remarks string) string {
	guard := "__" + strings.Map(func(r rune) rune {
		if r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '_'
	}, strings.TrimSuffix(filepath.Base(p.Path), filepath.Ext(p.Path))) + "__"
	var b strings.Builder
	fmt.Fprintf(&b, "#ifndef %s\n#define %s\n\n#ifdef TOML\n", guard, guard)
	for line := range strings.Lines(remarks) {
		b.WriteString("# " + strings.TrimRight(line, "\n") + "\n")
	}
	b.WriteString("[description]\ncomment = \"\"\nauthor = \"\"\nversion = \"\"\nlicense_url = \"\"\n\n[functions]\n")
	for _, f := range p.Functions {
		f.writeTOML(&b)
	}
	fmt.Fprintf(&b, `
[target]
[target.required]
os = ""

[target.required.CPU]
architecture = ""
extensions = []

[dependencies]
link_target = %s
deploy_files = []
dynamic = []

[compiled_with]
compiler = ""
flags = %s
crt = ""
libraries = []

[declaration]
code = '''
#endif // TOML
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#if defined(__cplusplus)
extern "C" {
#endif
`, tomltext.Quote(p.Depends.LinkTarget), tomltext.Quote(p.CompilerFlags))
	for _, f := range p.Functions {
		b.WriteString(f.declaration() + "\n")
	}
	fmt.Fprintf(&b, "#if defined(__cplusplus)\n}\n#endif\n#ifdef TOML\n'''\n\n#endif // TOML\n\n#endif // %s\n", guard)
	return b.String()
}

// writeTOML writes the table of a function.
func (f *Function) writeTOML(b *strings.Builder) {
	fmt.Fprintf(b, "\n[functions.%s]\nname = %s\ndescription = \"\"\ncalling_convention = \"cdecl\"\narguments = [\n",
		tomltext.QuoteKey(f.Symbol), tomltext.Quote(f.Symbol))
	for i := range f.Arguments {
		b.WriteString("    " + f.Arguments[i].toml() + ",\n")
	}
	fmt.Fprintf(b, "]\nreturn = %s\n", f.Return.toml())
}

// toml returns the parameter as an inline table.
func (p *Parameter) toml() string {
	var b strings.Builder
	fmt.Fprintf(&b, "{name = %s, description = \"\", logical_type = %s, declared_type = %s, element_type = %s, "+
		"usage = %s", tomltext.Quote(p.Name), tomltext.Quote(p.LogicalType), tomltext.Quote(p.DeclaredType), tomltext.Quote(p.ElementType),
		tomltext.Quote(p.Usage))
	switch p.LogicalType {
	case "affine_array":
		fmt.Fprintf(&b, ", shape = %s, affine_map = %s, affine_offset = %d", integers(p.Shape),
			integers(cfunction.RowMajor(p.Shape)), p.AffineOffset)
	case "runtime_array":
		b.WriteString(", size = " + tomltext.Quote(p.Size))
	}
	return b.String() + "}"
}

func integers(list []int64) string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = strconv.FormatInt(n, 10)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// declaration returns the declaration of a function in C, as hatlib writes it.
func (f *Function) declaration() string {
	types := make([]string, len(f.Arguments))
	for i := range f.Arguments {
		types[i] = f.Arguments[i].DeclaredType
	}
	if len(types) == 0 {
		types = []string{"void"}
	}
	return fmt.Sprintf("%s %s(%s);", f.Return.DeclaredType, f.Symbol, strings.Join(types, ", "))
}
