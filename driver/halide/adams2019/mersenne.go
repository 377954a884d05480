package adams2019

// mersenne is the random generator MT19937 (Matsumoto and Nishimura, 1998), C++'s std::mt19937, with which the training
// program chooses among more than 1,024 schedules.
type mersenne struct {
	state [624]uint32
	next  int
}

func newMersenne(seed uint32) *mersenne {
	m := &mersenne{next: len(mersenne{}.state)}
	for i := range m.state {
		m.state[i] = seed
		seed = 1812433253*(seed^seed>>30) + uint32(i) + 1
	}
	return m
}

// uint32 returns the next number.
func (m *mersenne) uint32() uint32 {
	if m.next == len(m.state) {
		m.refill()
	}
	y := m.state[m.next]
	m.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

func (m *mersenne) refill() {
	n := len(m.state)
	for i := range m.state {
		y := m.state[i]&0x80000000 | m.state[(i+1)%n]&0x7fffffff
		m.state[i] = m.state[(i+397)%n] ^ y>>1 ^ y&1*0x9908b0df
	}
	m.next = 0
}
