package declarations

import (
	"errors"
	"fmt"
	"testing"
)

// A prototype may use the typedefs and the enumerators of another text.
func TestNamesOfAnotherText(t *testing.T) {
	_, known := Read("blas.h", "typedef int blasint; typedef const double *row; enum order { RowMajor = 101, N = 8 };\n"+
		"# 1 \"/usr/include/other.h\"\nenum { OTHER = 1 };\n")
	const text = "double dot(blasint n, const double x[n], double y[N])"
	list, err := ReadPrototypes("prototype", text, known)
	if err != nil || describe(&list[0]) != "double dot(int n, const double x[n], double y[8])" {
		t.Errorf("%v, %v", list, err)
	}
	var p *Problem
	if _, err := ReadPrototypes("prototype", text, Names{}); !errors.As(err, &p) || p.Kind != UnknownType {
		t.Errorf("without the other text: %v", err)
	}
	own := known.Constants(func(file string) bool { return file == "blas.h" })
	if fmt.Sprint(own) != "map[N:8 RowMajor:101]" {
		t.Errorf("constants %v", own)
	}
	_, more := Read("more.h", "enum { N = 9 };")
	if all := known.With(more).Constants(func(string) bool { return true }); all["N"] != 9 || all["OTHER"] != 1 {
		t.Errorf("both have %v", all)
	}
}

// A declaration that lacks nothing but shapes and names is completed, and then tells everything.
func TestShaped(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"uint32_t crc(uint32_t crc, const uint8_t *buf, size_t len);",
			"uint32_t crc(uint32_t crc, const uint8_t buf[len], size_t len)"},
		{"int compress(const char *src, char *dst, int srcSize, int dstCapacity);",
			"int compress(const char src[srcSize], char dst[dstCapacity], int srcSize, int dstCapacity)"},
		{"void *memcpy(void *restrict dst, const void *src, size_t n);",
			"void *memcpy(uint8_t dst[n], const uint8_t src[n], size_t n)"},
		{"void scale(int k, float *x, double f);", "void scale(int k, float x[1024], double f)"},
		{"void blend(int w, int h, const float *src, float *dst, float a);",
			"void blend(int w, int h, const float src[h*w], float dst[h*w], float a)"},
		{"void fill(float *row, int src_rows);", "void fill(float row[src_rows], int src_rows)"},
		{"double sum(const double *, long);", "double sum(const double a0[1024], long a1)"},
		{"void two(long n, float *x, const float y[n]);", "void two(long n, float x[n], const float y[n])"},
		{"const char *name(unsigned long *value);", "const char *name(unsigned long value[1024])"},
		{"typedef struct { double re, im; } cplx; double norm(const cplx *z, int n);",
			"double norm(const double z[n][2], int n)"},
		{"struct p { float x, y, z; }; void move(struct p *all, int n, struct p by[4]);",
			"void move(float all[n][3], int n, float by[4][3])"},
		{"void whole(long n, float x[n]);", ""},
		{"void pointers(float **x);", ""},
		{"void unknown(flaot *x);", ""},
	} {
		list, _ := Read("k.h", c.text)
		got, ok := list[0].Shaped()
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, %t; want %q", c.text, got, ok, c.want)
		}
		if ok {
			if _, err := ReadPrototypes("shaped", got, Names{}); err != nil {
				t.Errorf("%s: %v", c.text, err)
			}
		}
	}
}
