package invocations

import "zonemark/invocations/remedy"

// Description is what a runtime finds in an artifact without loading it.
type Description struct {
	// Options of Artifact are those that apply from now on, if the runtime has chosen what the request left open. If
	// they are nil, the requested options apply.
	Artifact   Artifact
	Functions  []Function // in file order
	NeedsBuild bool       // the runtime's builder must make Artifact.Built before anything runs
	Warnings   []string   // what is unusual about the artifact, a sentence each
	Details    []string   // other contents, for "zonemark list": versions, targets, dispatches; a line each
	Comparable bool       // the runtime can compare its outputs with those of another artifact; see Verification.Of
}

// Function is one entry of an artifact.
type Function struct {
	Name       string
	Arguments  []Argument
	Parameters []Parameter // values that a caller must choose, such as runtime sizes
	Signature  string      // equal for functions that can be variants of one computation
	Skip       string      // why it cannot run here, with what is missing; empty if it can run
	// Lacks lists the CPU features that the artifact needs and this CPU lacks. The function is called nevertheless. If
	// it dies of SIGILL, its status is "skipped".
	Lacks string
	Note  string // what a user should know if it can run; may be empty
	// Emulated reports that it is for another processor, which a program of the runtime emulates. It is called once,
	// its outputs are compared, and it is not timed.
	Emulated bool
	// Refused tells why its compiler refuses it, so that not even its arguments are known; empty if it does not. The
	// status of its invocations is "failed".
	Refused string
	// Remedies are what a user may do about Skip. The driver adds them to it in words.
	Remedies []remedy.Remedy
}

// Parameter is a value that the artifact leaves open.
type Parameter struct {
	Name    string
	Default string // the value if the user gives none; empty: the value in the artifact
	Example string // a typical value, for messages, if the user must give one; else empty
	// Estimated reports that Default is only what the artifact expects: unless a user gives the parameter, the runtime may
	// take another value, which the result then tells.
	Estimated bool
}
