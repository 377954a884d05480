package iree

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"zonemark/executor"
	"zonemark/executor/iree/dispatchmode"
	"zonemark/executor/iree/halprofile"
	"zonemark/executor/iree/tally"
	"zonemark/executor/iree/tensor"
	"zonemark/executor/toolchain"
	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// benchmarkModule is the tool of the wheel iree-base-runtime that calls a function under IREE's profiler.
const benchmarkModule = "iree-benchmark-module"

// toolNote is the note for readers about calls that the tool has made.
const toolNote = "its dispatches were timed by " + benchmarkModule +
	", which hands the profiler's records over after each call: that is in its calls and host time"

// Record implements executor.Recorder with iree-benchmark-module, which writes the records of IREE's profiler to a
// file. Calls follow each other at once, so a call is taken to last from the start of its first dispatch to the start
// of the next call's. The last call is left out, since nothing says how long it took.
func (r Runtime) Record(
	ctx context.Context, inv *invocations.Invocation, calls int64, folder string, tool executor.ToolStarter,
) (invocations.Profile, error) {
	m, err := readModule(inv.Artifact)
	if err == nil {
		err = runnable(m, r.Installation.Version)
	}
	if err != nil {
		return invocations.Profile{}, err
	}
	list, err := functionInputs(m.Module, inv, 0)
	if err != nil {
		return invocations.Profile{}, fmt.Errorf("%s: %w", inv.Artifact.Path, err)
	}
	profile := filepath.Join(folder, "calls.ireeprof")
	args, err := profileArguments(inv, calls+1, profile)
	if err != nil {
		return invocations.Profile{}, err
	}
	for i := range list {
		input, err := toolInput(folder, i, &list[i])
		if err != nil {
			return invocations.Profile{}, fmt.Errorf("input %d of %s: %w", i, inv.Function, err)
		}
		args = append(args, "--input="+input)
	}
	if err := r.Installation.runTool(ctx, folder, tool, args); err != nil {
		return invocations.Profile{}, fmt.Errorf("%s: %w", inv.Artifact.Path, err)
	}
	records, err := halprofile.ReadFile(profile)
	if err != nil {
		return invocations.Profile{}, err
	}
	found, err := tally.Calls(records, calls+1)
	if err != nil {
		return invocations.Profile{}, err
	}
	found.Notes = append(found.Notes, toolNote)
	return withNodes(found, inv.Artifact.Built), nil
}

// profileArguments returns the arguments of the tool, without the inputs.
func profileArguments(inv *invocations.Invocation, calls int64, profile string) ([]string, error) {
	file, err := moduleFile(inv.Artifact)
	if err != nil {
		return nil, err
	}
	options := inv.Artifact.Options
	threads, err := taskThreads(options)
	if err != nil {
		return nil, err
	}
	if _, err := parameterFiles(options); err != nil {
		return nil, err
	}
	args, err := dispatchmode.ToolFlags(append(moduleFiles(options), file), options[optionParameterFiles])
	if err != nil {
		return nil, err
	}
	args = append(args,
		"--function="+inv.Function,
		"--device="+device(options),
		fmt.Sprintf("--benchmark_min_time=%dx", calls),
		"--device_profiling_mode="+profilingMode(options)+",executable-metadata",
		"--device_profiling_output="+profile,
	)
	if threads > 0 {
		args = append(args, fmt.Sprintf("--task_topology_group_count=%d", threads))
	}
	return args, nil
}

// profilingMode returns the kind of records that tell when dispatches ran: by the host's clock on the CPU, else by the
// device's own, since the host does not see them run.
func profilingMode(options map[string]string) string {
	if OnDevice(options) {
		return "dispatch-events"
	}
	return "host-execution"
}

// ProfilesDevice reports whether the driver of the device that the options ask for tells IREE's profiler when
// dispatches ran. In IREE 3.13, the drivers cuda and hip take the question and do not answer.
func ProfilesDevice(options map[string]string) bool {
	driver := driverOf(device(options))
	return onCPU(driver) || driver == "vulkan" || driver == "amdgpu"
}

// toolInput returns an input as the tool takes it. The elements of a tensor go through a file below folder, so that the
// calls have the same inputs as the measured ones.
func toolInput(folder string, n int, t *tensor.Tensor) (string, error) {
	if t.Scalar {
		return scalarText(t)
	}
	name := fmt.Sprintf("input%d.bin", n)
	if err := os.WriteFile(filepath.Join(folder, name), t.Data, 0o600); err != nil {
		return "", err
	}
	text := t.Type() + "=@" + name
	if t.Storage {
		text = "&" + text
	}
	return text, nil
}

// scalarText returns a number as the tool takes it. Its type is that of the function's argument.
func scalarText(t *tensor.Tensor) (string, error) {
	if int64(len(t.Data)) != t.Element.Size() {
		return "", fmt.Errorf("%d bytes for one element of %s", len(t.Data), t.Element)
	}
	word := make([]byte, 8) // the data are its low bytes
	copy(word, t.Data)
	bits := binary.LittleEndian.Uint64(word)
	switch unused := 64 - 8*uint(len(t.Data)); t.Element {
	case invocations.Bool, invocations.Uint8, invocations.Uint16, invocations.Uint32, invocations.Uint64,
		invocations.Float16, invocations.BFloat16, invocations.Float8E5M2, invocations.Float8E4M3FN,
		invocations.Float8E5M2FNUZ, invocations.Float8E4M3FNUZ: // smaller floats by their bits
		return strconv.FormatUint(bits, 10), nil
	case invocations.Int8, invocations.Int16, invocations.Int32, invocations.Int64:
		return strconv.FormatInt(int64(bits<<unused)>>unused, 10), nil
	case invocations.Float32:
		return floatText(float64(math.Float32frombits(uint32(bits))), 32), nil
	case invocations.Float64:
		return floatText(math.Float64frombits(bits), 64), nil
	}
	return "", fmt.Errorf("%s takes no number of %s", benchmarkModule, t.Element)
}

// floatText always writes a point, by which the tool recognizes a floating-point number.
func floatText(v float64, bits int) string {
	text := strconv.FormatFloat(v, 'e', -1, bits)
	if mantissa, exponent, found := strings.Cut(text, "e"); found && !strings.Contains(mantissa, ".") {
		text = mantissa + ".0e" + exponent
	}
	return text
}

// toolAfterlife limits how long what the tool has started may keep its output open.
const toolAfterlife = 5 * time.Second

// runTool runs the tool. If it fails, the error holds what it printed.
func (in Installation) runTool(ctx context.Context, folder string, tool executor.ToolStarter, args []string) error {
	if in.Tools == "" {
		return remedy.With(&executor.UnsupportedError{Reason: benchmarkModule + " is not installed"},
			remedy.Remedy{Kind: remedy.Install, Name: component})
	}
	path, err := filepath.Abs(filepath.Join(in.Tools, benchmarkModule))
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); err != nil {
		return remedy.With(err, remedy.Remedy{Kind: remedy.Reinstall, Name: component})
	}
	cmd, err := tool(ctx, folder, path, args...)
	if err != nil {
		return err
	}
	said := &toolchain.Beginning{}
	cmd.Stdout, cmd.Stderr = nil, said // its own measurements are not needed
	cmd.WaitDelay = toolAfterlife
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", benchmarkModule, err, firstLine(oneLine(toolError(said.String()))))
	}
	return nil
}

// toolError returns what the tool prints about an error, without the head of the table that it prints before.
func toolError(said string) string {
	var lines strings.Builder
	for line := range strings.Lines(said) {
		if runtimePlace().MatchString(line) {
			lines.WriteString(line)
		}
	}
	return cmp.Or(lines.String(), said)
}
