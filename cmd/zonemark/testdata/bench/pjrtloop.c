// The bare loop: a PJRT plugin called from C with nothing around it. Usage: loop PLUGIN FILE SIDE MILLISECONDS. Compiles the StableHLO program of two square
// arguments of f32, executes it again and again, each time waiting for completion and freeing the result, and prints the median time of an execution in ns.
// The structs are those of pjrt_c_api.h (OpenXLA, Apache-2.0), version 0.81.
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct { size_t size; void *ext; } base;
typedef struct { size_t size; void *ext; size_t vsize; void *vext; int major, minor; void *(*f[128])(void *); } api;
static api *A;

typedef struct { base b; void *error; const char *text; size_t n; } message_args;
static void call(int f, void *args) {
  void *error = A->f[f](args);
  if (!error) return;
  message_args m = { { sizeof m, 0 }, error, 0, 0 };
  A->f[1](&m);
  fprintf(stderr, "function %d: %.*s\n", f, (int)m.n, m.text);
  exit(1);
}
typedef struct { base b; void *object; } object_args;
static void on(int f, void *object) { object_args a = { { sizeof a, 0 }, object }; call(f, &a); }

typedef struct { base b; void *opts; size_t n; void *kv[4]; void *client; void *tryget[2]; } create_args;
typedef struct { base b; void *client; void **list; size_t n; } devices_args;
typedef struct { base b; const char *code; size_t n; const char *format; size_t fn; } program;
typedef struct { base b; void *client; program *p; const char *opts; size_t on; void *exe; } compile_args;
typedef struct {
  base b; void *client; const void *data; int type; const int64_t *dims; size_t rank;
  const int64_t *strides; size_t nstrides; int semantics; void *device, *memory, *layout; void *done; void *out;
} push_args;
typedef struct { base b; void *cb[4]; int launch; const int64_t *kept; size_t n; void *rest[5]; } execute_options;
typedef struct { base b; void *exe; execute_options *options; void ***arguments; size_t devices, n; void ***outputs; void **events; void *device; } execute_args;

static int64_t now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000LL + t.tv_nsec; }
static int by_value(const void *a, const void *b) { double x = *(double *)a, y = *(double *)b; return (x > y) - (x < y); }

int main(int argc, char **argv) {
  if (argc != 5) return fprintf(stderr, "usage: loop PLUGIN FILE SIDE MILLISECONDS\n"), 1;
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
  api *(*get)(void) = (api *(*)(void))dlsym(library, "GetPjrtApi");
  if (!get) return fprintf(stderr, "%s\n", dlerror()), 1;
  A = get();
  FILE *file = fopen(argv[2], "rb");
  static char code[1 << 20];
  size_t n = file ? fread(code, 1, sizeof code, file) : 0;
  int64_t side = atoll(argv[3]), limit = atoll(argv[4]) * 1000000LL, dims[2] = { side, side };
  base start = { sizeof start, 0 };
  call(3, &start);
  create_args create = { .b = { sizeof create, 0 } };
  call(10, &create);
  devices_args devices = { .b = { sizeof devices, 0 }, .client = create.client };
  call(16, &devices);
  program p = { { sizeof p, 0 }, code, n, "mlir", 4 };
  compile_args compile = { { sizeof compile, 0 }, create.client, &p, "\x1a\x04\x20\x01\x28\x01", 6, 0 };
  call(20, &compile);
  float *data = malloc(sizeof *data * side * side);
  void *arguments[2], *outputs[1], *events[1], **argument_list = arguments, **output_list = outputs;
  for (int a = 0; a < 2; a++) {
    for (int64_t i = 0; i < side * side; i++) data[i] = rand() / (RAND_MAX + 1.0f);
    push_args push = { .b = { sizeof push, 0 }, .client = create.client, .data = data, .type = 11, .dims = dims, .rank = 2, .device = devices.list[0] };
    call(22, &push);
    on(8, push.done);
    on(5, push.done);
    arguments[a] = push.out;
  }
  int64_t kept[2] = { 0, 1 };
  execute_options options = { .b = { sizeof options, 0 }, .kept = kept, .n = 2 };
  execute_args execute = { { sizeof execute, 0 }, compile.exe, &options, &argument_list, 1, 2, &output_list, events, 0 };
  static double ns[1 << 20];
  size_t count = 0;
  int64_t end = 0;
  for (int64_t warm = 0; count < sizeof ns / sizeof *ns; warm++) {
    int64_t t = now();
    call(55, &execute);
    on(8, events[0]);
    on(5, events[0]);
    on(58, outputs[0]);
    int64_t after = now();
    if (warm < 20) { end = after + limit; continue; }
    ns[count++] = after - t;
    if (after > end) break;
  }
  qsort(ns, count, sizeof *ns, by_value);
  printf("%.1f\n", ns[count / 2]);
  return 0;
}
