package executors

import "testing"

func TestLentElsewhere(t *testing.T) {
	for _, c := range []struct{ number, bytes int64 }{{0, 0}, {0, 10}, {-1, 10}, {1, 0}, {1, -1}, {1, 1 << 62}} {
		if x := LentElsewhere(c.number, c.bytes); x != nil {
			t.Errorf("%+v: there is memory", c)
		}
	}
	if number, bytes := (*Exchange)(nil).Named(); number != 0 || bytes != 0 {
		t.Errorf("nothing has number %d and %d bytes", number, bytes)
	}
}

// What is confined cannot make the memory larger, nor so small that the other executor dies of it.
func TestExchangeKeepsItsSize(t *testing.T) {
	x := LentElsewhere(NewExchange(10_000).Named())
	defer x.Close()
	for _, f := range x.parts {
		if err := f.Truncate(5_000); err == nil {
			t.Error("it became smaller")
		}
		if err := f.Truncate(20_000); err == nil {
			t.Error("it became larger")
		}
		info, err := f.Stat()
		if err != nil || info.Size() < 10_000 {
			t.Fatalf("%d bytes, %v", info.Size(), err)
		}
		if _, err := f.WriteAt([]byte{1}, info.Size()); err == nil {
			t.Error("something was written behind it")
		}
	}
}
