package hexagon

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"zonemark/executor/toolchain"
	"zonemark/invocations/building"
	"zonemark/invocations/lazyregexp"
)

//go:embed harness/harness.c
var harness string

// Program is what Link makes a program of.
type Program struct {
	Target    string   // of Halide
	Pipelines []string // names of the functions, in the order of the numbers that Call takes
	Objects   []string // paths of the object files that define them, and of Halide's runtime for the target
}

const (
	harnessFile = "harness.c"
	tableFile   = "pipelines.c"
	programFile = "program"
	buildTime   = 10 * time.Minute // the first link compiles zig's own library as well
)

// Link links pipelines with the harness into a static program below cache, by the compiler zig, and returns its path.
// The file is named after all that it is made of. It appears there at once and complete, and is made again if somebody
// has changed it. The compiler keeps what it has compiled in a folder below cache.
func Link(ctx context.Context, compiler string, p Program, w building.Workshop) (string, error) {
	if err := CheckTarget(p.Target); err != nil {
		return "", err
	}
	folder, err := filepath.Abs(filepath.Join(w.Cache, "hexagon"))
	if err != nil {
		return "", err
	}
	z := zig{compiler, filepath.Join(folder, "zig"), w.Confine}
	if err := os.MkdirAll(z.cache, 0o777); err != nil {
		return "", fmt.Errorf("cache for built pipelines: %w; choose another cache folder", err)
	}
	version, err := zig{path: z.path, cache: z.cache}.run(ctx, folder, nil, "version") // it reads nothing of others
	if err != nil {
		return "", fmt.Errorf("ask the compiler for its version: %w", err)
	}
	args := arguments(p.Target)
	k := &toolchain.Key{}
	k.Add(harness, table(p.Pipelines), version)
	k.Add(args...)
	if err := k.AddFiles(p.Objects...); err != nil {
		return "", err
	}
	target := filepath.Join(folder, k.Name())
	return target, toolchain.Keep(target, 0o755, func(scratch string) (string, error) {
		err := errors.Join(os.WriteFile(filepath.Join(scratch, harnessFile), []byte(harness), 0o666),
			os.WriteFile(filepath.Join(scratch, tableFile), []byte(table(p.Pipelines)), 0o666))
		if err == nil {
			_, err = z.run(ctx, scratch, p.Objects, append(args, p.Objects...)...)
		}
		return filepath.Join(scratch, programFile), linkError(err)
	})
}

// arguments returns those of zig, without the objects. The library compiler-rt has what processors lack instructions
// for, such as divisions, and the functions of C's mathematics. Symbols stay, since the metadata are found by them.
func arguments(target string) []string {
	return []string{
		"cc", "-target", "hexagon-freestanding-none", "-mcpu=" + processor(target), "-O2", "-ffreestanding", "-static",
		"-nostdlib", "-rtlib=compiler-rt", "-o", programFile, harnessFile, tableFile,
	}
}

// table returns the C source of the table of pipelines.
func table(pipelines []string) string {
	var declared, rows strings.Builder
	for _, name := range pipelines {
		fmt.Fprintf(&declared, "int %s_argv(void **);\nconst void *%s_metadata(void);\n", name, name)
		fmt.Fprintf(&rows, "    {%s_argv, %s_metadata},\n", name, name)
	}
	return declared.String() + "const struct {\n    int (*call)(void **);\n    const void *(*describe)(void);\n" +
		"} zonemark_pipelines[] = {\n" + rows.String() + "};\n"
}

// zig is the compiler, with the folder where it keeps what it has compiled.
type zig struct {
	path, cache string
	confine     building.Confine
}

// run runs the compiler in a folder, which it may write, to its end and returns what it printed. It may read these files.
func (z zig) run(ctx context.Context, folder string, read []string, args ...string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, buildTime)
	defer stop()
	return toolchain.Program{
		Command:     append([]string{z.path}, args...),
		Folder:      folder,
		Environment: []string{"ZIG_GLOBAL_CACHE_DIR=" + z.cache, "ZIG_LOCAL_CACHE_DIR=" + z.cache, "LC_ALL=C"},
		Access:      building.Access{Write: []string{folder, z.cache}, Read: read},
	}.Run(ctx, z.confine)
}

// undefined is in the linker's message about a function that nothing defines.
var undefined = lazyregexp.New(`undefined symbol: (\S+)`)

// linkError names the functions that a program lacks, if that is why it could not be linked.
func linkError(err error) error {
	var failed *toolchain.FailedError
	if !errors.As(err, &failed) {
		return err
	}
	var names []string
	for _, m := range undefined().FindAllStringSubmatch(failed.Said, -1) {
		names = append(names, m[1])
	}
	if names == nil {
		return fmt.Errorf("link the pipelines with the harness: %s: %w:\n%s", failed.Name, failed.Err,
			toolchain.FirstLines(failed.Said))
	}
	return fmt.Errorf("the pipelines need %s, which neither Halide's runtime for Hexagon nor zonemark's harness has; "+
		"leave out what needs it, such as threads, devices or functions of other libraries", strings.Join(names, ", "))
}
