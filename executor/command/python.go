package command

import (
	"fmt"
	"os"
	"strings"

	"zonemark/executor"
	"zonemark/invocations"
)

// PythonName is the name of the runtime for functions of Python.
const PythonName = "python"

// PythonRuntime measures functions of Python. Its commands are interpreters with a program that makes and times calls
// when it is asked; see worker. Its zero value is ready to use.
type PythonRuntime struct{}

// Name returns "python".
func (PythonRuntime) Name() string { return PythonName }

// Describe returns the only function of the command. It has no options.
func (PythonRuntime) Describe(path string, o executor.DescribeOptions) ([]invocations.Description, error) {
	return Runtime{}.Describe(path, o)
}

// Load starts nothing.
func (PythonRuntime) Load(artifact invocations.Artifact) (executor.Program, error) {
	return &pythonProgram{artifact.Path}, nil
}

type pythonProgram struct{ path string }

// Close has nothing to close.
func (*pythonProgram) Close() error { return nil }

// Prepare starts an interpreter and waits until it has loaded the function and its arguments.
func (p *pythonProgram) Prepare(inv *invocations.Invocation, setBytes int64) (*executor.Call, error) {
	if setBytes > 0 {
		return nil, &executor.UnsupportedError{Reason: fmt.Sprintf("mode %q: the arguments of a function of Python are "+
			"objects of its interpreter; leave the mode out", inv.Measure.Mode)}
	}
	w, err := startWorker(p.path, inv)
	if err != nil {
		return nil, err
	}
	call := &executor.Call{
		Work: &executor.Batches{Batch: w.batch}, Close: w.close,
		Notes: []string{"a function of Python, called in a fresh interpreter that is not confined; the times include the " +
			"interpreter's own loop around the calls"},
	}
	if inv.Measure.CheckOnly {
		call.Verify = func(phase func(string)) (string, error) {
			phase("verify")
			_, err := w.batch(1)
			return "", err
		}
	}
	return call, nil
}

// startWorker starts the program of an invocation, with a pipe for questions and one for answers.
func startWorker(path string, inv *invocations.Invocation) (*worker, error) {
	w := &worker{}
	var asked, answer *os.File // the ends that the program gets
	var err error
	if asked, w.ask, err = os.Pipe(); err != nil {
		return nil, err
	}
	defer asked.Close()
	if w.answers, answer, err = os.Pipe(); err != nil {
		w.ask.Close()
		return nil, err
	}
	defer answer.Close()
	if w.messages, err = newMessages(); err != nil {
		w.ask.Close()
		w.answers.Close()
		return nil, err
	}
	w.process, err = os.StartProcess(path, inv.Command, &os.ProcAttr{
		Dir: inv.Folder, Files: []*os.File{asked, answer, w.messages.write}, Sys: withExecutor(),
	})
	if err != nil {
		w.close()
		return nil, fmt.Errorf("%s cannot be started: %w", strings.Join(inv.Command, " "), err)
	}
	answer.Close() // so that the end of the program ends the answers
	if err := w.ready(); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

var _ executor.Runtime = PythonRuntime{}
