package hosting

import (
	"zonemark/driver/executors"
)

// Starters start the executors of a program. Those of zonemark are Processes; tests may play executors instead.
type Starters interface {
	// Builder starts executors that describe and build artifacts, see NewBuilder.
	Builder(Options) Executors
	// Measurer starts executors that load native code and measure it, see NewMeasurer.
	Measurer(Options) Executors
	// CommandMeasurer starts executors that measure whole commands, see NewCommandMeasurer.
	CommandMeasurer(Options) Executors
	// Recorder starts executors that record or emulate, see NewRecorder.
	Recorder(Options) Executors
}

// Executors start executors of one role, until they are closed.
type Executors interface {
	executors.Starter
	Close()
}

// Processes start executors as child processes of this one.
type Processes struct{}

// Builder is NewBuilder.
func (Processes) Builder(o Options) Executors { return NewBuilder(o) }

// Measurer is NewMeasurer.
func (Processes) Measurer(o Options) Executors { return NewMeasurer(o) }

// CommandMeasurer is NewCommandMeasurer.
func (Processes) CommandMeasurer(o Options) Executors { return NewCommandMeasurer(o) }

// Recorder is NewRecorder.
func (Processes) Recorder(o Options) Executors { return NewRecorder(o) }
