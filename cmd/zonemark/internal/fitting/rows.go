package fitting

import (
	"zonemark/driver/costmodel"
	"zonemark/invocations"
)

// row is a fit in the csv and ndjson formats. Errors are in percent. Fields are added at the end, never renamed.
type row struct {
	File         string             `csv:"file" json:"file"`
	Operation    string             `csv:"operation" json:"operation"`
	Model        costmodel.Name     `csv:"model" json:"model"`
	Rows         int                `csv:"rows" json:"rows"`
	Weights      map[string]float64 `csv:"-" json:"weights"` // of the model, by the names of parameter files or terms
	WeightsText  string             `csv:"weights" json:"-"`
	InSample     float64            `csv:"in_sample_mape" json:"in_sample_mape"`
	Validated    *float64           `csv:"cv_mape" json:"cv_mape"` // mean error in cross-validation, in percent; null if there are too few shapes
	P95          float64            `csv:"p95" json:"p95"`         // error that 95 of 100 rows do not exceed, in percent; cross-validated if cv_mape is there, else in-sample
	Worst        float64            `csv:"worst" json:"worst"`     // the largest of these errors, in percent
	WorstRow     worstRow           `csv:"worst_row" json:"worst_row"`
	Architecture string             `csv:"architecture" json:"architecture"`
	Kind         costmodel.Kind     `csv:"kind" json:"kind"`
	Unit         string             `csv:"unit" json:"unit"`
	Shapes       int                `csv:"shapes" json:"shapes"`
	Extrapolated *float64           `csv:"slowest_mape" json:"slowest_mape"` // mean error of the slowest 30 % of rows, by a model of the other rows, in percent
	Candidates   []candidateRow     `csv:"-" json:"candidates"`
	Ranges       []costmodel.Range  `csv:"-" json:"ranges"`
	RangesText   string             `csv:"ranges" json:"-"`
	Warnings     []string           `csv:"-" json:"warnings,omitempty"`
}

// worstRow is the row with the largest error.
type worstRow struct {
	Line           int               `csv:"line" json:"line,omitempty"` // in the file
	Measured       float64           `csv:"measured" json:"measured"`
	Predicted      float64           `csv:"predicted" json:"predicted"`
	Parameters     map[string]string `csv:"-" json:"parameters"`
	ParametersText string            `csv:"parameters" json:"-"`
}

// candidateRow is a model that could have been chosen.
type candidateRow struct {
	Model     costmodel.Name     `json:"model"`
	Validated *float64           `json:"cv_mape"`
	Weights   map[string]float64 `json:"weights"`
}

func rowsOf(fits []fitted) []row {
	rows := make([]row, len(fits))
	for i, f := range fits {
		rows[i] = f.row()
	}
	return rows
}

func (f fitted) row() row {
	m, known := f.model, tested(f.model)
	worst := known.Worst
	r := row{
		File: f.table.File, Operation: f.operation, Model: m.Model, Rows: m.Rows, Weights: weightMap(m.Weights),
		WeightsText: weightsText(m.Weights), InSample: m.InSample.MAPE, P95: known.P95, Worst: known.Max,
		WorstRow: worstRow{
			worst.Line, worst.Measured, worst.Predicted, worst.Parameters, invocations.ParametersText(worst.Parameters),
		},
		Architecture: f.architecture, Kind: m.Kind, Unit: f.unitName(), Shapes: m.Groups, Ranges: m.Ranges,
		RangesText: rangesText(m.Ranges), Warnings: m.Warnings,
	}
	if m.CrossValidated != nil {
		r.Validated = &m.CrossValidated.MAPE
	}
	if m.Extrapolated != nil {
		r.Extrapolated = &m.Extrapolated.MAPE
	}
	for _, c := range m.Candidates {
		tried := candidateRow{Model: c.Model, Weights: weightMap(c.Weights)}
		if c.CrossValidated > 0 {
			tried.Validated = &c.CrossValidated
		}
		r.Candidates = append(r.Candidates, tried)
	}
	return r
}

func weightMap(weights []costmodel.Weight) map[string]float64 {
	named := map[string]float64{}
	for _, w := range weights {
		named[weightName(w)] = w.Cycles
	}
	return named
}
