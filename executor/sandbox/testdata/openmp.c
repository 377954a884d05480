/* A kernel with worker threads, as many runtimes have; the tests compile it with -fopenmp where the compiler can. */
#include <omp.h>

/* team returns how many of 4 requested threads took part in a parallel region. */
long team(void) {
	long members = 0;
#pragma omp parallel num_threads(4)
	{
#pragma omp atomic
		members++;
	}
	return members;
}
