package invocations

import (
	"fmt"
	"hash/maphash"
	"iter"
	"slices"
)

// Repeats finds texts that may be equal. It takes 8 bytes of memory for each text.
type Repeats struct {
	seed   maphash.Seed
	hashes []uint64
}

// Add adds a text.
func (r *Repeats) Add(text string) {
	if r.hashes == nil {
		r.seed = maphash.MakeSeed()
	}
	r.hashes = append(r.hashes, maphash.String(r.seed, text))
}

// Suspect returns a function that reports whether a text may have been added several times. It returns nil if all texts
// are distinct.
func (r *Repeats) Suspect() func(text string) bool {
	slices.Sort(r.hashes)
	several := map[uint64]bool{}
	for i := 1; i < len(r.hashes); i++ {
		if r.hashes[i] == r.hashes[i-1] {
			several[r.hashes[i]] = true
		}
	}
	if len(several) == 0 {
		return nil
	}
	return func(text string) bool { return several[maphash.String(r.seed, text)] }
}

// CheckDuplicates returns an error if a journal could not tell two invocations apart: they have the same id if both are
// sealed, else the same name. The error names both. all can be ranged over twice; there may be a million.
func CheckDuplicates(all iter.Seq[*Invocation]) error {
	var repeats Repeats
	for v := range all {
		repeats.Add(v.told())
	}
	suspect := repeats.Suspect()
	if suspect == nil {
		return nil
	}
	earlier, position := map[string]string{}, 0
	for v := range all {
		position++
		what := v.told()
		if !suspect(what) {
			continue
		}
		text := fmt.Sprintf("invocation %d (%s)", position, v.described())
		if first, is := earlier[what]; is {
			if v.ID == "" {
				what = "name"
			}
			return fmt.Errorf("%s and %s have the same %s: change the name or a value of one, or remove it", first, text,
				what)
		}
		earlier[what] = text
	}
	return nil
}

// told returns what tells an invocation from others, with what it is.
func (v *Invocation) told() string {
	if v.ID != "" {
		return "id " + v.ID
	}
	return "name " + v.Name
}

func (v *Invocation) described() string {
	text := fmt.Sprintf("%q of %s", v.Name, v.Artifact.Path)
	if v.Function != "" {
		text += ", function " + v.Function
	}
	return text
}
