#!/usr/bin/env bash
# run.sh SOURCE_DIR: installs a plain build into a temporary prefix, builds a project of its own
# against it with CMake and with pkg-config, and runs both.
set -euo pipefail
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
launcher=()
if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi

cmake -S "$source" -B "$work/build" -G Ninja "${launcher[@]}" >/dev/null
cmake --build "$work/build" >/dev/null
cmake --install "$work/build" --prefix "$work/prefix" >/dev/null

version=$("$work/prefix/bin/holdfast" --version | grep -o '[0-9]*\.[0-9]*\.[0-9]*' | head -n 1)
cmake -S "$source/tests/install/consumer" -B "$work/consumer" -G Ninja \
  -DCMAKE_PREFIX_PATH="$work/prefix" -DHOLDFAST_VERSION="$version" >/dev/null
cmake --build "$work/consumer" >/dev/null
"$work/consumer/consumer" "$work/cmake.db"
"$work/prefix/bin/holdfast" --db "$work/cmake.db" verify

PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name holdfast.pc)")
export PKG_CONFIG_PATH
# Unquoted on purpose: flags are words.
# shellcheck disable=SC2046
c++ "$source/tests/install/consumer/main.cpp" $(pkg-config --cflags --libs holdfast) \
  -o "$work/plain"
"$work/plain" "$work/pkgconfig.db"
