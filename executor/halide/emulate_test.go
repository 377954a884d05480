package halide

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zonemark/driver/setup/setuptest"
	"zonemark/executor"
	"zonemark/invocations"
	"zonemark/invocations/building"
	"zonemark/invocations/testsize"
)

// hexagonSource holds two generators. The outputs of plain are 3*input + x + y.
const hexagonSource = `import halide as hl

x, y = hl.Var("x"), hl.Var("y")


@hl.generator(name="plain")
class Plain:
    input = hl.InputBuffer(hl.UInt(8), 2)
    output = hl.OutputBuffer(hl.UInt(8), 2)

    def generate(g):
        g.output[x, y] = g.input[x, y] * hl.u8(3) + hl.u8(x + y)
        if not g.using_autoscheduler():
            g.output.vectorize(x, 128)


@hl.generator(name="wrong")
class Wrong:
    input = hl.InputBuffer(hl.UInt(8), 2)
    output = hl.OutputBuffer(hl.UInt(8), 2)

    def generate(g):
        g.output[x, y] = g.input[x, y] * hl.u8(5)
`

// hexagonTest is a source of generators, built for Hexagon.
type hexagonTest struct {
	runtime  Runtime
	artifact invocations.Artifact
	cache    string
}

func newHexagonTest(t *testing.T) *hexagonTest {
	t.Helper()
	variables := append(setuptest.Hexagon(t), setuptest.Halide(t).Environment()...)
	folder := t.TempDir()
	path := filepath.Join(folder, "lines.py")
	if err := os.WriteFile(path, []byte(hexagonSource), 0o644); err != nil {
		t.Fatal(err)
	}
	h := &hexagonTest{cache: t.TempDir()}
	h.runtime = New(func(name string) string {
		for _, entry := range variables {
			if value, found := strings.CutPrefix(entry, name+"="); found {
				return value
			}
		}
		return ""
	})
	return h.built(t, path, "hexagon-32-noos-hvx-hvx_v66")
}

// built describes and builds the source for a target.
func (h *hexagonTest) built(t *testing.T, path, target string) *hexagonTest {
	t.Helper()
	options := map[string]string{OptionTarget: target}
	list, err := h.runtime.Describe(path, executor.DescribeOptions{Options: options, Cache: h.cache})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range list[0].Functions {
		names = append(names, fmt.Sprint(f.Name, " ", f.Emulated, f.Skip))
	}
	if want := []string{"plain true", "wrong true"}; !slices.Equal(names, want) {
		t.Fatalf("functions %q, want %q", names, want)
	}
	made := *h
	made.artifact = invocations.Artifact{Path: path, Options: options}
	if made.artifact.Built, err = h.runtime.Build(t.Context(), made.artifact, building.Workshop{Cache: h.cache}); err != nil {
		t.Fatal(err)
	}
	return &made
}

// call emulates a function. The emulator is not confined here.
func (h *hexagonTest) call(t *testing.T, function string, verify invocations.Verification, extents string) (
	invocations.Result, error,
) {
	t.Helper()
	inv := &invocations.Invocation{Runtime: Name, Artifact: h.artifact, Function: function, Verify: verify}
	inv.Measure.Seed = 1
	inv.Parameters = map[string]string{"output.extent": extents}
	inv.Arguments = []invocations.Argument{
		{Name: "input", Contents: invocations.Contents{Fill: invocations.FillConstant, Value: "2"}},
	}
	tool := func(ctx context.Context, folder, path string, args ...string) (*executor.Tool, error) {
		cmd := exec.CommandContext(ctx, path, args...)
		cmd.Dir = folder
		return &executor.Tool{Cmd: cmd}, nil
	}
	return h.runtime.Emulate(t.Context(), inv, t.TempDir(), tool, func(string) {})
}

// lines returns the outputs of plain for inputs of 2 and two rows of n elements; the last element is changed.
func lines(n, change int) invocations.Verification {
	text := fmt.Sprintf("2x%dxui8=", n)
	for i := range 2 * n {
		text += fmt.Sprint((6+i%n+i/n+change*(i/(2*n-1)))%256, " ")
	}
	return invocations.Verification{Expected: []string{strings.TrimSpace(text)}}
}

// The parts share a cache, because the compiler builds its own library in an empty one, which takes long.
func TestEmulate(t *testing.T) {
	if !testsize.Large() {
		t.Skip("the compiler builds its own library")
	}
	h := newHexagonTest(t)
	t.Run("counts", func(t *testing.T) { testCounts(t, h) })
	t.Run("reference", func(t *testing.T) { testReference(t, h) })
	t.Run("extents", func(t *testing.T) { testShortExtents(t, h) })
}

// An emulated pipeline is bit-exact, its counts are equal in every call, and it has no times.
func testCounts(t *testing.T, h *hexagonTest) {
	var counts []invocations.HexagonCounts
	for range 3 {
		r, err := h.call(t, "plain", lines(512, 0), "512x2")
		if err != nil || r.Status != invocations.OK || r.Hexagon == nil || len(r.SamplesNS) > 0 {
			t.Fatalf("%+v, error %v", r, err)
		}
		counts = append(counts, *r.Hexagon)
	}
	if c := counts[0]; c.Packets < 10 || c.Instructions <= c.Packets || c.VectorInstructions < 4 ||
		c != counts[1] || c != counts[2] {
		t.Errorf("counts %+v", counts)
	}
	if r, err := h.call(t, "plain", lines(512, 1), "512x2"); err != nil || r.Status != invocations.Mismatch ||
		!strings.Contains(r.Error, "1 of 1024 elements differ") || r.Hexagon != nil {
		t.Errorf("%+v, error %v", r, err)
	}
}

// Without a reference, a pipeline is compared with its default schedule; with one, with another pipeline.
func testReference(t *testing.T, h *hexagonTest) {
	r, err := h.call(t, "plain", invocations.Verification{}, "512x2")
	if err != nil || r.Status != invocations.OK || !strings.Contains(strings.Join(r.Notes, "\n"), "default schedule") {
		t.Errorf("%+v, error %v", r, err)
	}
	r, err = h.call(t, "plain", invocations.Verification{Reference: "wrong"}, "512x2")
	if err != nil || r.Status != invocations.Mismatch || !strings.Contains(r.Error, "elements differ") {
		t.Errorf("%+v, error %v", r, err)
	}
	for reference, want := range map[string]string{
		"wrnog": "no pipeline", "other.so:plain": "must be another generator of the same source",
	} {
		_, err = h.call(t, "plain", invocations.Verification{Reference: reference}, "512x2")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q in it", reference, err, want)
		}
	}
}

// Extents below the vector are an error of the pipeline, or a mismatch if it does not check them.
func testShortExtents(t *testing.T, h *hexagonTest) {
	if _, err := h.call(t, "plain", invocations.Verification{}, "100x2"); err == nil ||
		!strings.Contains(err.Error(), "returned error -4 (access out of bounds): Output buffer output is accessed at -28") {
		t.Errorf("error %v", err)
	}
	careless := h.built(t, h.artifact.Path, "hexagon-32-noos-hvx-hvx_v66-no_asserts")
	r, err := careless.call(t, "plain", invocations.Verification{}, "100x2")
	if err != nil || r.Status != invocations.Mismatch || !strings.Contains(r.Error, "of 200 elements differ") {
		t.Errorf("%+v, error %v", r, err)
	}
}
