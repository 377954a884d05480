// A thread that touches fresh pages and then waits.
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_t thread;
static sem_t touched, end;

static void *run(void *n) {
  size_t page = sysconf(_SC_PAGESIZE), size = (uintptr_t)n * page;
  volatile char *p = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p != MAP_FAILED) {
    madvise((void *)p, size, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < size; i += page) p[i] = 1;
    munmap((void *)p, size);
  }
  sem_post(&touched);
  sem_wait(&end);
  return 0;
}

// Returns after the thread has touched n pages; 0 if it was started.
int start(uintptr_t n) {
  sem_init(&touched, 0, 0);
  sem_init(&end, 0, 0);
  if (pthread_create(&thread, 0, run, (void *)n)) return 1;
  while (sem_wait(&touched)) {}
  return 0;
}

// Ends the thread.
void finish(void) {
  sem_post(&end);
  pthread_join(thread, 0);
}
