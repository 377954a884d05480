package csvtext

import (
	"io"
	"math"
	"strconv"
	"strings"
)

// csvInteger is a number in a table; empty is 0. gocsv's own conversion would take 010 for 8 and round what is above 2^53.
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

// csvUnsigned is a thread id.
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

// csvDecimal is a number with a fraction; what is not finite (the exporter prints "-nan" for the root of a negative number) is 0.
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

func OnlyDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// csvRecordBatch is a gocsv.CSVReader over a header and some records.
type Records [][]string

// Read is not used by gocsv for tables that are read whole.
func (b Records) Read() ([]string, error) { return nil, io.EOF }

// ReadAll returns header and records.
func (b Records) ReadAll() ([][]string, error) { return b, nil }
