/* Each step needs the result of the one before, also from call to call, so that the time is steps times latency. */
unsigned long chain(unsigned long n)
{
    static unsigned long x;
    unsigned long y = x;
    for (unsigned long i = 0; i < n; i++)
        y = y * 6364136223846793005ul + 1442695040888963407ul;
    x = y;
    return y;
}
