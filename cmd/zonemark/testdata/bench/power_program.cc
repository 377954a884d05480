// A kernel of power.sh under Google Benchmark or, with a number of calls, as a program for hyperfine.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

extern "C" {
void core(float *);
void l2(const uint64_t *, uint64_t *);
void l3(const uint64_t *, uint64_t *);
void memory(const uint64_t *, uint64_t *);
}

static std::vector<uint64_t> x(ELEMENTS, 1);

static inline void call() {
    static float w;
    static uint64_t out;
    if constexpr (ELEMENTS == 1) core(&w);
    else KERNEL(x.data(), &out);
}

static void kernel(benchmark::State &state) {
    for (auto _ : state) call();
}
BENCHMARK(kernel);

int main(int argc, char **argv) {
    if (argc == 2 && std::atol(argv[1]) > 0) {
        for (long n = std::atol(argv[1]); n > 0; n--) call();
        return 0;
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
