/*
 * The program around pipelines for Hexagon, which an emulator of user programs runs. It reads a request from standard
 * input: a header, and the memory of the arguments, whose pointers are right at the address that the header names. It
 * calls one pipeline and writes a reply: a header, the texts of errors, and that memory again. Package hexagon writes
 * requests and reads replies; its file exchange.go has the same structs.
 *
 * It is linked with the pipelines, with Halide's runtime, and with a table of the pipelines. There is no C library:
 * what Halide's runtime asks of one is here. All numbers are little-endian.
 */
typedef unsigned int u32;
typedef __SIZE_TYPE__ size;

struct request {
    u32 magic, address, bytes, pipeline;
};

struct reply {
    u32 magic;
    int status;
    u32 packets, instructions, vector_instructions, text_bytes;
};

typedef int pipeline_function(void **arguments);

/* What describes a pipeline is not called. The table keeps it in the program, where it is read. */
struct pipeline {
    pipeline_function *call;
    const void *(*describe)(void);
};
extern const struct pipeline zonemark_pipelines[];

/* Exit statuses. exchange.go tells what they mean. */
enum { NO_INPUT = 91, NO_OUTPUT = 92, NO_MEMORY = 93, ABORTED = 94 };

/* System calls of Linux: the number is in r6, the arguments from r0 on, and the result in r0. */
enum { SYS_READ = 63, SYS_WRITE = 64, SYS_EXIT_GROUP = 94, SYS_MMAP = 222 };

static long system_call(long number, long a, long b, long c, long d, long e, long f) {
    register long r0 __asm__("r0") = a;
    register long r1 __asm__("r1") = b;
    register long r2 __asm__("r2") = c;
    register long r3 __asm__("r3") = d;
    register long r4 __asm__("r4") = e;
    register long r5 __asm__("r5") = f;
    register long r6 __asm__("r6") = number;
    __asm__ volatile("trap0(#1)" : "+r"(r0) : "r"(r1), "r"(r2), "r"(r3), "r"(r4), "r"(r5), "r"(r6) : "memory");
    return r0;
}

static void leave(int status) {
    for (;;) {
        system_call(SYS_EXIT_GROUP, status, 0, 0, 0, 0, 0);
    }
}

static void get(void *to, size bytes) {
    for (char *at = to; bytes > 0;) {
        long done = system_call(SYS_READ, 0, (long)at, bytes, 0, 0, 0);
        if (done <= 0) {
            leave(NO_INPUT);
        }
        at += done;
        bytes -= done;
    }
}

static void put(const void *from, size bytes) {
    for (const char *at = from; bytes > 0;) {
        long done = system_call(SYS_WRITE, 1, (long)at, bytes, 0, 0, 0);
        if (done <= 0) {
            leave(NO_OUTPUT);
        }
        at += done;
        bytes -= done;
    }
}

/* map returns new memory, at an address if that is not 0 and is free; null if there is none. */
static char *map(u32 address, size bytes) {
    enum { READ_WRITE = 3, PRIVATE_ANONYMOUS = 0x22, LAST_ERROR = 4095 };
    long got = system_call(SYS_MMAP, address, bytes, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0);
    return (u32)got > (u32)-LAST_ERROR - 1 ? 0 : (char *)got;
}

/* The texts of errors, each with a line feed. What does not fit is left out. */
static char texts[4096];
static u32 text_bytes;

static void keep(const char *text) {
    while (*text && text_bytes < sizeof texts - 1) {
        texts[text_bytes++] = *text++;
    }
    if (text_bytes < sizeof texts) {
        texts[text_bytes++] = '\n';
    }
}

/* These two are weak in Halide's runtime for this system, which leaves them to the program. */
void halide_error(void *context, const char *text) { keep(text); }
void halide_print(void *context, const char *text) {}

/*
 * Memory comes in blocks of a power of two. A freed block goes to a list of its size, so that a pipeline that allocates
 * in a loop does not run out of memory. A block begins with its size class; the memory behind is aligned for vectors.
 */
enum { ALIGNMENT = 128, SMALLEST = 8, CLASSES = 32, CHUNK = 1 << 20 };

union block {
    struct {
        u32 class;
        union block *next;
    } head;
    char space[ALIGNMENT];
};

static union block *freed[CLASSES];

void *malloc(size bytes) {
    static char *at;
    static size left;
    u32 class = SMALLEST;
    while (class < CLASSES - 1 && ((size)1 << class) < bytes + sizeof(union block)) {
        class++;
    }
    size need = (size)1 << class;
    if (bytes > need - sizeof(union block)) {
        return 0;
    }
    union block *b = freed[class];
    if (b) {
        freed[class] = b->head.next;
        return b + 1;
    }
    if (need > left) {
        size chunk = need > CHUNK ? need : CHUNK;
        char *got = map(0, chunk);
        if (!got) {
            return 0;
        }
        at = got;
        left = chunk;
    }
    b = (union block *)at;
    at += need;
    left -= need;
    b->head.class = class;
    return b + 1;
}

void free(void *memory) {
    if (memory) {
        union block *b = (union block *)memory - 1;
        b->head.next = freed[b->head.class];
        freed[b->head.class] = b;
    }
}

/* There is no environment and there are no files. */
char *getenv(const char *name) { return 0; }
int atoi(const char *text) { return 0; }
void *fopen(const char *path, const char *mode) { return 0; }
int fclose(void *file) { return -1; }
size fwrite(const void *from, size each, size count, void *file) { return 0; }
void abort(void) { leave(ABORTED); }

/* The system of a phone hands out the vector unit and its memory (VTCM). Here the unit is always there. */
int qurt_hvx_lock(int mode) { return 0; }
int qurt_hvx_unlock(void) { return 0; }
void *HAP_request_VTCM(u32 bytes, u32 single_page) { return malloc(bytes); }
int HAP_release_VTCM(void *memory) {
    free(memory);
    return 0;
}

/*
 * The emulator counts in the control registers 20 (packets), 21 (instructions) and 22 (instructions for the vector
 * unit), which real processors do not have. Assemblers have no names for them, so the words are instructions: r0 = c20,
 * and so on.
 */
#define COUNT(word, to)                                                \
    do {                                                               \
        register u32 value __asm__("r0");                              \
        __asm__ volatile(".word " word : "=r"(value) : : "memory");    \
        (to) = value;                                                  \
    } while (0)

struct counts {
    u32 packets, instructions, vector_instructions;
};

static struct counts call(pipeline_function *f, void **arguments, int *status) {
    struct counts before, after;
    COUNT("0x6a14c000", before.packets);
    COUNT("0x6a15c000", before.instructions);
    COUNT("0x6a16c000", before.vector_instructions);
    *status = f(arguments);
    COUNT("0x6a14c000", after.packets);
    COUNT("0x6a15c000", after.instructions);
    COUNT("0x6a16c000", after.vector_instructions);
    return (struct counts){after.packets - before.packets, after.instructions - before.instructions,
                           after.vector_instructions - before.vector_instructions};
}

static int nothing(void **arguments) { return 0; }

/* What an empty function counts is taken off. The pointer is volatile, so that the call is made. */
static pipeline_function *volatile empty = nothing;

void run(void) {
    struct request q;
    get(&q, sizeof q);
    void **arguments = (void **)map(q.address, q.bytes);
    if ((u32)arguments != q.address) {
        leave(NO_MEMORY);
    }
    get(arguments, q.bytes);
    int status;
    struct counts none = call(empty, arguments, &status);
    struct counts all = call(zonemark_pipelines[q.pipeline].call, arguments, &status);
    struct reply r = {q.magic, status, all.packets - none.packets, all.instructions - none.instructions,
                      all.vector_instructions - none.vector_instructions, text_bytes};
    put(&r, sizeof r);
    put(texts, text_bytes);
    put(arguments, q.bytes);
    leave(0);
}

/* The stack is aligned, since vectors are spilled to it. */
__asm__(".globl _start\n"
        "_start:\n"
        "    r29 = and(r29,#-256)\n"
        "    jump run\n");
