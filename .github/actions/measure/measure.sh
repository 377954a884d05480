#!/usr/bin/env bash
# The steps of the action "Measure with zonemark":
#
#   measure.sh install TOOLS ARCHIVE REPOSITORY RELEASE   unpacks zonemark; without ARCHIVE, that of a release on GitHub
#   measure.sh run FOLDER PATHS ARGUMENTS                 measures, with the journal FOLDER/new.ndjson
#   measure.sh compare FOLDER BASELINE MARGIN             compares the journal with the baseline
#
# Writes to the files that GITHUB_PATH, GITHUB_OUTPUT and GITHUB_STEP_SUMMARY name. Ends with the status of zonemark:
# 1 an error, 2 an invocation did not end ok, 3 something is slower, broken or missing. Undecided rows (4) are a warning.
set -euo pipefail

fail() { echo "::error::$1"; exit 1; }

install() {
    local tools=$1 archive=$2 repository=$3 release=$4 system processor
    mkdir -p "$tools"
    if [ -z "$archive" ]; then
        case $(uname -s) in Linux) system=linux ;; Darwin) system=darwin ;; *) system=$(uname -s) ;; esac
        case $(uname -m) in
            x86_64) processor=amd64 ;;
            aarch64 | arm64) processor=arm64 ;;
            *) processor=$(uname -m) ;;
        esac
        gh release download "$release" --repo "$repository" --dir "$tools" --clobber \
            --pattern "zonemark-*-$system-$processor.tar.gz" --pattern SHA256SUMS ||
            fail "no release $release of $repository for $system-$processor: \
use the action at the tag of a release, or name an archive"
        archive=$(ls "$tools"/zonemark-*.tar.gz)
        (cd "$tools" && grep -F "  ${archive##*/}" SHA256SUMS >sum &&
            { sha256sum --check sum 2>/dev/null || shasum -a 256 --check sum; }) ||
            fail "${archive##*/} is not the file that SHA256SUMS of the release names"
    fi
    [ -f "$archive" ] || fail "archive: there is no file $archive"
    tar -xzf "$archive" -C "$tools" --strip-components=1
    "$tools/zonemark" --version
    echo "$tools" >>"$GITHUB_PATH"
}

run() {
    local folder=$1 paths arguments status=0
    read -r -d '' -a paths <<<"$2" || true
    read -r -d '' -a arguments <<<"$3" || true
    mkdir -p "$folder"
    # "${a[@]+…}": an empty array is an error to bash 3.2, which macOS has.
    zonemark run "${arguments[@]+"${arguments[@]}"}" -o "$folder/new.ndjson" "${paths[@]+"${paths[@]}"}" \
        >"$folder/run.txt" || status=$?
    cat "$folder/run.txt"
    if [ "$status" -eq 0 ] || [ "$status" -eq 2 ]; then
        echo "journal=$folder/new.ndjson" >>"$GITHUB_OUTPUT"
        summarize "What was measured" "$folder/run.txt"
    fi
    [ "$status" -ne 2 ] || echo "::error::an invocation did not end ok"
    return "$status"
}

# summarize puts a report as it stands into the summary of the job, folded. Its fence is longer than any in the text.
summarize() {
    local fence='```'
    while grep -qF "$fence" "$2"; do fence+='`'; done
    {
        printf '<details><summary>%s</summary>\n\n%s\n' "$1" "$fence"
        cat "$2"
        printf '\n%s\n\n</details>\n\n' "$fence"
    } >>"$GITHUB_STEP_SUMMARY"
}

compare() {
    local folder=$1 baseline=$2 margin=$3 format file status=0
    [ -f "$baseline" ] || fail "baseline: there is no file $baseline"
    for format in markdown junit text; do
        case $format in markdown) file=compare.md ;; junit) file=junit.xml ;; text) file=compare.txt ;; esac
        status=0
        zonemark compare "$baseline" "$folder/new.ndjson" --margin "$margin" --format "$format" -o "$folder/$file" ||
            status=$?
        case $status in 0 | 3 | 4) ;; *) return "$status" ;; esac
    done
    cat "$folder/compare.txt"
    { cat "$folder/compare.md"; echo; } >>"$GITHUB_STEP_SUMMARY"
    echo "junit=$folder/junit.xml" >>"$GITHUB_OUTPUT"
    case $status in
        3) echo "::error::something is slower, broken or missing; the summary shows what" ;;
        4) echo "::warning::some rows are undecided; the summary shows which"; status=0 ;;
    esac
    return "$status"
}

case ${1-} in
    install) [ $# -eq 5 ] || fail "install: want TOOLS ARCHIVE REPOSITORY RELEASE"; shift; install "$@" ;;
    run) [ $# -eq 4 ] || fail "run: want FOLDER PATHS ARGUMENTS"; shift; run "$@" ;;
    compare) [ $# -eq 4 ] || fail "compare: want FOLDER BASELINE MARGIN"; shift; compare "$@" ;;
    *) fail "want install, run or compare" ;;
esac
