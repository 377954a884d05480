/* The first n elements of an array, scaled, and their sum: output0 = scale * input0, output1 = sum(output0). Both numbers are parameters. */
#include "tensix.h"

enum { N = 1024 };

int32_t input0[N], output0[N];
int64_t output1_i64[1];
volatile uint32_t param_n = N;
volatile int32_t param_scale = 3;

int kernel(void)
{
    uint32_t n = param_n;
    int32_t scale = param_scale;
    int64_t sum = 0;
    if (n > N)
        return 1;
    for (uint32_t i = 0; i < n; i++) {
        output0[i] = scale * input0[i];
        sum += output0[i];
    }
    output1_i64[0] = sum;
    return 0;
}
