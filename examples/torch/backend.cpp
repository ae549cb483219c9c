#include "backend.hpp"

#include <pybind11/pybind11.h>

#include "numbers.hpp"
#include "store_meeting.hpp"
#include "tensors.hpp"

namespace examples {

backend::backend(c10d::Store& store, int rank, int size, milliseconds timeout)
    : ProcessGroup(rank, size), group_(store_meeting(store, rank, size, timeout).group()), timeout_(timeout) {}
backend::~backend() {
    // A function of Python that waits for the end of an operation needs the interpreter.
    if (!PyGILState_Check()) return;
    const pybind11::gil_scoped_release release;
    group_.reset();
}

std::exception_ptr backend::error_of(const run_status& end, const group_link& link, c10d::OpType type,
                                     milliseconds timeout) {
    if (!end.failed()) return nullptr;
    std::string text = "collsched " + c10d::opTypeToString(type) + ": ";
    if (end.error == timed_out) text += "timed out after " + std::to_string(timeout.count()) + " ms";
    else if (end.error < 0) text += collsched::text_of(static_cast<engine_error>(end.error));
    else text += link.text_of(end.error);
    if (end.peer >= 0) text += ", rank " + std::to_string(end.peer);
    return std::make_exception_ptr(std::runtime_error(text));
}

backend::work backend::submit(std::shared_ptr<operation> run, c10d::OpType type, milliseconds timeout, tensors outputs,
                              tensors kept, bool at_once, after_success after) {
    if (timeout == c10d::kUnsetTimeout) timeout = timeout_;
    run->deadline = operation::clock::now() + timeout;
    auto made = c10::make_intrusive<backend_work>(rank_, type, group_, run, std::move(outputs));
    made->kept = std::move(kept);
    run->on_end = [&link = group_->link(), made, type, timeout, after = std::move(after)](const run_status& end) {
        std::exception_ptr error = error_of(end, link, type, timeout);
        try {
            if (error == nullptr && after) after();
        } catch (...) {
            error = std::current_exception();
        }
        made->end(error);
    };
    group_->runs().submit(run, at_once);
    return made;
}

backend::work backend::collective_work(const collective_call& call, c10d::OpType type, milliseconds timeout,
                                       tensors outputs, tensors kept, after_success after) {
    constexpr bytes_t most_at_once = 16 * 1024;
    const bool at_once = call.bytes <= most_at_once;
    ++sequence_;
    return submit(group_->make(call), type, timeout, std::move(outputs), std::move(kept), at_once, std::move(after));
}

reduction backend::reduction_for(const at::Tensor& data, const c10d::ReduceOp& op) const {
    const reduction made = reduction_of(data.scalar_type(), op);
    const bool number = op != c10d::ReduceOp::AVG || data.is_floating_point();
    TORCH_CHECK(made.combine && number, "op: got operator ", static_cast<int>(op.op_), " on ",
                c10::toString(data.scalar_type()), ", expected one for this type");
    return made;
}

backend::work backend::broadcast(tensors& data, const c10d::BroadcastOptions& how) {
    const at::Tensor& one = usable(only(data, "tensors"), "tensors");
    check_root(how.rootRank, size_);
    return collective_work({.what = collective::broadcast,
                            .bytes = bytes_of(one),
                            .root = how.rootRank,
                            .place = binding::in_place,
                            .input = data_of(one),
                            .output = data_of(one)},
                           c10d::OpType::BROADCAST, how.timeout, data);
}

backend::work backend::allreduce(tensors& data, const c10d::AllreduceOptions& how) {
    const at::Tensor one = usable(only(data, "tensors"), "tensors");
    after_success after;
    if (how.reduceOp == c10d::ReduceOp::AVG) after = [one, p = size_] { at::Tensor(one).div_(p); };
    return collective_work({.what = collective::allreduce,
                            .bytes = bytes_of(one),
                            .element = static_cast<bytes_t>(one.element_size()),
                            .place = binding::in_place,
                            .input = data_of(one),
                            .output = data_of(one),
                            .op = reduction_for(one, how.reduceOp),
                            .values = values_of(one, how.reduceOp)},
                           c10d::OpType::ALLREDUCE, how.timeout, data, {}, std::move(after));
}

backend::work backend::allreduce_coalesced(tensors& data, const c10d::AllreduceCoalescedOptions& how) {
    TORCH_CHECK(!data.empty(), "tensors: got none, expected 1 or more");
    std::int64_t count = 0;
    for (const at::Tensor& one : data) {
        TORCH_CHECK(one.scalar_type() == data[0].scalar_type(), "tensors: got several types, expected one");
        count += usable(one, "tensors").numel();
    }
    const at::Tensor flat = at::empty({count}, data[0].options());
    return collective_work({.what = collective::allreduce,
                            .bytes = bytes_of(flat),
                            .element = static_cast<bytes_t>(flat.element_size()),
                            .place = binding::in_place,
                            .input = data_of(flat),
                            .output = data_of(flat),
                            .op = reduction_for(flat, how.reduceOp),
                            .values = values_of(flat, how.reduceOp),
                            .before =
                                [flat, from = data] {
                                    std::int64_t at = 0;
                                    for (const at::Tensor& one : from) {
                                        flat.narrow(0, at, one.numel()).copy_(one.reshape({-1}));
                                        at += one.numel();
                                    }
                                }},
                           c10d::OpType::ALLREDUCE_COALESCED, how.timeout, data, {flat},
                           [flat, into = data, average = how.reduceOp == c10d::ReduceOp::AVG, p = size_] {
                               if (average) at::Tensor(flat).div_(p);
                               std::int64_t from = 0;
                               for (const at::Tensor& one : into) {
                                   one.copy_(flat.narrow(0, from, one.numel()).view(one.sizes()));
                                   from += one.numel();
                               }
                           });
}

backend::work backend::reduce(tensors& data, const c10d::ReduceOptions& how) {
    const at::Tensor one = usable(only(data, "tensors"), "tensors");
    check_root(how.rootRank, size_);
    after_success after;
    if (how.reduceOp == c10d::ReduceOp::AVG && how.rootRank == rank_)
        after = [one, p = size_] { at::Tensor(one).div_(p); };
    return collective_work({.what = collective::reduce,
                            .bytes = bytes_of(one),
                            .element = static_cast<bytes_t>(one.element_size()),
                            .root = how.rootRank,
                            .place = binding::in_place,
                            .input = data_of(one),
                            .output = data_of(one),
                            .op = reduction_for(one, how.reduceOp),
                            .values = values_of(one, how.reduceOp)},
                           c10d::OpType::REDUCE, how.timeout, data, {}, std::move(after));
}

}  // namespace examples
