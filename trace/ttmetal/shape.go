package ttmetal

import (
	"fmt"
	"strings"
)

// Shape is what a call works on: of matmuls and convolutions rows × inner dimension × columns, of other ops the padded
// shape of the first input. It is empty where the tables do not say.
func (c *Call) Shape() string {
	if c.Row == nil {
		return ""
	}
	if w, ok := c.Row.work(); ok {
		return w.shape()
	}
	t := &c.Row.Inputs[0]
	if !t.known() {
		return ""
	}
	sizes := []int64{t.W, t.Z, t.Y, t.X}
	for len(sizes) > 2 && sizes[0] == 1 {
		sizes = sizes[1:]
	}
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(sizes), "[]"), " ", "×")
}

// Types are the data types of the inputs and of the output, such as "BF16, BFP8 → BF16".
func (c *Call) Types() string { return c.tensors((*Tensor).TypeName) }

// Placement is where inputs and output are, such as "DRAM interleaved, DRAM interleaved → L1 interleaved".
func (c *Call) Placement() string { return c.tensors((*Tensor).Placement) }

// tensors joins what is said of the inputs and of the output.
func (c *Call) tensors(say func(*Tensor) string) string {
	if c.Row == nil {
		return ""
	}
	var inputs []string
	for i := range c.Row.Inputs {
		if text := say(&c.Row.Inputs[i]); text != "" {
			inputs = append(inputs, text)
		}
	}
	text := strings.Join(inputs, ", ")
	if out := say(&c.Row.Output); out != "" {
		text += " → " + out
	}
	return strings.TrimSpace(text)
}

// Fidelity is the fidelity of the matrix engine; empty where it is not used or the tables do not say.
func (c *Call) Fidelity() string {
	if c.Row == nil || c.Row.MathFidelity == "nan" {
		return ""
	}
	return c.Row.MathFidelity
}

// shapeKey is what calls have in common that do the same work in the same way.
func (c *Call) shapeKey() string {
	settings := ""
	if c.Row != nil {
		settings = fmt.Sprint(c.Row.Settings)
	}
	return strings.Join([]string{c.Op, c.Shape(), c.Types(), c.Placement(), c.Fidelity(), fmt.Sprint(c.Cores),
		settings}, "\x00")
}

// Shapes sums up the calls of the same op, shapes, types, places, fidelity, cores and settings. OpTotals.Op is the op.
func (r *Report) Shapes() []*OpTotals {
	list := r.GroupBy((*Call).shapeKey)
	for _, o := range list {
		o.Op = o.First.Op
	}
	return list
}

// Categories sums up the calls that do the same kind of work.
func (r *Report) Categories() []*OpTotals { return r.GroupBy((*Call).Category) }
