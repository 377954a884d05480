package dispatchmode

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"zonemark/executor/iree/dispatchplan"
	"zonemark/executor/iree/vmfb"
	"zonemark/invocations"
)

// Describe adds the dispatches of a module to the description of its artifact. file is the path of the module. If they
// cannot be called, skip says why, and nothing is recorded. The plan by which they are called becomes what the artifact
// was built to.
func (r *Recorder) Describe(
	ctx context.Context, d invocations.Description, m *vmfb.Module, file, skip string,
) (invocations.Description, error) {
	if len(m.Libraries) == 0 {
		d.Warnings = append(d.Warnings,
			d.Artifact.Path+": the module holds no dispatch libraries, so there is no dispatch to run alone")
		return d, nil
	}
	plan := &dispatchplan.Plan{}
	if skip == "" {
		var warnings []string
		var err error
		if plan, d.Artifact.Built, warnings, err = r.planFor(ctx, m, file, d.Artifact); err != nil {
			return d, err
		}
		d.Warnings = append(d.Warnings, warnings...)
	}
	for _, v := range variants(m, plan) {
		d.Functions = append(d.Functions, v.describe(m, skip))
		if text := v.detail(); text != "" {
			d.Details = append(d.Details, text)
		}
	}
	return d, nil
}

// planFor finds the plan of a module: beside it, in the cache, or by recording a run now. If there is none, the path is
// empty and the warnings say why.
func (r *Recorder) planFor(
	ctx context.Context, m *vmfb.Module, file string, a invocations.Artifact,
) (*dispatchplan.Plan, string, []string, error) {
	hash, err := modulesHash(m, file)
	if err != nil {
		return nil, "", nil, err
	}
	var warnings []string
	beside := strings.TrimSuffix(file, filepath.Ext(file)) + dispatchplan.Extension
	switch p, err := matchingPlan(beside, hash); {
	case err == nil:
		return p, beside, nil, nil
	case !errors.Is(err, os.ErrNotExist):
		warnings = append(warnings, err.Error())
	}
	if r.Cache == "" {
		return &dispatchplan.Plan{}, a.Built, warnings, nil
	}
	folder := filepath.Join(r.Cache, "iree-dispatches")
	name := r.planName(hash, file)
	cached := filepath.Join(folder, name+dispatchplan.Extension)
	// A plan that lacks functions is recorded again: it may succeed now, or else the warning is repeated.
	if p, err := matchingPlan(cached, hash); err == nil && len(p.Functions) == len(m.Functions) && hasFiles(p, cached) {
		return p, cached, warnings, nil
	}
	if r.Tool == nil {
		warnings = append(warnings,
			a.Path+": how its dispatches are called could not be recorded: IREE's tools are not installed")
		return &dispatchplan.Plan{}, a.Built, warnings, nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, "", nil, fmt.Errorf("dispatch plan: %w", err)
	}
	data, err := os.CreateTemp(folder, "recording-*")
	if err != nil {
		return nil, "", nil, fmt.Errorf("dispatch plan: %w", err)
	}
	defer os.Remove(data.Name()) // is already gone if it is kept
	p, problems, err := r.record(ctx, m, file, data)
	if err = errors.Join(err, data.Close()); err != nil {
		return nil, "", nil, err
	}
	warnings = append(warnings, problems...)
	p.Module, p.SHA256 = file, hash
	if p.Version > 1 {
		p.Data = name + ".data"
		if err := os.Rename(data.Name(), p.DataPath(cached)); err != nil {
			return nil, "", nil, fmt.Errorf("dispatch plan: %w", err)
		}
	}
	if err := p.Write(cached); err != nil {
		return nil, "", nil, err
	}
	return p, cached, warnings, nil
}

// planName returns the name of the plan of a module in the cache. A plan names its module, so the same module elsewhere
// needs another plan. It holds the types of inputs and the places of parameters.
func (r *Recorder) planName(hash, file string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00%d\x00%q\x00%+v", hash, file, dispatchplan.Version, r.Parameters, r.Inputs)
	for one := range strings.SplitSeq(r.Parameters, ",") {
		_, path, scoped := strings.Cut(one, "=")
		if !scoped {
			path = one
		}
		if info, err := os.Stat(path); err == nil { // one that is not there is refused when the module is run
			fmt.Fprintf(h, "\x00%d %d", info.Size(), info.ModTime().UnixNano())
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// matchingPlan reads a plan and refuses it if it belongs to another module.
func matchingPlan(path, hash string) (*dispatchplan.Plan, error) {
	p, err := dispatchplan.Read(path)
	if err != nil {
		return nil, err
	}
	if p.SHA256 != hash {
		return nil, fmt.Errorf("%s belongs to another version of the module; delete it, or record it again", path)
	}
	return p, nil
}

// hasFiles reports whether the files that the plan at path reads are there.
func hasFiles(p *dispatchplan.Plan, path string) bool {
	return !slices.ContainsFunc(p.Files(path), func(file string) bool {
		_, err := os.Stat(file)
		return err != nil
	})
}
