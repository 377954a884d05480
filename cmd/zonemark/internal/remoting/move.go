package remoting

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"zonemark/driver/bundle"
	"zonemark/invocations"
)

// move changes the paths in an invocation.
func (f *Files) move(inv *invocations.Invocation, moved func(string) string) {
	if file, name, is := referenceFile(inv); is {
		inv.Verify.Reference = moved(file) + ":" + name
	}
	bundle.EachPath(inv, f.table.EachFile, moved)
}

// referenceFile returns the file of a reference FILE:NAME, which is relative to the folder of what is loaded, and the
// name in it. It reports false if the reference names no file.
func referenceFile(inv *invocations.Invocation) (file, name string, is bool) {
	at := strings.LastIndexByte(inv.Verify.Reference, ':')
	if at <= 0 {
		return "", "", false
	}
	file, name = inv.Verify.Reference[:at], inv.Verify.Reference[at+1:]
	if !filepath.IsAbs(file) {
		file = filepath.Join(filepath.Dir(cmp.Or(inv.Artifact.Built, inv.Artifact.Path)), file)
	}
	info, err := os.Stat(file)
	return file, name, err == nil && info.Mode().IsRegular()
}
