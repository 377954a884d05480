// A generator for the tests, the same as the first of pipelines.py.
#include "Halide.h"
#include "offsets.h"

namespace {

class Twice : public Halide::Generator<Twice> {
public:
    Input<Buffer<uint8_t, 2>> src{"src"};
    Output<Buffer<uint8_t, 2>> dst{"dst"};
    GeneratorParam<int> size{"size", 64};

    void generate() {
        doubled(x, y) = src(x, y) * 2;
        dst(x, y) = doubled(x, y) + doubled(x, y + 1) + OFFSET;
        src.set_estimates({{0, size}, {0, size + 1}});
        dst.set_estimates({{0, size}, {0, size}});
    }

    void schedule() {
        if (!using_autoscheduler()) {
            doubled.compute_root();
        }
    }

private:
    Halide::Func doubled{"doubled"};
    Halide::Var x{"x"}, y{"y"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Twice, twice)
