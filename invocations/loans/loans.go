// Package loans has the words between an executor and the driver, which lends it memory that the sides of a comparison
// exchange. The executor sends the number of a part, from 0, or Returned. It is answered by Granted, with the descriptor
// of the part, or by Refused. The package is a leaf.
package loans

// Parts is the number of parts of exchanged memory.
const Parts = 2

// The words.
const (
	Returned byte = 0xff
	Granted  byte = 1
	Refused  byte = 0
)
