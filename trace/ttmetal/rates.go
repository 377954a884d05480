package ttmetal

import (
	"fmt"
	"math"
	"strings"
)

// Rates are how fast matmuls and convolutions computed, and how fast matmuls moved data from and to DRAM, by their
// padded shapes and the time of their kernels. Where a shape or the chip is not known, so are they not.
type Rates struct {
	FLOP, DRAMBytes float64 // of the calls that are counted

	flopNS, dramNS float64 // time of these calls
	peakFLOP       float64 // what the cores could have computed in the time of the calls whose peak is known
	ratedFLOP      float64 // what these calls computed
	peakBytes      float64 // what the DRAM could have moved
}

// work is what a call computes and moves.
type work struct {
	flop    float64
	bytes   float64 // from and to DRAM; NaN: not known
	batch   float64 // how many products of matrices
	m, k, n int64   // rows, inner dimension, columns of one
}

// shape is the work's shape, such as "3200 × 1792 × 1536", or "32 of 3200 × 128 × 512" for a batch.
func (w work) shape() string {
	shape := fmt.Sprintf("%d × %d × %d", w.m, w.k, w.n)
	if w.batch != 1 {
		shape = fmt.Sprintf("%.0f of %s", w.batch, shape)
	}
	return shape
}

// isMatmul reports whether an op is a matrix multiplication, by its name, as tt-metal has several of them.
func isMatmul(op string) bool { return strings.Contains(op, "Matmul") }

// isConvolution reports whether an op is a convolution.
func isConvolution(op string) bool {
	return strings.Contains(op, "Conv2d") || strings.Contains(op, "OptimizedConvNew")
}

// work finds what a call of the op computes and moves; ok is false where the row does not say.
func (op *Op) work() (w work, ok bool) {
	a, b, out := &op.Inputs[0], &op.Inputs[1], &op.Output
	switch {
	case isMatmul(op.Code) && a.known() && b.known() && out.known():
		return op.matmulWork()
	case isConvolution(op.Code) && a.X > 0 && b.X > 0 && out.Y > 0 && op.Settings.WindowH > 0 &&
		op.Settings.WindowW > 0:
		k := a.X * op.Settings.WindowH * op.Settings.WindowW
		return work{flop: 2 * float64(out.Y) * float64(k) * float64(b.X), bytes: math.NaN(), batch: 1, m: out.Y, k: k,
			n: b.X}, true
	}
	return work{}, false
}

// matmulWork is the work of a matmul. All of the inputs that are in DRAM are read once, and the output is written once
// if it goes there.
func (op *Op) matmulWork() (w work, ok bool) {
	a, b, out := &op.Inputs[0], &op.Inputs[1], &op.Output
	batch := float64(max(a.W, b.W)) * float64(max(a.Z, b.Z))
	sparse := strings.Contains(op.Code, "SparseMatmul")
	if sparse {
		if op.Settings.NonZero < 0 {
			return work{}, false
		}
		batch = float64(op.Settings.NonZero)
	}
	w = work{batch: batch, m: a.Y, k: a.X, n: b.X}
	if op.Settings.TransposeA {
		w.m, w.k = a.X, a.Y
	}
	if op.Settings.TransposeB {
		w.n = b.Y
	}
	w.flop = 2 * batch * float64(w.m) * float64(w.k) * float64(w.n)
	for _, t := range []*Tensor{a, b, out} {
		switch {
		case !t.inDRAM():
		case sparse:
			w.bytes += batch * float64(t.Y) * float64(t.X) * t.elementBytes()
		default:
			w.bytes += t.bytes()
		}
	}
	return w, true
}

// WorkingCores is how many cores compute: of a matmul whose weights are sharded over the DRAM, those beside its ports,
// though the table says the grid around them. It is 0 where it is not said.
func (c *Call) WorkingCores(chip *Chip) int64 {
	if c.Row != nil && c.Row.Settings.DRAMSharded && isMatmul(c.Op) && chip != nil {
		return chip.dramReaders
	}
	return c.Cores
}

// Rates are those of the call alone.
func (c *Call) Rates(chip *Chip) *Rates {
	r := &Rates{}
	r.add(c, chip)
	return r
}

// add counts a call in.
func (r *Rates) add(c *Call, chip *Chip) {
	if c.Row == nil || !(c.KernelNS > 0) {
		return
	}
	w, ok := c.Row.work()
	if !ok {
		return
	}
	r.FLOP += w.flop
	r.flopNS += c.KernelNS
	if !math.IsNaN(w.bytes) {
		r.DRAMBytes += w.bytes
		r.dramNS += c.KernelNS
	}
	if chip == nil {
		return
	}
	if n, cores := phases(c.Row.MathFidelity), c.WorkingCores(chip); n > 0 && cores > 0 {
		r.peakFLOP += chip.coreFLOPS / n * float64(cores) * c.KernelNS / 1e9
		r.ratedFLOP += w.flop
	}
	if !math.IsNaN(w.bytes) {
		r.peakBytes += chip.DRAMBytes * c.KernelNS / 1e9
	}
}

// quotient is a / b, NaN where b is nothing.
func quotient(a, b float64) float64 {
	if !(b > 0) {
		return math.NaN()
	}
	return a / b
}

// FLOPS is the number of operations in a second; NaN: not known.
func (r *Rates) FLOPS() float64 { return quotient(r.FLOP, r.flopNS) * 1e9 }

// FLOPShare is the fraction of the peak of the cores that computed, at their fidelity; NaN: not known.
func (r *Rates) FLOPShare() float64 { return quotient(r.ratedFLOP, r.peakFLOP) }

// DRAMRate is the number of bytes from and to DRAM in a second; NaN: not known.
func (r *Rates) DRAMRate() float64 { return quotient(r.DRAMBytes, r.dramNS) * 1e9 }

// DRAMShare is the fraction of the DRAM's bandwidth; NaN: not known.
func (r *Rates) DRAMShare() float64 { return quotient(r.DRAMBytes, r.peakBytes) }

// DRAMRate is how many bytes in a second the matmuls moved from and to DRAM in the time of all kernels; NaN: not known.
func (r *Report) DRAMRate() float64 {
	bytes := 0.0
	for _, o := range r.Ops {
		bytes += o.Rates.DRAMBytes
	}
	if bytes == 0 {
		return math.NaN()
	}
	return quotient(bytes, r.RunNS) * 1e9
}

// What bounds an op.
const (
	BoundDRAM    = "DRAM"
	BoundFLOP    = "FLOP"
	BoundBoth    = "both"
	BoundNeither = "neither"
	BoundHost    = "host" // the op ran there
)

// boundShare is the share of a peak from which on an op is bound by it. tt-perf-report draws the line there, too, so
// that both say the same.
const boundShare = 0.65

// Bound says which peak an op comes near to; empty: the shares are not known.
func (r *Rates) Bound() string {
	flop, dram := r.FLOPShare(), r.DRAMShare()
	switch {
	case math.IsNaN(flop) || math.IsNaN(dram) && flop < boundShare:
		return ""
	case flop >= boundShare && dram >= boundShare:
		return BoundBoth
	case dram >= boundShare:
		return BoundDRAM
	case flop >= boundShare:
		return BoundFLOP
	}
	return BoundNeither
}
