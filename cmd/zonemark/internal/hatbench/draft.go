package hatbench

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"zonemark/executor/cfunction/toolchain"
	"zonemark/executor/csource"
	"zonemark/executor/hat"
	"zonemark/invocations/building"
)

// Draft returns the text of a .hat file for a C file, a header or a library, to lie beside it. The options are those of
// csource.Options; a header needs none. remarks are lines about what is left to do: functions that cannot be described,
// a library that must be built. They are a comment at the top of the text, too.
func Draft(
	ctx context.Context, path string, options map[string]string, getenv func(string) string,
	w building.Workshop,
) (text, remarks string, err error) {
	declared, err := csource.ReadDeclared(ctx, path, options, getenv, w)
	if err != nil {
		return "", "", err
	}
	name := filepath.Base(path)
	library := strings.TrimSuffix(name, filepath.Ext(name)) + ".so"
	linkTarget, flags := name, ""
	switch {
	case declared.Header:
		linkTarget = library
		remarks = "the library is taken to be " + library + "; correct link_target if it has another name\n"
	case declared.Includes != "":
		linkTarget = library
		remarks = fmt.Sprintf("%s includes %s, and the source of a package is compiled alone: build a library with "+
			"cc -O2 -shared -fPIC -o %s %s\n", name, declared.Includes, library, name)
	case toolchain.IsSource(path):
		flags = options[csource.OptionCFlags]
	}
	for _, o := range declared.Others {
		remarks += "not described: " + o.Name + ": " + o.Problem + "\n"
	}
	pkg, err := hat.NewPackage(path, linkTarget, flags, declared.Functions)
	if err != nil {
		return "", "", err
	}
	return pkg.Text(remarks), remarks, nil
}
