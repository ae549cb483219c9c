#include "backend.hpp"

#include <optional>

#include <pybind11/pybind11.h>

#include "numbers.hpp"
#include "store_meeting.hpp"

namespace examples {

backend::backend(c10d::Store& store, int rank, int size, milliseconds timeout)
    : ProcessGroup(rank, size), group_(store_meeting(store, rank, size, timeout).group()), timeout_(timeout) {}
backend::~backend() {
    // A function of Python that waits for the end of an operation needs the interpreter.
    std::optional<pybind11::gil_scoped_release> release;
    if (PyGILState_Check()) release.emplace();
    close();
}
void backend::close() {
    std::shared_ptr<rank_group> group;
    {
        const std::lock_guard hold(group_lock_);
        group.swap(group_);
    }
    if (group != nullptr) group->runs().stop();
}
std::shared_ptr<rank_group> backend::group() const {
    const std::lock_guard hold(group_lock_);
    TORCH_CHECK(group_ != nullptr, "collsched: the group was destroyed");
    return group_;
}

std::exception_ptr backend::error_of(const run_status& end, const group_link& link, const work_options& options) {
    if (!end.failed()) return nullptr;
    std::string text = "collsched " + c10d::opTypeToString(options.type);
    if (options.op != c10d::ReduceOp::UNUSED)
        text += std::string(" (") + name_of(options.op) + " of " + name_of(options.element) + ")";
    if (end.error == timed_out) text += ": timed out after " + std::to_string(options.timeout.count()) + " ms";
    else if (end.error == cancelled) text += ": the group was destroyed";
    else if (end.error < 0) text += std::string(": ") + collsched::error_text(end.error);
    else text += ": " + link.text_of(end.error);
    if (end.peer >= 0) text += ", rank " + std::to_string(end.peer);
    return std::make_exception_ptr(std::runtime_error(text));
}

backend::work backend::submit(const std::shared_ptr<rank_group>& group, std::shared_ptr<operation> run,
                              work_options options, bool at_once) {
    if (options.timeout == c10d::kUnsetTimeout) options.timeout = timeout_;
    run->deadline = operation::clock::now() + options.timeout;
    run->before = on_memory(std::exchange(options.before, {}));
    run->after = on_memory(std::exchange(options.after, {}));
    auto made = c10::make_intrusive<backend_work>(rank_, options.type, group, run, std::exchange(options.outputs, {}));
    made->kept = std::exchange(options.kept, {});
    run->on_end = [&link = group->link(), &thrown = run->thrown, made, options](const run_status& end) {
        const std::exception_ptr error = error_of(end, link, options);
        made->end(error == nullptr ? thrown : error);
    };
    group->runs().submit(run, at_once);
    return made;
}

backend::work backend::collective_work(const tensor_call& call, work_options options) {
    constexpr bytes_t most_at_once = 16 * 1024;
    const std::shared_ptr<rank_group> group = this->group();
    const std::shared_ptr<operation> run = group->make(call);
    ++sequence_;
    return submit(group, run, std::move(options), call.bytes <= most_at_once);
}

/// Adds the reduction, for tensors of the type of `data`. An average divides `data` in the end.
backend::work backend::reduction_work(tensor_call call, const at::Tensor& data, const c10d::ReduceOp& op,
                                      work_options options) {
    options.op = op, options.element = data.scalar_type();
    call.op = reduction_of(options.element, op);
    TORCH_CHECK(call.op.combine, "op: got ", name_of(options.op), " of ", name_of(options.element),
                ", expected one of ", operators_of(options.element));
    call.value = static_cast<bytes_t>(data.element_size());
    call.values = static_cast<std::uint64_t>(op.op_) * 256 + static_cast<std::uint64_t>(options.element) + 1;
    if (op == c10d::ReduceOp::AVG && (call.collective != collective::reduce || call.root == rank_))
        options.after = [data, p = size_, after = std::move(options.after)] {
            at::Tensor(data).div_(p);
            if (after) after();
        };
    return collective_work(call, std::move(options));
}

backend::work backend::broadcast(tensors& data, const c10d::BroadcastOptions& how) {
    const at::Tensor& one = usable(only(data, "tensors"), "tensors");
    check_root(how.rootRank, size_);
    return collective_work({{.collective = collective::broadcast,
                             .binding = binding::in_place,
                             .root = how.rootRank,
                             .bytes = bytes_of(one),
                             .input = memory_of(one),
                             .output = memory_of(one)}},
                           {.type = c10d::OpType::BROADCAST, .timeout = how.timeout, .outputs = data});
}

backend::work backend::allreduce(tensors& data, const c10d::AllreduceOptions& how) {
    const at::Tensor& one = usable(only(data, "tensors"), "tensors");
    return reduction_work({{.collective = collective::allreduce,
                            .binding = binding::in_place,
                            .bytes = bytes_of(one),
                            .input = memory_of(one),
                            .output = memory_of(one)}},
                          one, how.reduceOp,
                          {.type = c10d::OpType::ALLREDUCE, .timeout = how.timeout, .outputs = data});
}

backend::work backend::allreduce_coalesced(tensors& data, const c10d::AllreduceCoalescedOptions& how) {
    TORCH_CHECK(!data.empty(), "tensors: got none, expected 1 or more");
    std::int64_t count = 0;
    for (const at::Tensor& one : data) {
        check_type(usable(one, "tensors"), data[0], "tensors");
        count += one.numel();
    }
    check_apart(data, "tensors");
    const at::Tensor flat = at::empty({count}, data[0].options());
    const auto for_each = [flat, data](auto f) {
        std::int64_t at = 0;
        for (const at::Tensor& one : data) {
            f(one, flat.narrow(0, at, one.numel()));
            at += one.numel();
        }
    };
    return reduction_work(
        {{.collective = collective::allreduce,
          .binding = binding::in_place,
          .bytes = bytes_of(flat),
          .input = memory_of(flat),
          .output = memory_of(flat)}},
        flat, how.reduceOp,
        {.type = c10d::OpType::ALLREDUCE_COALESCED,
         .timeout = how.timeout,
         .outputs = data,
         .before = [=] { for_each([](auto& one, auto part) { part.copy_(one.reshape({-1})); }); },
         .after = [=] { for_each([](auto& one, auto part) { one.copy_(part.view(one.sizes())); }); }});
}

backend::work backend::reduce(tensors& data, const c10d::ReduceOptions& how) {
    const at::Tensor& one = usable(only(data, "tensors"), "tensors");
    check_root(how.rootRank, size_);
    return reduction_work({{.collective = collective::reduce,
                            .binding = binding::in_place,
                            .root = how.rootRank,
                            .bytes = bytes_of(one),
                            .input = memory_of(one),
                            .output = memory_of(one)}},
                          one, how.reduceOp, {.type = c10d::OpType::REDUCE, .timeout = how.timeout, .outputs = data});
}

}  // namespace examples
