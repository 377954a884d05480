package tt

import (
	"fmt"
	"strconv"
	"strings"

	"zonemark/executor/tt/pjrt"
	"zonemark/invocations"
)

// These are the keys of invocations.Artifact.Options.
const (
	OptionPlugin    = "plugin"    // a path, "tt" or "cpu"
	optionTransfers = "transfers" // default: excluded
	// leading inputs that stay on the devices although transfers are included; default: 0
	optionResident = "resident-inputs"
	optionChips    = "chips"           // number of devices, 0 for all; default: 1
	optionCompile  = "compile-options" // NAME=VALUE options of the plugin's compiler, separated by spaces
	OptionFile     = "compile-options-file"
	optionCache    = "compile-cache" // default: on
)

// These are the values of the option transfers.
const (
	transfersExcluded = "excluded"
	transfersIncluded = "included"
)

// Options returns the options of programs for PJRT plugins.
func Options() []invocations.Option {
	return []invocations.Option{
		{Name: OptionPlugin, Placeholder: "name", Kind: invocations.NameOrFileOption,
			Usage: "PJRT plugin that runs StableHLO: a path, tt (Tenstorrent's) or cpu (XLA's); ZONEMARK_PJRT_PLUGIN " +
				"when left out"},
		{Name: optionTransfers, Placeholder: "how",
			Usage: "what a call to a PJRT plugin is: excluded (an execution, buffers stay on the device) " +
				"or included (inputs pushed, results fetched)"},
		{Name: optionResident, Placeholder: "n",
			Usage: "with --transfers included: this many leading inputs, such as weights, stay on the device"},
		{Name: optionChips, Placeholder: "n",
			Usage: "devices that a PJRT plugin runs a program on at once, each with inputs of its own; 0: all"},
		{Name: optionCompile, Placeholder: "options",
			Usage: "options of a PJRT plugin's compiler, NAME=VALUE separated by spaces; --compile-option " +
				"adds one",
			Repeatable:      "compile-option",
			RepeatableUsage: "one option of a PJRT plugin's compiler, such as optimization_level=1; repeatable"},
		{Name: OptionFile, Placeholder: "file", Kind: invocations.FileOption,
			Usage: "options of a PJRT plugin's compiler as a serialized CompileOptionsProto, taken as it is"},
		{Name: optionCache, Placeholder: "on|off",
			Usage: "load programs that a PJRT plugin has compiled before from the cache (default: on)"},
	}
}

// options holds the parsed options of an artifact.
type options struct {
	plugin    string
	transfers bool // inputs are pushed and results fetched in every call
	resident  int  // leading inputs that stay on the devices all the same, such as weights
	chips     int  // 0 for all
	chosen    bool // chips was given
	overrides []pjrt.Override
	file      string // path of a serialized CompileOptionsProto; empty if none
	uncached  bool   // every load compiles
}

// maxChips limits the number of devices, as a check of plausibility.
const maxChips = 1 << 12

// parseOptions reads the options of an artifact.
func parseOptions(given map[string]string) (options, error) {
	o := options{plugin: given[OptionPlugin], chips: 1, file: given[OptionFile]}
	for _, parse := range []func(map[string]string) error{o.parseTransfers, o.parseCache, o.parseNumbers} {
		if err := parse(given); err != nil {
			return o, err
		}
	}
	var err error
	if o.overrides, err = parseCompileOptions(given[optionCompile]); err != nil {
		return o, err
	}
	if o.file != "" && len(o.overrides) > 0 {
		return o, fmt.Errorf("options %s and %s are both given; put everything into the file, or leave it out",
			optionCompile, OptionFile)
	}
	return o, nil
}

func (o *options) parseTransfers(given map[string]string) error {
	switch value := given[optionTransfers]; value {
	case "", transfersExcluded:
	case transfersIncluded:
		o.transfers = true
	default:
		return fmt.Errorf("option %s=%s: want %s (buffers stay on the device between calls) or %s (every call pushes "+
			"its inputs and fetches its results)", optionTransfers, value, transfersExcluded, transfersIncluded)
	}
	return nil
}

func (o *options) parseCache(given map[string]string) error {
	switch value := given[optionCache]; value {
	case "", "on":
	case "off":
		o.uncached = true
	default:
		return fmt.Errorf("option %s=%s: want on or off", optionCache, value)
	}
	return nil
}

// parseNumbers reads the options that are numbers. o.transfers must be set.
func (o *options) parseNumbers(given map[string]string) (err error) {
	if value := given[optionChips]; value != "" {
		o.chosen = true
		if o.chips, err = strconv.Atoi(value); err != nil || o.chips < 0 || o.chips > maxChips {
			return fmt.Errorf("option %s=%s: not a number of devices; want 1 or more, or 0 for all", optionChips, value)
		}
	}
	if value := given[optionResident]; value != "" {
		if o.resident, err = strconv.Atoi(value); err != nil || o.resident < 0 {
			return fmt.Errorf("option %s=%s: not a number of inputs; want 0 or more", optionResident, value)
		}
		if o.resident > 0 && !o.transfers {
			return fmt.Errorf("option %s=%s: all inputs stay on the device unless %s=%s",
				optionResident, value, optionTransfers, transfersIncluded)
		}
	}
	return nil
}

// parseCompileOptions reads NAME=VALUE pairs separated by spaces. Plugins want values of the right type: true and false
// become booleans, digits integers, numbers with a point or an exponent doubles, and everything else strings. Quotes
// make any value a string.
func parseCompileOptions(text string) ([]pjrt.Override, error) {
	var list []pjrt.Override
	for pair := range strings.FieldsSeq(text) {
		name, value, found := strings.Cut(pair, "=")
		if !found || name == "" {
			return nil, fmt.Errorf("compile option %q: want NAME=VALUE, such as optimization_level=1", pair)
		}
		list = append(list, pjrt.Override{Name: name, Value: compileValue(value)})
	}
	return list, nil
}

func compileValue(text string) any {
	if unquoted, err := strconv.Unquote(text); err == nil {
		return unquoted
	}
	if text == "true" || text == "false" {
		return text == "true"
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil && strings.ContainsAny(text, "0123456789") {
		return f
	}
	return text
}
