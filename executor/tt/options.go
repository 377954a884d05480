package tt

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"zonemark/executor/tt/pjrt"
)

// The keys of invocations.Artifact.Options.
const (
	optionPlugin    = "plugin"          // a path, "tt" or "cpu"
	optionTransfers = "transfers"       // excluded when left out
	optionResident  = "resident-inputs" // leading inputs that stay on the devices although transfers are included; 0 when left out
	optionChips     = "chips"           // devices; 1 when left out, 0 for all
	optionCompile   = "compile-options" // NAME=VALUE of the plugin's compiler, separated by spaces
)

// The values of the option transfers.
const (
	transfersExcluded = "excluded"
	transfersIncluded = "included"
)

// options are what an artifact's options say.
type options struct {
	plugin    string
	transfers bool // inputs are pushed and results fetched in every call
	resident  int  // leading inputs that stay on the devices all the same, such as weights
	chips     int  // 0: all
	overrides []pjrt.Override
}

// chipsMax bounds the devices that are believed.
const chipsMax = 1 << 12

func parseOptions(given map[string]string) (o options, err error) {
	known := []string{optionPlugin, optionTransfers, optionResident, optionChips, optionCompile}
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(known, key) {
			return o, fmt.Errorf("the runtime tt has no option %q%s", key, suggestion(key, known))
		}
	}
	o.plugin, o.chips = given[optionPlugin], 1
	switch value := given[optionTransfers]; value {
	case "", transfersExcluded:
	case transfersIncluded:
		o.transfers = true
	default:
		return o, fmt.Errorf("option %s=%s: want %s (buffers stay on the device between calls) or %s (every call pushes its inputs and fetches its results)",
			optionTransfers, value, transfersExcluded, transfersIncluded)
	}
	if value := given[optionChips]; value != "" {
		if o.chips, err = strconv.Atoi(value); err != nil || o.chips < 0 || o.chips > chipsMax {
			return o, fmt.Errorf("option %s=%s: not a number of devices; want 1 or more, or 0 for all", optionChips, value)
		}
	}
	if value := given[optionResident]; value != "" {
		if o.resident, err = strconv.Atoi(value); err != nil || o.resident < 0 {
			return o, fmt.Errorf("option %s=%s: not a number of inputs; want 0 or more", optionResident, value)
		}
		if o.resident > 0 && !o.transfers {
			return o, fmt.Errorf("option %s=%s: all inputs stay on the device unless %s=%s", optionResident, value, optionTransfers, transfersIncluded)
		}
	}
	o.overrides, err = parseCompileOptions(given[optionCompile])
	return o, err
}

// parseCompileOptions reads NAME=VALUE pairs separated by spaces. Plugins want values of the right type: true and false become booleans, digits integers, numbers
// with a point or an exponent doubles, all else texts; quotes make a text of anything.
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
