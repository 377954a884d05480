package report

import (
	"bufio"

	"zonemark/driver/report/texttable"
)

// writeHexagon writes what an emulator has counted in a call of each record. These records have no times.
func writeHexagon(b *bufio.Writer, run Run, seen *overview) error {
	t := texttable.Table{Columns: []texttable.Column{
		{Title: "name", Name: true},
		{Title: "packets", Right: true},
		{Title: "instructions", Right: true},
		{Title: "HVX instructions", Right: true},
	}}
	for _, i := range seen.counted {
		r, err := run.Records.At(i)
		if err != nil {
			return err
		}
		t.Add(Printable(r.Name), groupedOrEmpty(r.HexagonPackets), groupedOrEmpty(r.HexagonInstructions),
			groupedOrEmpty(r.HexagonVectorInstructions))
	}
	if t.Len() == 0 {
		return nil
	}
	b.WriteString("\nHexagon, emulated: counts of a call, which are not cycles and not times\n")
	return t.Write(b, run.Width)
}

func groupedOrEmpty(n *int64) string {
	if n == nil {
		return ""
	}
	return Grouped(*n)
}
