package tracycsv

import "zonemark/trace/csvtext"

// Each kind of table has its rows. Columns that a table lacks stay empty: exporters differ.

// PlaceColumns say where a zone lies in a program. The type has a public name since gocsv fills no other.
type PlaceColumns struct {
	Name     string          `csv:"name"`
	File     string          `csv:"src_file"`
	Line     csvtext.Integer `csv:"src_line"`
	Function string          `csv:"function"`
	Color    csvtext.Integer `csv:"location_color"`
}

// ThreadColumns name a thread, likewise.
type ThreadColumns struct {
	Thread     csvtext.Integer  `csv:"thread"`
	ThreadID   csvtext.Unsigned `csv:"thread_id"`
	ThreadName string           `csv:"thread_name"`
}

// zoneRow is a zone; in older tables of the exporter with -p also a point of a plot.
type zoneRow struct {
	PlaceColumns
	ThreadColumns
	Start        csvtext.Integer `csv:"ns_since_start"`
	Duration     csvtext.Integer `csv:"exec_time_ns"`
	Self         csvtext.Integer `csv:"self_ns"`
	Ordinal      csvtext.Integer `csv:"ordinal"`
	Parent       csvtext.Integer `csv:"parent"`
	Depth        csvtext.Integer `csv:"depth"`
	Text         string          `csv:"zone_text"`
	Value        string          `csv:"value"`
	DynamicName  string          `csv:"zone_name"`
	ZoneColor    csvtext.Integer `csv:"color"`
	LocationName string          `csv:"location_name"`
	Unfinished   csvtext.Integer `csv:"unfinished"`
}

// aggregateRow is what all zones at a place have in common.
type aggregateRow struct {
	PlaceColumns
	Total   csvtext.Integer `csv:"total_ns"`
	Percent csvtext.Decimal `csv:"total_perc"`
	Count   csvtext.Integer `csv:"counts"`
	Mean    csvtext.Integer `csv:"mean_ns"`
	Min     csvtext.Integer `csv:"min_ns"`
	Max     csvtext.Integer `csv:"max_ns"`
	Std     csvtext.Decimal `csv:"std_ns"`
}

// messageRow is a message: of our table, or of the exporter's, which calls its time total_ns.
type messageRow struct {
	ThreadColumns
	Start   csvtext.Integer `csv:"ns_since_start"`
	Text    string          `csv:"text"`
	Color   csvtext.Integer `csv:"color"`
	Total   csvtext.Integer `csv:"total_ns"`
	Message string          `csv:"MessageName"`
}

// gpuRow is a zone of a device: of our table, or of the exporter's, which has other names for its times.
type gpuRow struct {
	PlaceColumns
	ThreadColumns
	Start       csvtext.Integer `csv:"ns_since_start"`
	Duration    csvtext.Integer `csv:"exec_time_ns"`
	Depth       csvtext.Integer `csv:"depth"`
	Context     csvtext.Integer `csv:"context"`
	ContextName string          `csv:"context_name"`
	CPUStart    csvtext.Integer `csv:"cpu_start_ns"`
	CPUEnd      csvtext.Integer `csv:"cpu_end_ns"`
	GPUStart    csvtext.Integer `csv:"Time from start of program"`
	GPUDuration csvtext.Integer `csv:"GPU execution time"`
}

// pointRow is a point of a plot.
type pointRow struct {
	Plot  string          `csv:"plot"`
	Start csvtext.Integer `csv:"ns_since_start"`
	Value csvtext.Decimal `csv:"plot_value"`
}
