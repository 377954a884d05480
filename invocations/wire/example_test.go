package wire_test

import (
	"fmt"
	"io"

	"zonemark/invocations"
	"zonemark/invocations/wire"
)

// A driver sends an invocation. An executor reports that it begins, and answers with a result.
func Example() {
	executorIn, driverOut := io.Pipe()
	driverIn, executorOut := io.Pipe()
	go func() {
		executor := wire.NewConn(executorIn, executorOut)
		m, err := executor.Receive()
		if err != nil {
			return
		}
		id := m.(*wire.Execute).ID
		executor.Queue(&wire.Started{ID: id, Phase: "measure"})
		executor.Send(&wire.Result{Result: invocations.Result{
			ID: id, Status: invocations.OK, Batches: invocations.Batches{SamplesNS: []float64{1200, 1250.5, 1201}}}})
		executorOut.Close()
	}()

	driver := wire.NewConn(driverIn, driverOut)
	inv := invocations.Invocation{Name: "gemm", Function: "gemm"}
	inv.Seal()
	if err := driver.Send(&wire.Execute{Invocation: inv}); err != nil {
		fmt.Println(err)
		return
	}
	for {
		m, err := driver.Receive()
		if err == io.EOF {
			break
		}
		switch m := m.(type) {
		case *wire.Started:
			fmt.Println(m.Kind(), m.ID == inv.ID, m.Phase)
		case *wire.Result:
			fmt.Println(m.Kind(), m.Status, m.SamplesNS)
		}
	}
	// Output:
	// Started true measure
	// Result ok [1200 1250.5 1201]
}
