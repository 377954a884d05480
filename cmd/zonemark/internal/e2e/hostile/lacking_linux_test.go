package hostile

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"zonemark/executor/sandbox"
	"zonemark/invocations"
	"zonemark/invocations/testneeds"
	"zonemark/invocations/testsize"

	"golang.org/x/sys/unix"
)

// onlyBy are those of refused that a layer alone stops. They are not tried without it: some would do harm.
var onlyBy = map[sandbox.Layer][]string{
	sandbox.LayerSeccomp: {
		"fork_once", "vfork_once", "clone_process", "exec_program", "exec_descriptor", "spawn_program",
		"socket_inet", "socket_inet6", "socket_unix", "socket_netlink", "socket_packet", "socket_vsock",
		"datagram_outside", "datagram_flagged", "packet_pair", "pass_descriptor",
		"kill_victim", "kill_parent", "kill_group", "kill_everybody", "kill_thread", "kill_task", "kill_queued",
		"kill_descriptor", "kill_by_owner", "nice_victim", "nice_parent", "nice_user", "nice_group", "bind_victim",
		"idle_victim", "batch_victim", "attributes_of_victim", "io_of_victim", "io_of_user", "limit_victim", "move_victim",
		"new_user", "new_mounts", "enter_namespace", "adjust_clock", "make_ring", "handle_faults", "add_key", "watch_home",
		"outlive_driver", "hide_from_driver", "answer_judge", "make_segment", "make_messages", "make_semaphores",
		"close_in_own_table", "own_table", "thread_with_own_table",
	},
	sandbox.LayerLandlock: {
		"read_key", "read_cloud", "read_notes", "list_home", "list_root", "list_homes", "read_shadow", "list_etc",
		"list_run", "list_logs", "read_by_link", "read_command_line", "list_processes",
	},
}

// TestHostileWithoutLayer runs hostile code on machines that lack a layer, as containers, old kernels and administrators
// have it. All that another layer stops is still stopped.
func TestHostileWithoutLayer(t *testing.T) {
	users := hostileUsers(t)
	if support := sandbox.Probe(); !support.Has(sandbox.LayerPID) {
		testneeds.Missing(t, fmt.Errorf("this machine lacks layer pid: %s", support.Missing[sandbox.LayerPID]))
	}
	layers := map[sandbox.Profile][]sandbox.Layer{
		sandbox.Plain: sandbox.AllLayers(), sandbox.Device: {sandbox.LayerPID},
	}
	if testsize.Large() {
		layers[sandbox.Device] = sandbox.Device.Layers()
	} else {
		users = users[len(users)-1:]
	}
	for _, uid := range users {
		for profile, lacking := range layers {
			t.Run(fmt.Sprintf("user %d %s", uid, profile), func(t *testing.T) {
				t.Parallel()
				h := newHostilePlace(t, uid)
				path := h.artifact(t, refused)
				for _, layer := range lacking {
					h.without = layer
					attackWithout(t, h, profile, path)
				}
				h.check(t)
			})
		}
	}
}

// attackWithout has hostile code try what must be refused without a layer.
func attackWithout(t *testing.T, h *hostilePlace, profile sandbox.Profile, path string) {
	t.Helper()
	args := []string{"hat", "-q", "--format", "ndjson", "--check", "--sandbox-profile", string(profile), "--timeout", "60s"}
	var tried []string
	for _, name := range refused {
		if !slices.Contains(onlyBy[h.without], name) {
			tried = append(tried, name)
			args = append(args, "--function", name)
		}
	}
	records := h.run(t, append(args, path)...)
	for _, name := range tried {
		r := records[name]
		if slices.Contains(r.Layers, string(h.without)) {
			t.Fatalf("without %s: layers %v", h.without, r.Layers)
		}
		allowed := slices.Contains(r.Layers, string(sandbox.LayerPID)) && slices.Contains(ofDrivers, name)
		if r.Status != invocations.OK && !allowed {
			t.Errorf("without %s: %s: %q %s", h.without, name, r.Status, r.Error)
		}
	}
}

// lackingVariable names the layer that a zonemark shall not find.
const lackingVariable = "ZONEMARK_TEST_LACKING"

// lacking changes the command of a zonemark that is to lack a layer. This test's program becomes that zonemark, and
// forbids itself before what the layer needs.
func (h *hostilePlace) lacking(cmd *exec.Cmd) {
	cmd.Args = slices.Insert(cmd.Args, 1, h.program)
	cmd.Path = "/proc/self/exe" // which another user can start
	cmd.Env = append(slices.Clone(cmd.Env), lackingVariable+"="+string(h.without))
}

// becomeLacking makes this process a zonemark if lacking has started it.
func becomeLacking() {
	layer := sandbox.Layer(os.Getenv(lackingVariable))
	if layer == "" {
		return
	}
	err := os.Unsetenv(lackingVariable)
	if err == nil {
		runtime.LockOSThread() // the filter belongs to the thread
		err = forbid(layer)
	}
	if err == nil {
		err = unix.Exec(os.Args[1], slices.Concat(os.Args[:1], os.Args[2:]), os.Environ())
	}
	fmt.Fprintln(os.Stderr, "without", layer, err)
	os.Exit(90)
}

// forbid forbids this thread, and what it becomes and starts, what a layer needs.
func forbid(layer sandbox.Layer) error {
	const argument0, high = 16, 8 // offsets in struct seccomp_data, and between its arguments
	load := func(offset uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
	}
	give := func(action uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
	}
	refuse := func(errno unix.Errno) unix.SockFilter { return give(unix.SECCOMP_RET_ERRNO | uint32(errno)) }
	call := func(number uint32, rule ...unix.SockFilter) []unix.SockFilter {
		is := unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: number, Jf: uint8(len(rule))}
		return append([]unix.SockFilter{is}, rule...)
	}
	when := func(comparison uint16, argument, k uint32, then unix.SockFilter) []unix.SockFilter {
		return []unix.SockFilter{
			load(argument0 + high*argument), {Code: unix.BPF_JMP | unix.BPF_K | comparison, K: k, Jf: 1},
			then, give(unix.SECCOMP_RET_ALLOW),
		}
	}
	namespace := func(flag uint32) []unix.SockFilter {
		rule := when(unix.BPF_JSET, 0, flag, refuse(unix.EPERM))
		return slices.Concat(call(unix.SYS_CLONE, rule...), call(unix.SYS_UNSHARE, rule...))
	}
	rules, known := map[sandbox.Layer][]unix.SockFilter{
		sandbox.LayerUser:  namespace(unix.CLONE_NEWUSER),
		sandbox.LayerNet:   namespace(unix.CLONE_NEWNET),
		sandbox.LayerIPC:   namespace(unix.CLONE_NEWIPC),
		sandbox.LayerPID:   namespace(unix.CLONE_NEWPID),
		sandbox.LayerMount: call(unix.SYS_MOUNT, refuse(unix.EPERM)),
		sandbox.LayerRlimit: call(unix.SYS_PRLIMIT64,
			when(unix.BPF_JEQ, 1, unix.RLIMIT_CORE, refuse(unix.EPERM))...),
		sandbox.LayerNoNewPrivs: call(unix.SYS_PRCTL,
			when(unix.BPF_JEQ, 0, unix.PR_GET_NO_NEW_PRIVS, refuse(unix.EINVAL))...),
		sandbox.LayerLandlock: call(unix.SYS_LANDLOCK_CREATE_RULESET, refuse(unix.ENOSYS)),
		sandbox.LayerSeccomp:  call(unix.SYS_SECCOMP, refuse(unix.ENOSYS)),
	}[layer]
	if !known {
		return fmt.Errorf("no way to lack layer %s", layer)
	}
	p := slices.Concat([]unix.SockFilter{load(0)}, rules, []unix.SockFilter{give(unix.SECCOMP_RET_ALLOW)})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	program := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
}
