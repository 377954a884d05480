// Package sizes holds the sizes of arrays whose length is known when a function is called: integer expressions over the
// names of its arguments. It does not know how they are written in the files that state them.
package sizes

import (
	"errors"
	"math"
	"math/bits"
	"strconv"
)

// Expression is an integer expression: numbers and names, joined by + - * / % and parentheses. Its zero value is the
// number 0.
type Expression struct {
	operator    byte // 0 for a number or a name
	number      int64
	name        string
	left, right *Expression
}

// Number returns the expression that is a number.
func Number(n int64) Expression { return Expression{number: n} }

// Name returns the expression that is a name.
func Name(name string) Expression { return Expression{name: name} }

// Join returns an operation, one of + - * / %, and its value if that is constant and fits into 64 bits.
func Join(operator byte, left, right Expression) Expression {
	a, constant := left.Constant()
	b, alsoConstant := right.Constant()
	if constant && alsoConstant {
		if n, err := apply(operator, a, b); err == nil {
			return Number(n)
		}
	}
	return Expression{operator: operator, left: &left, right: &right}
}

// With returns the expression with the values of the names that lookup knows.
func (e Expression) With(lookup func(name string) (value int64, known bool)) Expression {
	switch {
	case e.operator != 0:
		return Join(e.operator, e.left.With(lookup), e.right.With(lookup))
	case e.name != "":
		if n, known := lookup(e.name); known {
			return Number(n)
		}
	}
	return e
}

// Constant returns the value of an expression that is a number.
func (e Expression) Constant() (n int64, constant bool) {
	return e.number, e.operator == 0 && e.name == ""
}

// Names returns the names in the expression, in the order of the text, repetitions included.
func (e Expression) Names() []string {
	switch {
	case e.operator != 0:
		return append(e.left.Names(), e.right.Names()...)
	case e.name != "":
		return []string{e.name}
	}
	return nil
}

// Factors returns the factors of a product, and the expression itself if it is no product.
func (e Expression) Factors() []Expression {
	if e.operator != '*' {
		return []Expression{e}
	}
	return append(e.left.Factors(), e.right.Factors()...)
}

// String returns the expression as C writes it.
func (e Expression) String() string { return e.Text(func(name string) string { return name }) }

// Text is like String, with other names.
func (e Expression) Text(rename func(name string) string) string {
	switch {
	case e.operator == 0 && e.name != "":
		return rename(e.name)
	case e.operator == 0:
		return strconv.FormatInt(e.number, 10)
	}
	left, right := e.left.Text(rename), e.right.Text(rename)
	if precedence(e.left.operator) < precedence(e.operator) {
		left = "(" + left + ")"
	}
	if precedence(e.right.operator) <= precedence(e.operator) {
		right = "(" + right + ")"
	}
	return left + string(e.operator) + right
}

func precedence(operator byte) int {
	switch operator {
	case '+', '-':
		return 1
	case '*', '/', '%':
		return 2
	}
	return 3
}

// Product returns the text of the product of expressions, "1" for none, with names as rename returns them.
func Product(list []Expression, rename func(name string) string) string {
	if len(list) == 0 {
		return "1"
	}
	product := list[0]
	for i := range list[1:] {
		left := product
		product = Expression{operator: '*', left: &left, right: &list[1+i]}
	}
	return product.Text(rename)
}

// errRange reports a value that 64 bits cannot hold.
var errRange = errors.New("the value exceeds 64 bits; choose smaller sizes")

// Evaluate returns the value of the expression. lookup returns that of a name. The error is lookup's, or says that the
// value exceeds 64 bits or that something is divided by zero.
func (e Expression) Evaluate(lookup func(name string) (int64, error)) (int64, error) {
	if e.operator == 0 {
		if e.name == "" {
			return e.number, nil
		}
		return lookup(e.name)
	}
	a, err := e.left.Evaluate(lookup)
	if err != nil {
		return 0, err
	}
	b, err := e.right.Evaluate(lookup)
	if err != nil {
		return 0, err
	}
	return apply(e.operator, a, b)
}

func apply(operator byte, a, b int64) (int64, error) {
	switch operator {
	case '+':
		if sum := a + b; (sum > a) == (b > 0) {
			return sum, nil
		}
	case '-':
		if difference := a - b; (difference < a) == (b > 0) {
			return difference, nil
		}
	case '*':
		return multiply(a, b)
	default:
		switch {
		case b == 0:
			return 0, errors.New("something is divided by zero; choose other sizes")
		case a == math.MinInt64 && b == -1:
		case operator == '/':
			return a / b, nil
		default:
			return a % b, nil
		}
	}
	return 0, errRange
}

func multiply(a, b int64) (int64, error) {
	magnitude := func(n int64) uint64 {
		if n < 0 {
			return -uint64(n)
		}
		return uint64(n)
	}
	high, low := bits.Mul64(magnitude(a), magnitude(b))
	switch negative := (a < 0) != (b < 0); {
	case high != 0 || low > math.MaxInt64:
		return 0, errRange
	case negative:
		return -int64(low), nil
	}
	return int64(low), nil
}
