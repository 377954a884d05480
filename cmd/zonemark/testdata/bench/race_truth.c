/* Calls the schedules of race.py in turns, each round in another order, and prints the name and the time of each: the mean
 * of its fastest hundredth, in nanoseconds. Neighbours make calls longer, and never shorter. The library is the one that
 * zonemark measures: where the code of a schedule begins in its cache line decides about 20 %. Each turn has a call that
 * does not count, since the one before has left its own predictions.
 * Usage: race_truth LIBRARY SEED ROUNDS [NAME]…; without names, all. The seed also places the arrays. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include SCHEDULES

typedef void schedule(const float (*)[SIZE], const float (*)[SIZE], float (*)[SIZE]);
static struct { const char *name; schedule *call; double *ns; } all[] = {
#define X(name) {#name, NULL, NULL},
    VARIANTS
};
enum { COUNT = sizeof all / sizeof *all };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * t.tv_sec + t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static float (*array(void))[SIZE] {
    char *memory = malloc(sizeof(float[SIZE][SIZE]) + 8192);
    float (*a)[SIZE] = (void *)(memory + 64 * (rand() % 128));
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) a[i][j] = (float)rand() / RAND_MAX;
    return a;
}

int main(int argc, char **argv) {
    int rounds = argc > 3 ? atoi(argv[3]) : 0, chosen[COUNT], n = 0;
    if (rounds < 1) return fprintf(stderr, "usage: race_truth LIBRARY SEED ROUNDS [NAME]...\n"), 2;
    srand(atoi(argv[2]));
    void *library = dlopen(argv[1], RTLD_NOW);
    if (library == NULL) return fprintf(stderr, "race_truth: %s\n", dlerror()), 1;
    for (int v = 0; v < COUNT; v++) {
        int named = argc == 4;
        for (int i = 4; i < argc; i++) named |= !strcmp(argv[i], all[v].name);
        if (!named) continue;
        chosen[n++] = v, all[v].ns = malloc(rounds * sizeof(double));
        if ((all[v].call = (schedule *)dlsym(library, all[v].name)) == NULL)
            return fprintf(stderr, "race_truth: %s\n", dlerror()), 1;
    }
    float (*a)[SIZE] = array(), (*b)[SIZE] = array(), (*c)[SIZE] = array();
    for (int round = 0; round < rounds; round++) {
        for (int i = n - 1; i > 0; i--) {
            int j = rand() % (i + 1), v = chosen[i];
            chosen[i] = chosen[j], chosen[j] = v;
        }
        for (int i = 0; i < n; i++) {
            for (int counts = 0; counts < 2; counts++) {
                double begun = now();
                all[chosen[i]].call((const void *)a, (const void *)b, c);
                all[chosen[i]].ns[round] = now() - begun;
            }
        }
    }
    for (int i = 0; i < n; i++) {
        double *ns = all[chosen[i]].ns, sum = 0;
        int fastest = (rounds + 99) / 100;
        qsort(ns, rounds, sizeof *ns, ascending);
        for (int k = 0; k < fastest; k++) sum += ns[k];
        printf("%s %.1f\n", all[chosen[i]].name, sum / fastest);
    }
}
