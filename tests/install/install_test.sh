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

say "CMake package"
"$cmake" -G Ninja -S "$here/cpp" -B "$scratch/cpp" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$cxx"
"$cmake" --build "$scratch/cpp"
for kind in parapet shared static; do "$scratch/cpp/outside_$kind"; done

# pkg-config escapes blanks for a shell, hence the eval.
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name parapet.pc)")
warnings="-std=c11 -Wall -Wextra -Wpedantic -Werror"

say "pkg-config, shared"
eval "\"$cc\" $warnings -o \"$scratch/shared\" \"$here/c/main.c\" $(pkg-config --cflags --libs parapet)"
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH") "$scratch/shared"

say "pkg-config, static"
eval "\"$cc\" $warnings -static -o \"$scratch/static\" \"$here/c/main.c\" $(pkg-config --static --cflags --libs parapet)"
"$scratch/static"

if [ -x "$prefix/bin/parapet" ]; then
  say "program and completions"
  "$prefix/bin/parapet" --version
  for file in bash-completion/completions/parapet zsh/site-functions/_parapet fish/vendor_completions.d/parapet.fish; do
    [ -s "$prefix/share/$file" ] || { echo "$file is missing or empty"; exit 1; }
  done
fi
