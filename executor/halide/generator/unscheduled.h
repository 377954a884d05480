// What "--scheduler none" adds to a C++ generator: an autoscheduler that schedules nothing. With an autoscheduler,
// using_autoscheduler() is true, so that a generator leaves its own schedule out.
#include "Halide.h"

namespace {
const bool zonemark_unscheduled = [] {
    Halide::Pipeline::add_autoscheduler(
        "zonemark_unscheduled",
        [](const Halide::Pipeline &, const Halide::Target &, const Halide::AutoschedulerParams &,
           Halide::AutoSchedulerResults *) {});
    return true;
}();
}  // namespace
