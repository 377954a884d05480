package generator

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"

	"zonemark/invocations/remedy"
	"zonemark/invocations/spelling"
)

// The schedulers that are none of Halide's: a generator's own schedule, and the default one of each Func.
const (
	Manual = "manual"
	None   = "none"
)

const (
	parallelismParameter = "parallelism"
	weightsParameter     = "weights_path"
)

// scheduler is a way to schedule pipelines.
type scheduler struct {
	name       string
	halide     string   // its name in Halide; empty for none and manual
	parameters []string // that its plugin knows, from the sources of Halide 21
	texts      []string // of these, those that are no numbers
	// shapes are the extents of the weights that it reads; nil: any.
	shapes [][]int
}

// schedulers is the table of schedulers. A plugin aborts on a parameter that it does not know.
var schedulers = []scheduler{
	{name: None},
	{name: Manual},
	{
		name: "adams2019", halide: "Adams2019",
		parameters: []string{
			parallelismParameter, "beam_size", "random_dropout", "random_dropout_seed", weightsParameter,
			"disable_subtiling", "disable_memoized_features", "disable_memoized_blocks", "memory_limit",
		},
		texts: []string{weightsParameter},
		// head1_filter, head1_bias, head2_filter, head2_bias, conv1_filter, conv1_bias
		shapes: [][]int{{8, 40, 7}, {8}, {24, 39}, {24}, {32, 32}, {32}},
	},
	{
		name: "mullapudi2016", halide: "Mullapudi2016",
		parameters: []string{parallelismParameter, "last_level_cache_size", "balance", "experimental_gpu_schedule"},
	},
	{name: "li2018", halide: "Li2018", parameters: []string{parallelismParameter}},
	{
		name: "anderson2021", halide: "Anderson2021",
		parameters: []string{
			parallelismParameter, "beam_size", "random_dropout", "random_dropout_seed", weightsParameter,
			"disable_subtiling", "randomize_tilings", "search_space_options", "freeze_inline_compute_root",
			"partial_schedule_path", "num_passes", "stack_factor", "shared_memory_limit_kb",
			"shared_memory_sm_limit_kb", "active_block_limit", "active_warp_limit",
		},
		texts: []string{weightsParameter, "search_space_options", "partial_schedule_path"},
	},
}

// Schedulers returns the names that Request.Scheduler may have.
func Schedulers() (names []string) {
	for _, s := range schedulers {
		names = append(names, s.name)
	}
	return names
}

// Parameters returns the names of the parameters of a scheduler. It is nil if the scheduler has none or is not known.
func Parameters(scheduler string) []string {
	s, err := schedulerOf(scheduler)
	if err != nil {
		return nil
	}
	return slices.Clone(s.parameters)
}

// schedulerOf returns the scheduler of a name. An empty one is "manual".
func schedulerOf(name string) (scheduler, error) {
	if name == "" {
		name = Manual
	}
	at := slices.IndexFunc(schedulers, func(s scheduler) bool { return s.name == name })
	if at < 0 {
		err := fmt.Errorf("no scheduler %q%s", name, spelling.SuggestOrList(name, Schedulers()))
		if near := spelling.Nearest(name, Schedulers()); near != "" {
			err = remedy.With(err, remedy.Remedy{Kind: remedy.Instead, Name: name, Value: near})
		}
		return scheduler{}, err
	}
	return schedulers[at], nil
}

// complete checks the parameters of a scheduler and returns them with the default of parallelism.
func (s scheduler) complete(params map[string]string) (map[string]string, error) {
	for _, name := range slices.Sorted(maps.Keys(params)) {
		value := params[name]
		switch {
		case s.halide == "":
			return nil, fmt.Errorf("scheduler %s has no parameters, and %s is set; choose an autoscheduler", s.name, name)
		case !slices.Contains(s.parameters, name):
			near := spelling.Suggest(name, s.parameters)
			if near == "" {
				near = fmt.Sprintf("; it has %q", s.parameters)
			}
			return nil, fmt.Errorf("scheduler %s has no parameter %q%s", s.name, name, near)
		case slices.Contains(s.texts, name):
			if value == "" {
				return nil, fmt.Errorf("scheduler %s: parameter %s is empty", s.name, name)
			}
		default:
			if _, err := strconv.ParseFloat(value, 64); err != nil {
				return nil, fmt.Errorf("scheduler %s: parameter %s is %q; write a number", s.name, name, value)
			}
		}
	}
	complete := maps.Clone(params)
	if slices.Contains(s.parameters, parallelismParameter) && params[parallelismParameter] == "" {
		if complete == nil {
			complete = map[string]string{}
		}
		complete[parallelismParameter] = strconv.Itoa(runtime.NumCPU())
	}
	return complete, nil
}
