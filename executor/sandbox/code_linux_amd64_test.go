package sandbox

// returnSeven is "mov eax, 7; ret".
var returnSeven = []byte{0xb8, 7, 0, 0, 0, 0xc3}
