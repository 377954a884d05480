package trace

import "iter"

// Message is a message that the program sent.
type Message struct {
	TimeNS int64
	Text   string
	Color  uint32
	Thread int // index; -1: not known
}

// skipMessages passes over the messages and returns how many there are.
func (t *tables) skipMessages(c *cursor) int64 {
	n := c.count(t.messageSize())
	c.skip(n * t.messageSize())
	return n
}

// messageSize is the length of a message: address, Δtime, string, colour, call stack, and since 0.13.2 source and
// severity.
func (t *tables) messageSize() int64 {
	if t.version >= version0_13_2 {
		return 8 + 8 + 9 + 4 + 3 + 2
	}
	return 8 + 8 + 9 + 4 + 3
}

// Messages iterates over the messages in order of time. Their threads are stored behind the zones of each thread, so
// that all zones are passed over first, and messages are held in memory meanwhile. An error ends the iteration, after
// the messages that were still whole.
func (f *File) Messages() iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		if f.info.MessageCount == 0 {
			return
		}
		c := f.pass("messages")
		defer c.close()
		c.skipTo(f.messagesAt)
		messages, byAddress := f.readMessages(c)
		if c.err == nil {
			c.section = "zones"
			c.skipTo(f.zonesAt + 8)
			walk := zoneWalk{file: f, cursor: c, message: func(address uint64, thread int) {
				if i, ok := byAddress[address]; ok {
					messages[i].Thread = thread
				}
			}}
			walk.run()
		}
		for _, m := range messages {
			if !yield(m, nil) {
				return
			}
		}
		if c.err != nil {
			yield(Message{}, c.err)
		}
	}
}

// readMessages reads the messages, without their threads, and the index of each address.
func (f *File) readMessages(c *cursor) ([]Message, map[uint64]int) {
	var messages []Message
	byAddress := map[uint64]int{}
	now := int64(0)
	for n := c.count(f.messageSize()); n > 0 && c.keep(128); n-- {
		address := c.u64()
		now += c.i64()
		text, err := f.string(c.stringReference())
		if err != nil {
			c.fail(err)
		}
		m := Message{TimeNS: now, Text: text, Color: c.u32(), Thread: -1}
		c.skip(f.messageSize() - 8 - 8 - 9 - 4)
		if c.err != nil {
			break
		}
		byAddress[address] = len(messages)
		messages = append(messages, m)
	}
	return messages, byAddress
}
