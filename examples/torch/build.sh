#!/usr/bin/env bash
# Builds the Python modules collsched_torch and collsched_torch_bench against Debian's PyTorch: build.sh FOLDER [COMPILER ...]
set -euo pipefail
out=$1
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$here/../..
compiler=("${@:-g++}")
mkdir -p "$out"
read -ra python < <(/usr/bin/python3 -c 'import sysconfig as s; print("-isystem", s.get_paths()["include"], s.get_config_var("EXT_SUFFIX"))')
options=(-std=c++20 -O3 -fPIC -fvisibility=hidden -DASIO_STANDALONE -DFMT_HEADER_ONLY -I"$top/include" -I"$top/examples/programs" -I"$top")
# The headers of PyTorch are not free of warnings.
warnings=(-Wall -Wextra -Wconversion -Wsign-conversion -Wshadow)
torch=(-isystem /usr/include/torch/csrc/api/include "${python[@]:0:2}")
[[ -f $out/algorithms.o && $out/algorithms.o -nt $top/examples/programs/algorithms/algorithms.cpp ]] ||
    "${compiler[@]}" "${options[@]}" -c "$top/examples/programs/algorithms/algorithms.cpp" -o "$out/algorithms.o"
for part in backend backend_blocks backend_work module bench; do
    "${compiler[@]}" "${options[@]}" "${warnings[@]}" "${torch[@]}" -c "$here/$part.cpp" -o "$out/$part.o"
done
"${compiler[@]}" -shared -o "$out/collsched_torch${python[2]}" "$out"/{backend,backend_blocks,backend_work,module,algorithms}.o \
    -ltorch_python -ltorch_cpu -lc10 -lcrypto -pthread
"${compiler[@]}" -shared -o "$out/collsched_torch_bench${python[2]}" "$out/bench.o" -ltorch_python -ltorch_cpu -lc10
