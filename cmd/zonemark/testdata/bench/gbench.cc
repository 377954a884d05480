// Google Benchmark on the same function pointer: one repetition of a fixed number of iterations for each batch.
#include <benchmark/benchmark.h>

typedef void kernel(float *, float *, float *);

namespace {
struct Collect : benchmark::BenchmarkReporter {
    double *next;
    explicit Collect(double *to) : next(to) {}
    bool ReportContext(const Context &) override { return true; }
    void ReportRuns(const std::vector<Run> &runs) override {
        for (const Run &r : runs)
            if (r.run_type == Run::RT_Iteration) *next++ = 1e9 * r.real_accumulated_time / static_cast<double>(r.iterations);
    }
};
}

extern "C" void google_loop(kernel *f, float *a, float *b, float *c, long calls, long batches, double *ns_per_call) {
    benchmark::ClearRegisteredBenchmarks();
    benchmark::RegisterBenchmark("kernel", [=](benchmark::State &state) {
        for (auto _ : state) f(a, b, c);
    })->Iterations(calls)->Repetitions(static_cast<int>(batches));
    Collect collect(ns_per_call);
    benchmark::RunSpecifiedBenchmarks(&collect);
}
