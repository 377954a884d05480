package platform

// Shared is a place for memory that several processes have. The zero value is memory of this process alone.
type Shared struct {
	Exchange *Exchange
	Part     int // of the exchange, from 0
}

// ExchangeParts is the number of parts of an Exchange.
const ExchangeParts = 2
