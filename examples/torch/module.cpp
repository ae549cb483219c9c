// The Python module collsched_torch. Importing it registers the backend "collsched" of torch.distributed.

#include <pybind11/chrono.h>
#include <torch/csrc/utils/pybind.h>

#include "backend.hpp"

namespace {

c10::intrusive_ptr<c10d::ProcessGroup> make_backend(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                                                    std::chrono::duration<float> timeout) {
    return c10::make_intrusive<examples::backend>(*store, rank, size,
                                                  std::chrono::duration_cast<std::chrono::milliseconds>(timeout));
}

}  // namespace

PYBIND11_MODULE(collsched_torch, m) {
    m.doc() = "c10d backend collsched";
    const pybind11::module distributed = pybind11::module::import("torch.distributed");
    m.def("make_backend", &make_backend, pybind11::call_guard<pybind11::gil_scoped_release>());
    distributed.attr("Backend").attr("register_backend")("collsched", m.attr("make_backend"));
}
