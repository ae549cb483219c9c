#!/usr/bin/env bash
# A Bazel workspace that has this tree as an external repository, and builds without a network and without libraries of the system.
set -euo pipefail
top=$(dirname "$(readlink -f WORKSPACE)")
out=$(mktemp -d "${TEST_TMPDIR:-/tmp}/bazel_consumer.XXXXXX")
trap 'chmod -R u+w "$out"; rm -rf "$out"' EXIT

ln -s "$top" "$out/collsched"
cp -r "$top/test/house/consumer" "$out/consumer"
cd "$out/consumer"

# --batch leaves no server behind.
bazel --batch --nohome_rc --output_user_root="$out/root" --host_jvm_args=-Xmx512m build --jobs=1 \
    --spawn_strategy=local --cxxopt=-std=c++20 --color=no --noshow_progress \
    //:consumer @collsched//examples/programs/run_plan >log 2>&1 || { cat log; exit 1; }
bazel-bin/consumer
bazel-bin/external/collsched/examples/programs/run_plan/run_plan
