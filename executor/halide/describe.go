package halide

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"zonemark/executor"
	"zonemark/executor/dl"
	"zonemark/executor/halide/metadata"
	"zonemark/executor/values"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// Describe reads a shared library, an archive or an object file with pipelines, or all of a folder in the order of
// their names, without loading native code. Generators are built below the cache first.
func (r Runtime) Describe(path string, o executor.DescribeOptions) ([]invocations.Description, error) {
	if FromGenerator(path) {
		return r.describeGenerators(path, o)
	}
	if _, err := parseOptions(path, o.Options); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	paths, err := executor.ArtifactsAt(path, "Halide pipeline", "name a .so, .a or .o file with one", isArtifact)
	if err != nil {
		return nil, err
	}
	var list []invocations.Description
	for _, file := range paths {
		f, err := metadata.Read(file)
		if err != nil {
			return nil, err
		}
		if len(f.Pipelines) == 0 && len(paths) > 1 {
			continue
		}
		if len(f.Pipelines) == 0 {
			return nil, noPipelines(file)
		}
		list = append(list, describe(file, f))
	}
	if len(list) == 0 {
		return nil, noPipelines(path)
	}
	return list, nil
}

func noPipelines(path string) error {
	return remedy.With(
		fmt.Errorf("%s: it holds no Halide pipeline, which is a function NAME_argv with a function NAME_metadata", path),
		remedy.Remedy{Kind: remedy.Act, Value: "name what a generator has made"}, remedy.Remedy{Kind: remedy.Prototype})
}

func describe(path string, f *metadata.File) invocations.Description {
	d := invocations.Description{Artifact: invocations.Artifact{Path: path}, NeedsBuild: f.Form != metadata.Shared}
	skip, emulated := "", f.Form == metadata.Program
	if machine := dl.Architecture(f.Machine); machine != runtime.GOARCH && !emulated {
		skip = fmt.Sprintf("it was made for %s and this is %s; build it with target=host", machine, runtime.GOARCH)
	}
	var targets []string
	pipelines := f.Pipelines
	if emulated {
		pipelines = chosen(f)
	}
	for i := range pipelines {
		p := &pipelines[i]
		fn := describePipeline(p)
		t := parseTarget(p.Target)
		if fn.Emulated = emulated; !emulated {
			fn.Skip = cmp.Or(t.skip(runtime.GOOS, runtime.GOARCH), skip)
		}
		if runtime.GOARCH == "amd64" {
			fn.Lacks = t.lacks(cpuFeatures())
		}
		d.Functions = append(d.Functions, fn)
		if !slices.Contains(targets, p.Target) {
			targets = append(targets, p.Target)
			d.Details = append(d.Details, "made for "+p.Target)
		}
	}
	return d
}

// describePipeline describes the arguments and what a caller may choose of them.
func describePipeline(p *metadata.Pipeline) invocations.Function {
	f := invocations.Function{Name: p.Name}
	var signature []string
	for i := range p.Arguments {
		a := &p.Arguments[i]
		if internal(a) {
			continue
		}
		out := invocations.Argument{Name: a.Name, Usage: invocations.Input}
		if a.Kind == metadata.OutputBuffer {
			out.Usage = invocations.Output
		}
		e, err := element(a.Type)
		if err != nil && f.Note == "" {
			f.Note = fmt.Sprintf("it cannot be called: argument %s: %v", a.Name, err)
		}
		out.Element = e
		if a.Kind == metadata.Scalar {
			f.Parameters = append(f.Parameters, invocations.Parameter{Name: a.Name, Default: scalarText(a, e)})
		} else if a.Dimensions > 0 {
			open := make([]string, a.Dimensions)
			for d := range open {
				open[d] = invocations.OpenDimension
			}
			out.Extent = strings.Join(open, "x")
			f.Parameters = append(f.Parameters,
				invocations.Parameter{Name: extentParameter(a), Default: extentsText(estimatedExtents(a)), Estimated: true})
		} else {
			out.Shape = []int64{}
		}
		f.Arguments = append(f.Arguments, out)
		signature = append(signature, fmt.Sprintf("%s %s%s", a.Name, a.Type, bracketed(a)))
	}
	f.Signature = "(" + strings.Join(signature, ", ") + ")"
	return f
}

// bracketed returns the dimensions of a buffer, and how it is used, as a signature needs it.
func bracketed(a *metadata.Argument) string {
	switch a.Kind {
	case metadata.Scalar:
		return ""
	case metadata.OutputBuffer:
		return fmt.Sprintf("[%d] out %s", a.Dimensions, extentsText(estimatedExtents(a)))
	}
	return fmt.Sprintf("[%d] %s", a.Dimensions, extentsText(estimatedExtents(a)))
}

// scalarText returns the value that a scalar has if nobody chooses one: its estimate, or else its default. It is empty
// if there is none, or if its type is not supported.
func scalarText(a *metadata.Argument, e invocations.ElementType) string {
	b := a.Estimate
	if b == nil {
		b = a.Default
	}
	if b == nil || e == "" {
		return ""
	}
	return values.Text(b, e)
}

// extentSuffix ends the name of a parameter that chooses the extents of a buffer.
const extentSuffix = ".extent"

func extentParameter(a *metadata.Argument) string { return a.Name + extentSuffix }

// estimatedExtents returns the estimated extents of a buffer, dimension 0 first; nil if one is missing.
func estimatedExtents(a *metadata.Argument) []int64 {
	if len(a.Estimates) == 0 {
		return nil
	}
	list := make([]int64, len(a.Estimates))
	for d, r := range a.Estimates {
		if r.Extent == nil {
			return nil
		}
		list[d] = *r.Extent
	}
	return list
}

// extentsText returns extents as a parameter spells them, "1024x768"; empty for none.
func extentsText(list []int64) string {
	var words []string
	for _, n := range list {
		words = append(words, strconv.FormatInt(n, 10))
	}
	return strings.Join(words, "x")
}

// parseExtents reads what extentsText writes.
func parseExtents(text string, dimensions int) ([]int64, error) {
	words := strings.Split(text, "x")
	if len(words) != dimensions {
		meant := exampleExtents(dimensions)
		if _, err := strconv.ParseUint(words[0], 10, 31); err == nil {
			words = append(words, slices.Repeat(words[:1], dimensions)...)
			meant = strings.Join(words[:dimensions], "x")
		}
		return nil, remedy.With(fmt.Errorf("%q has %d extents, and the buffer %d dimensions; write one extent for each, "+
			"dimension 0 first", text, strings.Count(text, "x")+1, dimensions),
			remedy.Remedy{Kind: remedy.Instead, Name: text, Value: meant})
	}
	list := make([]int64, dimensions)
	for d, word := range words {
		var err error
		if list[d], err = strconv.ParseInt(word, 10, 32); err != nil || list[d] < 1 {
			return nil, fmt.Errorf("%q: %q is no extent; want a number from 1 to 2147483647", text, word)
		}
	}
	return list, nil
}

// Profiled reports whether a pipeline of an artifact can tell the times of its Funcs: it, or that of the profile build,
// was made with Halide's profiler, or can be; see ForProfile.
func Profiled(artifact invocations.Artifact, function string) bool {
	if FromGenerator(artifact.Path) && artifact.Options[OptionProfileBuild] == "" {
		return true
	}
	path := artifact.Path
	if build := artifact.Options[OptionProfileBuild]; build != "" {
		path = build
	}
	f, err := metadata.Read(filepath.Clean(path))
	if err != nil {
		return false // describing or loading it says why
	}
	return slices.ContainsFunc(f.Pipelines, func(p metadata.Pipeline) bool {
		return p.Name == function && parseTarget(p.Target).has(profileFeature)
	})
}
