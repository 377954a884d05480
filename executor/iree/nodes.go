package iree

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"zonemark/executor/iree/dispatchplan"
	"zonemark/executor/iree/vmfb"
	"zonemark/invocations"
	"zonemark/invocations/files"
)

// nodesFile returns the path of the file that says of which nodes of a model the dispatches of a module were made.
func nodesFile(module string) string { return module + ".nodes.json" }

// nameDispatches writes of which nodes the dispatches of a compiled module were made: a dispatch has the line of its
// root operation in the MLIR.
func (n importNotes) nameDispatches(m *vmfb.Module, module string) error {
	names := map[string]string{}
	for _, l := range m.Libraries {
		for _, d := range l.Dispatches {
			if node := n.Nodes[d.SourceLine]; node != "" && d.SourceFile != "" {
				names[d.Name] = node
			}
		}
	}
	text, err := json.Marshal(names)
	if err == nil {
		err = files.Write(nodesFile(module), 0o644, text)
	}
	if err != nil {
		return fmt.Errorf("nodes of the dispatches: %w", err)
	}
	return nil
}

// longestNodes bounds the file of nodes, in bytes: those of some hundred thousand nodes.
const longestNodes = 16 << 20

// Nodes returns the names of the nodes of an ONNX model of which the dispatches of its module were made, by the names
// of the dispatches. There are none for a module that was not made of a model here.
func Nodes(module string) map[string]string {
	if dispatchplan.Is(module) || module == "" {
		return nil
	}
	text, err := files.ReadStranger(nodesFile(module), longestNodes) // the driver reads it, too
	if err != nil {
		return nil
	}
	var names map[string]string
	if json.Unmarshal(text, &names) != nil {
		return nil
	}
	return names
}

// withNodes returns a profile whose dispatches have the names of their nodes.
func withNodes(p invocations.Profile, module string) invocations.Profile {
	p.NameNodes(Nodes(module))
	return p
}

// nodesBeside returns the file of nodes of a module, if there is one.
func nodesBeside(module string) []string {
	file := nodesFile(module)
	if _, err := os.Stat(file); filepath.Ext(module) != moduleExtension || err != nil {
		return nil
	}
	return []string{file}
}
