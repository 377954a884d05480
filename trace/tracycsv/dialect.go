package tracycsv

import (
	"fmt"
	"slices"
	"strings"

	"zonemark/trace"
)

// DialectZonemark is our own dialect and the default: every column that we know, always valid by RFC 4180.
const DialectZonemark = "zonemark"

// Dialects returns the names of the dialects that Write knows: ours, those of tracy-csvexport by the version that
// brought a change, and that of Tenstorrent's fork.
func Dialects() []string {
	return []string{DialectZonemark, "0.9", "0.10", "0.11.2", "0.12", "0.14", "tt"}
}

// Options choose what Write writes, after the flags of tracy-csvexport.
type Options struct {
	Dialect       string  // of Dialects; empty: zonemark
	Unwrap        bool    // -u: a row for each zone instead of one for each name
	Self          bool    // -e: times without the children
	Messages      bool    // -m: the messages only; comes before GPU, and GPU before Unwrap
	Plot          bool    // -p: plots; a table of their own in zonemark, rows behind those of Unwrap in the others
	GPU           bool    // -g: the GPU zones only
	Filter        string  // -f: part of the name; of the resolved name in zonemark, of the location's in the others
	CaseSensitive bool    // -c
	Separator     string  // -s; empty: a comma
	TruncatedMean float64 // --truncated_mean: percentile in (0, 100]; 0: no such columns. Costs 8 bytes a zone

	// Watch is called now and then with the number of zones so far; an error of it ends the pass and is returned. It
	// may be nil.
	Watch func(zones int64) error
}

// tableKind is one of the tables that a dialect can hold.
type tableKind int

const (
	ofAggregates tableKind = iota
	ofZones
	ofMessages
	ofGPU
	ofPlots
)

// dialectColumns holds the columns of a dialect's tables; nil: the dialect has no such table.
type dialectColumns struct {
	aggregate, zones, messages, gpu []string
	plotRows                        bool // plots follow the zones
	truncatedMean                   bool
}

func columnsOf(list string) []string { return strings.Split(list, ",") }

// Columns as tracy-csvexport and we write them.
const (
	columnsAggregate = "name,src_file,src_line,total_ns,total_perc,counts,mean_ns,min_ns,max_ns,std_ns"
	columnsTruncated = "percentile_ns,truncated_mean_ns"
	columnsZones     = "name,src_file,src_line,ns_since_start,exec_time_ns"
	columnsMessages  = "MessageName,total_ns"
	columnsGPU       = "name,src_file,Time from start of program,GPU execution time"
	columnsTTZones   = "name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread," +
		"special_parent_text"
	columnsOurZones = "name,src_file,src_line,ns_since_start,exec_time_ns,thread_id,thread,thread_name,depth,parent," +
		"ordinal,zone_text,value,self_ns,color,zone_name,location_name,function,location_color,unfinished"
	columnsOurMessages = "ns_since_start,thread_id,thread,thread_name,color,text"
	columnsOurGPU      = "name,src_file,src_line,ns_since_start,exec_time_ns,thread_id,thread,context," +
		"context_name,cpu_start_ns,cpu_end_ns,depth,function"
	columnsOurPlots      = "plot,ns_since_start,plot_value"
	columnsOurAggregates = columnsAggregate + ",self_ns,function"
)

// columnsOfDialect returns the columns of a dialect.
func columnsOfDialect(dialect string) (dialectColumns, error) {
	c := dialectColumns{aggregate: columnsOf(columnsAggregate), zones: columnsOf(columnsZones)}
	switch dialect {
	case "0.9":
		return c, nil
	case "0.10":
		c.zones = append(c.zones, "thread")
		c.messages = columnsOf(columnsMessages)
		return c, nil
	case "0.11.2", "0.12", "0.14":
		c.zones = append(c.zones, "thread", "value")
		c.truncatedMean = dialect == "0.14"
	case "tt":
		c.zones = columnsOf(columnsTTZones)
	case DialectZonemark:
		return dialectColumns{columnsOf(columnsOurAggregates), columnsOf(columnsOurZones),
			columnsOf(columnsOurMessages), columnsOf(columnsOurGPU), false, true}, nil
	default:
		return c, fmt.Errorf("no CSV dialect %q; there are %s", dialect, strings.Join(Dialects(), ", "))
	}
	c.messages, c.gpu, c.plotRows = columnsOf(columnsMessages), columnsOf(columnsGPU), true
	return c, nil
}

// check completes the options and says what the dialect cannot express.
func (o *Options) check() (dialectColumns, error) {
	if o.Dialect == "" {
		o.Dialect = DialectZonemark
	}
	if o.Separator == "" {
		o.Separator = ","
	}
	columns, err := columnsOfDialect(o.Dialect)
	switch {
	case err != nil:
	case strings.ContainsAny(o.Separator, "\"\r\n"):
		err = fmt.Errorf("a CSV separator cannot contain a quote or the end of a line: %q", o.Separator)
	case strings.ContainsAny(o.Separator, "0123456789-"):
		err = fmt.Errorf("a CSV separator cannot contain what numbers are made of: %q", o.Separator)
	case o.Messages && columns.messages == nil:
		err = fmt.Errorf("CSV dialect %s has no messages; they came with 0.10", o.Dialect)
	case o.GPU && columns.gpu == nil:
		err = fmt.Errorf("CSV dialect %s has no GPU zones; they came with 0.11.2", o.Dialect)
	case o.Plot && !columns.plotRows && o.Dialect != DialectZonemark:
		err = fmt.Errorf("CSV dialect %s has no plots; they came with 0.11.2", o.Dialect)
	case !(o.TruncatedMean >= 0 && o.TruncatedMean <= 100):
		err = fmt.Errorf("the percentile of a truncated mean is a number from 0 to 100, not %v", o.TruncatedMean)
	case o.TruncatedMean > 0 && !columns.truncatedMean:
		err = fmt.Errorf("CSV dialect %s has no truncated mean; take 0.14 or zonemark", o.Dialect)
	}
	if o.TruncatedMean > 0 {
		columns.aggregate = append(slices.Clone(columns.aggregate), columnsOf(columnsTruncated)...)
	}
	return columns, err
}

// Parts says what the table needs of what zones have of their own: sums are not told apart by texts, and those of the
// exporter's dialects not by names.
func (o *Options) Parts() trace.Parts {
	switch {
	case o.table() != ofAggregates:
		return trace.AllParts
	case o.Dialect == "" || o.Dialect == DialectZonemark:
		return trace.NamesOnly
	}
	return trace.TimesOnly
}

// table says which table the options ask for.
func (o *Options) table() tableKind {
	switch {
	case o.Messages:
		return ofMessages
	case o.GPU:
		return ofGPU
	case o.Plot && o.Dialect == DialectZonemark:
		return ofPlots
	case o.Unwrap:
		return ofZones
	}
	return ofAggregates
}
