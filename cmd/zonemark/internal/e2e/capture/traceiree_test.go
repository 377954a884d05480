package capture

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/driver/setup/setuptest"
	"zonemark/invocations/testneeds"
	"zonemark/trace"
)

// The function has one dispatch of 4x4 tiles. It has no inputs, and the compiler must not replace it by a constant.
const tracedModule = `func.func @work() -> tensor<256x256xf32> {
  %a = util.unfoldable_constant dense<1.0> : tensor<256x256xf32>
  %b = util.unfoldable_constant dense<2.0> : tensor<256x256xf32>
  %c0 = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x256xf32>
  %f = linalg.fill ins(%c0 : f32) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  %r = linalg.matmul ins(%a, %b : tensor<256x256xf32>, tensor<256x256xf32>) outs(%f : tensor<256x256xf32>) -> ` +
	`tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}
`

// The capture holds all that a traced executor emits until its last call, on both devices, since the device's threads
// end before the process.
func TestCapturedModule(t *testing.T) {
	tracySite(t)
	compiler := setuptest.IREE(t).Compile
	if compiler == "" {
		testneeds.Missing(t, errors.New("the compiler of IREE is not installed: \"zonemark setup iree\" installs it"))
	}
	dir := t.TempDir()
	source, module := filepath.Join(dir, "work.mlir"), filepath.Join(dir, "work.vmfb")
	if err := os.WriteFile(source, []byte(tracedModule), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(compiler, "--iree-hal-target-device=local",
		"--iree-hal-local-target-device-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=generic", source,
		"-o", module).CombinedOutput(); err != nil {
		t.Fatalf("compile: %v\n%s", err, out)
	}
	for _, device := range []string{"local-sync", "local-task"} {
		t.Run(device, func(t *testing.T) {
			zones, _ := e2e.ReadZones(t, generateCapture(t, "module", "-file", module, "-function", "work",
				"-device", device, "-calls", "300"))
			brackets := map[string]int{}
			var last trace.Zone
			dispatches := 0
			for _, z := range zones {
				if z.Location.Name == "invocation" {
					brackets[z.Text]++
					last = z
				}
			}
			inLast := 0
			for _, z := range zones {
				if z.Name() != "work_dispatch_0_matmul_256x256x256_f32" {
					continue
				}
				dispatches++
				if z.StartNS >= last.StartNS && z.EndNS() <= last.EndNS() {
					inLast++
				}
			}
			if brackets["inv=first"] != 150 || brackets["inv=second"] != 150 || len(brackets) != 2 {
				t.Errorf("brackets: %v, want 150 each", brackets)
			}
			if inLast == 0 || dispatches < 300 || device == "local-sync" && dispatches != 300*inLast {
				t.Errorf("%d zones of the dispatch, %d of them in the last call", dispatches, inLast)
			}
		})
	}
}
