package iree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"zonemark/executor"
	"zonemark/executor/iree/dispatchplan"
	"zonemark/executor/iree/vmfb"
	"zonemark/invocations"
)

// planExtension ends the name of a dispatch plan; beside model.vmfb it is model.dispatches.json.
const planExtension = ".dispatches.json"

// The parameters of a dispatch. Values within one are separated by "x" or ":", since commas separate the points of a
// sweep.
const (
	parameterWorkgroups = "workgroups" // 16x1x1
	parameterBindings   = "bindings"   // sizes in bytes, 65536:524288:32768
	parameterConstants  = "constants"  // 32-bit words, 1:2:3
)

// describeDispatches describes a module whose dispatches are to be run alone. file is the module itself.
func (in Installation) describeDispatches(
	ctx context.Context,
	d invocations.Description,
	m *vmfb.Module,
	file string,
	o executor.DescribeOptions,
	skip string,
) (invocations.Description, error) {
	if len(m.Libraries) == 0 {
		d.Warnings = append(
			d.Warnings,
			fmt.Sprintf(
				"%s: the module holds no dispatch libraries, so there is no dispatch to run alone",
				d.Artifact.Path,
			),
		)
		return d, nil
	}
	plan := &dispatchplan.Plan{}
	if skip == "" {
		var warnings []string
		var err error
		if plan, d.Artifact.Built, warnings, err = in.planFor(ctx, m, file, d.Artifact, o); err != nil {
			return d, err
		}
		d.Warnings = append(d.Warnings, warnings...)
	}
	for _, v := range dispatchVariants(m, plan) {
		d.Functions = append(d.Functions, v.describe(m, skip))
		if text := v.detail(); text != "" {
			d.Details = append(d.Details, text)
		}
	}
	return d, nil
}

// planFor finds the plan of a module: beside it, or in the cache, or recorded by a run now. The path is empty where
// there is none, and the warnings say why.
func (in Installation) planFor(
	ctx context.Context,
	m *vmfb.Module,
	file string,
	a invocations.Artifact,
	o executor.DescribeOptions,
) (*dispatchplan.Plan, string, []string, error) {
	hash, err := fileHash(file)
	if err != nil {
		return nil, "", nil, err
	}
	var warnings []string
	beside := strings.TrimSuffix(file, filepath.Ext(file)) + planExtension
	switch p, err := matchingPlan(beside, hash); {
	case err == nil:
		return p, beside, nil, nil
	case !errors.Is(err, os.ErrNotExist):
		warnings = append(warnings, err.Error())
	}
	if o.Cache == "" {
		return &dispatchplan.Plan{}, a.Built, warnings, nil
	}
	folder := filepath.Join(o.Cache, "iree-dispatches")
	place := sha256.Sum256(
		[]byte(hash + "\x00" + file),
	) // a plan names its module: the same one elsewhere needs another plan
	cached := filepath.Join(folder, hex.EncodeToString(place[:8])+planExtension)
	if p, err := matchingPlan(cached, hash); err == nil &&
		len(p.Functions) == len(m.Functions) { // what could not be recorded may be by now, or else is to be said again
		return p, cached, warnings, nil
	}
	if in.Tools == "" {
		return &dispatchplan.Plan{}, a.Built, append(
			warnings,
			fmt.Sprintf(
				"%s: how its dispatches are called could not be recorded: IREE's tools are not installed",
				a.Path,
			),
		), nil
	}
	p, problems, err := in.record(ctx, m, file, o.Options)
	if err != nil {
		return nil, "", nil, err
	}
	warnings = append(warnings, problems...)
	p.Module, p.SHA256 = file, hash
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, "", nil, fmt.Errorf("dispatch plan: %w", err)
	}
	if err := p.Write(cached); err != nil {
		return nil, "", nil, err
	}
	return p, cached, warnings, nil
}

// matchingPlan reads a plan and refuses that of another module.
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
