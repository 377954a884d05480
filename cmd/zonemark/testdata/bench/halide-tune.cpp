// The generator that halide-tune.sh tunes: a blur of 5 × 5 in two passes.
#include "Halide.h"

namespace {
class Blur : public Halide::Generator<Blur> {
public:
    Input<Buffer<uint8_t, 2>> src{"src"};
    Output<Buffer<uint8_t, 2>> dst{"dst"};

    void generate() {
        using namespace Halide;
        Var x{"x"}, y{"y"};
        const int weights[] = {1, 4, 6, 4, 1};
        Func edged = BoundaryConditions::repeat_edge(src);
        Func columns{"columns"}, square{"square"};
        Expr down = cast<uint16_t>(0), across = cast<uint16_t>(0);
        for (int i = 0; i < 5; i++) {
            down += cast<uint16_t>(edged(x, y + i - 2)) * cast<uint16_t>(weights[i]);
        }
        columns(x, y) = down;
        for (int i = 0; i < 5; i++) {
            across += columns(x + i - 2, y) * cast<uint16_t>(weights[i]);
        }
        square(x, y) = across;
        dst(x, y) = cast<uint8_t>(square(x, y) >> 8);
        src.set_estimates({{0, 1024}, {0, 1024}});
        dst.set_estimates({{0, 1024}, {0, 1024}});
    }
};
}  // namespace

HALIDE_REGISTER_GENERATOR(Blur, blur)
