// What "--scheduler none" adds to a C++ generator: an autoscheduler that schedules nothing. With an autoscheduler,
// using_autoscheduler() is true, so that a generator leaves its own schedule out. It is inline, so that there is one of
// it in a generator of several sources.
#include "Halide.h"

inline const bool zonemark_unscheduled = [] {
    Halide::Pipeline::add_autoscheduler(
        "zonemark_unscheduled",
        [](const Halide::Pipeline &, const Halide::Target &, const Halide::AutoschedulerParams &,
           Halide::AutoSchedulerResults *) {});
    return true;
}();
