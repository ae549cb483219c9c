// The Python module collsched_torch. Importing it registers the backend "collsched" of torch.distributed.

#include <pybind11/chrono.h>
#include <torch/csrc/utils/pybind.h>

#include "backend.hpp"

namespace {

namespace py = pybind11;
using group_pointer = c10::intrusive_ptr<c10d::ProcessGroup>;

group_pointer make_backend(const c10::intrusive_ptr<c10d::Store>& store, int rank, int size,
                           std::chrono::duration<float> timeout) {
    return c10::make_intrusive<examples::backend>(*store, rank, size,
                                                  std::chrono::duration_cast<std::chrono::milliseconds>(timeout));
}

void close_group(const py::handle& group) {
    const auto held = group.cast<group_pointer>();
    const py::gil_scoped_release release;
    if (auto* const ours = dynamic_cast<examples::backend*>(held.get())) ours->close();
}

/// PyTorch 1.13 does not report the end of a group to its backend, and a thread that waits in a collective call holds a
/// reference to the group. So its function is wrapped: the groups that it removes are closed.
void wrap_destroy_process_group(py::module& m, const py::module& distributed) {
    const py::object all = distributed.attr("distributed_c10d"), destroy = all.attr("destroy_process_group");
    const auto destroy_and_close = [all, destroy](const py::object& group) {
        const py::list before(all.attr("_pg_map"));
        destroy(group);
        for (const py::handle one : before)
            if (!all.attr("_pg_map").contains(one)) close_group(one);
    };
    m.def("destroy_process_group", destroy_and_close, py::arg("group") = py::none(),
          destroy.attr("__doc__").cast<std::string>().c_str());
    for (const py::object& module : {py::object(distributed), all})
        module.attr("destroy_process_group") = m.attr("destroy_process_group");
}

}  // namespace

PYBIND11_MODULE(collsched_torch, m) {
    m.doc() = "c10d backend collsched";
    const py::module distributed = py::module::import("torch.distributed");
    m.def("make_backend", &make_backend, py::call_guard<py::gil_scoped_release>());
    distributed.attr("Backend").attr("register_backend")("collsched", m.attr("make_backend"));
    wrap_destroy_process_group(m, distributed);
}
