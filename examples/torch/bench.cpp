// The Python module collsched_torch_bench: times operations of any process group of c10d from C++.

#include <chrono>
#include <string>

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/utils/pybind.h>

namespace {

using group = c10::intrusive_ptr<c10d::ProcessGroup>;

/// Returns the seconds of so many operations, each of which is waited for before the next.
double seconds(const group& on, const std::string& what, std::int64_t bytes, int times) {
    std::vector<at::Tensor> one{at::ones({bytes / 4})};
    std::vector<std::vector<at::Tensor>> all(1);
    for (int r = 0; what == "allgather" && r < on->getSize(); ++r) all[0].push_back(at::ones({bytes / 4}));
    const auto run = [&] {
        if (what == "allreduce") on->allreduce(one)->wait();
        else if (what == "broadcast") on->broadcast(one)->wait();
        else on->allgather(all, one)->wait();
    };
    run();
    const auto before = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i) run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
}

}  // namespace

PYBIND11_MODULE(collsched_torch_bench, m) {
    m.def("seconds", &seconds, pybind11::call_guard<pybind11::gil_scoped_release>());
}
