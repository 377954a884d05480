package driver

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"zonemark/driver/executors"
	"zonemark/driver/plan"
	"zonemark/invocations"
	"zonemark/invocations/recordstest"
	"zonemark/invocations/wire"
)

// forger is an executor under the control of its native code: it answers the first message after Hello with replies of
// its own.
type forger struct {
	replies func(asked wire.Message) []wire.Message
}

func (f *forger) Start(executors.Allowance) (*executors.Process, error) {
	fromDriver, to := io.Pipe()
	from, toDriver := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		defer toDriver.Close()
		conn := wire.NewConn(fromDriver, toDriver)
		for {
			m, err := conn.Receive()
			if _, bye := m.(*wire.Goodbye); bye || err != nil {
				return
			}
			replies := []wire.Message{&wire.Hello{Protocol: wire.Protocol}}
			if _, greeted := m.(*wire.Hello); !greeted {
				replies = f.replies(m)
			}
			for _, reply := range replies {
				if conn.Send(reply) != nil {
					return
				}
			}
		}
	}()
	kill := func() { fromDriver.Close(); toDriver.Close() }
	return &executors.Process{To: to, From: from, Kill: kill, DiscardOutput: func() {},
		Wait: func() executors.Exit { <-ended; return executors.Exit{Signal: "SIGKILL"} }}, nil
}

// everyMessage returns a message of each kind, with this id if the kind has one.
func everyMessage(id string) []wire.Message {
	return []wire.Message{
		&wire.Hello{Protocol: wire.Protocol}, &wire.Describe{ID: id}, &wire.Described{ID: id}, &wire.Build{ID: id},
		&wire.Built{ID: id, Path: "elsewhere"}, &wire.Execute{Invocation: invocations.Invocation{ID: id}},
		&wire.Started{ID: id, Phase: "measure"}, &wire.Result{Result: invocations.Result{ID: id, Status: invocations.OK}},
		&wire.Host{}, &wire.Offer{}, &wire.Needs{}, &wire.Piece{}, &wire.Start{}, &wire.Data{}, &wire.Credit{}, &wire.Kill{},
		&wire.Ended{}, &wire.Tick{},
	}
}

// An executor that answers with a message of another kind under the right id has crashed, whatever it was asked, and the
// driver goes on.
func TestAnswersOfEveryKind(t *testing.T) {
	const id = "0123456789abcdef"
	kinds := map[wire.Kind]bool{}
	for _, reply := range everyMessage(id) {
		kinds[reply.Kind()] = true
		name := strings.TrimPrefix(fmt.Sprintf("%T", reply), "*wire.")
		f := &forger{replies: func(wire.Message) []wire.Message { return []wire.Message{reply, &wire.Tick{}} }}
		planner := &plan.Planner{Builder: f, Say: func(string, ...any) {}}
		if _, err := planner.Describe(t.Context(), "c", invocations.Artifact{Path: id}); (err == nil) != (name == "Described") {
			t.Errorf("Describe, answered by %s: %v", name, err)
		}
		_, failures := planner.BuildAll(t.Context(), "c", []invocations.Artifact{{Path: id}})
		if (failures[0] == nil) != (name == "Built") {
			t.Errorf("Build, answered by %s: %v", name, failures[0])
		}
		whole := &plan.Plan{}
		whole.Add(plan.Entry{Invocation: invocations.Invocation{ID: id, Name: "f"}})
		outcome, err := Execute(context.Background(), whole, Execution{Executor: f})
		if err != nil || outcome.Records.Len() != 1 {
			t.Fatalf("Execute, answered by %s: %v, %d results", name, err, outcome.Records.Len())
		}
		r := recordstest.List(t, outcome.Records)[0]
		if name == "Result" {
			continue // what it says is another matter, see believe
		}
		if r.Status != invocations.Crashed || !strings.Contains(r.Error, "which nobody asked for") {
			t.Errorf("Execute, answered by %s: %s %s", name, r.Status, r.Error)
		}
	}
	for kind := wire.KindHello; kind <= wire.KindTick; kind++ {
		if !kinds[kind] && kind != wire.KindGoodbye { // which executors may say
			t.Errorf("no message of kind %d was tried", kind)
		}
	}
}
