package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"zonemark/invocations/building"
	"zonemark/invocations/environ"
)

// Exporter runs the Python package zonemark.models in child processes. It is ready to use when its fields are set.
type Exporter struct {
	Interpreter string            // Python of an environment with jax and keras
	Sources     string            // folder that holds the package zonemark
	Models      []string          // the user's folders and files that define models
	Variables   environ.Variables // environment of the processes
	Timeout     time.Duration     // for one process; 0 means no limit
	Confine     building.Confine  // of the processes
	// Line receives each line that the process writes to standard error; may be nil.
	Line func(text string)
}

// Request tells what to export or describe.
type Request struct {
	Model, Config        string
	Training, Generative bool
	Layers               int   // 0: as the model was published
	Microbatch           int64 // 0: the model's own
	DType                string
	EmulatedFormat       string
	Seed                 uint64
}

// arguments returns the request as arguments of the exporter's command line.
func (r Request) arguments() []string {
	list := []string{"--model=" + r.Model}
	for _, text := range []struct{ flag, value string }{
		{"--config", r.Config},
		{"--dtype", r.DType},
		{"--emulate-format", r.EmulatedFormat},
	} {
		if text.value != "" {
			list = append(list, text.flag+"="+text.value)
		}
	}
	for _, number := range []struct {
		flag  string
		value uint64
	}{
		{"--layers", uint64(r.Layers)},
		{"--microbatch", uint64(r.Microbatch)},
		{"--seed", r.Seed},
	} {
		if number.value > 0 {
			list = append(list, number.flag+"="+strconv.FormatUint(number.value, 10))
		}
	}
	if r.Training {
		list = append(list, "--training")
	}
	if r.Generative {
		list = append(list, "--generative")
	}
	return list
}

// List returns the models that can be exported and the mistakes in the user's files. Errors that the user can correct
// are *Error.
func (e *Exporter) List(ctx context.Context) (Catalog, error) {
	a, _, err := e.run(ctx, "list", nil, "")
	return a.Catalog, err
}

// Export creates a folder and writes an export into it. If it fails, the contents of the folder are useless.
func (e *Exporter) Export(ctx context.Context, r Request, folder string) error {
	a, _, err := e.run(ctx, "export", append(r.arguments(), "--out="+folder), filepath.Dir(folder))
	if err != nil {
		return err
	}
	if want := filepath.Join(folder, manifestName); a.Manifest != want {
		return fmt.Errorf("the exporter says that its manifest is %q, not %s", a.Manifest, want)
	}
	return nil
}

// manifestName is the name of the manifest in the folder of an export.
const manifestName = "manifest.json"

const (
	killDelay      = 5 * time.Second // wait for output after the process has ended
	maxAnswerBytes = maxManifestBytes
)

// run runs a command of the exporter, which may write to a folder, and returns its answer, parsed and as text. The
// process and its children are killed when the context ends or the timeout passes.
func (e *Exporter) run(ctx context.Context, verb string, arguments []string, into string) (answer, []byte, error) {
	limited := ctx
	if e.Timeout > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, e.Timeout)
		defer cancel()
	}
	cmd := exec.CommandContext(limited, e.Interpreter, append([]string{"-m", "zonemark.models", verb}, arguments...)...)
	for _, folder := range e.Models {
		cmd.Args = append(cmd.Args, "--models="+folder)
	}
	cmd.Dir = e.Sources // Python searches the working folder first
	cmd.Env = e.environment()
	cmd.WaitDelay = killDelay
	out := &limitedBuffer{}
	talk := &building.Lines{Told: e.Line}
	cmd.Stdout, cmd.Stderr = out, talk
	err := e.carryOut(cmd, into)
	said := ending(talk)
	switch {
	case ctx.Err() != nil:
		return answer{}, nil, context.Cause(ctx)
	case limited.Err() != nil:
		text := fmt.Sprintf("zonemark.models %s took longer than %v and was ended; --export-timeout gives it more time",
			verb, e.Timeout)
		return answer{}, nil, &Error{Text: text}
	case out.overflown:
		return answer{}, nil, fmt.Errorf("zonemark.models %s: its answer is larger than %d MiB",
			verb, maxAnswerBytes>>20)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return answer{}, nil, fmt.Errorf("zonemark.models: %w", err)
	}
	a, parsing := parseAnswer(out.Bytes())
	var mistake *Error
	switch {
	case errors.As(parsing, &mistake):
		if name, ours := strings.CutPrefix(mistake.File, e.Sources+string(filepath.Separator)); ours {
			mistake.File = name // zonemark/models/…, wherever the sources are
		}
		return answer{}, nil, mistake
	case err != nil: // it gave no answer
		return answer{}, nil, fmt.Errorf("zonemark.models %s: %w%s", verb, err, said)
	case parsing != nil:
		return answer{}, nil, fmt.Errorf("zonemark.models %s: %w%s", verb, parsing, said)
	}
	return a, out.Bytes(), nil
}

// carryOut runs a process, which may write to a folder if there is one. It reads the sources and the user's models.
func (e *Exporter) carryOut(cmd *exec.Cmd, into string) error {
	folder, remove, err := building.Workshop{Cache: into}.Scratch()
	if err != nil {
		return err
	}
	defer remove()
	a := building.Access{Write: []string{folder}, Read: append([]string{e.Sources}, e.Models...)}
	if into != "" {
		a.Write = append(a.Write, into)
	}
	return e.Confine.Run(cmd, a)
}

// environment returns the environment of a process. Python searches the sources and its own folders, nothing else.
func (e *Exporter) environment() []string {
	clean := e.Variables.Without("PYTHONHOME", "PYTHONPATH", "PYTHONSAFEPATH")
	return clean.With("PYTHONPATH="+e.Sources, "PYTHONUNBUFFERED=1").Entries()
}

// limitedBuffer keeps what is written to it up to a limit.
type limitedBuffer struct {
	bytes.Buffer
	overflown bool
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxAnswerBytes {
		b.overflown = true
		return len(p), nil
	}
	return b.Buffer.Write(p)
}

// ending returns the last lines that a process wrote, for an error.
func ending(talk *building.Lines) string {
	lines := talk.Last()
	if len(lines) == 0 {
		return ""
	}
	return "\n  " + strings.Join(lines, "\n  ")
}
