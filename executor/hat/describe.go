package hat

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"zonemark/executor"
	"zonemark/executor/cfunction/exports"
	"zonemark/executor/toolchain"
	"zonemark/invocations"
	"zonemark/invocations/files"
)

// These parts of names mark functions that generators add for other purposes than measuring. hatlib recognizes
// them by the same names.
const (
	initializerMark = "Initialize"
	debugMark       = "_debug_check_allclose"
)

// Describe reads a .hat file, or all of a folder in the order of their names, without loading native code. If a
// function cannot be called as described, its Note holds the reason and preparing it fails. The other functions are not
// affected.
func (Runtime) Describe(path string, o executor.DescribeOptions) ([]invocations.Description, error) {
	paths, err := executor.ArtifactsAt(path, "HAT package", "name a .hat file or a folder with one", isPackage)
	if err != nil {
		return nil, err
	}
	here := machine{system: runtime.GOOS, architecture: runtime.GOARCH, flags: cpuFlags()}
	descriptions := make([]invocations.Description, 0, len(paths))
	for _, path := range paths {
		p, err := ReadPackage(path)
		if err != nil {
			return nil, err
		}
		d, err := p.describe(here, o.Parameters)
		if err != nil {
			return nil, err
		}
		descriptions = append(descriptions, d)
	}
	return descriptions, nil
}

// machine describes where functions are to run.
type machine struct {
	system, architecture string
	flags                map[string]bool // of the CPU; nil if unknown
}

// describe returns the description of the package for a machine.
func (p *Package) describe(here machine, parameters map[string]string) (invocations.Description, error) {
	d := invocations.Description{Artifact: invocations.Artifact{Path: p.Path}, NeedsBuild: toolchain.IsStatic(p.Depends.LinkTarget)}
	var err error
	if d.Artifact.SHA256, err = p.codeHash(); err != nil {
		return d, err
	}
	lib, skip, warning := p.libraryFor(here)
	if warning != "" {
		d.Warnings = append(d.Warnings, warning)
	}
	lacks, _ := lackingFeatures(p.Target.Required.CPU.Extensions, here.architecture, here.flags)
	for _, f := range p.Functions {
		if f.initializer() {
			d.Warnings = append(d.Warnings,
				f.Symbol+" sets the library up: it is called once after loading and not measured")
			continue
		}
		if f.Name != "" && f.Name != f.Symbol {
			d.Warnings = append(d.Warnings,
				fmt.Sprintf("function %s carries the name %q; its key is taken for the symbol", f.Symbol, f.Name))
		}
		out := invocations.Function{Name: f.Symbol, Skip: p.skipReason(f, skip), Note: lib.Problem(f.Symbol)}
		if out.Skip == "" {
			out.Lacks = strings.Join(lacks, " ")
		}
		p.describeArguments(f, parameters, &out)
		d.Functions = append(d.Functions, out)
	}
	if len(p.Functions) == 0 {
		d.Warnings = append(d.Warnings, "the package describes no functions")
	}
	return d, nil
}

func (f *Function) initializer() bool { return strings.Contains(f.Symbol, initializerMark) }

// describeArguments adds arguments, parameters and signature. If the function cannot be called, it writes the reason to
// the note.
func (p *Package) describeArguments(f *Function, parameters map[string]string, out *invocations.Function) {
	t, err := p.prototypeOf(f)
	if err != nil {
		out.Note = "it cannot be called: " + err.Error()
		return
	}
	if err := t.Describe(out, parameters); err != nil {
		out.Note = "it cannot be called: " + err.Error()
	}
}

// skipReason returns why a function cannot run here. ofPackage is the reason that holds for the whole package.
func (p *Package) skipReason(f *Function, ofPackage string) string {
	if strings.Contains(f.Symbol, debugMark) {
		return "it is a checking function of the generator, not a kernel"
	}
	if runtime := p.deviceRuntime(f); runtime != "" {
		model := p.Target.Required.GPU.Model
		if model != "" {
			model = " (made for " + model + ")"
		}
		return fmt.Sprintf("it needs a GPU with the %s runtime%s; HAT functions run on the CPU only", runtime, model)
	}
	return ofPackage
}

// deviceRuntime returns the GPU runtime that a function needs, or "" for a CPU function.
func (p *Package) deviceRuntime(f *Function) string {
	name := f.Runtime
	if d := p.Devices[f.Launches]; name == "" && d != nil {
		name = d.Runtime
	}
	onDevice := f.Launches != "" || f.Convention == "devicecall" || f.Convention == "device" ||
		len(f.LaunchParameters) > 0
	if name == "" || strings.EqualFold(name, "openmp") {
		if !onDevice {
			return ""
		}
		if name = p.Target.Required.GPU.Runtime; name == "" {
			name = "package's"
		}
	}
	return name
}

// libraryFor inspects the link target. skip is the reason that holds for every function: the library was made for
// another system or processor, or it uses instructions that this CPU would execute as different ones.
func (p *Package) libraryFor(here machine) (lib exports.Library, skip, warning string) {
	target := p.Target.Required
	switch system, arch := goSystem(target.OS), goArchitecture(target.CPU.Architecture); {
	case system != "" && system != here.system:
		return lib, fmt.Sprintf("it was made for %s and this is %s; generate the package for this system",
			target.OS, here.system), ""
	case arch != "" && arch != here.architecture:
		return lib, fmt.Sprintf("it was made for %s and this is %s; generate the package for this processor",
			target.CPU.Architecture, here.architecture), ""
	case p.Depends.LinkTarget == "":
		return lib, "the package has no library (dependencies.link_target is empty); compile its sources and name " +
			"the result there", ""
	}
	if toolchain.IsSource(p.Library()) {
		if _, err := os.Stat(p.Library()); err == nil {
			return lib, "", ""
		}
	}
	lib, err := exports.InspectFile(p.Library())
	switch {
	case errors.Is(err, os.ErrNotExist):
		return lib, "", "" // building or loading fails with the reason: a broken package is not skipped
	case err != nil:
		return lib, "", err.Error()
	}
	if what, made, is := lib.Mismatch(here.system, here.architecture); what != "" {
		return lib, fmt.Sprintf("the library %s is for %s and this is %s; generate the package for this %s",
			p.Depends.LinkTarget, made, is, what), ""
	}
	if _, silent := lackingFeatures(target.CPU.Extensions, here.architecture, here.flags); len(silent) > 0 {
		skip = "this CPU lacks " + strings.Join(silent, " and ") +
			", without which the code would silently compute wrong results; run it on a newer CPU"
	}
	return lib, skip, ""
}

// goSystem translates target.required.os to Go's name. It returns an unknown name unchanged, which matches no system.
func goSystem(os string) string {
	switch os = strings.ToLower(os); os {
	case "macos", "osx":
		return "darwin"
	}
	return os
}

// goArchitecture translates target.required.CPU.architecture to Go's name.
func goArchitecture(name string) string {
	switch name = strings.ToLower(name); name {
	case "x86_64", "x86-64", "x64":
		return "amd64"
	case "aarch64":
		return "arm64"
	case "x86", "i386", "i686":
		return "386"
	}
	return name
}

// codeHash returns the hash of the library, or of the sources if the package has no library. The .hat file is left out,
// because durations are written back into it. Returns "" if the files are missing.
func (p *Package) codeHash() (string, error) {
	var code []string
	if lib := p.Library(); lib != "" {
		code = append(code, lib)
	} else {
		seen := map[string]bool{"": true}
		for _, f := range p.Functions {
			for _, d := range []*Function{f, p.Devices[f.Launches]} {
				if d != nil && !seen[d.Provider] {
					seen[d.Provider] = true
					code = append(code, p.resolve(d.Provider))
				}
			}
		}
	}
	if len(code) == 0 {
		return "", nil
	}
	h := sha256.New()
	for _, path := range code {
		switch err := files.CopyTo(h, path); {
		case errors.Is(err, os.ErrNotExist):
			return "", nil
		case err != nil:
			return "", fmt.Errorf("%s: %w; make sure that dependencies.link_target is a readable file", p.Path, err)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
