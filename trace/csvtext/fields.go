package csvtext

import (
	"math"
	"strconv"
	"strings"
)

// Integer is a number in a table; an empty cell is 0. The own conversion of gocsv would take 010 for 8 and round what is
// above 2^53.
type Integer int64

// UnmarshalCSV reads the field.
func (v *Integer) UnmarshalCSV(s string) error {
	if s == "" {
		return nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	*v = Integer(n)
	return err
}

// Unsigned is a number that is not negative, such as the id of a thread; an empty cell is 0.
type Unsigned uint64

// UnmarshalCSV reads the field.
func (v *Unsigned) UnmarshalCSV(s string) error {
	if s == "" {
		return nil
	}
	n, err := strconv.ParseUint(s, 10, 64)
	*v = Unsigned(n)
	return err
}

// Decimal is a number with a fraction; what is not finite (the exporter prints "-nan" for the root of a negative
// number) is 0.
type Decimal float64

// UnmarshalCSV reads the field.
func (v *Decimal) UnmarshalCSV(s string) error {
	if s == "" || strings.HasSuffix(s, "nan") {
		return nil
	}
	n, err := strconv.ParseFloat(s, 64)
	if !math.IsInf(n, 0) && !math.IsNaN(n) {
		*v = Decimal(n)
	}
	return err
}

// OnlyDigits reports whether a cell holds digits and nothing else.
func OnlyDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
