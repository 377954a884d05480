// Functions that read the processor's clock, and others.
#include <pthread.h>
#include <stddef.h>
#include <time.h>

void reads_time(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
}

void reads_counter(void)
{
	unsigned low, high;
	__asm__ volatile("rdtscp" : "=a"(low), "=d"(high) : : "rcx");
}

void reads_nothing(void) {}

static void *later(void *unused)
{
	(void)unused;
	for (int i = 0; i < 1000; i++) reads_time();
	return NULL;
}

// Its thread inherits that the clock is forbidden.
void starts_thread(void)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, later, NULL) == 0) pthread_join(thread, NULL);
}

static volatile int *volatile nowhere;
void faults(void) { *nowhere = 1; }
