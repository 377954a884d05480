package vmfb

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// identifier is the file identifier of iree/schemas/bytecode_module_def.fbs, at bytes 4 to 7 of the flatbuffer.
const identifier = "IREE"

// Fields of the tables in iree/schemas/bytecode_module_def.fbs (IREE 3.13), in the order of the schema.
const (
	moduleName         = 0
	moduleVersion      = 1
	moduleDependencies = 5
	moduleImports      = 6
	moduleExports      = 7
	moduleSignatures   = 8
	moduleRodata       = 9
	moduleBytecode     = 13

	dependencyName    = 0
	dependencyVersion = 1
	dependencyFlags   = 2

	importName = 0

	exportName    = 0
	exportOrdinal = 1

	signatureConvention = 0
	signatureAttributes = 1

	attributeKey   = 0
	attributeValue = 1

	rodataEmbedded       = 2 // after the two fields of a union
	rodataExternalOffset = 3
	rodataExternalLength = 4
)

const (
	dependencyOptional = 1 << 1 // the bit OPTIONAL of ModuleDependencyFlagBits
	declarationKey     = "iree.abi.declaration"
	prefixBytes        = 4 // bytes of the length before a flatbuffer
	// textFactor limits the texts that are copied: tables may be shared, so a small file can ask for any number of
	// copies.
	textFactor = 8
)

// segment is read-only data of a module.
type segment struct {
	ordinal                 int
	embedded                *io.SectionReader // data inside the flatbuffer
	external, externalBytes int64             // offset and size of data after the flatbuffer
}

// parseFlatbuffer reads the module definition at the beginning of r. It returns the data segments that can hold a
// library, and the length of the flatbuffer including the length field before it.
func (m *Module) parseFlatbuffer(r io.ReaderAt, size int64) (segments []segment, length int64, err error) {
	b, length, err := readFlatbuffer(r, size)
	if err != nil {
		return nil, 0, err
	}
	root := b.table(b.follow(0))
	m.Name, m.Version = root.text(moduleName), root.uint32(moduleVersion)
	version := root.uint32(moduleBytecode)
	m.Bytecode = BytecodeVersion{Major: uint16(version >> 16), Minor: uint16(version)}
	copied := len(m.Name)
	within := func(texts ...string) bool {
		for _, t := range texts {
			copied += len(t) + 1
		}
		if copied > textFactor*len(b.data) {
			b.fail(0, "names take more than %d times the flatbuffer", textFactor)
		}
		return b.err == nil
	}
	for _, t := range root.children(moduleDependencies) {
		d := Dependency{
			Name:           t.text(dependencyName),
			MinimumVersion: t.uint32(dependencyVersion),
			Optional:       t.uint32(dependencyFlags)&dependencyOptional != 0,
		}
		m.Dependencies = append(m.Dependencies, d)
		if !within(d.Name) {
			break
		}
	}
	for _, t := range root.children(moduleImports) {
		m.Imports = append(m.Imports, t.text(importName))
		if !within(m.Imports[len(m.Imports)-1]) {
			break
		}
	}
	m.exports(b, root, within)
	segments = m.rodata(b, root, r)
	if b.err == nil && m.Name == "" {
		b.fail(0, "the module has no name")
	}
	return segments, length, b.err
}

// readFlatbuffer reads the flatbuffer with or without its length before it.
func readFlatbuffer(r io.ReaderAt, size int64) (b *flatbuffer, length int64, err error) {
	var head [12]byte
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return nil, 0, fmt.Errorf("a flatbuffer of %d bytes: it is truncated; copy or compile it again", size)
	}
	b = &flatbuffer{}
	switch {
	case string(head[4:8]) == identifier: // without a length field, nothing follows it
		length = size
	case string(head[8:12]) == identifier:
		b.origin = prefixBytes
		p := flatbuffer{data: head[:]}
		length = prefixBytes + int64(p.uint32(0))
	default:
		return nil, 0, ErrNotModule
	}
	if length > size+prefixBytes || length > maxFlatbuffer || length < 12 {
		return nil, 0, fmt.Errorf("the flatbuffer should have %d bytes and the file has %d: it is truncated; copy or "+
			"compile it again", length, size)
	}
	// The directory of an archive does not count the prefix; the missing bytes are padding.
	b.data = make([]byte, min(length, size)-b.origin)
	if _, err := r.ReadAt(b.data, b.origin); err != nil && err != io.EOF {
		return nil, 0, err
	}
	return b, length, nil
}

// exports reads the exported functions. It leaves out those that only the module uses: initializers, and the
// asynchronous halves of functions.
func (m *Module) exports(b *flatbuffer, root table, within func(...string) bool) {
	first, count := root.vector(moduleSignatures, 4)
	for _, t := range root.children(moduleExports) {
		f := Function{Name: t.text(exportName)}
		if !within(f.Name) {
			return
		}
		if strings.HasPrefix(f.Name, "__") || strings.Contains(f.Name, "$async") {
			continue
		}
		ordinal := int64(int32(t.uint32(exportOrdinal)))
		if ordinal < 0 || ordinal >= int64(count) {
			b.fail(t.at, "function %s has the ordinal %d, and there are %d signatures", f.Name, ordinal, count)
			return
		}
		at := b.follow(first + 4*int(ordinal))
		if b.err != nil {
			return
		}
		s := b.table(at)
		f.CallingConvention = s.text(signatureConvention)
		f.Attributes = map[string]string{}
		for _, a := range s.children(signatureAttributes) {
			key, value := a.text(attributeKey), a.text(attributeValue)
			f.Attributes[key] = value
			if !within(key, value) {
				return
			}
		}
		if !within(f.CallingConvention) {
			return
		}
		f.Declaration = f.Attributes[declarationKey]
		f.readTypes()
		m.Functions = append(m.Functions, f)
	}
}

// formatPrefixes returns how the names of executable formats begin (iree-compile's targets), for local CPUs and for the
// devices that the compiler knows.
func formatPrefixes() []string {
	return []string{
		"embedded-elf-", "system-elf-", "system-dylib-", "system-dll-", "system-wasm-", "static", "vmvx-bytecode-",
		"cuda-nvptx-", "rocm-hsaco-", "amdgpu-", "vulkan-spirv-", "metal-msl-", "metallib-", "webgpu-wgsl-", "spirv-",
	}
}

// rodata reads the names of formats among the data segments, and returns the others.
func (m *Module) rodata(b *flatbuffer, root table, r io.ReaderAt) (segments []segment) {
	const longestFormat = 64
	for i, t := range root.children(moduleRodata) {
		first, _ := t.vector(rodataEmbedded, 1)
		data := t.blob(rodataEmbedded)
		if len(data) > 0 && len(data) <= longestFormat {
			m.addFormat(string(data))
			continue
		}
		s := segment{
			ordinal:       i,
			embedded:      io.NewSectionReader(r, b.origin+int64(first), int64(len(data))),
			external:      int64(t.uint64(rodataExternalOffset)),
			externalBytes: int64(t.uint64(rodataExternalLength)),
		}
		if bytes.HasPrefix(data, []byte(elfMagic)) || s.externalBytes != 0 {
			segments = append(segments, s)
		}
		if len(segments) > maxLibraries {
			b.fail(t.at, "more than %d data segments", maxLibraries)
		}
		if b.err != nil {
			break
		}
	}
	return segments
}

func (m *Module) addFormat(name string) {
	for _, known := range m.Formats {
		if known == name {
			return
		}
	}
	for _, prefix := range formatPrefixes() {
		rest, ok := strings.CutPrefix(name, prefix)
		if ok && !strings.ContainsFunc(rest, func(r rune) bool { return r <= ' ' || r > '~' || r == '*' }) {
			m.Formats = append(m.Formats, name)
			return
		}
	}
}
