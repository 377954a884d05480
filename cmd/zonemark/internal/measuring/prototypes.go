package measuring

import (
	"strings"

	"zonemark/cmd/zonemark/internal/runtimes"
)

// takePrototypes replaces each prototype among the names of --function by the name of its function, and adds the
// prototype to the option of the runtime that takes it.
func (f *Flags) takePrototypes() error {
	for _, row := range f.Runtimes {
		if row.Prototype == nil {
			continue
		}
		if err := f.takePrototypesFor(row); err != nil {
			return err
		}
	}
	return nil
}

func (f *Flags) takePrototypesFor(row runtimes.Row) error {
	for i, text := range f.Functions {
		if !strings.Contains(text, "(") {
			continue
		}
		name, err := row.Prototype(text)
		if err != nil {
			return err
		}
		f.Functions[i] = name
		given := f.options[row.PrototypeOption]
		if given != "" {
			given += " "
		}
		f.SetOption(row.PrototypeOption, given+strings.TrimRight(strings.TrimSpace(text), "; ")+";")
	}
	return nil
}
