package pjrt

import (
	"errors"
	"fmt"
	"unsafe"
)

// Executable is a compiled program, loaded on the devices that it was compiled for. It must be closed before its
// client.
type Executable struct {
	client  *Client
	loaded  uintptr
	program uintptr // the part that does not depend on devices, an executable of its own in the C API
	outputs int
}

// Compile compiles StableHLO, as text or bytecode. The entry must be the function main. The options are a serialized
// CompileOptionsProto, see CompileOptions.
func (c *Client) Compile(stableHLO, options []byte) (*Executable, error) {
	if len(stableHLO) == 0 {
		return nil, errors.New("the program is empty")
	}
	format := []byte("mlir")
	program := programArgs{
		base: sized[programArgs](),
		code: unsafe.Pointer(&stableHLO[0]), codeSize: uintptr(len(stableHLO)),
		format: unsafe.Pointer(&format[0]), formatSize: uintptr(len(format)),
	}
	args := compileArgs{base: sized[compileArgs](), client: c.handle, program: unsafe.Pointer(&program)}
	if len(options) > 0 {
		args.options, args.optionsSize = unsafe.Pointer(&options[0]), uintptr(len(options))
	}
	if err := c.plugin.call(clientCompile, unsafe.Pointer(&args)); err != nil {
		return nil, err
	}
	e := &Executable{client: c, loaded: args.executable}
	if err := e.inspect(); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

// maxOutputs limits the number of results, as a check of plausibility.
const maxOutputs = 1 << 20

func (e *Executable) inspect() error {
	get := getExecutableArgs{base: sized[getExecutableArgs](), loaded: e.loaded}
	if err := e.client.plugin.call(loadedExecutableGetExecutable, unsafe.Pointer(&get)); err != nil {
		return err
	}
	e.program = get.executable
	count := numOutputsArgs{base: sized[numOutputsArgs](), executable: e.program}
	if err := e.client.plugin.call(executableNumOutputs, unsafe.Pointer(&count)); err != nil {
		return err
	}
	if count.count > maxOutputs {
		return fmt.Errorf("the plugin says that the program has %d results", count.count)
	}
	e.outputs = int(count.count)
	return nil
}

// Outputs returns the types of the results of one device. The error is NotImplemented if the plugin cannot report them.
func (e *Executable) Outputs() ([]Shape, error) {
	plugin := e.client.plugin
	types := outputTypesArgs{base: sized[outputTypesArgs](), executable: e.program}
	if err := plugin.call(executableOutputElementTypes, unsafe.Pointer(&types)); err != nil {
		return nil, err
	}
	dims := outputDimensionsArgs{base: sized[outputDimensionsArgs](), executable: e.program}
	if err := plugin.call(executableOutputDimensions, unsafe.Pointer(&dims)); err != nil {
		return nil, err
	}
	if types.count != uintptr(e.outputs) || dims.count != uintptr(e.outputs) {
		return nil, fmt.Errorf("the plugin tells %d results, %d types of them and %d shapes",
			e.outputs, types.count, dims.count)
	}
	if e.outputs == 0 {
		return nil, nil
	}
	if types.types == 0 || dims.ranks == 0 {
		return nil, errors.New("the plugin tells no types of the results")
	}
	shapes := make([]Shape, e.outputs)
	next := dims.dimensions
	for i := range shapes {
		shapes[i].Element = Type(*(*int32)(at(types.types + uintptr(i)*4)))
		rank := *(*uintptr)(at(dims.ranks + uintptr(i)*8))
		if rank > maxRank || rank > 0 && next == 0 {
			return nil, fmt.Errorf("the plugin says that result %d has %d dimensions", i, rank)
		}
		shapes[i].Dimensions = []int64{}
		for range rank {
			shapes[i].Dimensions = append(shapes[i].Dimensions, *(*int64)(at(next)))
			next += 8
		}
	}
	return shapes, nil
}

// Cost returns the plugin's own analysis of one execution, under the plugin's names: "flops", "bytes accessed", …. It
// is empty if the plugin offers none.
func (e *Executable) Cost() map[string]float64 {
	args := costAnalysisArgs{base: sized[costAnalysisArgs](), executable: e.program}
	if e.client.plugin.call(executableGetCostAnalysis, unsafe.Pointer(&args)) != nil {
		return nil
	}
	cost := map[string]float64{}
	for name, value := range namedValues(args.values, args.count) {
		switch v := value.(type) {
		case float64:
			cost[name] = v
		case int64:
			cost[name] = float64(v)
		}
	}
	return cost
}

// maxOptimized limits the size of the program that OptimizedProgram reads.
const maxOptimized = 1 << 30

// OptimizedProgram returns the program as the plugin compiled it, and its format: "hlo", "hlo_with_config", "mlir".
func (e *Executable) OptimizedProgram() (program []byte, format string, err error) {
	out := optimizedProgram{base: sized[optimizedProgram]()}
	args := optimizedProgramArgs{
		base:       sized[optimizedProgramArgs](),
		executable: e.program,
		program:    unsafe.Pointer(&out),
	}
	if err := e.client.plugin.call(executableOptimizedProgram, unsafe.Pointer(&args)); err != nil {
		return nil, "", err
	}
	if out.codeSize == 0 || out.codeSize > maxOptimized {
		return nil, "", fmt.Errorf("the plugin says that the compiled program takes %d bytes", out.codeSize)
	}
	program = make([]byte, out.codeSize)
	out.code = unsafe.Pointer(&program[0])
	if err := e.client.plugin.call(executableOptimizedProgram, unsafe.Pointer(&args)); err != nil {
		return nil, "", err
	}
	return program, text(out.format, min(out.formatSize, maxMessage)), nil
}

// Close unloads the program.
func (e *Executable) Close() error {
	plugin := e.client.plugin
	err := errors.Join(plugin.destroy(executableDestroy, e.program), plugin.destroy(loadedExecutableDestroy, e.loaded))
	e.program, e.loaded = 0, 0
	return err
}
