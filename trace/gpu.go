package trace

import (
	"fmt"
	"iter"
	"slices"
)

// GPUZone is one timed stretch of a GPU context. GPU times have been moved to the clock of the CPU by Tracy.
type GPUZone struct {
	Context     int    // index
	ContextName string // as the program named it, else its kind and index
	Thread      int    // that recorded it; index, 0 when it is not known
	Location    *Location
	CPUStartNS  int64 // of recording it
	CPUEndNS    int64
	StartNS     int64 // on the GPU
	DurationNS  int64
	SelfNS      int64 // DurationNS without the children
	Depth       int   // enclosing zones
	// the GPU's times never arrived; what is missing is replaced by the start, or by the end of the capture
	Unfinished bool
	Repeats    bool // inside another zone of its location
}

// gpuContext is Tracy's GpuCtxData, as far as zones need it.
type gpuContext struct {
	index  int
	name   string
	thread int
}

// Zone returns the zone as one of its context, with the times on the GPU. It has no ordinal and no parent.
func (z *GPUZone) Zone() *Zone {
	return &Zone{
		Ordinal: -1, Parent: -1, Depth: z.Depth, Thread: z.Thread, Location: z.Location, StartNS: z.StartNS,
		DurationNS: z.DurationNS, SelfNS: z.SelfNS, Unfinished: z.Unfinished, Repeats: z.Repeats,
	}
}

// deepestGPU is how many of the enclosing zones are looked at for one of the same location.
const deepestGPU = 64

// openGPUZone is a GPU zone whose children are being read.
type openGPUZone struct {
	zone     GPUZone
	left     int64
	children int64
}

// GPUZones iterates over the GPU zones, context by context, children before their parent. An error ends the iteration.
// The first call passes over all zones to find them.
func (f *File) GPUZones() iter.Seq2[GPUZone, error] {
	return func(yield func(GPUZone, error) bool) {
		c := f.afterZones()
		defer c.close()
		if f.gpu(c, yield) && c.err != nil {
			yield(GPUZone{}, c.err)
		}
	}
}

// gpu walks the GPU section; without yield it is passed over. It returns false when the caller has had enough.
func (f *File) gpu(c *cursor, yield func(GPUZone, error) bool) bool {
	c.skip(8 + 8) // zones, lists of children
	contexts := c.count(8 + 1 + 8 + 4 + 1 + 3 + 8 + 8)
	for i := int64(0); i < contexts && c.err == nil; i++ {
		context := f.gpuContext(c, int(i))
		for threads := c.count(16); threads > 0 && c.err == nil; threads-- {
			c.skip(8) // thread id, which the zones repeat
			if !f.gpuZones(c, context, c.count(f.gpuZoneSize()), yield) {
				return false
			}
		}
		if f.version >= version0_12_4 {
			for notes := c.count(10); notes > 0 && c.err == nil; notes-- {
				c.skip(2)
				c.skipRecords(16)
			}
		}
	}
	return true
}

// gpuKind names Tracy's GpuContextType.
func gpuKind(kind uint8) string {
	kinds := [...]string{"GPU", "OpenGL", "Vulkan", "OpenCL", "Direct3D 12", "Direct3D 11", "Metal", "Custom", "CUDA",
		"ROCm", "WebGPU"}
	if int(kind) < len(kinds) {
		return kinds[kind]
	}
	return kinds[0]
}

func (f *File) gpuContext(c *cursor, index int) gpuContext {
	context := gpuContext{index: index, thread: -1}
	if id := c.u64(); id != 0 {
		context.thread = f.threadIndex[id]
	}
	c.skip(1 + 8 + 4) // is calibrated, zones, ns per tick
	kind := c.u8()
	name, err := f.indexed(c.u24())
	if err != nil {
		c.fail(err)
	}
	if name == "" {
		name = fmt.Sprintf("%s %d", gpuKind(kind), index)
	}
	context.name = name
	c.skip(8) // overflow of the clock
	if f.version >= version0_12_4 {
		c.skipRecords(8 + 3) // names of notes
	}
	return context
}

const gpuHead = 8 + 8 + 2 + 3 + 2 + 8

// gpuTail is the length of what follows the children: Δ of both ends, and since 0.12.4 the number of the query.
func (f *File) gpuTail() int {
	if f.version >= version0_12_4 {
		return 8 + 8 + 2
	}
	return 8 + 8
}

func (f *File) gpuZoneSize() int64 { return int64(gpuHead + f.gpuTail()) }

// gpuZones walks the zones of one thread of a context.
func (f *File) gpuZones(c *cursor, context gpuContext, left int64, yield func(GPUZone, error) bool) bool {
	var stack []openGPUZone
	var cpu, gpu int64
	for c.err == nil {
		var open openGPUZone
		if left > 0 {
			var children int64
			open.zone, children = f.gpuZoneHead(c, context, &cpu, &gpu)
			open.left, open.zone.Depth = left-1, len(stack)
			open.zone.Repeats = slices.ContainsFunc(stack[max(0, len(stack)-deepestGPU):], func(o openGPUZone) bool {
				return o.zone.Location == open.zone.Location
			})
			if children > 0 {
				if len(stack) == cap(stack) && !c.keep(2*160*int64(len(stack)+1)) {
					break
				}
				stack, left = append(stack, open), children
				continue
			}
		} else {
			if len(stack) == 0 {
				break
			}
			open, stack = stack[len(stack)-1], stack[:len(stack)-1]
		}
		tail := c.bytes(f.gpuTail())
		cpu, gpu = cpu+i64(tail), gpu+i64(tail[8:])
		if c.err != nil {
			break
		}
		f.finishGPU(&open, cpu, gpu)
		if left = open.left; len(stack) > 0 {
			stack[len(stack)-1].children += open.zone.DurationNS
		}
		if yield != nil && !yield(open.zone, nil) {
			return false
		}
	}
	return true
}

// gpuZoneHead reads what comes before the children of a zone, and how many there are.
func (f *File) gpuZoneHead(c *cursor, context gpuContext, cpu, gpu *int64) (GPUZone, int64) {
	*cpu += c.i64()
	*gpu += c.i64()
	var location *Location
	stored := int16(c.u16())
	if i := f.locationIndex(stored); i >= 0 {
		location = &f.locations[i]
	} else {
		c.fail(f.missingLocation(stored))
	}
	c.skip(3) // call stack
	thread := int(c.u16())
	if context.thread >= 0 {
		thread = context.thread
	}
	if thread >= len(f.threads) {
		c.failf("thread %d of %d", thread, len(f.threads))
	}
	zone := GPUZone{Context: context.index, ContextName: context.name, Thread: thread, Location: location,
		CPUStartNS: *cpu, StartNS: *gpu}
	return zone, c.count(f.gpuZoneSize())
}

// finishGPU completes a zone whose ends are known. Tracy stores -1 for a time that never arrived.
func (f *File) finishGPU(open *openGPUZone, cpu, gpu int64) {
	z := &open.zone
	if z.StartNS < 0 {
		z.StartNS, gpu = f.info.LastTimeNS, -1
	}
	if gpu < z.StartNS {
		z.Unfinished, gpu = true, z.StartNS
	}
	z.CPUEndNS = max(cpu, z.CPUStartNS)
	z.DurationNS = gpu - z.StartNS
	z.SelfNS = z.DurationNS - open.children
}
