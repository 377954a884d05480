package tt

import (
	"errors"
	"fmt"
	"os"

	"zonemark/executor"
	"zonemark/executor/pipelines"
	"zonemark/executor/tt/pjrt"
	"zonemark/executor/tt/stablehlo"
	"zonemark/invocations"
)

// client holds the devices of a plugin. All programs share it, because hardware often allows one client at a time.
type client struct {
	*pjrt.Client
	path  string
	users int
}

// clients holds the open clients by the path of their plugin. An executor serves one invocation at a time, so no lock
// is needed.
type clients struct{ open map[string]*client }

// client opens the devices of the plugin that the options name, or returns those that are open. The caller must release
// it.
func (r Runtime) client(o options) (*client, error) {
	path, err := r.plugins.path(o.plugin)
	if err != nil {
		return nil, err
	}
	if c := r.clients.open[path]; c != nil {
		c.users++
		return c, nil
	}
	plugin, err := pjrt.Open(path)
	if err != nil {
		return nil, err
	}
	opened, err := plugin.NewClient()
	if err != nil {
		return nil, outOfMemory(err)
	}
	c := &client{Client: opened, path: path, users: 1}
	r.clients.open[path] = c
	return c, nil
}

// release closes a client that has no users left.
func (cs *clients) release(c *client) error {
	if c.users--; c.users > 0 {
		return nil
	}
	delete(cs.open, c.path)
	return c.Close()
}

// program is a program compiled for its devices.
type program struct {
	clients    *clients
	client     *client
	executable *pjrt.Executable
	devices    []pjrt.Device
	signature  signature
	options    options
	path       string
	how        compilation
}

// Load compiles the program for the devices that the options ask for.
func (r Runtime) Load(artifact invocations.Artifact) (p executor.Program, err error) {
	o, err := parseOptions(artifact.Options)
	var file []byte
	if err == nil {
		file, err = os.ReadFile(artifact.Path)
	}
	switch {
	case err != nil:
	case pipelines.Is(file):
		p, err = r.loadPipeline(artifact, file)
	default:
		p, err = r.loadProgram(artifact.Path, file, o)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", artifact.Path, err)
	}
	return p, nil
}

// loadProgram compiles a program. The path is that of its file, for messages.
func (r Runtime) loadProgram(path string, source []byte, o options) (_ *program, err error) {
	sig, err := textSignature(source)
	onlyCompiler := unread(err)
	if err != nil && !onlyCompiler {
		return nil, err
	}
	c, err := r.client(o)
	if err != nil {
		return nil, err
	}
	p := &program{clients: r.clients, client: c, options: o, path: path}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	plan, err := o.plan(c.Devices(), sig)
	if err != nil {
		return nil, err
	}
	p.devices = plan.devices
	if p.executable, p.how, err = r.compile(c, source, plan.options, o.uncached); err != nil {
		return nil, err
	}
	if onlyCompiler {
		if sig, err = compiledSignature(p.executable, sig.replicas); err != nil {
			return nil, err
		}
	}
	p.signature = sig
	if err := p.learnShardings(); err != nil {
		return nil, err
	}
	return p, p.learnResults()
}

// learnResults takes the types of the results from the plugin if it reports them. It knows them better than the text
// does.
func (p *program) learnResults() error {
	shapes, err := p.executable.Outputs()
	if pjrt.NotImplemented(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if p.signature.partitions > 1 {
		return p.checkParts(shapes)
	}
	p.signature.results = nil
	for i, s := range shapes {
		p.signature.results = append(p.signature.results, fromShape(fmt.Sprintf("result %d", i), s))
	}
	return nil
}

// learnShardings takes the shardings from the plugin if it reports them. The compiler chooses those that the program
// leaves open, of arguments, too.
func (p *program) learnShardings() error {
	if p.signature.partitions <= 1 {
		return nil
	}
	optimized, format, err := p.executable.OptimizedProgram()
	if err != nil {
		return nil // those of the program are checked against the results
	}
	told, err := pjrt.ProgramShardings(optimized, format)
	if err != nil || len(told.Arguments) != len(p.signature.arguments) || len(told.Results) != len(p.signature.results) {
		return nil
	}
	for _, list := range []struct {
		values []value
		told   []string
	}{{p.signature.arguments, told.Arguments}, {p.signature.results, told.Results}} {
		for i := range list.values {
			v := &list.values[i]
			if v.sharding, err = stablehlo.ParseSharding(list.told[i], p.signature.partitions); err == nil {
				err = v.sharding.CheckFor(v.dimensions)
			}
			if err != nil {
				return fmt.Errorf("%s: the compiler has chosen the sharding %s: %w", v.name, list.told[i], err)
			}
		}
	}
	return nil
}

// checkParts returns an error unless each device holds such parts of the results as the shardings say. A compiler that
// does not report its shardings may have chosen others where the program leaves them open.
func (p *program) checkParts(shapes []pjrt.Shape) error {
	if len(shapes) != len(p.signature.results) {
		return fmt.Errorf("the plugin tells of %d results and the program has %d", len(shapes), len(p.signature.results))
	}
	for i, v := range p.signature.results {
		if want, known := v.onDevice().declaredShape(); known && want.String() != shapes[i].String() {
			return fmt.Errorf("%s: each device holds %s, and %s by the program's sharding; state the sharding of the "+
				"result in the program (out_shardings)", v.name, shapes[i], want)
		}
	}
	return nil
}

// Close unloads the program and closes the devices if no other program uses them.
func (p *program) Close() error {
	var err error
	if p.executable != nil {
		err = p.executable.Close()
	}
	return errors.Join(err, p.clients.release(p.client))
}
