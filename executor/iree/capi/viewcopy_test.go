//go:build !windows && (amd64 || arm64)

package capi

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"unsafe"

	"zonemark/executor/dl"
)

// viewCopySource has the signature of iree_hal_buffer_view_allocate_buffer_copy (iree/hal/buffer_view_util.h) and
// checks its arguments.
const viewCopySource = `
#include <stddef.h>
#include <stdint.h>
typedef struct {
	uint32_t usage; uint16_t access; uint32_t type; uint64_t queue_affinity; uint64_t min_alignment;
} params_t;
typedef struct { const uint8_t *data; size_t length; } span_t;
uintptr_t params_size(void) { return sizeof(params_t); }
uintptr_t copy(void *device, void *allocator, size_t rank, const uint64_t *shape, uint32_t element, uint32_t encoding,
               params_t params, span_t data, void **out) {
  if ((uintptr_t)device != 11 || (uintptr_t)allocator != 12) return 1;
  if (rank != 2 || shape[0] != 3 || shape[1] != 5) return 2;
  if (element != 0x21000020 || encoding != 1) return 3;
  if (params.usage != 0xc03 || params.access != 0 || params.type != 0x30) return 4;
  if (params.queue_affinity != 0 || params.min_alignment != 0) return 5;
  if (data.length != 60 || data.data[0] != 7 || data.data[59] != 9) return 6;
  *out = (void *)(uintptr_t)99;
  return 0;
}
`

// TestCopyView compares the argument list of this architecture with that of the C compiler.
func TestCopyView(t *testing.T) {
	dir := t.TempDir()
	source, library := filepath.Join(dir, "copy.c"), filepath.Join(dir, "libcopy.so")
	if err := os.WriteFile(source, []byte(viewCopySource), 0o644); err != nil {
		t.Fatal(err)
	}
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	if out, err := exec.Command(cc, "-O2", "-shared", "-fPIC", "-o", library, source).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cc, err, out)
	}
	l, err := dl.Open(library)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	size, err := l.Lookup("params_size")
	if err != nil {
		t.Fatal(err)
	}
	if got := dl.Call(size); got != unsafe.Sizeof(bufferParams{}) {
		t.Errorf("the parameters take %d bytes in C, %d in Go", got, unsafe.Sizeof(bufferParams{}))
	}
	function, err := l.Lookup("copy")
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 60)
	data[0], data[59] = 7, 9
	shape, view := [2]uint64{3, 5}, uintptr(0)
	failed := copyView(function, viewCopy{
		device:    11,
		allocator: 12,
		rank:      2,
		shape:     &shape[0],
		element:   0x21000020,
		data:      &data[0],
		bytes:     60,
		view:      &view,
	})
	if failed != 0 || view != 99 {
		t.Errorf("check %d failed, view %d", failed, view)
	}
}

// TestLayouts compares the sizes of the structures that are shared with the runtime with those of IREE 3.13.
func TestLayouts(t *testing.T) {
	for name, c := range map[string]struct{ got, want uintptr }{
		"iree_runtime_call_t":                       {unsafe.Offsetof(callState{}.status), 40},
		"iree_vm_value_t":                           {unsafe.Sizeof(value{}), 16},
		"iree_vm_variant_t":                         {unsafe.Sizeof(variant{}), 24},
		"iree_hal_buffer_params_t":                  {unsafe.Sizeof(bufferParams{}), 32},
		"iree_string_view_t":                        {unsafe.Sizeof(stringView{}), 16},
		"iree_hal_device_profiling_options_t":       {unsafe.Sizeof(profilingOptions{}), 88},
		"iree_hal_profile_chunk_metadata_t":         {unsafe.Sizeof(chunkMetadata{}), 96},
		"iree_hal_profile_sink_vtable_t":            {unsafe.Sizeof(profileSinkTable{}), 32},
		"…: dropped":                                {unsafe.Offsetof(chunkMetadata{}.dropped), 88},
		"iree_runtime_call_t: inputs":               {unsafe.Offsetof(callState{}.inputs), 24},
		"iree_hal_device_profiling_options_t: sink": {unsafe.Offsetof(profilingOptions{}.sink), 16},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d bytes, want %d", name, c.got, c.want)
		}
	}
}
