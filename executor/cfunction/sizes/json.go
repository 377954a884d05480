package sizes

import (
	"encoding/json"
	"errors"
	"strings"
)

// MarshalJSON returns a number, a name in quotes, or an operation as a list: ["*","n",["+","m",1]].
func (e Expression) MarshalJSON() ([]byte, error) {
	switch {
	case e.operator != 0:
		return json.Marshal([]any{string(e.operator), e.left, e.right})
	case e.name != "":
		return json.Marshal(e.name)
	}
	return json.Marshal(e.number)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (e *Expression) UnmarshalJSON(data []byte) error {
	switch {
	case data[0] == '"':
		var name string
		if err := json.Unmarshal(data, &name); err != nil {
			return err
		}
		if name == "" {
			return errors.New("a size has an empty name")
		}
		*e = Name(name)
		return nil
	case data[0] != '[':
		*e = Expression{}
		return json.Unmarshal(data, &e.number)
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	var operator string
	var left, right Expression
	if len(parts) != 3 {
		return errors.New("an operation of a size has an operator and two parts")
	}
	for i, into := range []any{&operator, &left, &right} {
		if err := json.Unmarshal(parts[i], into); err != nil {
			return err
		}
	}
	if len(operator) != 1 || !strings.Contains("+-*/%", operator) {
		return errors.New("an operation of a size is one of + - * / %")
	}
	*e = Join(operator[0], left, right)
	return nil
}
