/* A vector sum: output0 = input0 + input1. */
#include "tensix.h"

enum { N = 1024 };

int32_t input0[N], input1[N], output0[N];

int kernel(void)
{
    for (int i = 0; i < N; i++)
        output0[i] = input0[i] + input1[i];
    return 0;
}
