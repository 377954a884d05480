package wire

import (
	"fmt"
	"reflect"
	"strconv"

	"zonemark/invocations"
	"zonemark/invocations/remedy"
)

// Message is the content of one frame: a pointer to Hello, Describe, Described, Build, Built, Execute, Started, Result
// or Goodbye, or to one of the messages of a session with a host. New fields are always appended. The type encoder says
// what may be a field.
type Message interface {
	// Kind is the first element of the encoded message.
	Kind() Kind
}

// Kind is the kind of a message in its encoding. The number of a kind is never used for another one.
type Kind uint8

// The kinds of messages.
const (
	KindHello Kind = 1 + iota
	KindDescribe
	KindDescribed
	KindBuild
	KindBuilt
	KindExecute
	KindStarted
	KindResult
	KindGoodbye
	KindHost
	KindOffer
	KindNeeds
	KindPiece
	KindStart
	KindData
	KindCredit
	KindKill
	KindEnded
	KindTick
)

// newMessage returns an empty message of a kind, nil if the kind is not known.
func newMessage(kind uint64) Message {
	switch kind {
	case uint64(KindHello):
		return new(Hello)
	case uint64(KindDescribe):
		return new(Describe)
	case uint64(KindDescribed):
		return new(Described)
	case uint64(KindBuild):
		return new(Build)
	case uint64(KindBuilt):
		return new(Built)
	case uint64(KindExecute):
		return new(Execute)
	case uint64(KindStarted):
		return new(Started)
	case uint64(KindResult):
		return new(Result)
	case uint64(KindGoodbye):
		return new(Goodbye)
	case uint64(KindHost):
		return new(Host)
	case uint64(KindOffer):
		return new(Offer)
	case uint64(KindNeeds):
		return new(Needs)
	case uint64(KindPiece):
		return new(Piece)
	case uint64(KindStart):
		return new(Start)
	case uint64(KindData):
		return new(Data)
	case uint64(KindCredit):
		return new(Credit)
	case uint64(KindKill):
		return new(Kill)
	case uint64(KindEnded):
		return new(Ended)
	case uint64(KindTick):
		return new(Tick)
	}
	return nil
}

// fromExecutor reports whether executors, or hosts, send messages of this kind.
func (k Kind) fromExecutor() bool {
	switch k {
	case KindHello, KindDescribed, KindBuilt, KindStarted, KindResult, KindGoodbye, KindHost, KindNeeds, KindEnded:
		return true
	}
	return false
}

// short reports whether all messages of this kind fit into maxShortFrame.
func (k Kind) short() bool {
	switch k {
	case KindHello, KindBuilt, KindStarted, KindGoodbye, KindHost, KindData, KindCredit, KindKill, KindEnded,
		KindTick:
		return true
	}
	return false
}

// String returns the name of the message's type.
func (k Kind) String() string {
	if m := newMessage(uint64(k)); m != nil {
		return reflect.TypeOf(m).Elem().Name()
	}
	return "kind " + strconv.Itoa(int(k))
}

// Hello is the first message of an executor.
type Hello struct {
	// Reserved is empty. It and the next two fields never change their places, so that every version can Check a Hello.
	Reserved      string
	Protocol      uint   // see Check
	Build         string // version of zonemark, for people
	Runtimes      []string
	PID           int
	Layers        []string          // sandbox layers that are active
	MissingLayers map[string]string // reasons by layer
	Environment   map[string]string // fingerprint of the machine
	Profile       string            // of the sandbox; empty if there is none
	Allowed       []string          // devices, files and folders of the machine that native code may write
}

// Check returns an error if the sender of the Hello speaks another protocol.
func (h *Hello) Check() error {
	if h.Protocol == Protocol {
		return nil
	}
	return fmt.Errorf("the executor speaks wire protocol %d (zonemark %q), this zonemark speaks protocol %d: "+
		"install the same zonemark on both ends",
		h.Protocol, h.Build, Protocol)
}

// Describe asks what the artifacts at a path contain; Described answers.
type Describe struct {
	ID         string
	Runtime    string
	Path       string
	Parameters map[string]string
	Options    map[string]string // see Artifact.Options
	// Cache is the folder for files that are compiled from an artifact before it can be read.
	Cache string
	// Functions are the names of those that are asked for; empty: all are.
	Functions []string
}

// Described answers Describe.
type Described struct {
	ID           string
	Error        string // one sentence for people; empty when it went well
	Descriptions []invocations.Description
	Remedies     []remedy.Remedy // of the error
}

// Build asks for the file to load of an artifact; Built answers.
type Build struct {
	ID       string
	Runtime  string
	Artifact invocations.Artifact
	Cache    string // folder below which the file is made
}

// Built answers Build.
type Built struct {
	ID    string
	Error string // one sentence for people; empty when it went well
	Path  string
	// Remedies are those of the error.
	Remedies []remedy.Remedy
}

// Execute asks for a measurement of an invocation; Started messages and one Result answer. A launch has one, or one for
// each of its rounds or turns.
type Execute struct {
	invocations.Invocation
	Number int  // 0-based: of the launch, or of the round in a launch that has several
	Last   bool // no measurement of this invocation follows, so its preparation may be released
	// QuietPorts is the machine's best level of the canary, see Canary.Ports; 0: not known yet.
	QuietPorts float64
	// QuietMemory is the machine's best level of the canary's probe of shared caches and memory, see Canary.Memory.
	QuietMemory float64
	// Trusted is true if an earlier launch has compared the outputs. This launch then does not compare them before it
	// measures.
	Trusted bool
	// NoCanary is the reason for which the canary does not apply, as earlier launches have found it, see Canary.Why. It is
	// empty if the canary applies, and in the first launch.
	NoCanary string
	// If TraceCalls is not 0, the executor does not measure. It makes at most so many calls, each in a zone of the
	// runtime's own Tracy client.
	TraceCalls int64
	// Part is the part of the memory which two executors exchange that holds the arguments in this turn, from 1; 0:
	// memory of the executor's own. One that has no memory to exchange, or whose runtime allocates the arguments, uses
	// its own.
	Part int
	// InTurns says that measurements take turns with those of another executor: what others do with shared caches and memory
	// concerns both, and is not probed. The thread stays on the CPU that it is on, unless Measure.CPU names one.
	InTurns bool
	// Steps says that both sides make their batches of this turn step by step: one each, alternately.
	Steps Steps
	// Fresh says what the calls of this launch find in their arguments, as far as Measure.Restore and Measure.Reorder leave
	// it to the executor: an earlier launch has found that it matters, or the other side of a pair needs it.
	invocations.Fresh `msgpack:",inline"`
	// ScalarClock has the clock of scalar code looked at after the batches, however short the round is; see
	// Canary.OwnClock.
	ScalarClock bool
	// Leave has the arguments leave their part after this turn, before the result is sent: the other executor has it next.
	Leave bool
	// Brief says that this launch only decides a race: whether calls change the time of further calls by what they leave of
	// their arguments is looked at briefly, so that differences of a few percent are not found.
	Brief bool
	// Short says that this launch only decides a race, one of several: less time is spent beside its batches. The clock of
	// scalar code is looked at briefly. If the launch is Trusted, calls count as warm after one look, one call is looked at
	// alone, and outputs are not compared after the batches.
	Short bool
	// Thorough has a launch that is Trusted look thoroughly, as a first launch does, at whether calls change the time of
	// further calls by what they leave of their arguments: those before it were Brief.
	Thorough bool
	// LookForThreads has a launch that is Trusted look for threads of native code, as a first launch does: that one may have
	// taken others' work for theirs.
	LookForThreads bool
	// LookForLeft has the launch look whether calls leave work to threads, which goes on when they have returned.
	LookForLeft bool
}

// Steps is a turn in which two executors that exchange memory make their batches step by step. The zero value is none.
type Steps struct {
	Turn  int // from 1, and larger than those before it with the same memory
	Role  int // of this executor: 0 or 1
	First int // role that begins
}

// Started tells that native code will be entered next, so that a crash can be attributed.
type Started struct {
	ID    string
	Phase string // see Crash.Phase
}

// Result answers Execute.
type Result struct{ invocations.Result }

// Goodbye is the last message of a session. If the stream ends without it, the executor has crashed, with any exit
// status.
type Goodbye struct {
	Reason string
}

// Kind implements Message.
func (*Hello) Kind() Kind { return KindHello }

// Kind implements Message.
func (*Describe) Kind() Kind { return KindDescribe }

// Kind implements Message.
func (*Described) Kind() Kind { return KindDescribed }

// Kind implements Message.
func (*Build) Kind() Kind { return KindBuild }

// Kind implements Message.
func (*Built) Kind() Kind { return KindBuilt }

// Kind implements Message.
func (*Execute) Kind() Kind { return KindExecute }

// Kind implements Message.
func (*Started) Kind() Kind { return KindStarted }

// Kind implements Message.
func (*Result) Kind() Kind { return KindResult }

// Kind implements Message.
func (*Goodbye) Kind() Kind { return KindGoodbye }
