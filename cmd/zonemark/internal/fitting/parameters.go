package fitting

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"zonemark/driver/costmodel"
	"zonemark/driver/costmodel/params"
	"zonemark/driver/costmodel/table"
	"zonemark/invocations/files"
)

// part holds the rows of sweeps for one attribute set of a parameter file.
type part struct {
	architecture, operation, set string
	tables                       []*table.Table
	models                       []*costmodel.Model // of the whole sweep, if all of its rows belong to this part
	sweep                        sweep              // the first one
}

// writeFiles writes the files of --html, --models and --params-dir.
func (f *Settings) writeFiles(fits []fitted) error {
	var err error
	if f.plot != "" {
		err = files.Replace(f.plot, 0o644, func(w io.Writer) error { return writePlot(w, fits) })
	}
	if f.models != "" {
		var models []*costmodel.Model
		for _, fit := range fits {
			models = append(models, fit.model)
		}
		err = errors.Join(err, files.Replace(f.models, 0o644, func(w io.Writer) error {
			return costmodel.WriteModels(w, models)
		}))
	}
	if f.ParamsDir != "" {
		err = errors.Join(err, f.writeParameters(fits))
	}
	return err
}

// checkDestinations returns an error, before anything is fitted, if --params-dir cannot be written to.
func (f *Settings) checkDestinations(sweeps []sweep) error {
	if f.ParamsDir == "" {
		return nil
	}
	for _, s := range sweeps {
		if s.architecture == "" {
			return fmt.Errorf("--params-dir: %s: its architecture is not known; name it: --arch", s.table.File)
		}
		if f.Versioned && versionless(f.ParamsDir, s.architecture) {
			continue
		}
		if _, _, err := destination(f.ParamsDir, s.architecture); err != nil {
			return fmt.Errorf("--params-dir: %w", err)
		}
	}
	return nil
}

// CheckParameters returns why --params-dir could not be written for an architecture by a fit that is Versioned, nil if it
// can.
func CheckParameters(folder, architecture string) error {
	if versionless(folder, architecture) {
		return nil
	}
	_, _, err := destination(folder, architecture)
	return err
}

// versionless reports whether the parameters of an architecture have no versions, and are those of a fit, which has
// written models beside them.
func versionless(folder, architecture string) bool {
	newest, err := params.Versions(folder, architecture)
	single := params.SingleFile(folder, architecture)
	return err == nil && newest == 0 && exists(single) && exists(costmodel.ModelsBeside(single))
}

// makeFirst makes parameters without versions, and the models beside them, the first version.
func (f *Settings) makeFirst(architecture string) error {
	single, first := params.SingleFile(f.ParamsDir, architecture), params.VersionFile(f.ParamsDir, architecture, 1)
	if err := os.MkdirAll(filepath.Dir(first), 0o777); err != nil {
		return err
	}
	for _, move := range [][2]string{{costmodel.ModelsBeside(single), costmodel.ModelsBeside(first)}, {single, first}} {
		if err := os.Rename(move[0], move[1]); err != nil {
			return err
		}
	}
	f.note("%s is %s now, since there is a second version", single, first)
	return nil
}

// destination returns the path of the parameters to be written, with what they begin with. Neither they nor the models
// beside them may exist.
func destination(folder, architecture string) (path string, begin *params.File, err error) {
	if path, begin, err = params.Next(folder, architecture); err != nil {
		return "", nil, err
	}
	if beside := costmodel.ModelsBeside(path); exists(beside) {
		return "", nil, fmt.Errorf("%s: %w: name another folder", beside, params.ErrExists)
	}
	return path, begin, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// writeParameters writes a parameter file for each architecture, and its models beside it.
func (f *Settings) writeParameters(fits []fitted) error {
	parts, err := f.gather(fits)
	if err != nil {
		return err
	}
	var architectures []string
	for _, p := range parts {
		if !slices.Contains(architectures, p.architecture) {
			architectures = append(architectures, p.architecture)
		}
	}
	for _, architecture := range architectures {
		own := slices.DeleteFunc(slices.Clone(parts), func(p *part) bool { return p.architecture != architecture })
		if err := f.writeArchitecture(architecture, own); err != nil {
			return fmt.Errorf("--params-dir: %w", err)
		}
	}
	return nil
}

// gather divides the sweeps by attribute sets, base before others, and pools the rows of one set.
func (f *Settings) gather(fits []fitted) ([]*part, error) {
	var parts []*part
	for _, fit := range fits {
		own, said, err := fit.parts()
		if err != nil {
			return nil, err
		}
		if said != "" {
			f.note("%s", said)
		}
		for _, p := range own {
			at := slices.IndexFunc(parts, func(q *part) bool {
				return q.architecture == p.architecture && q.operation == p.operation && q.set == p.set
			})
			if at < 0 {
				parts = append(parts, p)
				continue
			}
			parts[at].tables = append(parts[at].tables, p.tables...)
			parts[at].models = append(parts[at].models, p.models...)
		}
	}
	attributes := func(p *part) int {
		if p.set == "base" {
			return 0
		}
		return 1 + strings.Count(p.set, "/")
	}
	slices.SortStableFunc(parts, func(a, b *part) int { return cmp.Compare(attributes(a), attributes(b)) })
	return parts, nil
}

// parts divides a sweep by the attribute sets of parameter files. If the file's name names an operation that some rows
// have, rows of others are left out: the published file of sine holds rows of cosine, too.
func (f fitted) parts() ([]*part, string, error) {
	if f.model.Kind == costmodel.Products {
		whole := &part{
			architecture: f.architecture, operation: f.operation, set: "base", sweep: f.sweep,
			tables: []*table.Table{f.table}, models: []*costmodel.Model{f.model},
		}
		return []*part{whole}, "", nil
	}
	descriptors, err := costmodel.Describe(f.table, f.identity)
	if err != nil {
		return nil, "", err
	}
	named := slices.ContainsFunc(descriptors, func(d params.Descriptor) bool { return d.Operation == f.operation })
	foreign := 0
	var parts []*part
	var rows [][]int
	for i := range descriptors {
		if named && descriptors[i].Operation != f.operation {
			foreign++
			continue
		}
		operation, set := descriptors[i].Destination()
		at := slices.IndexFunc(parts, func(p *part) bool { return p.operation == operation && p.set == set })
		if at < 0 {
			at = len(parts)
			parts = append(parts, &part{architecture: f.architecture, operation: operation, set: set, sweep: f.sweep})
			rows = append(rows, nil)
		}
		rows[at] = append(rows[at], i)
	}
	for i, p := range parts {
		p.tables = []*table.Table{f.table.Select(rows[i])}
		if len(rows[i]) == f.table.Rows {
			p.models = []*costmodel.Model{f.model}
		}
	}
	if foreign > 0 {
		return parts, fmt.Sprintf("%s: %d rows are not of %s: its parameters are fitted without them",
			f.table.File, foreign, f.operation), nil
	}
	return parts, "", nil
}

// fit returns the model of a part. A sweep that is one part was fitted already.
func (p *part) fit(f *Settings) (*costmodel.Model, error) {
	name := costmodel.ModelName(p.operation, p.set)
	if len(p.tables) == 1 && len(p.models) == 1 {
		m := *p.models[0]
		m.Operation = name
		return &m, nil
	}
	pooled, err := pool(p.tables)
	if err != nil {
		return nil, err
	}
	s := p.sweep
	s.operation = name
	return costmodel.Fit(pooled, f.options(s))
}

// pool returns the rows of several tables with the columns that all of them have, and the runtime for one input.
func pool(tables []*table.Table) (*table.Table, error) {
	if len(tables) == 1 {
		return tables[0], nil
	}
	var names, header []string
	var sources []string
	for i := range tables[0].Columns {
		c := &tables[0].Columns[i]
		missing := func(t *table.Table) bool { return t.Column(c.Name) == nil }
		if c.Role != table.Outcome && !slices.ContainsFunc(tables, missing) {
			names, header = append(names, c.Name), append(header, c.Header)
		}
	}
	var rows [][]string
	for _, t := range tables {
		sources = append(sources, t.File)
		for i := range t.Rows {
			var row []string
			for _, name := range names {
				row = append(row, t.Column(name).Cell(i))
			}
			rows = append(rows, append(row, strconv.FormatFloat(t.Runtime[i], 'g', -1, 64)))
		}
	}
	return table.New(strings.Join(sources, " and "), append(header, "runtime"), rows, nil)
}

// writeArchitecture writes the parameters and the models of one architecture.
func (f *Settings) writeArchitecture(architecture string, parts []*part) error {
	if f.Versioned && versionless(f.ParamsDir, architecture) {
		if err := f.makeFirst(architecture); err != nil {
			return err
		}
	}
	path, file, err := destination(f.ParamsDir, architecture)
	if err != nil {
		return err
	}
	beside := costmodel.ModelsBeside(path)
	models, err := kept(file)
	if err != nil {
		return err
	}
	if f.Scratch {
		file.Operations, models = nil, nil
	}
	written := false
	for _, p := range parts {
		m, err := p.fit(f)
		if err != nil {
			return err
		}
		models = append(slices.DeleteFunc(models, func(old *costmodel.Model) bool {
			return old.Operation == m.Operation
		}), m)
		weights, _, err := m.Parameters()
		if err != nil {
			f.note("%s: only in %s: %v", m.Operation, filepath.Base(beside), err)
			continue
		}
		if err := file.Set(p.operation, p.set, weights); err != nil {
			return err
		}
		written = true
	}
	baseFirst(file)
	if written {
		if err := f.writeVersion(path, file); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(beside), 0o777); err != nil {
		return err
	}
	err = files.Replace(beside, 0o644, func(w io.Writer) error { return costmodel.WriteModels(w, models) })
	if err == nil {
		f.note("wrote %s", beside)
	}
	return err
}

// kept returns the models of the version before, whose weights the next version keeps if they are not fitted again.
func kept(before *params.File) ([]*costmodel.Model, error) {
	if before.Version == 0 {
		return nil, nil
	}
	path := costmodel.ModelsBeside(before.Name)
	file, err := files.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return costmodel.ReadModels(file, path)
}

// baseFirst moves the sets named base to the front, since the first set is tried last.
func baseFirst(file *params.File) {
	for _, o := range file.Operations {
		at := slices.IndexFunc(o.Sets, func(s params.Set) bool { return s.Name == "base" })
		if at > 0 {
			base := o.Sets[at]
			copy(o.Sets[1:at+1], o.Sets[:at])
			o.Sets[0] = base
		}
	}
}

func (f *Settings) writeVersion(path string, file *params.File) error {
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	if err == nil && file.Version > 0 {
		err = file.WriteVersion(f.ParamsDir, file.Architecture, file.Version)
	} else if err == nil {
		err = file.Write(path)
	}
	if err == nil {
		f.note("wrote %s", path)
	}
	return err
}
