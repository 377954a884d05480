package measuring

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/cmd/zonemark/internal/hosting"
	"zonemark/driver/bundle"
	"zonemark/driver/plan"
	"zonemark/driver/report"
	"zonemark/executor/platform"
	"zonemark/executor/sandbox"
	"zonemark/invocations"
)

// bundled is what --bundle keeps of a plan.
type bundled struct {
	plan  bundle.Plan
	files []string               // absolute paths, each once
	known map[string]os.FileInfo // of the files, before measuring
}

// bundleOf collects the files that the invocations of a plan need.
func (m *Measurement) bundleOf(plan *plan.Plan) (*bundled, error) {
	built, err := m.Cache().Folder("built")
	if err != nil {
		return nil, err
	}
	b := &bundled{plan: bundle.Plan{Environment: plan.Environment}, known: map[string]os.FileInfo{}}
	for _, p := range plan.All() {
		if p.Verdict != "" {
			b.plan.Invocations = append(b.plan.Invocations, *p)
			continue
		}
		row := m.Runtimes.Lookup(p.Invocation.Runtime)
		switch l := p.Invocation.Limits; {
		case row.Programs:
			return nil, fmt.Errorf("--bundle: %s is a whole command, and zonemark does not know which files it needs", p.Invocation.Name)
		case len(l.Read) > 0:
			return nil, fmt.Errorf("--bundle: %s may read %s (sandbox_read), which a bundle cannot have",
				p.Invocation.Name, l.Read[0])
		case len(l.Allow) > 0:
			return nil, fmt.Errorf("--bundle: %s may write %s (sandbox_allow), which a bundle cannot have",
				p.Invocation.Name, l.Allow[0])
		}
		var failed error
		add := func(path string) string {
			if err := b.add(path); err != nil && failed == nil {
				failed = fmt.Errorf("--bundle: %s: %w", p.Invocation.Name, err)
			}
			return path
		}
		inv := p.Invocation
		inv.Artifact.Profiled = "" // it is built again where it is profiled
		bundle.EachPath(&inv, m.Runtimes.EachFile, add)
		for _, path := range bundle.Loaded(&inv) {
			if row.Companions == nil {
				break
			}
			more, err := row.Companions(path)
			if err == nil {
				err = bundle.Beside(&inv, path, more, built)
			}
			if err != nil {
				return nil, fmt.Errorf("--bundle: %w", err)
			}
			for _, file := range more {
				add(file)
			}
		}
		if failed != nil {
			return nil, failed
		}
		if err := m.checkOptions(&inv); err != nil {
			return nil, fmt.Errorf("--bundle: %s: %w", inv.Name, err)
		}
		planned := *p
		planned.Invocation = inv // its paths are absolute
		b.plan.Invocations = append(b.plan.Invocations, planned)
	}
	return b, nil
}

// add adds a file, and the libraries that it loads.
func (b *bundled) add(path string) error {
	if b.known[path] != nil {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file, and only regular files can be kept", path)
	}
	b.known[path] = info
	b.files = append(b.files, path)
	libraries, err := librariesBeside(path)
	for _, library := range libraries {
		err = errors.Join(err, b.add(library))
	}
	return err
}

// writeBundle writes the bundle of a run that has ended.
func (m *Measurement) writeBundle(b *bundled, run report.Run) error {
	for _, path := range b.files {
		info, err := os.Stat(path)
		was := b.known[path]
		if err != nil || info.Size() != was.Size() || !info.ModTime().Equal(was.ModTime()) || !os.SameFile(info, was) {
			return fmt.Errorf("%s was not written: %s has changed while it was measured", m.BundleFile, path)
		}
	}
	format, err := m.Formats.Lookup("ndjson")
	if err != nil {
		return err
	}
	var journal bytes.Buffer
	if err := format.Write(&journal, run); err != nil {
		return err
	}
	plan, err := b.plan.Encode()
	if err != nil {
		return err
	}
	digest, err := bundle.Write(m.BundleFile, bundle.Source{
		Build: cli.Version(), Journal: journal.Bytes(), Plan: plan, Files: b.files,
	})
	if err != nil {
		return err
	}
	m.note("wrote %s: %s, %s, digest %s", m.BundleFile, report.Counted(len(b.plan.Invocations), "invocation"),
		report.Counted(len(b.files), "file"), digest[:16])
	return nil
}

func holdsBundle(path string) error {
	b, err := bundle.Open(path, 1<<62)
	if err != nil {
		return err
	}
	return b.Close()
}

// MaxBundle is how large a bundle may be that replay unpacks, in bytes, if the user does not say.
const MaxBundle = 4 << 30

// Environment returns the fingerprint of this machine, for a plan that no executor here has described.
func (m *Measurement) Environment() map[string]string {
	e := platform.Environment()
	e["counters"] = hosting.TryCounters(m.Counters)
	return e
}

// Unpacked returns the plan of a bundle whose files were unpacked into a folder. It refuses what a bundle of a stranger
// might try: whole commands, which run unconfined, and files that are not in the bundle. Limits are the lesser of the
// bundle's and the user's.
func (m *Measurement) Unpacked(b *bundle.Bundle, folder string) (*plan.Plan, error) {
	if _, err := sandbox.ParseProfile(m.Base.Limits.Profile); err != nil {
		return nil, fmt.Errorf("--sandbox-profile: %w", err)
	}
	kept, err := b.DecodePlan()
	if err != nil {
		return nil, err
	}
	plan := &plan.Plan{Environment: m.Environment()}
	relocated, allowed := map[string]bool{}, m.bounds()
	for i := range kept.Invocations {
		p := &kept.Invocations[i]
		inv := &p.Invocation
		row := m.Runtimes.Lookup(inv.Runtime)
		switch {
		case row.Name == "":
			return nil, fmt.Errorf("%s has the runtime %.40q, which this zonemark does not know", inv.Name, inv.Runtime)
		case row.Programs || len(inv.Command) > 0:
			return nil, fmt.Errorf("%s is a whole command, which would run outside of the sandbox", inv.Name)
		case len(inv.Limits.Read) > 0:
			return nil, fmt.Errorf("%s wants to read %s; a bundle cannot have that", inv.Name, inv.Limits.Read[0])
		case len(inv.Limits.Allow) > 0:
			return nil, fmt.Errorf("%s wants to write %s; a bundle cannot have that", inv.Name, inv.Limits.Allow[0])
		}
		inv.Artifact.Profiled = ""
		if p.Verdict != "" { // nothing is read
			plan.Add(*p)
			continue
		}
		moved := func(path string) string { return bundle.PathIn(folder, path) }
		var missing []string
		bundle.EachPath(inv, m.Runtimes.EachFile, func(path string) string {
			if !b.Has(path) {
				missing = append(missing, path)
			}
			return moved(path)
		})
		if len(missing) > 0 {
			return nil, fmt.Errorf("%s needs %s, which the bundle does not hold", inv.Name, missing[0])
		}
		if err := m.checkOptions(inv); err != nil {
			return nil, fmt.Errorf("%s: %w", inv.Name, err)
		}
		inv.Limits.Profile = m.Base.Limits.Profile
		allowed.apply(inv)
		m.Runtimes.Confine(inv)
		for _, path := range bundle.Loaded(inv) {
			if row.Relocate == nil || relocated[path] {
				continue
			}
			relocated[path] = true
			if err := relocate(path, row.Relocate, moved); err != nil {
				return nil, err
			}
		}
		plan.Add(*p)
	}
	return plan, nil
}

// relocate changes the paths in an unpacked file. Nobody writes to it afterwards.
func relocate(path string, change func(string, func(string) string) error, moved func(string) string) error {
	if err := os.Chmod(path, 0o755); err != nil {
		return err
	}
	return errors.Join(change(path, moved), os.Chmod(path, 0o555))
}

// checkOptions returns an error if the options of an invocation name another file than those that EachFile finds, and
// the system's: executors may read what options name, whatever kind of option it is. It also does if one has a value
// that nobody but the user may give.
func (m *Measurement) checkOptions(inv *invocations.Invocation) error {
	row := m.Runtimes.Lookup(inv.Runtime)
	for _, o := range row.Options {
		if value := inv.Artifact.Options[o.Name]; value != "" && o.Foreign != nil {
			if err := o.Foreign(value); err != nil {
				return fmt.Errorf("the option %s: %w; a bundle cannot have that", o.Name, err)
			}
		}
	}
	rest := m.Runtimes.EachFile(inv.Artifact.Options, func(string) string { return "" })
	for _, key := range slices.Sorted(maps.Keys(rest)) {
		for _, path := range append(hosting.PathsInOption(rest[key]), rest[key]) {
			if filepath.IsAbs(path) && !bundle.OfSystem(path) {
				return fmt.Errorf("the option %s names %s, which the bundle does not hold", key, path)
			}
		}
	}
	return nil
}
