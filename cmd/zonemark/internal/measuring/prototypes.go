package measuring

import (
	"errors"
	"strings"

	"zonemark/cmd/zonemark/internal/runtimes"
	"zonemark/invocations/remedy"
)

// takePrototypes replaces each prototype among the names of --function by the name of its function, and adds the
// prototype to the option of the runtime that takes it.
func (t *Task) takePrototypes() error {
	for _, row := range t.Runtimes {
		if row.Prototype == nil {
			continue
		}
		if err := t.takePrototypesFor(row); err != nil {
			return err
		}
	}
	return nil
}

func (t *Task) takePrototypesFor(row runtimes.Row) error {
	for i, text := range t.Functions {
		if !strings.Contains(text, "(") {
			continue
		}
		name, err := row.Prototype(text)
		if called, _, _ := strings.Cut(text, "("); err != nil && remedy.Of(err) == nil && !strings.ContainsAny(called, " *") {
			err = remedy.With(err, remedy.Remedy{Kind: remedy.Instead, Name: text, Value: called}) // a call, as C writes it
		}
		if err != nil {
			return errors.New(remedy.Told(err, (&Task{verb: t.verb, arguments: t.arguments}).Words))
		}
		t.Functions[i] = name
		given := t.ArtifactOptions[row.PrototypeOption]
		if given != "" {
			given += " "
		}
		t.SetOption(row.PrototypeOption, given+strings.TrimRight(strings.TrimSpace(text), "; ")+";")
	}
	return nil
}
