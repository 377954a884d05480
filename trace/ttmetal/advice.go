package ttmetal

import (
	"fmt"
	"math"
)

// Advice says what to try to make the calls of an op faster, or more exact at the same speed. The calls are of one
// shape, as Report.Shapes gives them. Of ops other than matmuls, and where the row or the chip is not known, nothing is
// said. What it looks at is what tt-perf-report looks at, so that both give the same advice.
func (r *Report) Advice(o *OpTotals) []string {
	c := o.First
	if c.Category() == CategoryHost {
		return []string{"the host computes this op: use one that runs on the device"}
	}
	if c.Row == nil || !isMatmul(c.Op) || r.Chip == nil {
		return nil
	}
	fidelity := fidelityAdvice(c.Row)
	switch o.Rates.Bound() {
	case BoundDRAM, BoundBoth:
		return dramAdvice(o, fidelity)
	case BoundFLOP:
		var list []string
		if all := c.Row.AvailableCores; !c.Row.Settings.DRAMSharded && c.Cores > 0 && c.Cores < all {
			list = append(list, fmt.Sprintf("give it more cores: it has %d of %d", c.Cores, all))
		}
		return fidelity.append(list, fidelityTooHigh)
	case BoundNeither:
		list := slowAdvice(c.Row)
		if !c.Row.Settings.Program { // the fidelity matters once the cores have something to do
			return list
		}
		return fidelity.append(list, fidelityTooHigh, fidelityTooLow)
	}
	return nil
}

// dramAdvice is for a matmul that DRAM bounds.
func dramAdvice(o *OpTotals, fidelity fidelityJudgement) (list []string) {
	if !o.First.Row.Settings.DRAMSharded {
		list = append(list, "shard the weights over the DRAM: MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig")
	}
	const spare = 0.4 // of the matrix engine: so much of it may be used by a higher fidelity
	if o.Rates.FLOPShare() < spare {
		return fidelity.append(list, fidelityTooHigh, fidelityTooLow)
	}
	return fidelity.append(list, fidelityTooHigh)
}

// slowAdvice is for a matmul that comes near to no peak.
func slowAdvice(op *Op) (list []string) {
	if a := &op.Inputs[0]; a.inDRAM() {
		list = append(list, "place input 0 in L1: it is in "+a.Placement())
	}
	s := &op.Settings
	if !s.Program {
		return append(list, "give a program_config, which sets in0_block_w and out_subblock_h and out_subblock_w")
	}
	if s.BlockW == 1 {
		list = append(list, "in0_block_w is 1: try 2 or more")
	}
	if area := s.SubblockH * s.SubblockW; area == 1 {
		list = append(list, "the output's subblock is 1 × 1 tile: try two tiles or more")
	}
	return list
}

// fidelityJudgement is whether a fidelity fits the data types.
type fidelityJudgement struct {
	fit    int
	advice string
}

const (
	fidelityFits = iota
	fidelityTooHigh
	fidelityTooLow
)

// append adds the advice if the judgement is one of these.
func (j fidelityJudgement) append(list []string, fits ...int) []string {
	for _, fit := range fits {
		if j.fit == fit {
			return append(list, j.advice)
		}
	}
	return list
}

// significandBits are the bits of the significands of the data types whose fidelity is judged.
var significandBits = map[string]int{"BFLOAT16": 8, "BFLOAT8_B": 7, "BFLOAT4_B": 3}

// fidelityAdvice judges the fidelity of a matmul. In a phase the matrix engine multiplies 5 bits of the second input
// (the weights) by 7 of the first: LoFi drops the bits below those 5, HiFi2 adds them, and HiFi4 adds the lowest of
// the first, too. Fewer phases are faster by as much (tt-metal, tech_reports/matrix_engine).
func fidelityAdvice(op *Op) fidelityJudgement {
	first, second, out := significandBits[op.Inputs[0].DataType], significandBits[op.Inputs[1].DataType],
		significandBits[op.Output.DataType]
	now := phases(op.MathFidelity)
	if first == 0 || second == 0 || out == 0 || now == 0 {
		return fidelityJudgement{}
	}
	right := 2.0
	switch {
	case first == 8 && out >= 7:
		right = 4
	case first != 8 && second == 3:
		right = 1
	}
	names := map[float64]string{1: "LoFi", 2: "HiFi2", 4: "HiFi4"}
	types := fmt.Sprintf("%s × %s → %s", op.Inputs[0].TypeName(), op.Inputs[1].TypeName(), op.Output.TypeName())
	switch {
	case now > right:
		return fidelityJudgement{fidelityTooHigh, fmt.Sprintf("%s is enough for %s: it computes %.3g times as fast as "+
			"%s",
			names[right], types, now/right, op.MathFidelity)}
	case now < right:
		return fidelityJudgement{fidelityTooLow, fmt.Sprintf("%s drops bits of %s: %s keeps them, for %.3g times the "+
			"cycles of the matrix engine", op.MathFidelity, types, names[right], right/now)}
	}
	return fidelityJudgement{}
}

// GapAdvice says what the gaps between ops cost, and what to do; empty if that is little. A gap up to 6 µs is what it
// takes to start an op.
func (r *Report) GapAdvice() string {
	const usual, notable = 6000.0, 6500.0
	count, lost := 0, 0.0
	for i := range r.Calls {
		if gap := r.Calls[i].DeviceGapNS; gap > notable {
			count++
			lost += gap - usual
		}
	}
	span := 0.0
	for _, d := range r.Devices {
		span += d.SpanNS
	}
	if count == 0 || math.IsNaN(lost/span) || lost < span/100 {
		return ""
	}
	return fmt.Sprintf("%d gaps before ops are longer than %g µs, the time that it takes to start one. The rest of "+
		"them is %.3g %% of the devices' time: record and replay a trace of tt-metal, or let the host run ahead", count,
		usual/1000, 100*lost/span)
}
