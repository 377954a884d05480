package declarations

import (
	"fmt"
	"strconv"
	"strings"

	"zonemark/executor/cfunction/sizes"
)

// mostParts limits the numbers and names of an expression, since evaluating one calls itself for each part.
const mostParts = 200

// ParseExpression reads an expression from a text of its own. The error names the part that it does not understand.
func ParseExpression(text string) (sizes.Expression, error) {
	l := lexer{text: text, line: 1}
	p := expressionParser{tokens: l.tokens()}
	e, err := p.parse()
	if err != nil {
		return sizes.Expression{}, err
	}
	return e, nil
}

// expressionParser reads an expression from tokens.
type expressionParser struct {
	tokens []token
	pos    int
	parts  int // numbers and names read so far
	depth  int // open parentheses
}

// misread says which token an expression cannot have where it stands. at is len(tokens) if the text ends too early.
type misread struct {
	at      int
	message string
}

func (m *misread) Error() string { return m.message }

// parse reads all tokens.
func (p *expressionParser) parse() (sizes.Expression, *misread) {
	e, err := p.sum()
	if err == nil && p.pos < len(p.tokens) {
		err = p.unexpected()
	}
	return e, err
}

func (p *expressionParser) unexpected() *misread {
	if p.pos >= len(p.tokens) {
		return &misread{p.pos, "the expression ends too early; write a number or a name"}
	}
	return &misread{p.pos, fmt.Sprintf("%q is not understood here; a bound has numbers, names of parameters, "+
		"+ - * / %% and parentheses", p.tokens[p.pos].text)}
}

func (p *expressionParser) sum() (sizes.Expression, *misread) { return p.chain("+-", p.product) }

func (p *expressionParser) product() (sizes.Expression, *misread) { return p.chain("*/%", p.operand) }

// chain reads operands that are joined by operators of one precedence.
func (p *expressionParser) chain(
	operators string, operand func() (sizes.Expression, *misread),
) (sizes.Expression, *misread) {
	e, err := operand()
	for err == nil && p.pos < len(p.tokens) {
		t := p.tokens[p.pos]
		if t.kind != sign || len(t.text) != 1 || !strings.Contains(operators, t.text) {
			break
		}
		p.pos++
		left := e
		var right sizes.Expression
		if right, err = operand(); err == nil {
			e = sizes.Join(t.text[0], left, right)
		}
	}
	return e, err
}

func (p *expressionParser) operand() (sizes.Expression, *misread) {
	if p.parts++; p.parts > mostParts || p.depth > mostParts {
		return sizes.Expression{}, &misread{min(p.pos, len(p.tokens)-1), "this expression is too long"}
	}
	if p.pos >= len(p.tokens) {
		return sizes.Expression{}, p.unexpected()
	}
	switch t := p.tokens[p.pos]; {
	case t.kind == number:
		n, err := strconv.ParseInt(strings.TrimRight(t.text, "uUlL"), 0, 64)
		if err != nil {
			return sizes.Expression{}, p.unexpected()
		}
		p.pos++
		return sizes.Number(n), nil
	case t.kind == word && t.text != "sizeof":
		p.pos++
		return sizes.Name(t.text), nil
	case t.is("("):
		p.pos++
		p.depth++
		e, err := p.sum()
		if err != nil {
			return e, err
		}
		if p.depth--; p.pos >= len(p.tokens) || !p.tokens[p.pos].is(")") {
			return e, p.unexpected()
		}
		p.pos++
		return e, nil
	}
	return sizes.Expression{}, p.unexpected()
}
