// A PJRT plugin for tests, written for zonemark. It follows the structs of pjrt_c_api.h (OpenXLA, Apache-2.0). It
// compiles nothing: the results of a program are copies of its first argument. Failures are requested in the text of
// the program ("crash in compile", …) or by macros:
//   FUNCTIONS       number of functions in the table; 118 is version 0.81
//   MINOR           minor version
//   MAJOR           major version
//   TABLE_SIZE      a wrong size of the table
//   CREATE_ERROR    a message with which opening the devices fails
//   HANG            opening the devices says this text and never ends
//   STABLEHLO       the minor version of StableHLO that it says it knows
//   XSPACE          path of a serialized XSpace that the profiler returns; without it there is no profiler
//   NO_AWAIT        waiting for events is not implemented; a thread calls back when they are ready
//   NO_CALLBACK     with NO_AWAIT: neither is calling back; events are ready when they were asked for the third time
//   NO_READY        none of these is implemented
//   EARLY           completion events are ready before the results are, as in IREE's plugin
//   NO_RESULTS      telling when buffers are ready is not implemented
//   STRIDES         data without strides is taken for one element that is repeated, as IREE's plugin does
//   NO_TYPES        the types of results are not implemented
//   OWN_BUFFER      the profiler hands over memory of its own, with one byte too many, once, as XLA's does
//   PROFILER_ERROR  the function of the profiler that fails: 1 create, 2 start, 3 stop, 4 collect
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef FUNCTIONS
#define FUNCTIONS 118
#endif
#ifndef MINOR
#define MINOR 81
#endif
#ifndef MAJOR
#define MAJOR 0
#endif

typedef struct { size_t size; void *ext; } base;
typedef struct { const char *text; int code; } failure;
typedef struct { int never; int fails; int asked; long until; } event;
typedef struct { char *data; size_t size; int type; size_t rank; int64_t dims[8]; long until; int never, fails; } buffer;
typedef struct { int crash, never, fails, refuses, outputs, talks; } program;

// Counts the objects that were made and not yet freed, so that tests can see leaks.
static long live;
long live_objects(void) { return live; }

// Counts the arguments that the last execution was told not to donate.
static long kept;
long kept_arguments(void) { return kept; }

static void *make(size_t n) { __atomic_add_fetch(&live, 1, __ATOMIC_SEQ_CST); return calloc(1, n); }
static void drop(void *p) { __atomic_sub_fetch(&live, 1, __ATOMIC_SEQ_CST); free(p); }

// Counts the executions that began and ended: one is running if they differ. An event or a buffer with until = n is
// ready when n have ended.
static long begun, ended;
long running_executions(void) { return begun - __atomic_load_n(&ended, __ATOMIC_SEQ_CST); }
static int over(long until) { return until <= __atomic_load_n(&ended, __ATOMIC_SEQ_CST); }
static void *end_execution(void *unused) {
  (void)unused;
  usleep(20000);
  __atomic_add_fetch(&ended, 1, __ATOMIC_SEQ_CST);
  return 0;
}
static void begin_execution(void) {
  begun++;
#ifdef EARLY
  pthread_t thread;
  pthread_create(&thread, 0, end_execution, 0);
  pthread_detach(thread);
#else
  (void)end_execution;
  ended++;
#endif
}
static failure *fail(int code, const char *text) {
  failure *f = make(sizeof *f);
  f->text = text;
  f->code = code;
  return f;
}
#define NEED(type, last) if (((base *)args)->size < offsetof(type, last)) return fail(3, "Unexpected " #type " size")

typedef struct { base b; failure *error; const char *text; size_t n; } message_args;
static void *error_destroy(void *args) { drop(((message_args *)args)->error); return 0; }
static void *error_message(void *args) {
  message_args *a = args;
  a->text = a->error->text;
  a->n = strlen(a->text);
  return 0;
}
typedef struct { base b; failure *error; int code; } code_args;
static void *error_code(void *args) { code_args *a = args; a->code = a->error->code; return 0; }

static int initialized;
static void *initialize(void *args) { (void)args; initialized = 1; return 0; }

typedef struct { base b; event *e; } event_args;
static void *not_implemented(void *args) { (void)args; return fail(12, "not implemented"); }
static void *event_error(void *args) { return ((event_args *)args)->e->fails ? fail(13, "the device stopped") : 0; }
typedef struct { base b; event *e; _Bool ready; } ready_args;
static void *is_ready(void *args) {
  ready_args *a = args;
  NEED(ready_args, ready);
  a->ready = !a->e->never && over(a->e->until) && ++a->e->asked > 2;
  return 0;
}
static void *event_await(void *args) {
  event *e = ((event_args *)args)->e;
  while (e->never) sleep(1000);
  while (!over(e->until)) usleep(100);
  return e->fails ? fail(13, "the device stopped") : 0;
}
typedef struct { base b; event *e; void (*callback)(void *error, void *with); void *with; } callback_args;
static void *call_back(void *copied) {
  callback_args a = *(callback_args *)copied;
  free(copied);
  int fails = a.e->fails;
  while (a.e->never) sleep(1000);
  usleep(1000);
  while (!over(a.e->until)) usleep(100);
  a.callback(fails ? fail(13, "the device stopped") : 0, a.with);
  return 0;
}
static void *on_ready(void *args) {
  NEED(callback_args, with);
  void *copied = malloc(sizeof(callback_args));
  memcpy(copied, args, sizeof(callback_args));
  pthread_t thread;
  pthread_create(&thread, 0, call_back, copied);
  pthread_detach(thread);
  return 0;
}
static void *drop_object(void *args) { drop(((event_args *)args)->e); return 0; }
static event *make_event(int never, int fails) {
  event *e = make(sizeof *e);
  e->never = never;
  e->fails = fails;
  return e;
}

typedef struct { base b; void *opts; size_t n; void *kv[4]; void *client; } create_args;
static void *create(void *args) {
  create_args *a = args;
  NEED(create_args, client);
#ifdef CREATE_ERROR
  return fail(14, CREATE_ERROR);
#endif
#ifdef HANG
  fprintf(stderr, "%s\n", HANG);
  for (;;) sleep(1000);
#endif
  if (!initialized) return fail(9, "Plugin_Initialize was not called");
  a->client = make(1);
  return 0;
}

#ifdef STABLEHLO
typedef struct { base b; const char *name; size_t n; int kind; const int64_t *list; size_t count; } named_value;
typedef struct { base b; const named_value *values; size_t n; } attributes_args;
static void *attributes(void *args) {
  static const int64_t version[] = { 1, STABLEHLO, 3 };
  static const named_value values[] = {
    { { sizeof(named_value), 0 }, "stablehlo_current_version", 25, 2, version, 3 } };
  attributes_args *a = args;
  a->values = values;
  a->n = 1;
  return 0;
}
#endif

typedef struct { base b; void *client; const char *s; size_t n; } text_args;
static void *platform(void *args) { text_args *a = args; a->s = "pretend"; a->n = 7; return 0; }

static int device_objects[3];
static void *device_list[3] = { &device_objects[0], &device_objects[1], &device_objects[2] };
typedef struct { base b; void *client; void **list; size_t n; } devices_args;
static void *devices(void *args) { devices_args *a = args; a->list = device_list; a->n = 3; return 0; }

typedef struct { base b; const char *code; size_t n; const char *format; size_t fn; } program_struct;
typedef struct { base b; void *client; program_struct *p; const char *opts; size_t on; program *exe; } compile_args;
static int says(const program_struct *p, const char *what) { return memmem(p->code, p->n, what, strlen(what)) != 0; }

// compiler runs a program, as plugins do whose compiler is one, and returns whether it ended well.
static int compiler(void) {
  extern char **environ;
  char *arguments[] = { "true", 0 };
  pid_t pid;
  int status = 0;
  if (posix_spawn(&pid, "/bin/true", 0, 0, arguments, environ) == 0 && waitpid(pid, &status, 0) == pid && status == 0) return 1;
  fprintf(stderr, "the compiler does not start\n");
  return 0;
}
static void *compile(void *args) {
  compile_args *a = args;
  NEED(compile_args, exe);
  if (says(a->p, "words in compile")) fputs("the compiler says this\n", stderr);
  if (says(a->p, "crash in compile")) *(volatile int *)8 = 1;
  if (says(a->p, "exit in compile")) _exit(3);
  if (says(a->p, "starts a compiler") && !compiler()) return fail(3, "");
  if (says(a->p, "asks the network") && socket(AF_INET, SOCK_STREAM, 0) < 0) {
    fprintf(stderr, "the network does not answer\n");
    return fail(3, "");
  }
  if (says(a->p, "complains")) {
    fprintf(stderr, "the driver is too old\n");
    return fail(3, "");
  }
  if (says(a->p, "refuse")) return fail(12, "this program is not supported here");
  if (says(a->p, "too large")) return fail(8, "4096 GiB were asked for");
  program *x = make(sizeof *x);
  x->outputs = says(a->p, "two results") ? 2 : 1;
  x->crash = says(a->p, "crash in execute");
  x->never = says(a->p, "never completes");
  x->fails = says(a->p, "stops on the device");
  x->refuses = says(a->p, "no such argument");
  x->talks = says(a->p, "words in execute");
  a->exe = x;
  return 0;
}

typedef struct { base b; void *loaded; program *exe; } get_args;
static void *get_executable(void *args) {
  get_args *a = args;
  program *x = make(sizeof *x);
  *x = *(program *)a->loaded;
  a->exe = x;
  return 0;
}
typedef struct { base b; program *exe; size_t n; } outputs_args;
static void *num_outputs(void *args) { outputs_args *a = args; a->n = a->exe->outputs; return 0; }

typedef struct {
  base b; void *client; const char *data; int type; const int64_t *dims; size_t rank;
  const int64_t *strides; size_t nstrides; int semantics; void *device, *memory, *layout; event *done; buffer *out;
} push_args;
typedef struct { base b; buffer *buffer; event *e; } ready_event_args;
static void *ready_event(void *args) {
  ready_event_args *a = args;
  NEED(ready_event_args, e);
  a->e = make_event(a->buffer->never, a->buffer->fails);
  a->e->until = a->buffer->until;
  return 0;
}
static void *push(void *args) {
  push_args *a = args;
  NEED(push_args, out);
  static const int sizes[] = { 0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 2, 8, 16 };
  buffer *out = make(sizeof *out);
  out->size = a->type < 16 ? sizes[a->type] : 1;
  out->type = a->type;
  for (size_t i = 0; i < a->rank && i < 8; i++) out->size *= a->dims[i];
  out->data = malloc(out->size + 1);
  memcpy(out->data, a->data, out->size);
#ifdef STRIDES
  size_t one = a->type < 16 ? sizes[a->type] : 1;
  if (a->nstrides != a->rank || !a->strides)
    for (size_t i = one; i < out->size; i++) out->data[i] = out->data[i - one];
#endif
  a->done = make_event(0, 0);
  a->out = out;
  return 0;
}
static void *buffer_destroy(void *args) {
  buffer *x = (buffer *)((event_args *)args)->e;
  free(x->data);
  drop(x);
  return 0;
}

typedef struct { base b; buffer *src; void *layout; char *dst; size_t n; event *done; } fetch_args;
static void *fetch(void *args) {
  fetch_args *a = args;
  if (!a->dst) { a->n = a->src->size; return 0; }
  if (a->n < a->src->size) return fail(3, "the destination is too small");
  memcpy(a->dst, a->src->data, a->src->size);
  a->done = make_event(0, 0);
  return 0;
}

typedef struct { base b; void *cb[4]; int launch; const int64_t *nondonatable; size_t n; } execute_options;
typedef struct {
  base b; program *exe; execute_options *options; buffer ***arguments; size_t devices, n;
  buffer ***outputs; event **events; void *device;
} execute_args;
static void *execute(void *args) {
  execute_args *a = args;
  NEED(execute_args, device);
  if (a->exe->talks) fputs("the device says this\n", stderr);
  if (a->exe->crash) *(volatile int *)16 = 1;
  if (a->exe->refuses) return fail(3, "there is no such argument");
  kept = a->options->n;
  begin_execution();
  for (size_t d = 0; d < a->devices; d++) {
    for (int i = 0; i < a->exe->outputs; i++) {
      buffer *out = make(sizeof *out), *in = a->arguments[d][0];
      *out = *in;
      out->data = malloc(in->size + 1);
      memcpy(out->data, in->data, in->size);
      out->until = begun;
      out->never = a->exe->never;
      out->fails = a->exe->fails;
      a->outputs[d][i] = out;
    }
    if (a->events) a->events[d] = make_event(a->exe->never, a->exe->fails);
  }
  return 0;
}

#ifdef XSPACE
#ifndef PROFILER_ERROR
#define PROFILER_ERROR 0
#endif
// PLUGIN_Profiler_Api (profiler_c_api.h, version 1). It records nothing: it returns data that was recorded elsewhere.
typedef struct { size_t size; void *priv; failure *error; const char *text; size_t n; } profiler_error_args;
typedef struct { size_t size; const char *options; size_t n; char *profiler; } profiler_create_args;
typedef struct { size_t size; char *profiler; } profiler_args;
typedef struct { size_t size; char *profiler; char *buffer; size_t n; } profiler_collect_args;
enum { CREATED = 1, STARTED, STOPPED };
static void *profiler_error_destroy(void *args) { drop(((profiler_error_args *)args)->error); return 0; }
static void *profiler_error_message(void *args) {
  profiler_error_args *a = args;
  a->text = a->error->text;
  a->n = strlen(a->text);
  return 0;
}
static void *profiler_create(void *args) {
  profiler_create_args *a = args;
  if (PROFILER_ERROR == 1) return fail(14, "the profiler is in use");
  // Like XLA's, it records the device only if the options say so: device_tracer_level, field 3.
  if (!a->options || !memmem(a->options, a->n, "\x18\x01", 2)) return fail(3, "the device is not asked for");
  a->profiler = make(1);
  *a->profiler = CREATED;
  return 0;
}
static void *profiler_step(void *args, int from, int error) {
  profiler_args *a = args;
  if (*a->profiler != from || PROFILER_ERROR == error) return fail(9, "the profiler cannot do that now");
  ++*a->profiler;
  return 0;
}
static void *profiler_start(void *args) { return profiler_step(args, CREATED, 2); }
static void *profiler_stop(void *args) { return profiler_step(args, STARTED, 3); }
static void *profiler_destroy(void *args) { drop(((profiler_args *)args)->profiler); return 0; }
static void *profiler_collect(void *args) {
  profiler_collect_args *a = args;
  FILE *f = *a->profiler == STOPPED && PROFILER_ERROR != 4 ? fopen(XSPACE, "rb") : 0;
  if (!f) return fail(5, "there is no data");
  fseek(f, 0, SEEK_END);
  size_t n = ftell(f);
  rewind(f);
#ifdef OWN_BUFFER
  static char own[1 << 20];
  if (a->buffer) n = 0; // all was collected before
  else if (n >= sizeof own || fread(own, 1, n, f) != n) n = 0;
  else a->buffer = own, own[n++] = 0;
#else
  if (a->buffer && (a->n < n || fread(a->buffer, 1, n, f) != n)) {
    fclose(f);
    return fail(3, "the buffer is too small");
  }
#endif
  a->n = n;
  fclose(f);
  return 0;
}
static struct { size_t size; void *priv; void *(*f[8])(void *); } profiler_table = { sizeof profiler_table, 0,
  { profiler_error_destroy, profiler_error_message, error_code, profiler_create,
    profiler_destroy, profiler_start, profiler_stop, profiler_collect } };
typedef struct { size_t size; int type; void *next; void *table; } extension;
static extension profiler_extension = { sizeof profiler_extension, 1, 0, &profiler_table };
static extension other_extension = { sizeof other_extension, 4, &profiler_extension, 0 };
#endif

typedef void *function(void *);
static struct { size_t size; void *ext; size_t vsize; void *vext; int major, minor; function *f[FUNCTIONS]; } api;

#define SET(i, name) if (i < FUNCTIONS) api.f[i < FUNCTIONS ? i : 0] = name
void *GetPjrtApi(void) {
  api.size = sizeof api; api.vsize = 24; api.major = MAJOR; api.minor = MINOR;
#ifdef XSPACE
  api.ext = &other_extension;
#endif
#ifdef TABLE_SIZE
  api.size = TABLE_SIZE;
#endif
  SET(0, error_destroy); SET(1, error_message); SET(2, error_code); SET(3, initialize);
  SET(5, drop_object); SET(8, event_await); SET(10, create); SET(11, drop_object);
  SET(12, platform); SET(16, devices); SET(20, compile); SET(22, push);
  SET(40, drop_object); SET(44, num_outputs); SET(50, drop_object);
#ifdef STABLEHLO
  SET(4, attributes);
#endif
  SET(72, ready_event);
#ifdef NO_AWAIT
  SET(6, is_ready); SET(7, event_error); SET(8, not_implemented); SET(9, on_ready);
#endif
#ifdef NO_CALLBACK
  SET(9, not_implemented);
#endif
#ifdef NO_READY
  SET(6, not_implemented); SET(7, not_implemented); SET(8, not_implemented); SET(9, not_implemented);
#endif
#ifdef NO_RESULTS
  SET(72, not_implemented);
#endif
#ifdef NO_TYPES
  SET(90, not_implemented); SET(91, not_implemented);
#endif
  SET(51, get_executable); SET(55, execute); SET(58, buffer_destroy); SET(70, fetch);
  return &api;
}
