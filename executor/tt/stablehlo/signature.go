// Package stablehlo reads the signature of a StableHLO program's entry, the function main, from MLIR text. It is not an
// MLIR parser. It knows the lexical form of the language, brackets and the head of a function, and skips bodies and
// attributes. It only recognizes bytecode.
package stablehlo

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Entry is the function that plugins run.
const Entry = "main"

// Value is an argument or a result of the entry.
type Value struct {
	Name    string // "%arg0", or "result 0"
	Type    Type
	Donated bool // a result may take over the argument's memory

	Sharding Sharding // which part each partition holds
	written  shardings
}

// Signature holds the arguments and results of the entry, and how many devices the program is written for.
type Signature struct {
	Arguments, Results []Value
	// Replicas and Partitions are mhlo.num_replicas and mhlo.num_partitions; 0 if the program does not state them.
	Replicas, Partitions int
	Shardy               bool // shardings are written for the partitioner Shardy
}

// ErrBytecode reports MLIR bytecode. Only a compiler can read its types.
var ErrBytecode = errors.New("MLIR bytecode")

// ErrGenericForm reports a function in MLIR's generic form, "func.func"() <{…}>.
var ErrGenericForm = errors.New("MLIR in generic form")

// IsBytecode reports whether a program is MLIR bytecode: its first bytes are "ML\xefR".
func IsBytecode(program []byte) bool { return bytes.HasPrefix(program, []byte("ML\xefR")) }

// BytecodeVersion returns the version of StableHLO of a portable artifact, which its producer's name tells:
// StableHLO_v1.9.0. Returns false if the program is no portable artifact.
func BytecodeVersion(program []byte) (version [3]int64, known bool) {
	const producer = "StableHLO_v"
	if !IsBytecode(program) {
		return version, false
	}
	_, rest, found := bytes.Cut(program[:min(len(program), maxProducer)], []byte(producer))
	text, _, ended := bytes.Cut(rest, []byte{0})
	numbers := strings.Split(string(text), ".")
	if !found || !ended || len(numbers) != len(version) {
		return version, false
	}
	for i, n := range numbers {
		var err error
		if version[i], err = strconv.ParseInt(n, 10, 32); err != nil {
			return [3]int64{}, false
		}
	}
	return version, true
}

// maxProducer is where the name of the producer of bytecode ends at the latest.
const maxProducer = 64

// maxValues limits the number of arguments and of results. The largest exported models have thousands.
const maxValues = 1 << 16

// maxDevices limits the number of replicas and of partitions, as a check of plausibility.
const maxDevices = 1 << 12

// Parse reads the signature of the entry. The error is ErrBytecode or ErrGenericForm if only a compiler can read the
// program; Replicas and Partitions are read all the same, of bytecode as far as it can be. Other errors name line and
// column.
func Parse(program []byte) (Signature, error) {
	if IsBytecode(program) {
		b, err := readBytecode(program)
		if err != nil {
			return Signature{}, ErrBytecode // the plugin's compiler tells what is wrong with it
		}
		sig := Signature{}
		if sig.Replicas, sig.Partitions, err = b.counts(); err != nil {
			return Signature{}, err
		}
		return sig, ErrBytecode
	}
	s := &scanner{text: program}
	var sig Signature
	meshes := map[string]mesh{}
	generic, others := false, 0
	for {
		t := s.next()
		switch {
		case s.err != nil:
			return Signature{}, s.err
		case t.kind == end && generic:
			return sig, ErrGenericForm
		case t.kind == end && others > 0:
			return Signature{}, fmt.Errorf("none of the %d functions is @%s, which is what plugins run: name the one "+
				"to run so", others, Entry)
		case t.kind == end:
			return Signature{}, fmt.Errorf("there is no function @%s: want StableHLO as MLIR text, such as func.func "+
				"@%s(%%arg0: tensor<4xf32>) -> tensor<4xf32> {…}", Entry, Entry)
		case t.kind == quoted && t.text == `"func.func"`:
			generic = true
		case t.kind == word && t.text == "mhlo.num_replicas":
			sig.Replicas = s.deviceCount()
		case t.kind == word && t.text == "mhlo.num_partitions":
			sig.Partitions = s.deviceCount()
		case t.kind == word && t.text == "sdy.mesh":
			name := s.meshName()
			meshes[name], sig.Shardy = s.mesh(), true
		case t.kind == word && t.text == "xla.sdy.meshes":
			meshes, sig.Shardy = s.meshesAttribute(), true
		case t.kind == word && t.text == "func.func":
			if !s.functionName() {
				others++
				continue
			}
			if s.signature(&sig); s.err != nil {
				return Signature{}, s.err
			}
			return sig, sig.resolveShardings(meshes)
		}
	}
}

// functionName reads the tokens between func.func and the arguments, and reports whether the function is the entry.
func (s *scanner) functionName() (entry bool) {
	t := s.next()
	for t.kind == word && (t.text == "public" || t.text == "private" || t.text == "nested") {
		t = s.next()
	}
	if t.kind != word || t.text[0] != '@' {
		s.fail(t, "want the name of a function, such as @%s", Entry)
		return false
	}
	if t.text == "@" { // the name is quoted
		return s.next().text == `"`+Entry+`"`
	}
	return t.text[1:] == Entry
}

// deviceCount reads a number behind an equals sign.
func (s *scanner) deviceCount() int {
	s.expect("=")
	return int(s.number(s.next()))
}

// signature reads arguments and results, starting at the opening parenthesis.
func (s *scanner) signature(sig *Signature) {
	s.expect("(")
	sig.Arguments = s.values(true)
	if s.next().text != "->" {
		return
	}
	t := s.next()
	if t.text == "(" {
		sig.Results = s.values(false)
		return
	}
	sig.Results = []Value{{Name: "result 0", Type: s.typeFrom(t)}}
}

// values reads a list up to its closing parenthesis: types with attributes after them and, for arguments, names before
// them.
func (s *scanner) values(named bool) (list []Value) {
	t := s.next()
	if t.text == ")" {
		return nil
	}
	for s.err == nil {
		v := Value{Name: fmt.Sprintf("result %d", len(list))}
		if named && t.kind == word && t.text[0] == '%' {
			v.Name = t.text
			s.expect(":")
			t = s.next()
		} else if named {
			v.Name = fmt.Sprintf("argument %d", len(list)) // a declaration has types only
		}
		v.Type = s.typeFrom(t)
		if t = s.next(); t.text == "{" {
			s.attributes(&v)
			t = s.next()
		}
		if t.text == "loc" { // a location: loc("file":1:2), loc(#loc3), …
			s.expect("(")
			s.skipUntil(")")
			t = s.next()
		}
		if list = append(list, v); len(list) > maxValues {
			s.fail(t, "more than %d arguments or results", maxValues)
		}
		switch t.text {
		case ")":
			return list
		case ",":
		default:
			s.fail(t, "want , or ) behind a type")
		}
		t = s.next()
	}
	return nil
}
