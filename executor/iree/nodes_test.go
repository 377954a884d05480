package iree

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"zonemark/driver/setup/setuptest"
	"zonemark/executor/iree/capi"
	"zonemark/invocations"
)

// Dispatches of an ONNX model have the names of the nodes that they were made of, in lists and in profiles. A node
// without a name has those of its operator and its output. The file of nodes goes where the module goes.
func TestNodes(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("names of dispatches are those of code for x86-64")
	}
	folder, in := onnxModels(t)
	d, err := describeONNX(in, filepath.Join(folder, "fixed.onnx"), t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	nodes := Nodes(d.Artifact.Built)
	for _, want := range []struct{ kind, node string }{
		{"_matmul_3x16x8_", "/first/MatMul"}, {"_matmul_3x4x16_", `second "é"`}, {"_softmax_3x4x", "Softmax y"},
	} {
		found := 0
		for name, node := range nodes {
			if strings.Contains(name, want.kind) && node == want.node {
				found++
			}
		}
		if found != 1 || !slices.ContainsFunc(d.Details, func(line string) bool {
			return strings.Contains(line, want.kind) && strings.HasSuffix(line, ", of node "+want.node)
		}) {
			t.Errorf("no dispatch of %s in %q, %q", want.node, nodes, d.Details)
		}
	}
	if files, err := Companions(d.Artifact.Built); err != nil || !slices.Equal(files, []string{nodesFile(d.Artifact.Built)}) {
		t.Errorf("beside the module: %q, %v", files, err)
	}
	if files, err := Companions(sample("mlp.vmfb")); err != nil || len(files) != 0 || Nodes(sample("mlp.vmfb")) != nil {
		t.Errorf("a module of no model: %q, %v", files, err)
	}
	if capi.Supported() != nil {
		return
	}
	in.CAPI = setuptest.CAPI(t)
	d.Artifact.Options[OptionProvider] = ProviderCAPI
	p, err := Runtime{in}.Load(d.Artifact)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	f := d.Functions[0]
	call, err := p.Prepare(&invocations.Invocation{Artifact: d.Artifact, Function: f.Name, Arguments: f.Arguments}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer call.Close()
	profile, err := call.Profile(5)
	if err != nil || len(profile.Dispatches) != 3 {
		t.Fatalf("%+v, %v", profile, err)
	}
	for _, d := range profile.Dispatches {
		if d.Node == "" || d.Node != nodes[d.Name] {
			t.Errorf("%s has the node %q", d.Name, d.Node)
		}
	}
}
