package sandbox

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"zonemark/invocations/remedy"
)

// Active describes which layers confine this process. Enter returns it; Seal adds the last layer.
type Active struct {
	Layers  []Layer          // in force, in the order of Profile.Layers
	Missing map[Layer]string // not in force, with the reason

	options Options
	private []string             // writable folders that only this process and what it starts see
	hand    func(handOver) error // asks the host of this process to arbitrate; nil if there is none
	noted   func() []Refusal     // returns the refused calls since it was called last; nil before Seal
	// supervised returns how many calls about files there were since it was called last; nil if nobody counts them.
	supervised func() int64
	parentPID  int // with which this process ends; 0 if no parent ordered a sandbox
	slower     float64
}

// Profile returns the profile of this process.
func (a *Active) Profile() Profile {
	if a.options.Profile == "" {
		return Plain
	}
	return a.options.Profile
}

// Supervising reports whether calls about files will be made by a thread of this process; see Options.Supervise.
func (a *Active) Supervising() bool { return a.options.Supervise }

// Slower returns by which fraction the shortest call of the system takes longer since Seal; 0 if Seal added no layer.
func (a *Active) Slower() float64 { return a.slower }

// Allowed returns the paths of the machine, beside its scratch folder, that this process may write.
func (a *Active) Allowed() []string { return slices.Clone(a.options.ReadWrite) }

// add records a layer that is now in force.
func (a *Active) add(l Layer) {
	delete(a.Missing, l)
	a.Layers = append(a.Layers, l)
	slices.SortFunc(a.Layers, func(x, y Layer) int {
		return slices.Index(Device.Layers(), x) - slices.Index(Device.Layers(), y)
	})
	a.Layers = slices.Compact(a.Layers)
}

// miss records why a layer is not in force.
func (a *Active) miss(l Layer, reason string) {
	if a.Missing == nil {
		a.Missing = map[Layer]string{}
	}
	a.Missing[l] = reason
}

// apply brings a layer into force, unless it is known to be missing, and records the outcome.
func (a *Active) apply(l Layer, bring func() error) {
	if _, known := a.Missing[l]; known {
		return
	}
	if err := bring(); err != nil {
		a.miss(l, err.Error())
		return
	}
	a.add(l)
}

// unconfined returns the state of a process without any layer, each for the same reason.
func unconfined(o Options, reason string) Active {
	a := Active{options: o, Missing: map[Layer]string{}}
	for _, l := range o.Profile.Layers() {
		a.Missing[l] = reason
	}
	return a
}

// MissingError reports the layers that a user demanded and did not get.
type MissingError struct {
	Missing map[Layer]string // each with its reason
}

// Error names each missing layer, its reason, and what to change.
func (e *MissingError) Error() string {
	var b strings.Builder
	b.WriteString("sandbox: every layer is required, but")
	for i, l := range slices.Sorted(maps.Keys(e.Missing)) {
		if i > 0 {
			b.WriteString(";")
		}
		fmt.Fprintf(&b, " layer %s is missing (%s): %s", l, e.Missing[l], wayTo(l))
	}
	return b.String()
}

// require returns an error if the mode is Require and any layer is missing.
func require(o Options, missing map[Layer]string) error {
	if o.Mode != Require || len(missing) == 0 {
		return nil
	}
	return remedy.With(&MissingError{Missing: maps.Clone(missing)},
		remedy.Remedy{Kind: remedy.Choose, Name: "sandbox", Value: string(Auto)})
}

// wayTo returns what an administrator changes to get a layer.
func wayTo(l Layer) string {
	switch l {
	case LayerUser:
		return "needs CONFIG_USER_NS, sysctl user.max_user_namespaces above 0 and, where they exist, " +
			"kernel.unprivileged_userns_clone=1 and kernel.apparmor_restrict_unprivileged_userns=0"
	case LayerMount:
		return "needs Linux 5.12, sysctl user.max_mnt_namespaces above 0, and user namespaces that may mount"
	case LayerNet:
		return "needs CONFIG_NET_NS and sysctl user.max_net_namespaces above 0"
	case LayerIPC:
		return "needs CONFIG_IPC_NS and sysctl user.max_ipc_namespaces above 0"
	case LayerPID:
		return "needs CONFIG_PID_NS, sysctl user.max_pid_namespaces above 0, and layer mount with a /proc of which " +
			"nothing is covered"
	case LayerNoNewPrivs:
		return "needs Linux 3.5 and the right to give up capabilities (CAP_SETPCAP)"
	case LayerLandlock:
		return "needs Linux 5.13 with CONFIG_SECURITY_LANDLOCK and landlock in the boot parameter lsm="
	case LayerSeccomp:
		return "needs CONFIG_SECCOMP_FILTER on amd64 or arm64"
	case LayerRlimit:
		return "needs the right to lower its own limits"
	}
	return "unknown layer"
}
