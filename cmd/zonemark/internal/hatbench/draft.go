package hatbench

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"zonemark/executor/csource"
	"zonemark/executor/hat"
	"zonemark/executor/toolchain"
	"zonemark/invocations/building"
)

// Draft returns the text of a .hat file for a C file, a header or a library, to lie in a folder. The options are those of
// csource.Options; a header needs none. remarks are lines about what is left to do: functions that cannot be described,
// a library that must be built. They are a comment at the top of the text, too.
func Draft(
	ctx context.Context, path, folder string, options map[string]string, getenv func(string) string,
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
	if linkTarget, err = leadingTo(filepath.Join(filepath.Dir(path), linkTarget), folder); err != nil {
		return "", "", err
	}
	pkg, err := hat.NewPackage(path, linkTarget, flags, declared.Functions)
	if err != nil {
		return "", "", err
	}
	return pkg.Text(remarks), remarks, nil
}

// leadingTo returns the path by which a package in a folder names a file: relative to the folder, or absolute if no
// relative path leads there, or one through a symbolic link would. The file need not exist.
func leadingTo(file, folder string) (string, error) {
	from, linked, err := realFolder(folder)
	if err != nil {
		return "", fmt.Errorf("the folder for the package: %w", err)
	}
	to, _, err := realFolder(filepath.Dir(file))
	if err != nil {
		return "", fmt.Errorf("the folder of the file: %w", err)
	}
	name := filepath.Base(file)
	if relative, err := filepath.Rel(from, to); err == nil && (!linked || from == to) {
		return filepath.ToSlash(filepath.Join(relative, name)), nil
	}
	return filepath.ToSlash(filepath.Join(to, name)), nil
}

// realFolder returns the absolute path of a folder without symbolic links, and whether there were some.
func realFolder(path string) (folder string, linked bool, err error) {
	if path, err = filepath.Abs(path); err != nil {
		return "", false, err
	}
	folder, err = filepath.EvalSymlinks(path)
	return folder, folder != path, err
}
