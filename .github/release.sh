#!/usr/bin/env bash
# Builds what is released of a revision: an archive (.tar.gz) and a Python wheel for each platform, and SHA256SUMS.
#
#   .github/release.sh [--output FOLDER] [--revision REVISION] [--python PYTHON] [TARGET…]
#
# The folder is dist and the revision HEAD unless they are named. A target is GOOS/GOARCH; without one, all of
# `targets` are built. The version is that of the revision's tag, vX.Y.Z. A revision without a tag is named by its hash.
#
# Only what is committed is built, in a repository of its own that shares the objects of this one. The same revision and
# the same Go make the same bytes.
# Needs git, Go, GNU tar, and Python 3.10 or later with hatchling; hatchling is installed for the run if it is missing.
set -euo pipefail
targets=(linux/amd64 linux/arm64 darwin/arm64)
hatchling=hatchling==1.27.0

fail() { echo "release: $1" >&2; exit 1; }

output=dist revision=HEAD python=python3 chosen=()
while [ $# -gt 0 ]; do
    case $1 in
        --output | --revision | --python)
            [ $# -gt 1 ] || fail "$1 needs a value"
            printf -v "${1#--}" %s "$2"
            shift 2 ;;
        */*) chosen+=("$1"); shift ;;
        *) fail "$1: want GOOS/GOARCH, such as linux/amd64, or --output, --revision, --python" ;;
    esac
done
[ ${#chosen[@]} -eq 0 ] || targets=("${chosen[@]}")
tar --version | grep -q 'GNU tar' || fail "tar is not GNU tar, which makes the same bytes each time; put it on PATH"

root=$(cd "$(dirname "$0")/.." && git rev-parse --show-toplevel) ||
    fail "this is no git checkout, so there is no version"
commit=$(git -C "$root" rev-parse --verify --quiet "$revision^{commit}") ||
    fail "there is no revision $revision in $root"
mkdir -p "$output"
output=$(cd "$output" && pwd)
[ -z "$(ls -A "$output")" ] || fail "$output is not empty; remove what is in it, or name another folder by --output"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source=$work/source
repository=$(git -C "$root" rev-parse --path-format=absolute --git-common-dir)
git init --quiet "$source"
echo "$repository/objects" >"$source/.git/objects/info/alternates"
[ ! -f "$repository/shallow" ] || cp "$repository/shallow" "$source/.git"
git -C "$root" for-each-ref --format='create %(refname) %(objectname)' refs/tags | git -C "$source" update-ref --stdin
git -C "$source" -c advice.detachedHead=false checkout --quiet --detach "$commit"
SOURCE_DATE_EPOCH=$(git -C "$source" log -1 --format=%ct)
export SOURCE_DATE_EPOCH CGO_ENABLED=0 GOFLAGS= GOEXPERIMENT= GOAMD64=v1 GOARM64=v8.0 TZ=UTC LC_ALL=C
umask 022

if ! "$python" -c 'import hatchling' 2>/dev/null; then
    "$python" -m venv "$work/venv"
    python=$work/venv/bin/python
    "$python" -m pip install --quiet "$hatchling"
fi

build() { (cd "$source" && go build -buildvcs=true -trimpath -ldflags='-s -w' -o "$1" ./cmd/zonemark); }

host=$(go env GOHOSTOS)/$(go env GOHOSTARCH)
GOOS=${host%/*} GOARCH=${host#*/} build "$work/zonemark"
version=$("$work/zonemark" version | sed -n 's/^zonemark \(.*\) (protocol .*/\1/p' | tr ' ' -)
[ -n "$version" ] || fail "the program does not tell its version"
if tag=$(git -C "$source" describe --tags --exact-match --match 'v[0-9]*' 2>/dev/null); then
    [ "$version" = "$tag" ] || fail "Go takes the tag $tag for no version of module zonemark, and says $version: \
name it vX.Y.Z or vX.Y.Z-rc.N, with X 0 or 1; a later one needs the module path zonemark/vX"
fi

for target in "${targets[@]}"; do
    name=zonemark-$version-${target%/*}-${target#*/}
    folder=$work/archives/$name
    mkdir -p "$folder"
    if [ "$target" = "$host" ]; then
        cp "$work/zonemark" "$folder/zonemark"
    else
        GOOS=${target%/*} GOARCH=${target#*/} build "$folder/zonemark"
    fi
    cp "$source/LICENSE" "$source/README.md" "$folder"
    tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
        --format=ustar -C "$work/archives" -cf - "$name" | gzip -n >"$output/$name.tar.gz"
    (cd "$source/driver/python" &&
        ZONEMARK_BINARY=$folder/zonemark "$python" -m hatchling build --target wheel --directory "$output") \
        >"$work/log" 2>&1 ||
        { cat "$work/log" >&2; fail "the wheel for $target is not built"; }
done
(cd "$output" && sha256sum -- *.tar.gz *.whl >"$work/sums")
mv "$work/sums" "$output/SHA256SUMS"
echo "zonemark $version is in $output"
