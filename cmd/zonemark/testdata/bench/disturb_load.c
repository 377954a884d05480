/* What disturbs: "disturb_load spin CPU" loops, "disturb_load stream CPU MIB" reads and writes that much memory again
 * and again, both without end and on that CPU. Says "ready" when it has begun, and ends with the thread that started
 * it. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

static int stream(size_t bytes)
{
    size_t n = bytes / sizeof(uint64_t);
    uint64_t *memory = malloc(bytes);
    if (memory == NULL) {
        perror("disturb_load: malloc");
        return 1;
    }
    memset(memory, 1, bytes);
    puts("ready");
    fflush(stdout);
    for (;;) {
        for (size_t i = 0; i < n; i++) memory[i] += i;
        __asm__ volatile("" : : "r"(memory) : "memory");
    }
}

int main(int argc, char **argv)
{
    cpu_set_t set;
    if (argc < 3) {
        fputs("usage: disturb_load spin CPU | stream CPU MIB\n", stderr);
        return 1;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    CPU_ZERO(&set);
    CPU_SET(atoi(argv[2]), &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        perror("disturb_load: sched_setaffinity");
        return 1;
    }
    if (strcmp(argv[1], "stream") == 0 && argc == 4) return stream((size_t)atol(argv[3]) << 20);
    puts("ready");
    fflush(stdout);
    for (;;) __asm__ volatile("");
}
