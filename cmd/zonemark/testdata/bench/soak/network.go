package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// network is a network namespace with an ssh server and what reaches it. Nothing else is in it, so that it can be
// cut without harm.
type network struct {
	server    *exec.Cmd // the ssh server, which keeps the namespace
	outside   string    // the namespace of this process
	namespace string    // the one of the server
	login     string    // command that logs in to the server
	made      bool      // it made runFolder
}

// inside ends a script that is not in a network namespace of its own, or whose network has another device than lo. Its
// first argument is the namespace of everybody else.
const inside = `
[ "$(readlink /proc/self/ns/net)" != "$1" ] || { echo "not in a network namespace of its own" >&2; exit 98; }
[ "$(tail -n +3 /proc/net/dev | grep -cv '^ *lo:')" = 0 ] || { echo "the network has devices" >&2; exit 98; }
`

// runFolder is where an ssh server of root wants a folder, which its service makes.
const runFolder = "/run/sshd"

// startNetwork starts an ssh server in a network namespace. Its files lie in folder, and who logs in has home as the
// folder of zonemark's cache. If why is not empty, there can be none here.
func startNetwork(folder, home string) (n *network, why string, err error) {
	if os.Getuid() != 0 {
		return nil, "only root may make a network namespace and start an ssh server in it", nil
	}
	const sshd = "/usr/sbin/sshd"
	for _, program := range []string{"unshare", "nsenter", "ip", sshd, "ssh", "ssh-keygen"} {
		if _, err := exec.LookPath(program); err != nil {
			return nil, program + " is not installed", nil
		}
	}
	n = &network{}
	if n.outside, err = os.Readlink("/proc/self/ns/net"); err != nil {
		return nil, err.Error(), nil
	}
	if err := exec.Command("unshare", "--net", "bash", "-c", inside, "soak", n.outside).Run(); err != nil {
		return nil, "unshare --net: " + err.Error(), nil
	}
	if err := n.configure(folder, home); err != nil {
		return nil, "", err
	}
	if err := n.serve(filepath.Join(folder, "sshd_config"), sshd); err != nil {
		n.stop()
		return nil, "", err
	}
	return n, "", nil
}

// serve starts the server in its namespace and waits until it lets somebody in.
func (n *network) serve(config, sshd string) (err error) {
	log := config + ".log"
	n.server = exec.Command("unshare", "--net", "bash", "-c", inside+`ip link set lo up && exec "$2" -D -f "$3" -E "$4"`,
		"soak", n.outside, sshd, config, log)
	n.server.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := n.server.Start(); err != nil {
		return err
	}
	words := append(append(n.enter(), strings.Fields(n.login)...), "true")
	for end := time.Now().Add(graceTime); ; time.Sleep(20 * time.Millisecond) {
		out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
		if err == nil {
			break
		}
		if time.Now().After(end) {
			return fmt.Errorf("the ssh server does not let us in: %w: %s; %s tells more", err, out, log)
		}
	}
	n.namespace, err = os.Readlink(fmt.Sprintf("/proc/%d/ns/net", n.server.Process.Pid))
	if err == nil && n.namespace == n.outside {
		err = errors.New("the ssh server is not in a network namespace of its own")
	}
	return err
}

// configure writes the keys and the settings of the server.
func (n *network) configure(folder, home string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	switch err := os.Mkdir(runFolder, 0o755); {
	case err == nil:
		n.made = true
	case !errors.Is(err, fs.ErrExist):
		return err
	}
	for _, key := range []string{"host", "user"} {
		path := filepath.Join(folder, key)
		out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path).CombinedOutput()
		if err != nil {
			return fmt.Errorf("ssh-keygen: %w: %s", err, out)
		}
	}
	n.login = "ssh -F none -i " + filepath.Join(folder, "user") + " -o BatchMode=yes -o StrictHostKeyChecking=no " +
		"-o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o ServerAliveInterval=1 -o ServerAliveCountMax=3 127.0.0.1"
	return os.WriteFile(filepath.Join(folder, "sshd_config"), []byte("ListenAddress 127.0.0.1:22\nHostKey "+
		filepath.Join(folder, "host")+"\nAuthorizedKeysFile "+filepath.Join(folder, "user.pub")+
		"\nStrictModes no\nPasswordAuthentication no\nPermitRootLogin yes\nPidFile none\nClientAliveInterval 1\n"+
		"ClientAliveCountMax 3\nMaxStartups 100\nSetEnv ZONEMARK_HOME="+home+"\n"), 0o600)
}

// enter returns a command that starts another one in the namespace.
func (n *network) enter() []string {
	return []string{"nsenter", fmt.Sprintf("--net=/proc/%d/ns/net", n.server.Process.Pid), "--"}
}

// set sets the network up or down. It does nothing outside the namespace.
func (n *network) set(state string) error {
	words := append(n.enter(), "bash", "-c", inside+`exec ip link set lo "$2"`, "soak", n.outside, state)
	if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("set the network %s: %w: %s", state, err, out)
	}
	return nil
}

// stop ends the server, and with it the namespace.
func (n *network) stop() {
	if n.server.Process != nil {
		_ = n.server.Process.Kill() // it may have ended
		_ = n.server.Wait()         // it was killed
	}
	if n.made {
		_ = os.Remove(runFolder) // another server may use it by now
	}
}
