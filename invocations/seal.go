package invocations

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"math"
	"slices"
	"strconv"
)

// Seal sets the id: the first 64 bits of the SHA-256 of the canonical content. The content is everything on which the
// measured number depends: name, runtime, artifact hash and options, function, arguments, parameters, mode, calls per
// batch, size of the cold sets, calls to warm up, whether arguments are restored, placement, CPU choice, seed,
// verification, tracing and the words of a command. Paths, limits, group, counts of FLOP and bytes, and effort
// (precision, times, iterations, rounds, launches and their layouts) are left out, so that a run can be resumed with
// other limits or from another folder. Of files with contents, only the names count.
func (v *Invocation) Seal() {
	h := make(canonical, 0, 512)
	h.text("zonemark invocation 1", v.Name, v.Runtime, v.Artifact.SHA256, v.Function)
	h.int(int64(len(v.Arguments)))
	for _, a := range v.Arguments {
		h.text(a.Name, string(a.Element), a.Extent, string(a.Usage), strconv.FormatBool(a.ByValue),
			strconv.FormatBool(a.Callee))
		h.ints(a.Shape)
		h.ints(a.Strides)
		h.int(a.Offset)
		h.text(string(a.Fill), strconv.FormatUint(a.Contents.Seed, 10), a.Value, a.Path)
	}
	if options := v.Artifact.Options; len(options) > 0 {
		h.text("options")
		for _, k := range slices.Sorted(maps.Keys(options)) {
			h.text(k, options[k])
		}
	}
	h.int(int64(len(v.Parameters)))
	for _, k := range slices.Sorted(maps.Keys(v.Parameters)) {
		h.text(k, v.Parameters[k])
	}
	if len(v.Given) > 0 {
		h.text("given")
		h.text(v.Given...)
	}
	m := v.Measure
	h.text(string(m.Mode), strconv.FormatBool(m.CheckOnly), strconv.FormatUint(m.Seed, 10), strconv.FormatBool(v.Trace))
	h.int(m.SetBytes)
	h.int(int64(m.CPU))
	h.int(m.CallsPerBatch)
	if m.HugePages {
		h.text("huge pages")
	}
	if m.Placement != "" && m.Placement != Vary {
		h.text("placement", string(m.Placement))
	}
	if m.WarmupCalls > 0 {
		h.text("warmup calls")
		h.int(m.WarmupCalls)
	}
	if !m.Restore.Auto() {
		h.text("restore", string(m.Restore))
	}
	if !m.Reorder.Auto() {
		h.text("reorder", string(m.Reorder))
	}
	h.text(v.Verify.Reference)
	if of := v.Verify.Of; of.SHA256 != "" || len(of.Options) > 0 {
		h.text("of", of.SHA256)
		for _, k := range slices.Sorted(maps.Keys(of.Options)) {
			h.text(k, of.Options[k])
		}
	}
	h.int(int64(math.Float64bits(v.Verify.Tolerance)))
	h.text(v.Verify.Expected...)
	if len(v.Command) > 0 {
		h.text("command")
		h.int(int64(len(v.Command)))
		h.text(v.Command...)
	}
	sum := sha256.Sum256(h)
	v.ID = hex.EncodeToString(sum[:8])
}

// canonical is what is hashed. It holds values unambiguously, since the length of each text is before the text.
type canonical []byte

func (h *canonical) text(parts ...string) {
	for _, s := range parts {
		*h = append(strconv.AppendInt(*h, int64(len(s)), 10), ':')
		*h = append(*h, s...)
	}
}

func (h *canonical) int(n int64) { *h = append(strconv.AppendInt(*h, n, 10), ';') }

func (h *canonical) ints(xs []int64) {
	h.int(int64(len(xs)))
	for _, x := range xs {
		h.int(x)
	}
}
