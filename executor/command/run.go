package command

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"zonemark/executor"
	"zonemark/invocations"
)

// runner makes the calls of one command.
type runner struct {
	options    options
	path       string   // of the program
	words      []string // that the program gets, its own name first
	attributes os.ProcAttr
	null       *os.File
	messages   *messages
	stdout     *sink
	left       left
	note       func(text string) // adds a note to the result
	exits      map[string]int    // number of calls by exit status or signal
	properties map[string]string
}

// propertyExits is the key of the property with the exit statuses of a command whose failures are ignored, each with
// the number of calls that ended so: "0: 12, 1: 3". The untimed first call counts too.
const propertyExits = "exit_statuses"

func newRunner(p *program, inv *invocations.Invocation) (*runner, error) {
	r := &runner{
		options: p.options, path: p.path, words: inv.Command, exits: map[string]int{}, properties: map[string]string{},
	}
	if len(r.words) == 0 {
		r.words = []string{p.path}
	}
	if p.options.shell != "" {
		r.words = []string{filepath.Base(p.options.shell), "-c", strings.Join(r.words, " ")}
	}
	var err error
	if r.null, err = os.OpenFile(os.DevNull, os.O_RDWR, 0); err != nil {
		return nil, err
	}
	if r.messages, err = newMessages(); err != nil {
		r.null.Close()
		return nil, err
	}
	if r.stdout, err = newSink(p.options.stdout, r.null); err != nil {
		r.messages.close()
		r.null.Close()
		return nil, err
	}
	r.left.watched = adopt()
	r.attributes = os.ProcAttr{ // with the executor's own variables, which are the user's
		Dir: inv.Folder, Files: []*os.File{r.null, r.stdout.write, r.messages.write}, Sys: withExecutor(),
	}
	return r, nil
}

func (r *runner) close() {
	r.stdout.close()
	r.messages.close()
	r.null.Close()
}

// call makes one call.
func (r *runner) call() (executor.Used, error) {
	if r.options.prepare != "" {
		if err := r.runLine("--"+optionPrepare, r.options.prepare); err != nil {
			return executor.Used{}, err
		}
	}
	r.messages.forget()
	begin := time.Now()
	process, err := os.StartProcess(r.path, r.words, &r.attributes)
	if err != nil {
		return executor.Used{}, fmt.Errorf("it cannot be started: %w", err)
	}
	state, wall, waited, err := await(process, begin)
	if err != nil {
		return executor.Used{}, fmt.Errorf("waiting for its end: %w", err)
	}
	if text := r.left.note(); text != "" {
		r.note(text)
	}
	return r.used(state, wall, waited), r.failure(state)
}

// Of a call that waited longer for a CPU, it is said that it was delayed. A process that was just started always waits
// some microseconds.
const (
	delayedShare = 0.05
	delayedLeast = 200 * time.Microsecond
)

// used returns what a call took.
func (r *runner) used(state *os.ProcessState, wall, waited time.Duration) executor.Used {
	u := executor.Used{
		WallNS: float64(wall), UserNS: float64(state.UserTime()), SystemNS: float64(state.SystemTime()),
		Delayed: waited > delayedLeast && float64(waited) > delayedShare*float64(wall),
	}
	addUsage(&u, state)
	if own := ownPeak(); u.PeakBytes <= own {
		u.PeakBytes, u.PeakHidden = own, own > 0
	}
	return u
}

// failure returns an error with the last words of a call that failed, unless failures are ignored.
func (r *runner) failure(state *os.ProcessState) error {
	how := ending(state)
	if r.options.ignoreFailure {
		r.exits[how]++
		r.properties[propertyExits] = counted(r.exits)
		return nil
	}
	if state.Success() {
		return nil
	}
	if code := state.ExitCode(); code >= 0 {
		how = "exited with status " + how
	} else {
		how = "was ended by " + how
	}
	said := r.messages.last()
	if said == "" {
		return fmt.Errorf("the command %s, and wrote nothing to standard error; --%s times it nevertheless", how,
			optionIgnore)
	}
	return fmt.Errorf("the command %s: %s", how, said)
}

// setUp runs the line that comes before everything else. With a check, it makes one call, too.
func (r *runner) setUp(phase func(string), check bool) error {
	if r.options.setup != "" {
		phase("setup")
		if err := r.runLine("--"+optionSetup, r.options.setup); err != nil {
			return err
		}
	}
	if !check {
		return nil
	}
	phase("verify")
	_, err := r.call()
	return err
}

// runLine runs a line of a shell to its end, in the folder of the command.
func (r *runner) runLine(flag, line string) error {
	shell, err := exec.LookPath("sh")
	if err != nil {
		return fmt.Errorf("%s needs a shell: %w", flag, err)
	}
	r.messages.forget()
	cmd := exec.Command(shell, "-c", line)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = r.attributes.Dir, r.null, r.null, r.messages.write
	cmd.SysProcAttr = withExecutor()
	err = cmd.Run()
	r.left.expect()
	if err != nil {
		text := fmt.Sprintf("%s %q: %v", flag, line, err)
		if said := r.messages.last(); said != "" {
			text += ": " + said
		}
		return fmt.Errorf("%s", text)
	}
	return nil
}

// counted returns the numbers of calls by their ends, in the order of their names: "0: 12, 1: 3".
func counted(ends map[string]int) string {
	var parts []string
	for _, how := range slices.Sorted(maps.Keys(ends)) {
		parts = append(parts, how+": "+strconv.Itoa(ends[how]))
	}
	return strings.Join(parts, ", ")
}
