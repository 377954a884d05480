package platform

import "golang.org/x/sys/unix"

// DataCaches returns the data caches of the fast cores, the nearest first; nil if they are not known. Apple processors
// report no third level, and processors of Intel no levels of performance.
func DataCaches() (list []Cache) {
	for i, names := range [][]string{
		{"hw.perflevel0.l1dcachesize", "hw.l1dcachesize"},
		{"hw.perflevel0.l2cachesize", "hw.l2cachesize"},
		{"hw.l3cachesize"},
	} {
		size := uint64(0)
		for _, name := range names {
			if n, err := unix.SysctlUint64(name); err == nil && size == 0 {
				size = n
			}
		}
		if size == 0 {
			break
		}
		c := Cache{Level: i + 1, Bytes: int64(size), CPUs: 1}
		if n, err := unix.SysctlUint32("hw.perflevel0.cpusperl2"); err == nil && i == 1 {
			c.CPUs = max(1, int(n))
		}
		list = append(list, c)
	}
	return list
}
