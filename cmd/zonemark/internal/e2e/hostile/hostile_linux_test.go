package hostile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"zonemark/cmd/zonemark/internal/e2e"
	"zonemark/executor/sandbox"
	"zonemark/executor/sandbox/sandboxtest"
	"zonemark/invocations"
	"zonemark/invocations/testneeds"
	"zonemark/invocations/testsize"

	"golang.org/x/sys/unix"
)

// refused are the functions of testdata/hostile that end well if what they try is refused.
var refused = []string{
	"fork_once", "vfork_once", "clone_process", "exec_program", "exec_descriptor", "spawn_program",
	"socket_inet", "socket_inet6", "socket_unix", "socket_netlink", "socket_packet", "socket_vsock",
	"datagram_outside", "datagram_flagged", "packet_pair", "pass_descriptor",
	"kill_victim", "kill_parent", "kill_group", "kill_everybody", "kill_thread", "kill_task", "kill_queued",
	"kill_descriptor", "kill_by_owner", "trace_victim", "seize_victim", "read_victim", "open_memory",
	"open_environment", "open_descriptor", "take_descriptor",
	"nice_victim", "nice_parent", "nice_user", "nice_group", "bind_victim", "idle_victim", "batch_victim",
	"attributes_of_victim", "io_of_victim", "io_of_user", "limit_victim", "move_victim", "choose_for_oom",
	"autogroup_of_victim", "slack_of_victim",
	"create_outside", "append_outside", "truncate_outside", "unlink_outside", "rename_outside", "link_outside",
	"symlink_outside", "folder_outside", "pipe_outside", "device_outside", "mode_outside", "owner_outside",
	"times_outside", "attribute_outside", "mode_by_folder", "mode_by_new_call", "owner_of_link", "times_by_folder",
	"attribute_of_link", "through_descriptor",
	"read_key", "read_cloud", "read_notes", "list_home", "list_root", "list_homes", "read_shadow", "list_etc",
	"list_run", "list_logs", "read_by_link", "read_driver",
	"read_command_line", "list_processes", "read_terminal", "read_screen", "read_kernel_log", "watch_home",
	"mount_folder", "mount_writable", "unmount_folder", "change_root", "new_user", "new_mounts", "enter_namespace",
	"set_clock", "adjust_clock", "set_hostname", "swap_off", "load_program", "make_ring", "handle_faults", "make_segment",
	"make_messages", "make_semaphores", "close_in_own_table", "own_table", "thread_with_own_table", "add_key",
	"kernel_setting", "trigger_kernel", "memory_device", "type_into_terminal",
	"raise_core", "raise_files", "outlive_driver", "hide_from_driver", "regain_root", "answer_judge",
}

// ofDrivers are those of refused that drivers and plugins may do.
var ofDrivers = []string{
	"fork_once", "vfork_once", "clone_process", "exec_program", "exec_descriptor", "spawn_program", "socket_unix",
	"kill_parent", "kill_group", "nice_parent", // these are its own: it sees no parent
	"list_processes", // of its own namespace
	"outlive_driver", // it does not
}

// manyProcesses are functions of testdata/hostile that start processes, which count as they do.
var manyProcesses = []hostileFunction{
	{"children_take", invocations.OutOfMemory, `--memory allows more`},
	{"children_without_end", invocations.Crashed, `^native code had \d+ threads, and 256 are allowed; killed .*; --threads`},
	{"fill_shared_memory", invocations.OutOfMemory, `--memory allows more`},
	{"children_share", invocations.OK, ``},
}

// hostileFunction is a function with the status that it ends with and a pattern of the error.
type hostileFunction struct {
	name   string
	status invocations.Status
	reason string
}

// otherHostile are the other functions of testdata/hostile.
var otherHostile = []hostileFunction{
	{"threads_asleep", invocations.Crashed, `^native code had \d+ threads, and 256 are allowed; killed .*; --threads`},
	{"threads_busy", invocations.Crashed, `^native code had \d+ threads, and 256 are allowed; killed .*; --threads`},
	{"take_private", invocations.OutOfMemory, `--memory allows more`},
	{"take_shared", invocations.OutOfMemory, `--memory allows more`},
	{"take_memory_file", invocations.OutOfMemory, `--memory allows more`},
	{"fill_memory_file", invocations.OutOfMemory, `--memory allows more`},
	{"fill_file", invocations.OutOfMemory, `--memory allows more`},
	{"fill_nameless_file", invocations.OutOfMemory, `--memory allows more`},
	{"fill_sockets", invocations.OutOfMemory, `--memory allows more`},
	{"take_tables", invocations.OutOfMemory, `--memory allows more`},
	{"fill_many_files", invocations.OutOfMemory, `--memory allows more`},
	{"longest_file", invocations.Crashed, `SIGXFSZ`},
	{"all_descriptors", invocations.OK, ``},
	{"map_much", invocations.OK, ``},
	{"map_memory_file", invocations.OK, ``},
	{"bind_own_threads", invocations.OK, ``},
	{"ok", invocations.OK, ``},
}

// leaving are the functions of testdata/hostile that leave something behind, with what their result says. Empty: it is
// not noticed before it happens.
var leaving = map[string]string{
	"leave_nice": "the scheduling of its thread", "leave_idle": "the scheduling of its thread",
	"leave_cpus": "the CPUs that it may use", "leave_slack": "the slack of its timers",
	"leave_io": "the priority of its input and output", "leave_cpu_limit": "the limit of CPU time",
	"leave_file_limit": "the limit of open files", "leave_mask": "the blocked signals",
	"leave_blocked": "the blocked signals", "leave_handler": "the handling of signal 12",
	"leave_ignored": "the handling of signal 15", "leave_alarm": "a timer", "leave_profile": "a timer",
	"leave_timer": "a timer", "leave_umask": "the mask of the modes of new files",
	"leave_folder": "the working directory", "leave_files": "100 descriptors that stay open",
	"leave_huge_pages": "the use of huge pages", "leave_personality": "the personality",
	"leave_memory": "where its memory comes from", "leave_stack": "the stack of its signal handlers",
	"leave_filter":  "a filter of system calls",
	"leave_threads": "threads that go on running", "leave_crash": "",
}

// innocent are functions that do nothing, before and after the others.
var innocent = []string{
	"innocent_1", "innocent_2", "innocent_3", "innocent_4", "innocent_5", "innocent_6", "innocent_7",
}

// hostilePlace is what hostile code is let loose on: a process, files and a socket of the user who runs zonemark.
type hostilePlace struct {
	uid              int
	outside, program string
	environment      []string
	victim           *exec.Cmd
	datagrams        *net.UnixConn
	terminal         string
	without          sandbox.Layer // that zonemark does not find on this machine; empty: it finds all
	before           string        // see state
}

// newHostilePlace makes a place for a user, who need not be the present one.
func newHostilePlace(t *testing.T, uid int) *hostilePlace {
	t.Helper()
	dir, err := os.MkdirTemp("", "zonemark-hostile-") // not t.TempDir: other users cannot enter its folders
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	h := &hostilePlace{uid: uid, outside: filepath.Join(dir, "outside"), program: filepath.Join(dir, "zonemark")}
	home := filepath.Join(dir, "home")
	program, err := os.ReadFile(e2e.Program(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.Chmod(dir, 0o755), os.WriteFile(h.program, program, 0o755),
		os.Mkdir(h.outside, 0o755), os.Mkdir(home, 0o755), os.Mkdir(filepath.Join(dir, "package"), 0o755),
		os.WriteFile(filepath.Join(h.outside, "sentinel"), []byte("as it was\n"), 0o644),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	secrets := []string{".ssh/id_rsa", ".aws/credentials", "notes"}
	for _, name := range secrets {
		path := filepath.Join(home, name)
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("secret"), 0o644))
		if err != nil {
			t.Fatal(err)
		}
	}
	socket := filepath.Join(h.outside, "datagrams")
	h.datagrams, err = net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.datagrams.Close() })
	h.environment = append(e2e.Environment(), "ZONEMARK_HOME="+filepath.Join(home, ".cache", "zonemark"), "HOME="+home,
		"TMPDIR="+dir)
	h.terminal = sandboxtest.Terminal(t, uid)
	h.victim = exec.Command("sleep", "1000")
	h.as(h.victim)
	for _, path := range []string{dir, h.outside, home, socket, filepath.Join(h.outside, "sentinel")} {
		if err := os.Chown(path, uid, uid); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.victim.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = h.victim.Process.Kill()
		_ = h.victim.Wait()
	})
	h.before = h.state(t)
	return h
}

// as has a command run as the user of the place.
func (h *hostilePlace) as(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if h.uid != os.Getuid() {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(h.uid), Gid: uint32(h.uid)}
	}
}

// artifact writes a package with these functions of testdata/hostile and returns its path.
func (h *hostilePlace) artifact(t *testing.T, functions []string) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("#ifdef TOML\n[description]\nauthor = \"zonemark\"\nversion = \"1.0\"\nlicense_url = \"\"\n" +
		"[functions]\n")
	for _, name := range functions {
		fmt.Fprintf(&text, "[functions.%s]\nname = %q\ndescription = \"\"\ncalling_convention = \"cdecl\"\narguments = []\n"+
			"return = {name = \"\", description = \"\", logical_type = \"void\", declared_type = \"void\", "+
			"element_type = \"void\", usage = \"output\"}\n", name, name)
	}
	text.WriteString("[target.required]\nos = \"\"\n[target.required.CPU]\narchitecture = \"\"\nextensions = []\n" +
		"[dependencies]\nlink_target = \"hostile.c\"\ndeploy_files = []\ndynamic = []\n" +
		"[compiled_with]\ncompiler = \"cc\"\nflags = \"-O1 -w\"\ncrt = \"\"\nlibraries = []\n" +
		"[declaration]\ncode = ''\n#endif\n")
	source, err := os.ReadFile(e2e.Testdata(t, "hostile", "hostile.c"))
	if err != nil {
		t.Fatal(err)
	}
	source = append(fmt.Appendf(nil, "#define VICTIM %d\n#define OUTSIDE %q\n#define HOMES %q\n#define TERMINAL %q\n",
		h.victim.Process.Pid, h.outside, filepath.Join(filepath.Dir(h.outside), "home"), h.terminal), source...)
	folder := filepath.Join(filepath.Dir(h.outside), "package")
	path := filepath.Join(folder, "hostile.hat")
	if err := errors.Join(os.WriteFile(path, []byte(text.String()), 0o644),
		os.WriteFile(filepath.Join(folder, "hostile.c"), source, 0o644)); err != nil {
		t.Fatal(err)
	}
	return path
}

// run runs zonemark as the user of the place and returns its records by function.
func (h *hostilePlace) run(t *testing.T, args ...string) map[string]invocations.Record {
	t.Helper()
	records := map[string]invocations.Record{}
	for _, r := range h.runNamed(t, args...) {
		records[r.Function] = r
	}
	return records
}

// runNamed runs zonemark as the user of the place and returns its records by name.
func (h *hostilePlace) runNamed(t *testing.T, args ...string) map[string]invocations.Record {
	t.Helper()
	cmd := exec.Command(h.program, args...)
	cmd.Env, cmd.Dir = h.environment, filepath.Dir(h.outside)
	if h.without != "" {
		h.lacking(cmd)
	}
	cmd.Args[0] = "zonemark"
	h.as(cmd)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	_ = cmd.Run() // most functions do not end well
	records := map[string]invocations.Record{}
	for line := range bytes.Lines(out.Bytes()) {
		var r invocations.Record
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, stderr.String())
		}
		if r.Function != "" {
			records[r.Name] = r
		}
	}
	if len(records) == 0 {
		t.Fatalf("no records: %s", stderr.String())
	}
	return records
}

// state describes all outside that hostile code might change: how the victim and this process are scheduled and
// limited, and the files.
func (h *hostilePlace) state(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	for _, pid := range []int{h.victim.Process.Pid, os.Getpid()} {
		nice, err := unix.Getpriority(unix.PRIO_PROCESS, pid)
		var cpus unix.CPUSet
		attributes, err2 := unix.SchedGetAttr(pid, 0)
		io, _, errno := unix.Syscall(unix.SYS_IOPRIO_GET, 1, uintptr(pid), 0)
		oom, err3 := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid))
		limits, err4 := os.ReadFile(fmt.Sprintf("/proc/%d/limits", pid))
		err = errors.Join(err, err2, err3, err4, unix.SchedGetaffinity(pid, &cpus))
		if err != nil || errno != 0 {
			t.Fatal(err, errno)
		}
		fmt.Fprintf(&text, "process %d: nice %d, CPUs %v, %+v, io %d, oom %s%s", pid, nice, cpus.Count(), *attributes, io,
			oom, limits)
	}
	entries, err := os.ReadDir(h.outside)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		s := info.Sys().(*syscall.Stat_t)
		fmt.Fprintf(&text, "%s: %v, %d bytes, %v, user %d, %d links\n", e.Name(), info.Mode(), info.Size(),
			info.ModTime(), s.Uid, s.Nlink)
	}
	return text.String()
}

// check checks that nothing has changed outside.
func (h *hostilePlace) check(t *testing.T) {
	t.Helper()
	if err := h.victim.Process.Signal(syscall.Signal(0)); err != nil {
		t.Errorf("the process outside: %v", err)
	}
	if after := h.state(t); after != h.before {
		t.Errorf("outside has changed:\n%s\nbefore:\n%s", after, h.before)
	}
	connection, err := h.datagrams.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	// What was sent is there already. A deadline would not do: if it has passed when Read begins, Read does not look.
	if err := connection.Read(func(fd uintptr) bool {
		if n, _, err := unix.Recvfrom(int(fd), make([]byte, 1), unix.MSG_DONTWAIT); err == nil {
			t.Errorf("%d bytes have arrived outside", n)
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
}

// hostileUsers returns the users as whom the hostile code is run.
func hostileUsers(t *testing.T) []int {
	t.Helper()
	support := sandbox.Probe()
	for _, l := range sandbox.AllLayers() {
		if !support.Has(l) {
			testneeds.Missing(t, fmt.Errorf("this machine lacks layer %s: %s", l, support.Missing[l]))
		}
	}
	if os.Getuid() == 0 {
		return []int{0, 65534}
	}
	return []int{os.Getuid()}
}

// firstUser returns the first of the users as whom hostile code is run: root, against whom nothing but the sandbox helps.
// The large size has all. TestHostileWithoutLayer and TestLimitsOfInvocations run as the last one in either size.
func firstUser(t *testing.T) []int {
	t.Helper()
	users := hostileUsers(t)
	return users[:testsize.Of(1, len(users))]
}

// TestHostile runs native code that attacks what is around it. Each function has its own result, and nothing outside
// has changed.
func TestHostile(t *testing.T) {
	for _, uid := range firstUser(t) {
		t.Run(fmt.Sprintf("user %d", uid), func(t *testing.T) {
			t.Parallel()
			attack(t, uid, sandbox.Plain, refused, otherHostile)
		})
	}
}

// TestHostileDevice runs the same code in the profile of drivers and plugins, without what that allows. The limits of one
// process are those of TestHostile: they are tried in the large size.
func TestHostileDevice(t *testing.T) {
	users, others := firstUser(t), manyProcesses
	if support := sandbox.Probe(); !support.Has(sandbox.LayerPID) {
		testneeds.Missing(t, fmt.Errorf("this machine lacks layer pid: %s", support.Missing[sandbox.LayerPID]))
	}
	if testsize.Large() {
		others = slices.Concat(manyProcesses, otherHostile)
	}
	left := slices.DeleteFunc(slices.Clone(refused), func(name string) bool { return slices.Contains(ofDrivers, name) })
	for _, uid := range users {
		t.Run(fmt.Sprintf("user %d", uid), func(t *testing.T) {
			t.Parallel()
			attack(t, uid, sandbox.Device, left, others)
		})
	}
}

// attack has hostile code try, as a user and in a profile, what must be refused, and the other functions. The small size
// calls many of the former in one process; the large one measures each in a process of its own.
func attack(t *testing.T, uid int, profile sandbox.Profile, refused []string, others []hostileFunction) {
	h := newHostilePlace(t, uid)
	names := slices.Clone(refused)
	for _, one := range others {
		names = append(names, one.name)
	}
	if len(names) < 60 {
		t.Fatalf("%d behaviours", len(names))
	}
	path := h.artifact(t, names)
	measured := []string{"--launches", "1", "--max-time", "4ms", "--min-time", "1ms"}
	called := measured
	if !testsize.Large() {
		called = []string{"--check"}
	}
	run := func(how, names []string) map[string]invocations.Record {
		args := slices.Concat([]string{"hat", "-q", "--format", "ndjson", "--timeout", "60s", "--memory", "512MiB", "--threads",
			"256", "--sandbox-profile", string(profile), path}, how)
		for _, name := range names {
			args = append(args, "--function", name)
		}
		return h.run(t, args...)
	}
	records := run(called, refused)
	for _, name := range refused {
		if r := records[name]; r.Status != invocations.OK || r.SandboxProfile != string(profile) {
			t.Errorf("%s in profile %s: %q %s", name, r.SandboxProfile, r.Status, r.Error)
		}
	}
	records = run(measured, names[len(refused):])
	for _, want := range others {
		r := records[want.name]
		if want.name == "children_without_end" && r.Status == invocations.OutOfMemory {
			continue // on a busy machine, their number is counted later than the kernel counts their memory
		}
		if r.Status != want.status || !regexp.MustCompile(want.reason).MatchString(r.Error) {
			t.Errorf("%s: %q, error %q; want %q, error %q", want.name, r.Status, r.Error, want.status, want.reason)
		}
	}
	h.check(t)
}

// TestLeavings checks many functions in few processes. What one leaves behind is named in its own result, and no other
// one suffers from it.
func TestLeavings(t *testing.T) {
	for _, uid := range firstUser(t) {
		t.Run(fmt.Sprintf("user %d", uid), func(t *testing.T) {
			t.Parallel()
			h := newHostilePlace(t, uid)
			path := h.artifact(t, append(slices.Sorted(maps.Keys(leaving)), innocent...))
			for seed := range testsize.Of(1, 3) { // each has another order
				records := h.run(t, "hat", "-q", "--format", "ndjson", "--check", "--seed", fmt.Sprint(seed), path)
				for name, want := range leaving {
					if name == "leave_cpus" && runtime.NumCPU() == 1 { // there is nothing to choose
						continue
					}
					r := records[name]
					notes := strings.Join(r.Notes, "; ")
					if r.Status != invocations.OK || !strings.Contains(notes, want) {
						t.Errorf("%s: %q %s, notes %q; want %q", name, r.Status, r.Error, notes, want)
					}
				}
				for _, name := range innocent {
					r := records[name]
					if r.Status != invocations.OK || strings.Contains(strings.Join(r.Notes, "; "), "has changed") {
						t.Errorf("%s: %q %s, notes %q", name, r.Status, r.Error, r.Notes)
					}
				}
			}
			h.check(t)
		})
	}
}
