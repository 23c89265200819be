#!/usr/bin/env bash
# Installs a build into a temporary prefix, then builds and runs outside programs against it: through the CMake package
# and through pkg-config, shared and static.
#   install_test.sh CMAKE BUILD_FOLDER C_COMPILER CXX_COMPILER
set -euo pipefail
cmake=$1 build=$2 cc=$3 cxx=$4
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix="$scratch/a prefix"

say() { echo "--- $*"; }

say "install"
"$cmake" --install "$build" --prefix "$prefix"
foreign=$(find "$prefix/include" -type f -not -path '*/include/parapet/*')
[ -z "$foreign" ] || { echo "headers outside include/parapet: $foreign"; exit 1; }

# The engine comes with its headers; without them there are only codes.
programs=(main)
[ ! -e "$prefix/include/parapet/pool.h" ] || programs+=(pool)

# run PROGRAM: each in an empty directory of its own.
run() {
  local folder
  folder=$(mktemp -d "$scratch/run-XXXXXX")
  "$1" "$folder"
  rm -r "$folder"
}

say "CMake package"
"$cmake" -G Ninja -S "$here/cpp" -B "$scratch/cpp" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$cxx" \
  -DPROGRAMS="${programs[*]:1}"
"$cmake" --build "$scratch/cpp"
for program in "${programs[@]}"; do
  for kind in parapet shared static; do run "$scratch/cpp/${program}_$kind"; done
done

# pkg-config escapes blanks for a shell, hence the eval.
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name parapet.pc)")
warnings="-std=c11 -Wall -Wextra -Wpedantic -Werror"
for program in "${programs[@]}"; do
  source="\"$here/c/$program.c\""
  say "pkg-config, shared: $program"
  eval "\"$cc\" $warnings -o \"$scratch/shared\" $source $(pkg-config --cflags --libs parapet)"
  LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH") run "$scratch/shared"
  say "pkg-config, static: $program"
  eval "\"$cc\" $warnings -static -o \"$scratch/static\" $source $(pkg-config --static --cflags --libs parapet)"
  run "$scratch/static"
done

if [ -x "$prefix/bin/parapet" ]; then
  say "program and completions"
  "$prefix/bin/parapet" --version
  for file in bash-completion/completions/parapet zsh/site-functions/_parapet fish/vendor_completions.d/parapet.fish; do
    [ -s "$prefix/share/$file" ] || { echo "$file is missing or empty"; exit 1; }
  done
fi
