package operations

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Configuration is one point of a sweep: a value for each variable of its operation.
type Configuration struct {
	Type      Type
	Operation string // op_name
	Index     int    // Test-ID: the position among the operation's configurations, from 0

	variables []Variable
	values    []float64
}

// Value returns the value of a variable, NaN if the operation has no such variable.
func (c *Configuration) Value(name string) float64 {
	i := slices.IndexFunc(c.variables, func(v Variable) bool { return v.Name == name })
	if i < 0 {
		return math.NaN()
	}
	return c.values[i]
}

// Has says whether the operation has a variable.
func (c *Configuration) Has(name string) bool {
	return slices.ContainsFunc(c.variables, func(v Variable) bool { return v.Name == name })
}

// Int returns the value of a variable as an integer, 0 if the operation has no such variable.
func (c *Configuration) Int(name string) int {
	if v := c.Value(name); !math.IsNaN(v) {
		return int(v)
	}
	return 0
}

// Format returns the data format of an operand: "input0", "output", "intermed".
func (c *Configuration) Format(operand string) Format { return Format(c.Int(operand + "_df")) }

// WithFormat returns a configuration with one data format in the place of another.
func (c *Configuration) WithFormat(from, to Format) Configuration {
	d := *c
	d.values = slices.Clone(c.values)
	for i, v := range c.variables {
		if v.Enum == formats && d.values[i] == float64(from) {
			d.values[i] = float64(to)
		}
	}
	return d
}

// Text returns the value of a variable as result files have it: enumerations by name. It is empty if the operation has
// no such variable.
func (c *Configuration) Text(name string) string {
	i := slices.IndexFunc(c.variables, func(v Variable) bool { return v.Name == name })
	if i < 0 {
		return ""
	}
	return c.variables[i].name(c.values[i])
}

// Names returns the names of the variables in their order.
func (c *Configuration) Names() []string {
	names := make([]string, len(c.variables))
	for i := range c.variables {
		names[i] = c.variables[i].Name
	}
	return names
}

// Inputs returns the names of the operands that are inputs: "input0", ….
func (c *Configuration) Inputs() []string {
	var list []string
	for i := 0; c.Has(fmt.Sprintf("input%d_df", i)); i++ {
		list = append(list, fmt.Sprintf("input%d", i))
	}
	return list
}

// Block is the extent of an operand in tiles.
type Block struct{ T, GridR, GridC, BlocksR, BlocksC, TilesR, TilesC int }

// Block returns the extents of an operand: "input0", …, "output".
func (c *Configuration) Block(operand string) Block {
	return Block{
		T: c.Int(operand + "_t"), GridR: c.Int(operand + "_grid_size_r"), GridC: c.Int(operand + "_grid_size_c"),
		BlocksR: c.Int(operand + "_mb_r"), BlocksC: c.Int(operand + "_mb_c"),
		TilesR: c.Int(operand + "_ub_r"), TilesC: c.Int(operand + "_ub_c"),
	}
}

// Rows returns the number of rows in elements: those of all cores of the grid. A tile has 32 rows and 32 columns, a
// ublock TilesR × TilesC tiles, an mblock BlocksR × BlocksC ublocks, and each core of the grid one mblock.
func (b Block) Rows() int { return b.GridR * b.BlocksR * b.TilesR * Tile }

// Columns returns the number of columns in elements.
func (b Block) Columns() int { return b.GridC * b.BlocksC * b.TilesC * Tile }

// Tiles returns the number of tiles of the block that one core has, for one t.
func (b Block) Tiles() int { return b.BlocksR * b.BlocksC * b.TilesR * b.TilesC }

// Key identifies what is measured: 16 hexadecimal digits of a hash over type, name and every value. Equal
// configurations have equal keys, whatever their positions.
func (c *Configuration) Key() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", c.Type, c.Operation)
	for i, v := range c.variables {
		fmt.Fprintf(&b, " %s=%s", v.Name, trimmed(c.values[i]))
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:8])
}

// trimmed writes a number in the fewest digits.
func trimmed(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }
