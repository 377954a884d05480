package report

import (
	"errors"
	"io"
	"strings"

	"github.com/gocarina/gocsv"

	"zonemark/invocations"
	"zonemark/invocations/foreign"
	"zonemark/invocations/stats"
)

// csvRow is a row of the csv format. Every record has one, whatever its status. A value that does not apply is an empty
// cell. A text that a spreadsheet would take for a formula has an apostrophe before it. New columns are added at the
// end; columns are never renamed. Verdicts, and parameters of the form "k=v", are
// separated by blanks. Its kinds of columns follow each other; they are exported since gocsv leaves out others.
type csvRow struct {
	RowOf
	RowEnd
	RowTimes
	RowRank
	Simulated *int64 `csv:"simulated_cycles"` // counted by a simulator; not a time
	RowLaunches
	RowCounts
	RowEmulated
	RowHosts
}

// RowOf is what was measured.
type RowOf struct {
	ID         string           `csv:"id"`
	Name       string           `csv:"name"`
	Group      string           `csv:"group"`
	Runtime    string           `csv:"runtime"`
	Artifact   string           `csv:"artifact"`
	Function   string           `csv:"function"`
	Parameters string           `csv:"params"`
	Mode       invocations.Mode `csv:"mode"`
}

// RowEnd is how that ended.
type RowEnd struct {
	Status  invocations.Status `csv:"status"`
	Error   string             `csv:"error"`
	Verdict string             `csv:"verdict"`
}

// RowTimes are its times, of a call.
type RowTimes struct {
	Iterations  *int64   `csv:"iterations"`
	Batches     *int     `csv:"batches"` // samples that were kept
	Discarded   *int64   `csv:"discarded"`
	MedianNS    *float64 `csv:"median_ns"`
	CILowNS     *float64 `csv:"ci_low_ns"`
	CIHighNS    *float64 `csv:"ci_high_ns"`
	MinNS       *float64 `csv:"min_ns"`
	P90NS       *float64 `csv:"p90_ns"`
	P99NS       *float64 `csv:"p99_ns"`
	MeanNS      *float64 `csv:"mean_ns"`
	MADNS       *float64 `csv:"mad_ns"`
	CPUMedianNS *float64 `csv:"cpu_median_ns"`
	OverheadNS  *float64 `csv:"overhead_ns"`
}

// RowRank is its place in its group.
type RowRank struct {
	Rank          *int           `csv:"rank"` // 1 for the best of its group
	Ratio         *float64       `csv:"ratio_to_best"`
	RatioLow      *float64       `csv:"ratio_low"`
	RatioHigh     *float64       `csv:"ratio_high"`
	RankingResult stats.Standing `csv:"standing"`
}

// RowLaunches is what its launches say together.
type RowLaunches struct {
	Launches        *int     `csv:"launches"`
	QuietShare      *float64 `csv:"quiet_share"` // 0 to 1
	ClockGHz        *float64 `csv:"clock_ghz"`
	ReferenceNS     *float64 `csv:"reference_ns"` // median at the reference clock
	ReferenceLowNS  *float64 `csv:"reference_ci_low_ns"`
	ReferenceHighNS *float64 `csv:"reference_ci_high_ns"`
}

// RowCounts are events, of a call.
type RowCounts struct {
	Cycles          *float64 `csv:"cycles"` // counted, of a call; so are those that follow
	CyclesLow       *float64 `csv:"cycles_ci_low"`
	CyclesHigh      *float64 `csv:"cycles_ci_high"`
	Instructions    *float64 `csv:"instructions"`
	Branches        *float64 `csv:"branches"`
	BranchMisses    *float64 `csv:"branch_misses"`
	CacheReferences *float64 `csv:"cache_references"`
	CacheMisses     *float64 `csv:"cache_misses"`
	PageFaults      *float64 `csv:"page_faults"`
	ContextSwitches *float64 `csv:"context_switches"`
}

// RowEmulated is what an emulator of Hexagon has counted, of a call; not times.
type RowEmulated struct {
	HexagonPackets            *int64 `csv:"hexagon_packets"`
	HexagonInstructions       *int64 `csv:"hexagon_instructions"`
	HexagonVectorInstructions *int64 `csv:"hexagon_hvx_instructions"`
}

// RowHosts is what several hosts say.
type RowHosts struct {
	Host           string   `csv:"host"`             // the hosts that measured it, separated by blanks; empty: this machine
	BetweenHostsNS *float64 `csv:"between_hosts_ns"` // with --spread: the standard deviation of hosts
	SlowestHost    string   `csv:"slowest_host"`     // with --spread: the host with the longest median
	SlowestRatio   *float64 `csv:"slowest_ratio"`    // with --spread: the median of that host, divided by that of all
}

func writeCSV(w io.Writer, run Run) error {
	if run.Records.Len() == 0 {
		return gocsv.Marshal([]csvRow{}, w)
	}
	type place struct {
		rank int // from 1
		*stats.Row
	}
	ranked := map[int]place{}
	for _, ranking := range run.Rankings {
		for i := range ranking.Rows {
			ranked[ranking.Rows[i].Variant] = place{i + 1, &ranking.Rows[i]}
		}
	}
	return writeRows(w, func(yield func(csvRow)) error {
		for i := range run.Records.Len() {
			r, err := run.Records.At(i)
			if err != nil {
				return err
			}
			row := newCSVRow(r)
			if at, known := ranked[i]; known {
				row.Rank, row.RankingResult = &at.rank, at.Standing
				row.Ratio, row.RatioLow, row.RatioHigh = positive(at.Ratio), positive(at.Low), positive(at.High)
			}
			yield(row)
		}
		return nil
	})
}

// writeRows writes each row when it is there: a million of them would take a gigabyte.
func writeRows(w io.Writer, each func(yield func(csvRow)) error) error {
	rows, failed := make(chan any), make(chan error, 1)
	go func() {
		failed <- gocsv.MarshalChan(rows, gocsv.DefaultCSVWriter(w))
		for range rows { // what cannot be written
		}
	}()
	unreadable := each(func(row csvRow) { rows <- row })
	close(rows)
	return errors.Join(<-failed, unreadable)
}

func newCSVRow(r *invocations.Record) csvRow {
	row := csvRow{
		RowOf: RowOf{
			ID:         r.ID,
			Name:       foreign.Cell(r.Name),
			Group:      foreign.Cell(r.Group),
			Runtime:    foreign.Cell(r.Runtime),
			Artifact:   foreign.Cell(r.Artifact),
			Function:   foreign.Cell(r.Function),
			Parameters: foreign.Cell(invocations.ParametersText(r.Parameters)),
			Mode:       r.Mode,
		},
		RowEnd: RowEnd{
			Status:  r.Status,
			Error:   foreign.Cell(r.Error),
			Verdict: JoinVerdicts(r.Verdicts),
		},
		RowTimes: RowTimes{
			Iterations:  r.Iterations,
			Discarded:   r.Discarded,
			MedianNS:    r.MedianNS,
			CILowNS:     r.CILowNS,
			CIHighNS:    r.CIHighNS,
			MinNS:       r.MinNS,
			P90NS:       r.P90NS,
			P99NS:       r.P99NS,
			MeanNS:      r.MeanNS,
			MADNS:       r.MADNS,
			CPUMedianNS: r.CPUMedianNS,
			OverheadNS:  r.OverheadNS,
		},
		Simulated: r.SimulatedCycles,
		RowLaunches: RowLaunches{
			Launches:        r.Launches,
			QuietShare:      r.QuietShare,
			ClockGHz:        r.ClockGHz,
			ReferenceNS:     r.ReferenceNS,
			ReferenceLowNS:  r.ReferenceLo,
			ReferenceHighNS: r.ReferenceHi,
		},
		RowCounts: RowCounts{
			Cycles:          counted(r, counterCycles),
			CyclesLow:       r.CyclesLow,
			CyclesHigh:      r.CyclesHigh,
			Instructions:    counted(r, counterInstructions),
			Branches:        counted(r, counterBranches),
			BranchMisses:    counted(r, counterBranchMisses),
			CacheReferences: counted(r, counterCacheReferences),
			CacheMisses:     counted(r, counterCacheMisses),
			PageFaults:      counted(r, counterPageFaults),
			ContextSwitches: counted(r, counterContextSwitches),
		},
		RowEmulated: RowEmulated{
			HexagonPackets:            r.HexagonPackets,
			HexagonInstructions:       r.HexagonInstructions,
			HexagonVectorInstructions: r.HexagonVectorInstructions,
		},
		RowHosts: RowHosts{
			Host:           foreign.Cell(r.HostNames()),
			BetweenHostsNS: r.BetweenHostsNS,
		},
	}
	if slowest, longer, known := r.SlowestHost(); known {
		ratio := 1 + longer
		row.SlowestHost, row.SlowestRatio = foreign.Cell(slowest.Host), &ratio
	}
	if r.Timed() {
		n := len(r.SamplesNS)
		row.Batches = &n
	}
	return row
}

// JoinVerdicts returns verdicts in their order, separated by blanks.
func JoinVerdicts(verdicts []invocations.Verdict) string {
	texts := make([]string, len(verdicts))
	for i, v := range verdicts {
		texts[i] = string(v)
	}
	return strings.Join(texts, " ")
}
