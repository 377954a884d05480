/* Functions that the tests of the loop call: some have arguments of every class, in registers and on the stack, and
   results, others read or disturb the state that a caller must keep. */
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

/* 12 arguments, integers and floats mixed */
void mixed(float *out, int32_t i0, double d0, float f0, int64_t i1, float f1, uint8_t u0, double d1, float *in,
           int16_t s0, float f2, double d2)
{
    float v[] = {i0, d0, f0, i1, f1, u0, d1, in[0], s0, f2, d2};
    memcpy(out, v, sizeof v);
}

/* 12 pointers */
void pointers(float *a, float *b, float *c, float *d, float *e, float *f, float *g, float *h, float *i, float *j,
              float *k, float *l)
{
    *l = *a + 2 * *b + 3 * *c + 4 * *d + 5 * *e + 6 * *f + 7 * *g + 8 * *h + 9 * *i + 10 * *j + 11 * *k;
}

/* as many as the loop keeps in registers from call to call */
void few(float *out, int32_t a, double x, int64_t b, uint8_t c, float y)
{
    float v[] = {a, x, b, c, y};
    for (int i = 0; i < 5; i++) out[i] += v[i];
}

/* 10 floats, two on the stack */
void floats(float *o, float a, float b, float c, float d, float e, float f, float g, float h, float i, float j)
{
    o[0] = a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}

/* 10 integers and 10 doubles in turn: both kinds on the stack */
double interleaved(uint64_t a, double A, uint64_t b, double B, uint64_t c, double C, uint64_t d, double D,
                   uint64_t e, double E, uint64_t f, double F, uint64_t g, double G, uint64_t h, double H,
                   uint64_t i, double I, uint64_t j, double J)
{
    return a + 2.0 * b + 3.0 * c + 4.0 * d + 5.0 * e + 6.0 * f + 7.0 * g + 8.0 * h + 9.0 * i + 10.0 * j
         + 1e-3 * (A + 2 * B + 3 * C + 4 * D + 5 * E + 6 * F + 7 * G + 8 * H + 9 * I + 10 * J);
}

#define W8(p) \
    uint64_t p##0, uint64_t p##1, uint64_t p##2, uint64_t p##3, \
    uint64_t p##4, uint64_t p##5, uint64_t p##6, uint64_t p##7
#define M8(p) (p##0 + 3 * (p##1 + 3 * (p##2 + 3 * (p##3 + 3 * (p##4 + 3 * (p##5 + 3 * (p##6 + 3 * p##7)))))))
/* 32 integers */
uint64_t many(W8(a), W8(b), W8(c), W8(d)) { return M8(a) + 7 * (M8(b) + 7 * (M8(c) + 7 * M8(d))); }

/* 4 and 6 integers, and how often they were called */
uint64_t weigh4(uint64_t *calls, uint64_t b, uint64_t c, uint64_t d) { ++*calls; return b + 10 * c + 100 * d; }
uint64_t weigh6(uint64_t *calls, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
    ++*calls;
    return b + 10 * c + 100 * d + 1000 * e + 10000 * f;
}

int32_t twice(int32_t a) { return a * 2; }
double half(double a) { return a / 2; }
float halff(float a) { return a / 2; }
void nothing(void) {}

/* right only if AL holds the number of vector registers */
double variadic(uint64_t n, ...)
{
    va_list v;
    double s = 0;
    va_start(v, n);
    for (uint64_t i = 0; i < n; i++) s += (i + 1) * va_arg(v, double);
    va_end(v);
    return s;
}

/* appends its argument to a log: log[0] is the length */
void record(uint64_t *log, uint64_t v) { log[++log[0]] = v; }
void record_full(uint64_t *log, double f, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t g, uint64_t h,
                 uint64_t i, uint64_t v)
{
    (void)f; (void)b; (void)c; (void)d; (void)e; (void)g; (void)h; (void)i;
    log[++log[0]] = v;
}

/* data survives eviction: adds n numbers */
uint64_t total(const uint64_t *p, uint64_t n)
{
    uint64_t s = 0;
    for (uint64_t i = 0; i < n; i++) s += p[i];
    return s;
}

uint64_t deep(uint64_t n)
{
    volatile char frame[1 << 20];
    for (int i = 0; i < 1 << 20; i += 4096) frame[i] = (char)n;
    return (uint64_t)frame[4096] + 1;
}

/* offset of the stack pointer from 16-byte alignment at the call */
uint64_t misalignment(void) { return (uintptr_t)__builtin_frame_address(0) % 16; }

/* where the stack of a call is */
uint64_t stack(void) { return (uintptr_t)__builtin_frame_address(0); }

uint64_t direction_flag(void)
{
#if defined(__x86_64__)
    uint64_t f; __asm__ volatile("pushfq; popq %0" : "=r"(f)); return f >> 10 & 1;
#else
    return 0;
#endif
}

/* sets flush-to-zero and does not restore it; on amd64 it also leaves the x87 stack full */
void disturb(void)
{
#if defined(__x86_64__)
    uint32_t csr; uint16_t cw = 0x107f;
    __asm__ volatile("stmxcsr %0" : "=m"(csr));
    csr |= 0x8040;
    __asm__ volatile("ldmxcsr %0; fldcw %1; fld1; fld1; fld1; fld1; fld1; fld1; fld1; fld1" : : "m"(csr), "m"(cw));
#else
    uint64_t r; __asm__ volatile("mrs %0, fpcr; orr %0, %0, #0x1000000; msr fpcr, %0" : "=r"(r));
#endif
}

/* the floating-point control words, which must be the same before and after */
uint64_t control_words(void)
{
#if defined(__x86_64__)
    uint32_t csr; uint16_t cw;
    __asm__ volatile("stmxcsr %0; fnstcw %1" : "=m"(csr), "=m"(cw));
    return (uint64_t)(csr & 0xffc0) << 16 | cw;
#else
    uint64_t r; __asm__ volatile("mrs %0, fpcr" : "=r"(r)); return r;
#endif
}

/* x87 arithmetic: not a number when the register stack is full */
double x87(double a) { long double x = a; return (double)(x * 3); }

/* writes to every register that the convention lets a function spoil, and counts */
void spoil(uint64_t *count)
{
    ++*count;
#if defined(__x86_64__)
    __asm__ volatile("mov $-1,%%rax; mov %%rax,%%rcx; mov %%rax,%%rdx; mov %%rax,%%rsi; mov %%rax,%%rdi; "
        "mov %%rax,%%r8; mov %%rax,%%r9; "
        "mov %%rax,%%r10; mov %%rax,%%r11; movq %%rax,%%xmm0; movq %%rax,%%xmm1; movq %%rax,%%xmm7; movq %%rax,%%xmm15"
        : : : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm7", "xmm15",
        "memory", "cc");
#else
    __asm__ volatile("mov x0,#-1; mov x1,x0; mov x2,x0; mov x3,x0; mov x4,x0; mov x5,x0; mov x6,x0; mov x7,x0; "
        "mov x8,x0; mov x9,x0; mov x10,x0; mov x11,x0; mov x12,x0; mov x13,x0; mov x14,x0; mov x15,x0; mov x16,x0; "
        "mov x17,x0; fmov d0,x0; fmov d7,x0; fmov d16,x0; fmov d31,x0"
        : : : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
        "x16", "x17", "d0", "d7", "d16", "d31", "memory", "cc");
#endif
}

/* calls f(arg) with marks in the registers that f must keep; returns a bit for each register that it did not keep */
__attribute__((noinline)) uint64_t kept(void (*f)(void *), void *arg)
{
    uint64_t lost = 0;
#if defined(__x86_64__)
    __asm__ volatile(
        "lea -128(%%rsp),%%rsp; push %%rbp; push %%rbx; push %%r12; push %%r13; push %%r14; push %%r15\n"
        "mov %%rsp,%%rcx; and $-16,%%rsp; push %%rcx; push %%rcx\n"
        "mov $0x1111,%%rbx; mov $0x2222,%%rbp; mov $0x3333,%%r12\n"
        "mov $0x4444,%%r13; mov $0x5555,%%r14; mov $0x6666,%%r15\n"
        "call *%%rax\n"
        "xor %%eax,%%eax\n"
        "cmp $0x1111,%%rbx; je 1f; or $1,%%eax; 1: cmp $0x2222,%%rbp; je 2f; or $2,%%eax\n"
        "2: cmp $0x3333,%%r12; je 3f; or $4,%%eax; 3: cmp $0x4444,%%r13; je 4f; or $8,%%eax\n"
        "4: cmp $0x5555,%%r14; je 5f; or $16,%%eax; 5: cmp $0x6666,%%r15; je 6f; or $32,%%eax; 6:\n"
        "mov (%%rsp),%%rsp; pop %%r15; pop %%r14; pop %%r13; pop %%r12; pop %%rbx; pop %%rbp; lea 128(%%rsp),%%rsp\n"
        : "=a"(lost), "+D"(arg) : "0"(f)
        : "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc",
          "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
#else
    /* x19 to x30 and d8 to d15 are saved here, marked, and compared after the call */
    register void *a0 __asm__("x0") = arg;
    register void (*fn)(void *) __asm__("x16") = f;
    register uint64_t out __asm__("x15");
    __asm__ volatile(
        "stp x19,x20,[sp,#-96]!; stp x21,x22,[sp,#16]; stp x23,x24,[sp,#32]\n"
        "stp x25,x26,[sp,#48]; stp x27,x28,[sp,#64]; stp x29,x30,[sp,#80]\n"
        "mov x19,#119; mov x20,#120; mov x21,#121; mov x22,#122; mov x23,#123; mov x24,#124\n"
        "mov x25,#125; mov x26,#126; mov x27,#127; mov x28,#128; mov x29,#129\n"
        "fmov d8,x19; fmov d9,x20; fmov d14,x25; fmov d15,x26\n"
        "blr x16\n"
        "mov x15,#0; mov x14,#1\n"
#define CHECK(r, v, bit) "cmp " #r ",#" #v "; cset x13,ne; lsl x13,x13,#" #bit "; orr x15,x15,x13\n"
        CHECK(x19, 119, 0) CHECK(x20, 120, 1) CHECK(x21, 121, 2)
        CHECK(x22, 122, 3) CHECK(x23, 123, 4) CHECK(x24, 124, 5)
        CHECK(x25, 125, 6) CHECK(x26, 126, 7) CHECK(x27, 127, 8) CHECK(x28, 128, 9) CHECK(x29, 129, 10)
        "fmov x12,d8\n" CHECK(x12, 119, 11) "fmov x12,d9\n" CHECK(x12, 120, 12)
        "fmov x12,d14\n" CHECK(x12, 125, 13) "fmov x12,d15\n" CHECK(x12, 126, 14)
        "ldp x21,x22,[sp,#16]; ldp x23,x24,[sp,#32]; ldp x25,x26,[sp,#48]\n"
        "ldp x27,x28,[sp,#64]; ldp x29,x30,[sp,#80]; ldp x19,x20,[sp],#96\n"
        : "+r"(a0), "+r"(fn), "=r"(out) :
        : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x17", "x30",
          "memory", "cc",
          "d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7", "d8", "d9", "d14", "d15");
    lost = out;
#endif
    return lost;
}

double halved(double x) { return x * 0.5; }
