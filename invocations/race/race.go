// Package race says whether the race detector watches the program. Only tests import it: under the detector, a test
// makes fewer repeats of what only computes, and a test that counts memory or measures other programs is skipped.
package race
