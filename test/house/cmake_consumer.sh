#!/usr/bin/env bash
# A project finds the library in three ways: installed, as a subdirectory, and as a copied folder.
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

echo "add_subdirectory"
quiet cmake -S consumer -B by_folder -DCOLLSCHED_FOLDER="$out/collsched"
quiet cmake --build by_folder
by_folder/consumer

echo "a copied folder"
quiet c++ -std=c++20 -I"$out/collsched/include" consumer/main.cpp -o by_hand
./by_hand
