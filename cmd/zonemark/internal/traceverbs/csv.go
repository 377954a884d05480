package traceverbs

import (
	"io"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/trace/tracycsv"
)

const csvIntro = `Write a capture as CSV, with the flags of tracy-csvexport.

Usage: zonemark trace csv [flags] FILE

Without -u, -m or -g: a row for each zone name. The dialect zonemark, the default, holds all that is known of a ` +
	`zone; the others hold the columns of tracy-csvexport of
that version. Where that version writes wrong values, zonemark writes the right ones. Every dialect is valid CSV.

Examples:
  zonemark trace csv run.tracy -u -o zones.csv
  zonemark trace csv run.tracy -u --dialect 0.11.2 -f matmul
  zonemark trace csv run.tracy -m -s ';'
`

func csvVerb() verb {
	return verb{
		name: "csv", summary: "the capture as CSV, in every dialect of tracy-csvexport", intro: csvIntro, least: 1,
		most: 1,
		declare: func(f *flags) action {
			v := &writingCSV{}
			v.options.Dialect = tracycsv.DialectZonemark
			v.declare(f)
			return v
		},
	}
}

// writingCSV is what the verb csv does.
type writingCSV struct {
	output  string
	options tracycsv.Options
}

func (v *writingCSV) declare(f *flags) {
	set, o := f.set, &v.options
	set.Var(cli.Choice(&o.Dialect, tracycsv.Dialects()), "dialect",
		"columns: ours, those of tracy-csvexport since a version, or those of Tenstorrent's fork")
	set.BoolVarP(&o.Unwrap, "unwrap", "u", false, "a row for each zone")
	set.BoolVarP(&o.Self, "self", "e", false, "times without the zones inside")
	set.BoolVarP(&o.Messages, "messages", "m", false, "the messages")
	set.BoolVarP(&o.Plot, "plot", "p", false, "the plots; with -u, after the zones in the dialects of tracy-csvexport")
	set.BoolVarP(&o.GPU, "gpu", "g", false, "the GPU zones")
	set.StringVarP(&o.Filter, "filter", "f", "", "only zones whose name contains this text")
	set.BoolVarP(&o.CaseSensitive, "case", "c", false, "upper and lower case differ in the filter")
	set.StringVarP(&o.Separator, "sep", "s", ",", "separator of the columns")
	set.Float64Var(&o.TruncatedMean, "truncated-mean", 0, "add the mean of the times up to this percentile")
	f.output(&v.output)
}

func (v *writingCSV) settle([]string) error { return nil }

func (v *writingCSV) run(c *call) int {
	r, err := c.openParts(c.paths[0], v.options.Parts())
	if err != nil {
		return c.fail(err)
	}
	defer r.Close()
	if r.file == nil {
		return c.Fail("%s is CSV already, dialect %s; give the capture it was made of", r.path, r.table.Dialect())
	}
	if v.output == "" && cli.TerminalWidth(c.Out) > 0 {
		r.progress.Silence() // rows that scroll by show progress, and a line between them would break them
	}
	v.options.Watch = r.look
	err = c.writeOutput(v.output, c.paths, func(w io.Writer) error { return tracycsv.Write(w, r.file, v.options) })
	r.progress.Clear()
	return r.settle(err)
}
