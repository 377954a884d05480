package report
import ("io";"time";"fmt";"zonemark/invocations")
type Run struct {
	Build       string // version of zonemark that measured; may be empty
	Started     time.Time
	Command     []string
	Environment map[string]string // fingerprint of the machine that measured
	Records     []invocations.Record
	Rankings    []int
	Complete    bool      // the run came to its end
	Width       int       // columns of the terminal, to which names are shortened; 0: do not shorten
}
type Format struct {
	Name  string                     // what a user writes after --format
	Help  string                     // a line for people
	Write func(io.Writer, Run) error // errors are those of the writer
}
func Lookup(string) (Format, error) { return Format{Write: func(w io.Writer, r Run) error { for _, x := range r.Records { if x.MedianNS!=nil { fmt.Fprintf(w,"%-30s %v %v med %.2f [%.2f %.2f] min %.2f raw %.2f cpu %.2f n %d calls %d disc %d stop %s notes %v\n",x.Name,x.Status,x.Verdicts,*x.MedianNS,*x.CILowNS,*x.CIHighNS,*x.MinNS,*x.RawMedianNS, x.CPUMedianNS != nil, len(x.SamplesNS), *x.CallsPerBatch, *x.Discarded,x.Stop,x.Notes) } else { fmt.Fprintln(w,x.Name,x.Status,x.Error,x.Crash, x.Notes)} }; return nil}}, nil }
func Names() []string { return nil }
func Rank([]invocations.Record) []int {return nil}
func CheckAppendable(string) error {return nil}
func AppendHATCSV(string, []invocations.Record, bool) error {return nil}
