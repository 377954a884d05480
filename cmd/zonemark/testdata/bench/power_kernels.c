/* What power.sh slows down. WORK is how much work a call does: a slowdown of known size is real extra work. Each kernel
 * goes on where its last call ended, so that every line of its array comes in turn. */
#include <stdint.h>

static uint64_t at;

/* bound by the core: a chain of dependent multiplications and additions */
void core(float w[1])
{
    float x = w[0];
    for (long i = 0; i < WORK; i++) x = x * 0.999f + 1e-3f;
    w[0] = x;
}

/* a line of 64 bytes after the other; lines is a power of two. An odd factor and a shift change places only, and no
 * prefetcher follows them: steps of one factor alone are so regular that Zen 5 has learned them in some launches, which
 * were a quarter faster than others. */
static inline uint64_t gather(const uint64_t *x, uint64_t lines)
{
    uint64_t sum = 0, k = at;
    for (long i = 0; i < WORK; i++) {
        uint64_t line = (k++ * 0x9e3779b1u) & (lines - 1);
        line ^= line >> 7;
        line = (line * 0x85ebca6bu) & (lines - 1);
        sum += x[(line ^ line >> 9) * 8];
    }
    at = k;
    return sum;
}

void l2(const uint64_t x[65536], uint64_t out[1]) { out[0] = gather(x, 8192); }
void l3(const uint64_t x[524288], uint64_t out[1]) { out[0] = gather(x, 65536); }
void memory(const uint64_t x[8388608], uint64_t out[1]) { out[0] = gather(x, 1048576); }
