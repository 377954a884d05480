// Pipelines as Halide compiles them, but for their names: functions with a struct of metadata. They have errors, sizes
// and types that tests need and that take Halide long to make. The layouts are those of HalideRuntime.h.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct type { uint8_t code, bits; uint16_t lanes; };
struct dimension { int32_t min, extent, stride; uint32_t flags; };
struct buffer {
    uint64_t device;
    const void *interface;
    uint8_t *host;
    uint64_t flags;
    struct type type;
    int32_t dimensions;
    struct dimension *dim;
    void *padding;
};
struct argument {
    const char *name;
    int32_t kind, dimensions;
    struct type type;
    const void *scalar_def, *scalar_min, *scalar_max, *scalar_estimate;
    const int64_t *const *estimates;
};
struct metadata {
    int32_t version, num_arguments;
    const struct argument *arguments;
    const char *target, *name;
};

#ifndef TARGET
#if defined(__aarch64__)
#define TARGET "arm-64-linux"
#else
#define TARGET "x86-64-linux-sse41"
#endif
#endif

#define SCALAR 0
#define INPUT 1
#define OUTPUT 2
#define U8 {1, 8, 1}
#define I16 {0, 16, 1}
#define F32 {2, 32, 1}

#define PIPELINE(NAME)                                                                                              \
    static const struct metadata NAME##_storage = {1, sizeof NAME##_arguments / sizeof *NAME##_arguments,          \
                                                   NAME##_arguments, TARGET, #NAME};                               \
    const struct metadata *NAME##_metadata(void) { return &NAME##_storage; }                                       \
    int NAME##_argv(void **argv)

// The part of Halide's runtime that reports errors.
static void (*handler)(void *, const char *);
void (*halide_set_error_handler(void (*h)(void *, const char *)))(void *, const char *) {
    void (*before)(void *, const char *) = handler;
    handler = h;
    return before;
}
static int fail(int code, const char *text) {
    if (!handler) abort();
    if (text) handler(NULL, text);
    return code;
}
static int threads = -1;
int halide_set_num_threads(int n) {
    int before = threads;
    threads = n;
    return before;
}

static int querying(const struct buffer *b) { return !b->host && !b->device; }
static void shape(struct buffer *b, int d, int min, int extent, int stride) {
    b->dim[d].min = min, b->dim[d].extent = extent, b->dim[d].stride = stride;
}

static const int64_t zero = 0, two = 2, three = 3, eight = 8, minus = -1;

// wide: copies a buffer of eight dimensions.
static const int64_t *const eight_estimates[] = {&minus, &three, &zero, &two, &zero, &two, &zero, &two,
                                                 &zero,  &two,   &zero, &two, &zero, &two, &zero, &two};
static const struct argument wide_arguments[] = {
    {"in", INPUT, 8, I16, 0, 0, 0, 0, eight_estimates},
    {"out", OUTPUT, 8, I16, 0, 0, 0, 0, eight_estimates},
};
PIPELINE(wide) {
    struct buffer *in = argv[0], *out = argv[1];
    if (querying(in) || querying(out)) return 0;
    if (in->dim[0].min != -1 || in->dim[7].stride != 3 * 64 || !(in->flags & 1)) return fail(-8, "odd dimensions");
    memcpy(out->host, in->host, 3 * 128 * 2);
    return 0;
}

// kinds: writes its scalars, one of each type, into a row of bytes.
static const uint64_t of_bool = 1, of_int8 = 0xfe, of_uint16 = 65535, of_int64 = (uint64_t)-5, of_float16 = 0x3c00,
                      of_bfloat16 = 0x3f80;
static const int64_t *const row[] = {&zero, &eight};
static const struct argument kinds_arguments[] = {
    {"__user_context", SCALAR, 0, {3, 64, 1}},
    {"flag", SCALAR, 0, {1, 1, 1}, &of_bool},
    {"small", SCALAR, 0, {0, 8, 1}, &of_int8},
    {"word", SCALAR, 0, {1, 16, 1}, 0, 0, 0, &of_uint16},
    {"long", SCALAR, 0, {0, 64, 1}, &of_int8, 0, 0, &of_int64},
    {"half", SCALAR, 0, {2, 16, 1}, &of_float16},
    {"brain", SCALAR, 0, {4, 16, 1}, &of_bfloat16},
    {"open", SCALAR, 0, {2, 64, 1}},
    {"point", OUTPUT, 0, F32},
    {"out", OUTPUT, 1, U8, 0, 0, 0, 0, row},
};
PIPELINE(kinds) {
    struct buffer *point = argv[8], *out = argv[9];
    if (querying(out)) return 0;
    if (*(void **)argv[0]) return fail(-8, "a user context");
    uint8_t *o = out->host;
    o[0] = *(uint8_t *)argv[1], o[1] = *(int8_t *)argv[2], o[2] = *(uint16_t *)argv[3] >> 8;
    o[3] = *(int64_t *)argv[4], o[4] = *(uint16_t *)argv[5] >> 8, o[5] = *(uint16_t *)argv[6] >> 8;
    o[6] = *(double *)argv[7], o[7] = threads;
    *(float *)point->host = 2.5f;
    return 0;
}

// stencil: has no estimates. It reads one element before and one behind, and says so in a bounds query.
static const struct argument stencil_arguments[] = {{"in", INPUT, 1, U8}, {"out", OUTPUT, 1, U8}};
PIPELINE(stencil) {
    struct buffer *in = argv[0], *out = argv[1];
    int begin = out->dim[0].min - 1, extent = out->dim[0].extent + 2;
    if (querying(in) || querying(out)) {
        if (querying(in)) shape(in, 0, begin, extent, 1);
        return 0;
    }
    if (in->dim[0].min > begin || in->dim[0].min + in->dim[0].extent < begin + extent)
        return fail(-4, "Input buffer in is accessed beyond its extent\n");
    const uint8_t *i = in->host + (begin - in->dim[0].min);
    for (int x = 0; x < out->dim[0].extent; x++) out->host[x] = (i[x] + i[x + 1] + i[x + 2]) / 3;
    return 0;
}

// clamped: reads no element beyond its input, whatever its size. So a bounds query does not tell it.
static const struct argument clamped_arguments[] = {{"in", INPUT, 1, U8}, {"out", OUTPUT, 1, U8, 0, 0, 0, 0, row}};
PIPELINE(clamped) {
    struct buffer *in = argv[0], *out = argv[1];
    int extent = in->dim[0].extent < out->dim[0].extent ? in->dim[0].extent : out->dim[0].extent;
    if (querying(in)) shape(in, 0, in->dim[0].min, extent, 1);
    if (querying(in) || querying(out)) return 0;
    for (int x = 0; x < out->dim[0].extent; x++) out->host[x] = in->host[x < extent ? x : extent - 1];
    return 0;
}

// interleaved: its image has the channels innermost, its output is an image of planes.
static const int64_t *const image[] = {&zero, &eight, &zero, &two, &zero, &three};
static const struct argument interleaved_arguments[] = {
    {"in", INPUT, 3, U8, 0, 0, 0, 0, image},
    {"out", OUTPUT, 3, U8, 0, 0, 0, 0, image},
};
static int copy_image(struct buffer *in, struct buffer *out) {
    if (querying(in) || querying(out)) {
        shape(in, 2, out->dim[2].min, out->dim[2].extent, 1);
        shape(in, 0, out->dim[0].min, out->dim[0].extent, in->dim[2].extent);
        shape(in, 1, out->dim[1].min, out->dim[1].extent, in->dim[2].extent * in->dim[0].extent);
        return 0;
    }
    if (in->dim[2].stride != 1) return fail(-8, "Constraint violated: in.stride.2 (other) == 1 (1)");
    for (int c = 0; c < out->dim[2].extent; c++)
        for (int y = 0; y < out->dim[1].extent; y++)
            for (int x = 0; x < out->dim[0].extent; x++)
                out->host[x * out->dim[0].stride + y * out->dim[1].stride + c * out->dim[2].stride] =
                    in->host[x * in->dim[0].stride + y * in->dim[1].stride + c * in->dim[2].stride];
    return 0;
}
PIPELINE(interleaved) { return copy_image(argv[0], argv[1]); }

// wrong: as interleaved, with an error in one element.
#define wrong_arguments interleaved_arguments
PIPELINE(wrong) {
    int code = copy_image(argv[0], argv[1]);
    struct buffer *out = argv[1];
    if (out->host) out->host[5] ^= 1;
    return code;
}

// third: fails in the third call that is no query. silent: fails without a text. hungry: has no memory.
static const struct argument one_arguments[] = {{"out", OUTPUT, 1, U8, 0, 0, 0, 0, row}};
#define third_arguments one_arguments
#define silent_arguments one_arguments
#define hungry_arguments one_arguments
#define crashes_arguments one_arguments
PIPELINE(third) {
    static int calls;
    if (querying(argv[0])) return 0;
    return ++calls == 3 ? fail(-27, "Requirement Failed: (calls == 2)\n") : 0;
}
PIPELINE(silent) { return querying(argv[0]) ? 0 : fail(-1, NULL); }
PIPELINE(hungry) { return querying(argv[0]) ? 0 : fail(-11, "Out of memory (halide_malloc returned nullptr)"); }
PIPELINE(crashes) {
    if (querying(argv[0])) return 0;
    *(volatile int *)8 = 1;
    return 0;
}

// refuses: cannot answer a bounds query. vector: has a type that no element has.
#define refuses_arguments one_arguments
PIPELINE(refuses) { (void)argv; return fail(-2, "Bounds given for out in x do not cover required region"); }
static const struct argument vector_arguments[] = {{"out", OUTPUT, 1, {2, 32, 4}, 0, 0, 0, 0, row}};
PIPELINE(vector) { return argv == 0; }
