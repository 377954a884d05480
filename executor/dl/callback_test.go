//go:build !windows

package dl

import "testing"

const callbackSource = `
#include <stdint.h>
#include <pthread.h>
typedef uintptr_t (*visit)(void *self, const uint32_t *item, uintptr_t n);
uintptr_t each(visit f, void *self, uintptr_t n) {
  uintptr_t sum = 0;
  for (uint32_t i = 0; i < n; i++) sum += f(self, &i, n);
  return sum;
}
struct job { visit f; void *self; uintptr_t n, sum; };
static void *run(void *p) { struct job *j = p; j->sum = each(j->f, j->self, j->n); return 0; }
uintptr_t each_on_thread(visit f, void *self, uintptr_t n) {
  struct job j = { f, self, n, 0 };
  pthread_t t;
  if (pthread_create(&t, 0, run, &j)) return 0;
  pthread_join(t, 0);
  return j.sum;
}
`

func TestCallback(t *testing.T) {
	l, err := Open(compile(t, "libeach.so", callbackSource, "-shared", "-fPIC", "-pthread"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	total := uint32(0)
	visit := Callback(func(self uintptr, item *uint32, n uintptr) uintptr {
		total += *item
		return self + n
	})
	for _, name := range []string{"each", "each_on_thread"} {
		each, err := l.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		total = 0
		if got := Call(each, visit, 7, 1000); got != 1000*1007 {
			t.Errorf("%s: the results sum to %d, want %d", name, got, 1000*1007)
		}
		if total != 999*1000/2 {
			t.Errorf("%s: the items sum to %d, want %d", name, total, 999*1000/2)
		}
	}
}

// BenchmarkCall reports what one call costs, with its arguments in a list made before, as callers do if nanoseconds
// matter, and without.
func BenchmarkCall(b *testing.B) {
	l, err := Open(compile(b, "libone.so", "int one(int a, int b) { return 1; }", "-shared", "-fPIC"))
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	one, err := l.Lookup("one")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("listed", func(b *testing.B) {
		b.ReportAllocs()
		arguments := []uintptr{3, 0}
		for b.Loop() {
			Call(one, arguments...)
		}
	})
	b.Run("spelled out", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Call(one, 3, 0)
		}
	})
}
