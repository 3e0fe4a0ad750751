#!/usr/bin/env bash
# The steps of the GitHub action (action.yml): `install`, then `check`. Inputs come as INPUT_* variables.
# Both run in the repository that is checked, which may be a stranger's: -P keeps its pip.py from being imported.
set -euo pipefail

install() {
  case $INPUT_PACKAGE in
    "") ;;
    this-version) python -P -m pip install --quiet --disable-pip-version-check "$GITHUB_ACTION_PATH" ;;
    *) python -P -m pip install --quiet --disable-pip-version-check "$INPUT_PACKAGE" ;;
  esac
  citeproof --version
}

# The lines of a text, without blanks around them, in the array `lines`.
read_lines() {
  lines=()
  local line
  while IFS= read -r line || [ -n "$line" ]; do
    line=${line%$'\r'}
    line=${line#"${line%%[![:space:]]*}"}
    line=${line%"${line##*[![:space:]]}"}
    [ -z "$line" ] || lines+=("$line")
  done <<<"$1"
}

check() {
  local out=$RUNNER_TEMP/citeproof code=0 lines files=() flags=()
  mkdir -p "$out"
  export CITEPROOF_CACHE_DIR=${CITEPROOF_CACHE_DIR:-$out/cache}

  shopt -s globstar 2>/dev/null || true  # the bash of macOS does not know ** for folders
  read_lines "$INPUT_FILES"
  local IFS=  # a name with blanks is one word; a pattern that matches nothing stays, and is told
  for line in ${lines[@]+"${lines[@]}"}; do  # the bash of macOS calls an empty array unset
    # shellcheck disable=SC2206 # patterns are to be expanded
    files+=($line)
  done
  unset IFS
  if [ ${#files[@]} -eq 0 ]; then
    echo "::error title=citeproof::the input files is empty"
    exit 2
  fi
  read_lines "$INPUT_ARGS"
  flags=(${lines[@]+"${lines[@]}"})
  [ -z "$INPUT_FAIL_ON" ] || flags+=("--fail-on=$INPUT_FAIL_ON")
  [ -z "$INPUT_BASELINE" ] || flags+=("--baseline=$INPUT_BASELINE")
  [ -z "$INPUT_IGNORE" ] || flags+=("--ignore=$INPUT_IGNORE")

  rm -f "$out"/report.*
  # What is printed meanwhile may quote a document: the runner obeys commands only in the annotations.
  local pause
  pause=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  echo "::stop-commands::$pause"
  citeproof check ${flags[@]+"${flags[@]}"} --output="github=$out/report.annotations" \
    --output="sarif=$out/report.sarif" --output="junit=$out/report.xml" \
    --output="html=$out/report.html" --output="summary=$out/report.md" -- "${files[@]}" || code=$?
  echo "::$pause::"
  [ ! -f "$out/report.annotations" ] || cat "$out/report.annotations"

  if [ -f "$out/report.md" ]; then
    cat "$out/report.md" >>"$GITHUB_STEP_SUMMARY"
  else
    echo "## citeproof: the check did not run (exit code $code), see the log" >>"$GITHUB_STEP_SUMMARY"
  fi
  echo "exit-code=$code" >>"$GITHUB_OUTPUT"
  if [ -f "$out/report.md" ]; then  # else a step that uploads a report would fail, too
    {
      echo "sarif=$out/report.sarif"
      echo "junit=$out/report.xml"
      echo "html=$out/report.html"
    } >>"$GITHUB_OUTPUT"
  fi
  exit "$code"
}

case ${1:-} in
  install) install ;;
  check) check ;;
  *) echo "usage: github_action.sh install|check" >&2; exit 2 ;;
esac
