package invocations

// Description is what a runtime finds in an artifact without loading it.
type Description struct {
	// Artifact: its Options are those that hold from now on, where the runtime settles what was left open; nil: as
	// asked.
	Artifact   Artifact
	Functions  []Function // in file order
	NeedsBuild bool       // Artifact.Built must be produced by the runtime's builder before anything runs
	Warnings   []string   // what is odd about the artifact, a sentence each
	Details    []string   // what else is in it, for "zonemark list": versions, targets, dispatches; a line each
}

// Function is one entry of an artifact.
type Function struct {
	Name       string
	Arguments  []Argument
	Parameters []Parameter // values that a caller must choose, such as runtime sizes
	Signature  string      // equal for functions that can be variants of one computation
	Skip       string      // why it cannot run here, naming what is missing; empty when it can
	// CPU features that the artifact asks for and this CPU lacks; it is tried all the same, and a SIGILL then ends
	// "skipped"
	Lacks string
	Note  string // what a user should know although it can run; may be empty
}

// Parameter is a value that the artifact leaves open.
type Parameter struct {
	Name    string
	Default string // what is taken when the user says nothing; empty: what the artifact itself holds
}
