package platform

// DataCaches returns the data caches of the first CPU, the nearest first; nil if they are not known.
func DataCaches() []Cache { return dataCaches("/sys/devices/system/cpu/cpu0/cache") }
