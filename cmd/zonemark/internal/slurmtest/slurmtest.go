//go:build linux

// Package slurmtest gives tests, and programs of benchmarks, a Slurm cluster of their own: three nodes that are real
// daemons, all on this host, with their configuration, keys and state in a temporary folder. The commands of Slurm (srun,
// sbatch, sinfo, scontrol) find the cluster by the variable that Environment returns.
package slurmtest

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/template"
	"time"

	"zonemark/invocations/testneeds"
)

// Nodes are the names of the nodes.
var Nodes = []string{"n1", "n2", "n3"}

// TB is what a cluster needs of a test. Programs of benchmarks bring their own.
type TB interface {
	Helper()
	Cleanup(func())
	Skip(...any)
	Fatal(...any)
	Fatalf(format string, args ...any)
	Error(...any)
	Log(...any)
	Failed() bool
}

// Cluster is a running cluster. It ends with the test.
type Cluster struct {
	t       TB
	folder  string
	daemons map[string]*exec.Cmd // by name: munged, slurmctld, and each node
}

// patience bounds how long a daemon may take to do what a test waits for.
const patience = 3 * time.Minute

// Start starts a cluster and waits until its nodes are idle. Where Slurm is not installed, or the caller does not run as
// root, which the daemons need, the test is skipped; with CI set it fails.
func Start(t TB) *Cluster {
	t.Helper()
	if why := Missing(); why != "" {
		testneeds.Missing(t, errors.New(why))
	}
	folder, err := os.MkdirTemp("", "slurm") // the path of a socket has at most 107 bytes, and t.TempDir holds the test's name
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{t: t, folder: folder, daemons: map[string]*exec.Cmd{}}
	t.Cleanup(c.stop)
	c.configure()
	c.start("munged", "munged", "--foreground", "--force", "--socket="+c.path("munge.socket"),
		"--key-file="+c.path("munge.key"), "--pid-file="+c.path("munged.pid"), "--log-file="+c.path("munged.log"),
		"--seed-file="+c.path("munged.seed"))
	c.await("munge answers", func() bool {
		_, err := os.Stat(c.path("munge.socket"))
		return err == nil
	})
	c.start("slurmctld", "slurmctld", "-D", "-f", c.path("slurm.conf"))
	for _, node := range Nodes {
		c.Restart(node)
	}
	for _, node := range Nodes {
		c.Await(node, "idle")
	}
	return c
}

// Missing returns why there can be no cluster; "" if there can.
func Missing() string {
	for _, program := range []string{"munged", "slurmctld", "slurmd", "srun"} {
		if _, err := lookPath(program); err != nil {
			return program + " is not installed (Debian: packages slurm-wlm and munge)"
		}
	}
	if os.Getuid() != 0 {
		return "Slurm's daemons run as root, and this test does not"
	}
	return ""
}

// lookPath finds a program, also where only root looks for it.
func lookPath(program string) (string, error) {
	if path, err := exec.LookPath(program); err == nil {
		return path, nil
	}
	return exec.LookPath(filepath.Join("/usr/sbin", program))
}

func (c *Cluster) path(name string) string { return filepath.Join(c.folder, name) }

var configuration = template.Must(template.New("").Parse(`ClusterName=zonemark
SlurmctldHost={{.Host}}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={{.Folder}}/munge.socket
CredType=cred/munge
SlurmctldPort={{.Port}}
ReturnToService=2
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
JobAcctGatherType=jobacct_gather/none
StateSaveLocation={{.Folder}}/state
SlurmctldPidFile={{.Folder}}/slurmctld.pid
SlurmdPidFile={{.Folder}}/slurmd.%n.pid
SlurmdSpoolDir={{.Folder}}/spool.%n
SlurmctldLogFile={{.Folder}}/slurmctld.log
SlurmdLogFile={{.Folder}}/slurmd.%n.log
SlurmdParameters=config_overrides
KillWait=2
MessageTimeout=20
{{range .Nodes}}NodeName={{.Name}} NodeHostname={{$.Host}} NodeAddr=127.0.0.1 Port={{.Port}} CPUs=4 RealMemory=4000
{{end}}PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`))

// configure writes the configuration, and the key of munge.
func (c *Cluster) configure() {
	c.t.Helper()
	type node struct {
		Name string
		Port int
	}
	host, err := os.Hostname()
	if err != nil {
		c.t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	ports := freePorts(c.t, 1+len(Nodes))
	values := struct {
		Host, Folder string
		Port         int
		Nodes        []node
	}{Host: host, Folder: c.folder, Port: ports[0]}
	for i, name := range Nodes {
		values.Nodes = append(values.Nodes, node{name, ports[i+1]})
	}
	var text strings.Builder
	if err := configuration.Execute(&text, values); err != nil {
		c.t.Fatal(err)
	}
	key := make([]byte, 128)
	_, _ = rand.Read(key) // it never fails
	for name, content := range map[string][]byte{"slurm.conf": []byte(text.String()), "munge.key": key} {
		if err := os.WriteFile(c.path(name), content, 0o600); err != nil {
			c.t.Fatal(err)
		}
	}
	for _, folder := range []string{"state", "spool.n1", "spool.n2", "spool.n3"} {
		if err := os.Mkdir(c.path(folder), 0o755); err != nil {
			c.t.Fatal(err)
		}
	}
}

// freePorts returns ports that nobody listens on.
func freePorts(t TB, count int) (ports []int) {
	t.Helper()
	for range count {
		l, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// Environment returns the variable by which the commands of Slurm find the cluster, NAME=VALUE.
func (c *Cluster) Environment() string { return "SLURM_CONF=" + c.path("slurm.conf") }

// Command returns a command with the variable of the cluster.
func (c *Cluster) Command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), c.Environment())
	return cmd
}

// Output runs a command of Slurm and returns its output. The test fails if the command does.
func (c *Cluster) Output(name string, args ...string) string {
	c.t.Helper()
	out, err := c.Command(name, args...).CombinedOutput()
	if err != nil {
		c.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// start starts a daemon that stays in the foreground.
func (c *Cluster) start(name, program string, args ...string) {
	c.t.Helper()
	path, err := lookPath(program)
	if err != nil {
		c.t.Fatal(err)
	}
	cmd := c.Command(path, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := cmd.Start(); err != nil {
		c.t.Fatalf("%s: %v", name, err)
	}
	c.daemons[name] = cmd
}

// Await waits until a node has a state, such as idle or drained.
func (c *Cluster) Await(node, state string) {
	c.t.Helper()
	c.await(node+" is "+state, func() bool {
		out, err := c.Command("sinfo", "-h", "-n", node, "-o", "%T").Output()
		return err == nil && strings.TrimRight(strings.TrimSpace(string(out)), "*") == state
	})
}

func (c *Cluster) await(what string, reached func() bool) {
	c.t.Helper()
	for begin := time.Now(); !reached(); time.Sleep(50 * time.Millisecond) {
		if time.Since(begin) > patience {
			c.t.Fatalf("waited %v until %s; the daemons say:\n%s", patience, what, c.logs())
		}
	}
}

// logs returns the ends of the daemons' logs.
func (c *Cluster) logs() string {
	var all strings.Builder
	paths, _ := filepath.Glob(c.path("*.log"))
	for _, path := range paths {
		text, _ := os.ReadFile(path)
		fmt.Fprintf(&all, "%s:\n%s\n", filepath.Base(path), text[max(0, len(text)-1500):])
	}
	return all.String()
}

// Drain forbids new work on a node. What runs there goes on.
func (c *Cluster) Drain(node string) {
	c.t.Helper()
	c.Output("scontrol", "update", "NodeName="+node, "State=drain", "Reason=test")
}

// Resume allows work on a drained node again.
func (c *Cluster) Resume(node string) {
	c.t.Helper()
	c.Output("scontrol", "update", "NodeName="+node, "State=resume")
}

// Kill ends a node at once, with all that runs on it, as a loss of power does. The controller, which would notice it after
// minutes, is told.
func (c *Cluster) Kill(node string) {
	c.t.Helper()
	daemon := c.daemons[node]
	if daemon == nil {
		c.t.Fatalf("%s does not run", node)
	}
	_ = daemon.Process.Kill()
	_ = daemon.Wait() // it was killed
	delete(c.daemons, node)
	c.killProcesses(node)
	c.Output("scontrol", "update", "NodeName="+node, "State=down", "Reason=test")
}

// killProcesses ends what runs for jobs on a node, and waits until it has ended. With node "", that of all nodes.
func (c *Cluster) killProcesses(node string) {
	c.t.Helper()
	c.await("the killed processes of jobs have ended", func() bool {
		left := c.processes(node)
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
		}
		return len(left) == 0
	})
}

// Restart starts the daemon of a node that was killed.
func (c *Cluster) Restart(node string) {
	c.t.Helper()
	c.start(node, "slurmd", "-D", "-f", c.path("slurm.conf"), "-N", node)
}

// processes returns the processes that run below a node's daemon for jobs: they have its name and this cluster's
// configuration in their environment, or keep the node's folder or log open, as slurmstepd does. With node "", those of
// all nodes.
func (c *Cluster) processes(node string) (pids []int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		c.t.Fatal(err)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err == nil && pid != os.Getpid() && (c.runsJob(pid, node) || c.serves(pid, node)) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// runsJob reports whether a process belongs to a job.
func (c *Cluster) runsJob(pid int, node string) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return false
	}
	entries := strings.Split(string(text), "\x00")
	named := slices.ContainsFunc(entries, func(entry string) bool {
		name, found := strings.CutPrefix(entry, "SLURMD_NODENAME=")
		return found && (name == node || node == "")
	})
	return named && slices.Contains(entries, c.Environment())
}

// serves reports whether a process is the slurmstepd of a job.
func (c *Cluster) serves(pid int, node string) bool {
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil || !strings.HasPrefix(string(name), "slurmstepd") {
		return false
	}
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	return slices.ContainsFunc(files, func(file string) bool {
		target, err := os.Readlink(file)
		if err != nil || !strings.HasPrefix(target, c.folder) {
			return false
		}
		return node == "" || strings.Contains(filepath.Base(target), "."+node+".")
	})
}

// stop ends all daemons and jobs, and removes the folder.
func (c *Cluster) stop() {
	if c.t.Failed() {
		c.t.Log(c.logs())
	}
	for _, name := range append(slices.Clone(Nodes), "slurmctld", "munged") {
		if daemon := c.daemons[name]; daemon != nil {
			_ = daemon.Process.Kill()
			_ = daemon.Wait() // it was killed
		}
	}
	c.killProcesses("")
	if err := os.RemoveAll(c.folder); err != nil {
		c.t.Error(err)
	}
}
