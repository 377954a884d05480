package platform

// LastLevelCacheBytes returns the size of the largest cache that the first CPU uses, in bytes.
func LastLevelCacheBytes() (int64, error) { return cacheSize("/sys/devices/system/cpu/cpu0/cache") }
