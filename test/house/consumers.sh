#!/usr/bin/env bash
# A project of two files finds the library in four ways: installed, by CMake and by pkg-config, as a subdirectory, and as a copied
# folder, there without exceptions and run-time types too. A program in C11 runs its plans. bazel_consumer.sh is the fifth way.
set -euo pipefail
out=$(mktemp -d "${TEST_TMPDIR:-/tmp}/consumer.XXXXXX")
trap 'rm -rf "$out"' EXIT

mkdir "$out/collsched"
cp -rL CMakeLists.txt include "$out/collsched/"
cp -rL test/house/consumer examples/programs/run_plan "$out/"
cd "$out"

quiet() { "$@" >log 2>&1 || { cat log; exit 1; }; }

echo "installed, find_package"
quiet cmake -S collsched -B library -DCMAKE_INSTALL_PREFIX="$out/prefix"
quiet cmake --install library
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

echo "a program in C11"
cc -std=c11 -Wall -Wextra -pedantic -Werror -I"$out/collsched/include" -c run_plan/run_plan.c -o run_plan.o
c++ -std=c++20 -I"$out/collsched/include" run_plan.o run_plan/plans.cpp -o plan_in_c
./plan_in_c
