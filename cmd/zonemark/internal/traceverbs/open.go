package traceverbs

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"zonemark/cmd/zonemark/internal/cli"
	"zonemark/invocations/files"
	"zonemark/invocations/shellwords"
	"zonemark/trace"
	"zonemark/trace/tracycsv"
	"zonemark/trace/ttmetal"
	"zonemark/trace/zonestats"
)

// manyZones is the number of zones from which reading takes long enough for a progress line.
const manyZones = 1_000_000

// zonesBetweenLooks is how many zones are read between two looks at the clock and at interrupts.
const zonesBetweenLooks = 1 << 14

// recording is what captures and the CSV tables made of them have in common.
type recording interface {
	trace.Source
	Messages() iter.Seq2[trace.Message, error]
	GPUZones() iter.Seq2[trace.GPUZone, error]
	Plots() iter.Seq2[trace.PlotPoint, error]
}

// openCapture is a capture, or a CSV table made of one, that a verb reads.
type openCapture struct {
	recording
	file     *trace.File     // nil for a table
	table    *tracycsv.Table // nil for a capture
	path     string
	call     *call // reading ends with its context
	progress *cli.ProgressLine
}

// open opens a capture or a table made of one.
func (c *call) open(path string) (*openCapture, error) { return c.openParts(path, trace.AllParts) }

// openParts does what open does, for verbs that need only some of what zones have of their own.
func (c *call) openParts(path string, parts trace.Parts) (*openCapture, error) {
	r := &openCapture{path: path, call: c, progress: cli.NewProgressLine(c.Err, c.quiet)}
	if err := cli.CheckExists(path, "a capture (.tracy) or a table made of one (.csv)"); err != nil {
		return nil, err
	}
	isTable, err := looksLikeTable(path)
	if err != nil {
		return nil, err
	}
	if !isTable {
		if r.file, err = trace.OpenParts(path, parts); err != nil {
			return nil, cmp.Or(c.compressed(path), err)
		}
		r.recording = r.file
		return r, nil
	}
	if kind, err := ttmetal.FileKind(path); err == nil && kind != ttmetal.NoTable && kind != ttmetal.HostTable {
		return nil, fmt.Errorf("%s is a table of tt-metal's profiler, which has no zones of the host; see it with "+
			"\"zonemark trace tt %s\"", path, path)
	}
	cli.CollectForFiles(path) // a table is read whole
	if r.table, err = tracycsv.Open(path); err != nil {
		return nil, err
	}
	if len(r.table.Aggregates()) > 0 {
		return nil, fmt.Errorf("%s holds sums by zone, no single zones; export the capture with -u, or give the "+
			"capture itself", path)
	}
	r.recording = r.table
	return r, nil
}

// unpackers are the programs that unpack files, by the extensions that these have.
var unpackers = map[string]string{".gz": "gunzip -k", ".zst": "zstd -dk", ".xz": "xz -dk", ".bz2": "bunzip2 -k"}

// compressed returns the error about a file that is to be unpacked before it is read, with the commands; nil if its
// name does not say so.
func (c *call) compressed(path string) error {
	extension := filepath.Ext(path)
	program, unpacked := unpackers[extension], strings.TrimSuffix(path, extension)
	if program == "" {
		return nil
	}
	words := slices.Clone(c.args)
	for i := range words {
		if words[i] == path {
			words[i] = unpacked
		}
	}
	return &cli.Signpost{Text: path + ": this is no capture yet; to unpack and read it:",
		Command: program + " " + shellwords.Line(path) + " && " + cli.CommandLine(c.set.Name(), words...)}
}

// looksLikeTable says whether a file begins with a line of text that has a separator in it. Captures begin with bytes
// that are no text.
func looksLikeTable(path string) (bool, error) {
	file, err := files.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	if status, err := file.Stat(); err != nil || !status.Mode().IsRegular() {
		return false, err
	}
	begin := make([]byte, 512)
	n, err := io.ReadFull(file, begin)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false, err
	}
	line, _, _ := bytes.Cut(begin[:n], []byte("\n"))
	text := !bytes.ContainsFunc(line, func(r rune) bool {
		return r == utf8.RuneError || unicode.IsControl(r) &&
			r != '\t' && r != '\r'
	})
	return text && bytes.ContainsAny(line, ",;|\t"), nil
}

// Close ends reading.
func (c *openCapture) Close() error {
	if c.file == nil {
		return nil
	}
	return c.file.Close()
}

// zoneCount is how many zones there are, as far as that is known beforehand.
func (c *openCapture) zoneCount() int64 {
	if c.file == nil {
		return 0
	}
	return c.file.Info().ZoneCount
}

// warnings say what is wrong with the capture, and whether something is missing.
func (c *openCapture) warnings() (list []string, partial bool) {
	if c.file == nil {
		return c.table.Warnings(), false
	}
	info := c.file.Info()
	return info.Warnings, info.Partial
}

// zones are the zones of the capture, with progress shown where there are many, until the command is interrupted.
func (c *openCapture) zones() iter.Seq2[trace.Zone, error] {
	return func(yield func(trace.Zone, error) bool) {
		defer c.progress.Clear()
		n := int64(0)
		for z, err := range c.Zones() {
			if n++; n%zonesBetweenLooks == 0 {
				if err := c.look(n); err != nil {
					yield(trace.Zone{}, err)
					return
				}
			}
			if !yield(z, err) {
				return
			}
		}
	}
}

// walkRaw is that of trace.File for a capture, with progress and interrupts as zones has them.
func (c *openCapture) walkRaw(first []trace.RawZone, each func([]trace.RawZone) []trace.RawZone) error {
	defer c.progress.Clear()
	watch := trace.Watcher{Call: c.look}
	var watched error
	err := c.file.WalkRaw(first, func(batch []trace.RawZone) []trace.RawZone {
		if watched = watch.Seen(len(batch)); watched != nil {
			return nil
		}
		return each(batch)
	})
	return cmp.Or(watched, err)
}

// zonePlace is where a zone is, and what zones are sorted by.
type zonePlace struct {
	thread                         int
	start, duration, self, ordinal int64
}

// selected yields the zones that a filter selects, each in the place of the one before, with progress and interrupts as
// zones has them. Need is told where each of them is and says whether it is to be yielded; nil yields all.
func (c *openCapture) selected(filter trace.Filter, need func(zonePlace) bool) (iter.Seq2[*trace.Zone, error], error) {
	if need == nil {
		need = func(zonePlace) bool { return true }
	}
	if c.file == nil {
		match, err := filter.Compile(c.Threads())
		return func(yield func(*trace.Zone, error) bool) {
			var z trace.Zone
			var err error
			for z, err = range c.zones() {
				if err == nil && (!match(&z) || !need(placeOf(&z))) {
					continue
				}
				if !yield(&z, err) {
					return
				}
			}
		}, err
	}
	match, err := filter.CompileRaw(c.file)
	return func(yield func(*trace.Zone, error) bool) {
		var zone trace.Zone
		enough := false
		err := c.walkRaw(make([]trace.RawZone, 0, trace.RawBatch), func(batch []trace.RawZone) []trace.RawZone {
			for i := range batch {
				z := &batch[i]
				if !match(z) || !need(zonePlace{int(z.Thread), z.StartNS, z.DurationNS, z.SelfNS, z.Ordinal}) {
					continue
				}
				zone = c.file.Resolve(z)
				if enough = !yield(&zone, nil); enough {
					return nil
				}
			}
			return batch[:0]
		})
		if err != nil && !enough {
			yield(&trace.Zone{}, err)
		}
	}, err
}

func placeOf(z *trace.Zone) zonePlace {
	return zonePlace{z.Thread, z.StartNS, z.DurationNS, z.SelfNS, z.Ordinal}
}

// look shows how many zones have been read, and returns an error when the command was interrupted.
func (c *openCapture) look(zones int64) error {
	if c.call.ctx.Err() != nil {
		return fmt.Errorf("%s: interrupted after %d zones", c.path, zones)
	}
	if total := c.zoneCount(); total >= manyZones && c.progress.Due() {
		c.progress.Draw(fmt.Sprintf("%s: %d of %d million zones", c.path, zones/1e6, total/1e6))
	}
	return nil
}

// summarize sums up the zones of threads and of GPUs, with progress and interrupts as zones has them.
func (c *openCapture) summarize(o zonestats.Options) (*zonestats.Summary, error) {
	defer c.progress.Clear()
	o.Watch = c.look
	if c.file == nil {
		summary, err := zonestats.Summarize(c.Zones(), o)
		if err == nil {
			err = summary.AddGPU(c.GPUZones(), o)
		}
		return summary, err
	}
	summary, err := zonestats.SummarizeFile(c.file, o)
	if err == nil && c.file.HasGPUZones() {
		err = summary.AddGPU(c.file.GPUZones(), o)
	}
	return summary, err
}

// summarizeFrames sums up the frames, of which tables have none.
func (c *openCapture) summarizeFrames(o zonestats.Options) (*zonestats.Summary, error) {
	if c.file == nil || c.file.Info().FrameCount == 0 {
		return &zonestats.Summary{}, nil
	}
	return zonestats.SummarizeFrames(c.file.Frames(), o)
}

// gpuContexts returns the contexts of GPUs as threads, by their index. The zones of threads must have been read.
func (c *openCapture) gpuContexts() (contexts []trace.Thread, err error) {
	if c.file != nil && !c.file.HasGPUZones() {
		return nil, nil
	}
	for z, err := range c.GPUZones() {
		if err != nil {
			return contexts, err
		}
		for len(contexts) <= z.Context {
			contexts = append(contexts, trace.Thread{})
		}
		contexts[z.Context].Name = z.ContextName
	}
	return contexts, nil
}

// settle says what is wrong with a capture after it was read, and returns the exit status: a capture that could not be
// read to its end is an error, one that is known to miss something a warning.
func (c *openCapture) settle(err error) int {
	s := c.call.Streams
	list, partial := c.warnings()
	for _, w := range list {
		switch {
		case err != nil && w == err.Error(): // comes as the error
		case strings.HasPrefix(w, c.path+":"):
			s.Say("zonemark: warning: %s", w)
		default:
			s.Say("zonemark: warning: %s: %s", c.path, w)
		}
	}
	if cut := (*trace.FormatError)(nil); errors.As(err, &cut) {
		return s.Fail("%v; what is shown is what came before", err)
	}
	if err != nil {
		return s.Fail("%v", err)
	}
	if partial {
		s.Say("zonemark: warning: %s: PARTIAL: the capture does not hold everything that happened; sums are too small",
			c.path)
	}
	return cli.ExitOK
}

// threadLabel is the name of a thread, else its position.
func threadLabel(threads []trace.Thread, index int) string {
	if index >= 0 && index < len(threads) && threads[index].Name != "" {
		return threads[index].Name
	}
	return fmt.Sprintf("thread %d", index)
}
