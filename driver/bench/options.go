package bench

// Options are the flags of a benchmark, by topic. Records keep them side by side, under the names that PyBuda's benchmark
// gives them. After Settle they hold the values in effect.
type Options struct {
	ModelOptions
	FormatOptions
	LoopOptions
	OutputOptions
	HardwareOptions
	PyBudaOptions
	AddedOptions

	// Given holds the flags of the command line, by their names in records. Nil means none.
	Given map[string]bool `json:"-"`
}

// ModelOptions say which model runs.
type ModelOptions struct {
	Model    string `json:"model"`
	Config   string `json:"config"`
	Training bool   `json:"training"`
}

// FormatOptions say in which formats it computes, and how far it is optimized.
type FormatOptions struct {
	DataFormat      string `json:"dataformat"`
	MathFidelity    string `json:"math_fidelity"`
	BackendOptLevel int    `json:"backend_opt_level"`
}

// LoopOptions say how often it runs, on how much.
type LoopOptions struct {
	LoopCount       int64 `json:"loop_count"` // executions in a repetition
	MicrobatchCount int64 `json:"microbatch_count"`
	Microbatch      int64 `json:"microbatch"` // batch size of an execution on one chip
	Chips           int   `json:"chips"`
	Recompute       bool  `json:"recompute"`
	Layers          int   `json:"layers"` // 0: as the model was published
}

// OutputOptions say what is told and kept.
type OutputOptions struct {
	Trace         string `json:"trace"`
	List          bool   `json:"list"`
	Env           string `json:"env"`
	Output        string `json:"output"`
	DisableOutput int    `json:"disable_output"`
}

// HardwareOptions say which device runs it.
type HardwareOptions struct {
	Arch          string  `json:"arch"`
	Device        *string `json:"device"`
	RuntimeParams *string `json:"runtime_params_yaml"`
	DeviceConfig  *string `json:"device_config"`
	Galaxy        bool    `json:"galaxy"`
}

// PyBudaOptions are those for PyBuda's own compiler; see Settle for what becomes of them.
type PyBudaOptions struct {
	LoadTTI        string `json:"load_tti"`
	SaveTTI        string `json:"save_tti"`
	ParallelTTI    string `json:"parallel_tti"`
	AutoTranspose  bool   `json:"auto_transpose"`
	BalancerPolicy string `json:"balancer_policy"`
	PerfAnalysis   bool   `json:"perf_analysis"`
	SingleThread   bool   `json:"single_thread"`
	Generative     bool   `json:"generative"`
}

// AddedOptions are those that zonemark adds.
type AddedOptions struct {
	EmulateFormats bool     `json:"emulate_formats"`
	Repetitions    int64    `json:"repetitions"` // each in a fresh process
	Plugin         string   `json:"plugin"`      // empty for the plugin that was found
	Models         []string `json:"models,omitempty"`
	Seed           uint64   `json:"seed"`
	CompileOptions []string `json:"compile_options,omitempty"` // NAME=VALUE
	// Runtimes are those that run the model, and RuntimeOptions the options of the one of the record, by its own names.
	Runtimes       []string          `json:"runtimes,omitempty"`
	RuntimeOptions map[string]string `json:"runtime_options,omitempty"`
}

// DefaultOptions returns the options of a command line without flags. They are PyBuda's defaults, except loop_count
// (see Settle) and microbatch (the model's own).
func DefaultOptions() Options {
	return Options{
		FormatOptions: FormatOptions{DataFormat: "Bfp8_b", MathFidelity: "LoFi", BackendOptLevel: 4},
		LoopOptions:   LoopOptions{MicrobatchCount: 1, Chips: 1},
		OutputOptions: OutputOptions{Trace: TraceNone},
		PyBudaOptions: PyBudaOptions{BalancerPolicy: "default"},
		AddedOptions:  AddedOptions{Repetitions: 5},
	}
}

// DataFormats returns the values of dataformat: floating-point formats with 8 (_b) or 5 bits of exponent, and block
// formats, in which 16 values share an exponent.
func DataFormats() []string {
	return []string{"Fp32", "Fp16", "Fp16_b", "Bfp8", "Bfp8_b", "Bfp4", "Bfp4_b"}
}

// MathFidelities returns the values of math_fidelity.
func MathFidelities() []string { return []string{"LoFi", "HiFi2", "HiFi3", "HiFi4"} }

// TraceLevels returns the values of trace.
func TraceLevels() []string { return []string{TraceNone, TraceLight, TraceVerbose} }

// The levels of traces.
const (
	TraceNone    = "none"
	TraceLight   = "light"
	TraceVerbose = "verbose"
)

// BalancerPolicies returns the values of balancer_policy.
func BalancerPolicies() []string { return []string{"default", "CNN", "Ribbon", "NLP"} }

// Architectures returns the values of arch.
func Architectures() []string { return []string{"grayskull", "wormhole_b0"} }

// Devices returns the values of device: hardware, the CPU as its reference, and PyBuda's model of the hardware.
func Devices() []string { return []string{deviceSilicon, deviceGolden, deviceModel} }

const (
	deviceSilicon = "silicon"
	deviceGolden  = "golden"
	deviceModel   = "model"
)

// DeviceConfigs returns the values of device-config.
func DeviceConfigs() []string {
	return []string{"galaxy", "wh_n150", "wh_n300", "gs_e150", "gs_e300"}
}

// nativeElement returns NumPy's name of the element type of a data format, or "" for a block format.
func nativeElement(format string) string {
	switch format {
	case "Fp32":
		return "float32"
	case "Fp16":
		return "float16"
	case "Fp16_b":
		return "bfloat16"
	}
	return ""
}
