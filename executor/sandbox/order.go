package sandbox

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

const (
	// orderVariable carries the order, in JSON, from parent to child.
	orderVariable = "ZONEMARK_SANDBOX"
	// parentMountVariable carries the link text of the parent's mount namespace, such as "mnt:[4026531841]". A child
	// that does not find it, or finds its own namespace in it, does not mount: it would hide real folders of the whole
	// machine.
	parentMountVariable = "ZONEMARK_SANDBOX_PARENT_MNT"
)

// order is what the parent tells the child.
type order struct {
	Options    Options
	ParentPID  int              // whose death ends the child
	Namespaces map[Layer]string // link texts of the parent's namespaces other than the mount namespace
	Missing    map[Layer]string // layers that the parent knows to be unavailable
	Role       processRole      // of a process that is started for LayerPID
	Control    int              // descriptor that leads to the host; see control
}

// processRole tells the processes apart that LayerPID needs; see hostProcesses.
type processRole string

const (
	roleFirst  processRole = "first"  // the first process of the namespace, whose end ends all others there
	roleInside processRole = "inside" // the one that the parent wants confined
)

// handOver asks the host to arbitrate.
type handOver struct {
	Listener int      // descriptor of the process from which the calls come
	Inside   []string // folders that only the process and what it starts use: sockets there may be connected to
	Abstract bool     // sockets with abstract names, too, since the network is its own
}

const (
	// longestPlain is the longest order that is handed over as it is. Linux takes no entry of the environment above 128 KiB;
	// the paths of a model's thousands of weights take more, and a twentieth of it when they are packed.
	longestPlain = 64 << 10
	// packedOrder begins one that is packed, and mostOrder limits what comes out of it.
	packedOrder = "deflate:"
	mostOrder   = 64 << 20
)

// encode returns the environment entry that carries o.
func (o order) encode() (string, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return "", fmt.Errorf("sandbox: encoding %s: %w", orderVariable, err)
	}
	if len(text) <= longestPlain {
		return orderVariable + "=" + string(text), nil
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	return orderVariable + "=" + packedOrder + base64.StdEncoding.EncodeToString(b.Bytes()), err
}

// unpacked returns the JSON of an order.
func unpacked(text string) (string, error) {
	packed, is := strings.CutPrefix(text, packedOrder)
	if !is {
		return text, nil
	}
	b, err := base64.StdEncoding.DecodeString(packed)
	if err == nil {
		b, err = io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b)), mostOrder))
	}
	if err != nil {
		return "", fmt.Errorf("sandbox: environment variable %s: %w; it is set by the process that starts the executor: unset it",
			orderVariable, err)
	}
	return string(b), nil
}

// decodeOrder reads the value of the order variable. It accepts no incomplete order, because the child would act on it.
func decodeOrder(text string) (order, error) {
	var o order
	text, err := unpacked(text)
	if err != nil {
		return o, err
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&o); err != nil {
		return order{}, fmt.Errorf("sandbox: environment variable %s, byte %d: %w; "+
			"it is set by the process that starts the executor: unset it", orderVariable, d.InputOffset(), err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return order{}, fmt.Errorf("sandbox: environment variable %s: more text at byte %d; unset it",
			orderVariable, d.InputOffset())
	}
	if _, err := ParseMode(string(o.Options.Mode)); err != nil {
		return order{}, fmt.Errorf("sandbox: environment variable %s: %w", orderVariable, err)
	}
	if err := o.Options.Profile.check(); err != nil {
		return order{}, fmt.Errorf("sandbox: environment variable %s: %w", orderVariable, err)
	}
	if !slices.Contains([]processRole{"", roleFirst, roleInside}, o.Role) {
		return order{}, fmt.Errorf("sandbox: environment variable %s: unknown role %q", orderVariable, o.Role)
	}
	named := slices.Concat(slices.Collect(maps.Keys(o.Missing)), slices.Collect(maps.Keys(o.Namespaces)))
	for _, l := range named {
		if !slices.Contains(Device.Layers(), l) {
			return order{}, fmt.Errorf("sandbox: environment variable %s: unknown layer %q; "+
				"parent and child must be the same build", orderVariable, l)
		}
	}
	return o, nil
}

// takeOrder reads the order from the environment, if there is one, and removes it there.
func takeOrder() (o order, parentMount string, found bool, err error) {
	text, found := os.LookupEnv(orderVariable)
	parentMount = os.Getenv(parentMountVariable)
	if err := os.Unsetenv(orderVariable); err != nil {
		return order{}, "", false, fmt.Errorf("sandbox: %w", err)
	}
	if err := os.Unsetenv(parentMountVariable); err != nil {
		return order{}, "", false, fmt.Errorf("sandbox: %w", err)
	}
	if !found {
		return order{}, "", false, nil
	}
	o, err = decodeOrder(text)
	return o, parentMount, true, err
}

// withoutOrder returns an environment without the sandbox's own variables, so that a process inherits none from an
// enclosing sandbox.
func withoutOrder(environment []string) []string {
	return slices.DeleteFunc(slices.Clone(environment), func(entry string) bool {
		return strings.HasPrefix(entry, orderVariable+"=") || strings.HasPrefix(entry, parentMountVariable+"=")
	})
}
