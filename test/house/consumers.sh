#!/usr/bin/env bash
# A project of two files finds the library in four ways: installed, by CMake and by pkg-config, as a subdirectory, and as a copied
# folder, there without exceptions and run-time types too.
set -euo pipefail
out=$(mktemp -d "${TEST_TMPDIR:-/tmp}/consumer.XXXXXX")
trap 'rm -rf "$out"' EXIT

mkdir "$out/collsched"
cp -rL CMakeLists.txt include "$out/collsched/"
cp -rL test/house/consumer "$out/"
cd "$out"

quiet() { "$@" >log 2>&1 || { cat log; exit 1; }; }

echo "installed, find_package"
quiet cmake -S collsched -B library -DCMAKE_INSTALL_PREFIX="$out/prefix"
quiet cmake --build library --target install
quiet cmake -S consumer -B by_package -DCMAKE_PREFIX_PATH="$out/prefix"
quiet cmake --build by_package
by_package/consumer

echo "installed, pkg-config"
export PKG_CONFIG_PATH="$out/prefix/share/pkgconfig"
pkg-config --exact-version="$(sed -n 's/^project(collsched VERSION \([0-9.]*\) .*/\1/p' collsched/CMakeLists.txt)" collsched
read -ra flags < <(pkg-config --cflags collsched)
quiet c++ -std=c++20 "${flags[@]}" consumer/main.cpp consumer/edges.cpp -o by_flags
./by_flags

echo "add_subdirectory"
quiet cmake -S consumer -B by_folder -DCOLLSCHED_FOLDER="$out/collsched"
quiet cmake --build by_folder
by_folder/consumer

echo "a copied folder"
for switches in "" "-fno-exceptions -fno-rtti"; do
    read -ra flags <<<"$switches"
    quiet c++ -std=c++20 "${flags[@]}" -I"$out/collsched/include" consumer/main.cpp consumer/edges.cpp -o by_hand
    ./by_hand
done
