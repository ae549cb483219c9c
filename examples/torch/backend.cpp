#include "backend.hpp"

#include <pybind11/pybind11.h>

#include "meeting.hpp"
#include "numbers.hpp"

namespace examples {

namespace {

using milliseconds = std::chrono::milliseconds;

const at::Tensor& only(const std::vector<at::Tensor>& all, const char* name) {
    TORCH_CHECK(all.size() == 1, name, ": got ", all.size(), " tensors, expected 1");
    return all.front();
}
/// Checks a tensor whose memory the operation uses in order.
const at::Tensor& usable(const at::Tensor& one, const char* name) {
    TORCH_CHECK(one.device().is_cpu(), name, ": got a tensor on ", one.device().str(), ", expected cpu");
    TORCH_CHECK(one.layout() == at::kStrided, name, ": got a sparse tensor, expected a dense one");
    TORCH_CHECK(one.is_non_overlapping_and_dense(), name, ": got a tensor with gaps, expected a contiguous one");
    return one;
}
const at::Tensor& contiguous(const at::Tensor& one, const char* name) {
    TORCH_CHECK(usable(one, name).is_contiguous(), name,
                ": got another order of dimensions, expected a contiguous tensor");
    return one;
}
bytes_t bytes_of(const at::Tensor& one) { return static_cast<bytes_t>(one.nbytes()); }
std::byte* data_of(const at::Tensor& one) { return static_cast<std::byte*>(one.data_ptr()); }

void check_alike(const std::vector<at::Tensor>& all, const at::Tensor& as, int ranks, const char* name) {
    TORCH_CHECK(static_cast<int>(all.size()) == ranks, name, ": got ", all.size(), " tensors, expected ", ranks);
    for (const at::Tensor& one : all)
        TORCH_CHECK(one.scalar_type() == as.scalar_type() && one.numel() == as.numel() && one.device().is_cpu(), name,
                    ": got tensors that differ, expected the type and size of the other argument");
}
void check_root(std::int64_t root, int ranks) {
    TORCH_CHECK(root >= 0 && root < ranks, "root: got ", root, ", expected 0..", ranks - 1);
}
at::Tensor flat_like(const at::Tensor& one, std::int64_t count) {
    return at::empty({count, one.numel()}, one.options());
}
void copy_rows(const at::Tensor& flat, const std::vector<at::Tensor>& into) {
    for (std::size_t i = 0; i < into.size(); ++i)
        into[i].copy_(flat.select(0, static_cast<std::int64_t>(i)).view(into[i].sizes()));
}
at::Tensor rows_of(const std::vector<at::Tensor>& from) {
    const at::Tensor flat = flat_like(from.front(), static_cast<std::int64_t>(from.size()));
    for (std::size_t i = 0; i < from.size(); ++i)
        flat.select(0, static_cast<std::int64_t>(i)).copy_(from[i].reshape({-1}));
    return flat;
}

}  // namespace

void backend_work::end(std::exception_ptr error) {
    c10::intrusive_ptr<c10::ivalue::Future> future;
    {
        const std::lock_guard hold(mutex_);
        completed_ = true;
        exception_ = error;
        future = future_;
        kept.clear();
    }
    if (future) finish_future(future);
}
bool backend_work::isCompleted() {
    if (has_ended()) return true;
    attend();
    return false;
}
bool backend_work::has_ended() const {
    const std::lock_guard hold(mutex_);
    return completed_;
}
/// A caller that does not wait here needs the thread of the driver.
void backend_work::attend() const {
    if (const std::shared_ptr<rank_group> group = group_.lock()) group->runs().attend();
}
bool backend_work::isSuccess() const {
    const std::lock_guard hold(mutex_);
    return completed_ && exception_ == nullptr;
}
bool backend_work::wait(milliseconds timeout) {
    if (!has_ended()) {
        const auto until =
            timeout == kNoTimeout ? operation::clock::time_point::max() : operation::clock::now() + timeout;
        const std::shared_ptr<rank_group> group = group_.lock();
        if (group != nullptr) group->runs().wait(*run_, until);
        TORCH_CHECK(has_ended(), "collsched ", c10d::opTypeToString(retrieveOpType()), ": not complete after ",
                    timeout.count(), " ms");
    }
    const std::lock_guard hold(mutex_);
    if (exception_) std::rethrow_exception(exception_);
    return true;
}
c10::intrusive_ptr<c10::ivalue::Future> backend_work::getFuture() {
    bool over = false;
    {
        const std::lock_guard hold(mutex_);
        if (future_) return future_;
        future_ = c10::make_intrusive<c10::ivalue::Future>(c10::ListType::create(c10::TensorType::get()));
        over = completed_;
    }
    if (over) finish_future(future_);
    else attend();
    return future_;
}
void backend_work::finish_future(const c10::intrusive_ptr<c10::ivalue::Future>& future) const {
    if (exception_) future->setError(exception_);
    else future->markCompleted(c10::IValue(outputs_));
}

backend::backend(c10d::Store& store, int rank, int size, milliseconds timeout)
    : ProcessGroup(rank, size), group_(meeting(store, rank, size, timeout).group()), timeout_(timeout) {}
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
                            .op = reduction_for(one, how.reduceOp)},
                           c10d::OpType::ALLREDUCE, how.timeout, data, {}, std::move(after));
}

backend::work backend::allreduce_coalesced(tensors& data, const c10d::AllreduceCoalescedOptions& how) {
    TORCH_CHECK(!data.empty(), "tensors: got none, expected 1 or more");
    tensors parts;
    for (const at::Tensor& one : data) {
        TORCH_CHECK(one.scalar_type() == data[0].scalar_type(), "tensors: got several types, expected one");
        parts.push_back(usable(one, "tensors").reshape({-1}));
    }
    const at::Tensor flat = at::cat(parts);
    return collective_work({.what = collective::allreduce,
                            .bytes = bytes_of(flat),
                            .element = static_cast<bytes_t>(flat.element_size()),
                            .place = binding::in_place,
                            .input = data_of(flat),
                            .output = data_of(flat),
                            .op = reduction_for(flat, how.reduceOp)},
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
                            .op = reduction_for(one, how.reduceOp)},
                           c10d::OpType::REDUCE, how.timeout, data, {}, std::move(after));
}

backend::work backend::allgather(std::vector<tensors>& outputs, tensors& inputs, const c10d::AllgatherOptions& how) {
    const at::Tensor& input = contiguous(only(inputs, "inputs"), "inputs");
    TORCH_CHECK(outputs.size() == 1, "outputs: got ", outputs.size(), " lists, expected 1");
    check_alike(outputs[0], input, size_, "outputs");
    collective_call call{.what = collective::allgather,
                         .bytes = bytes_of(input),
                         .input = data_of(input),
                         .blocks = {{}, bytes_of(input)}};
    const bool apart = group_->is_staged(call) &&
                       std::ranges::all_of(outputs[0], [](const at::Tensor& one) { return one.is_contiguous(); });
    if (apart) {
        for (const at::Tensor& one : outputs[0]) call.blocks.first.push_back(data_of(one));
        call.output = call.blocks.first[0];
        return collective_work(call, c10d::OpType::ALLGATHER, how.timeout, outputs[0], inputs);
    }
    const at::Tensor flat = flat_like(input, size_);
    call.output = data_of(flat);
    return collective_work(call, c10d::OpType::ALLGATHER, how.timeout, outputs[0], {input, flat},
                           [flat, into = outputs[0]] { copy_rows(flat, into); });
}

backend::work backend::_allgather_base(at::Tensor& output, at::Tensor& input, const c10d::AllgatherOptions& how) {
    contiguous(input, "input"), contiguous(output, "output");
    TORCH_CHECK(output.numel() == input.numel() * size_ && output.scalar_type() == input.scalar_type(), "output: got ",
                output.numel(), " elements, expected ", input.numel() * size_, " of the type of the input");
    const bool in_place = data_of(output) + rank_ * bytes_of(input) == data_of(input);
    return collective_work({.what = collective::allgather,
                            .bytes = bytes_of(input),
                            .place = in_place ? binding::in_place : binding::separate,
                            .input = data_of(input),
                            .output = data_of(output)},
                           c10d::OpType::_ALLGATHER_BASE, how.timeout, {output}, {input});
}

backend::work backend::gather(std::vector<tensors>& outputs, tensors& inputs, const c10d::GatherOptions& how) {
    const at::Tensor& input = contiguous(only(inputs, "inputs"), "inputs");
    check_root(how.rootRank, size_);
    collective_call call{
        .what = collective::gather, .bytes = bytes_of(input), .root = how.rootRank, .input = data_of(input)};
    if (how.rootRank != rank_) return collective_work(call, c10d::OpType::GATHER, how.timeout, {}, {input});
    TORCH_CHECK(outputs.size() == 1, "outputs: got ", outputs.size(), " lists, expected 1");
    check_alike(outputs[0], input, size_, "outputs");
    const at::Tensor flat = flat_like(input, size_);
    call.output = data_of(flat);
    return collective_work(call, c10d::OpType::GATHER, how.timeout, outputs[0], {input, flat},
                           [flat, into = outputs[0]] { copy_rows(flat, into); });
}

backend::work backend::scatter(tensors& outputs, std::vector<tensors>& inputs, const c10d::ScatterOptions& how) {
    const at::Tensor& output = contiguous(only(outputs, "outputs"), "outputs");
    check_root(how.rootRank, size_);
    collective_call call{
        .what = collective::scatter, .bytes = bytes_of(output), .root = how.rootRank, .output = data_of(output)};
    if (how.rootRank != rank_) return collective_work(call, c10d::OpType::SCATTER, how.timeout, outputs);
    TORCH_CHECK(inputs.size() == 1, "inputs: got ", inputs.size(), " lists, expected 1");
    check_alike(inputs[0], output, size_, "inputs");
    const at::Tensor flat = rows_of(inputs[0]);
    call.input = data_of(flat);
    return collective_work(call, c10d::OpType::SCATTER, how.timeout, outputs, {flat});
}

backend::work backend::reduce_scatter(tensors& outputs, std::vector<tensors>& inputs,
                                      const c10d::ReduceScatterOptions& how) {
    at::Tensor output = contiguous(only(outputs, "outputs"), "outputs");
    TORCH_CHECK(inputs.size() == 1, "inputs: got ", inputs.size(), " lists, expected 1");
    check_alike(inputs[0], output, size_, "inputs");
    at::Tensor flat = rows_of(inputs[0]);
    return _reduce_scatter_base(output, flat, how);
}

backend::work backend::_reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                            const c10d::ReduceScatterOptions& how) {
    contiguous(input, "input"), contiguous(output, "output");
    TORCH_CHECK(input.numel() == output.numel() * size_ && output.scalar_type() == input.scalar_type(), "input: got ",
                input.numel(), " elements, expected ", output.numel() * size_, " of the type of the output");
    after_success after;
    if (how.reduceOp == c10d::ReduceOp::AVG) after = [output, p = size_] { at::Tensor(output).div_(p); };
    return collective_work({.what = collective::reduce_scatter,
                            .bytes = bytes_of(output),
                            .element = static_cast<bytes_t>(output.element_size()),
                            .input = data_of(input),
                            .output = data_of(output),
                            .op = reduction_for(output, how.reduceOp)},
                           c10d::OpType::_REDUCE_SCATTER_BASE, how.timeout, {output}, {input}, std::move(after));
}

backend::work backend::alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<std::int64_t>& output_sizes,
                                     std::vector<std::int64_t>& input_sizes, const c10d::AllToAllOptions& how) {
    contiguous(input, "input"), contiguous(output, "output");
    TORCH_CHECK(output.scalar_type() == input.scalar_type(), "output: got another type, expected that of the input");
    if (output_sizes.empty() && input_sizes.empty()) {
        TORCH_CHECK(input.numel() == output.numel() && input.numel() % size_ == 0, "input: got ", input.numel(),
                    " elements, expected as many as the output, a multiple of ", size_);
        return collective_work({.what = collective::alltoall,
                                .bytes = bytes_of(input) / size_,
                                .input = data_of(input),
                                .output = data_of(output)},
                               c10d::OpType::ALLTOALL_BASE, how.timeout, {output}, {input});
    }
    c10d::checkSplitSizes(input_sizes, input, size_);
    c10d::checkSplitSizes(output_sizes, output, size_);
    const auto parts = [&](const at::Tensor& of, const std::vector<std::int64_t>& sizes) {
        const bytes_t row = of.size(0) == 0 ? 0 : bytes_of(of) / of.size(0);
        std::vector<std::pair<std::byte*, bytes_t>> all;
        std::byte* at = data_of(of);
        for (int r = 0; r < size_; ++r) {
            const bytes_t bytes = row * (sizes.empty() ? of.size(0) / size_ : sizes[static_cast<std::size_t>(r)]);
            all.emplace_back(at, bytes);
            at += bytes;
        }
        return all;
    };
    return exchange(parts(input, input_sizes), parts(output, output_sizes), how.timeout, {output}, {input});
}

backend::work backend::alltoall(tensors& outputs, tensors& inputs, const c10d::AllToAllOptions& how) {
    const auto parts = [&](const tensors& of, const char* name) {
        TORCH_CHECK(static_cast<int>(of.size()) == size_, name, ": got ", of.size(), " tensors, expected ", size_);
        std::vector<std::pair<std::byte*, bytes_t>> all;
        for (const at::Tensor& one : of) all.emplace_back(data_of(contiguous(one, name)), bytes_of(one));
        return all;
    };
    return exchange(parts(inputs, "inputs"), parts(outputs, "outputs"), how.timeout, outputs, inputs);
}

backend::work backend::exchange(const std::vector<std::pair<std::byte*, bytes_t>>& to,
                                const std::vector<std::pair<std::byte*, bytes_t>>& from, milliseconds timeout,
                                tensors outputs, tensors kept) {
    constexpr std::uint64_t exchanges = std::uint64_t{1} << 36;
    const auto own = static_cast<std::size_t>(rank_);
    TORCH_CHECK(to[own].second == from[own].second, "inputs: got ", to[own].second,
                " bytes for the own rank, expected ", from[own].second);
    auto run = std::make_shared<message_operation>(group_->link());
    for (int i = 1; i < size_; ++i) {
        const int target = (rank_ + i) % size_, source = (rank_ - i + size_) % size_;
        const auto& out = to[static_cast<std::size_t>(target)];
        const auto& in = from[static_cast<std::size_t>(source)];
        run->receive(group_->next_message(source, exchanges, false), in.first, in.second);
        run->send(group_->next_message(target, exchanges, true), out.first, out.second);
    }
    if (to[own].second > 0) std::memcpy(from[own].first, to[own].first, static_cast<std::size_t>(to[own].second));
    ++sequence_;
    return submit(std::move(run), c10d::OpType::ALLTOALL, timeout, std::move(outputs), std::move(kept), false);
}

backend::work backend::message_work(const at::Tensor& data, int peer, int tag, bool sends) {
    TORCH_CHECK(peer >= 0 && peer < size_ && peer != rank_, "rank: got ", peer, ", expected another rank, 0..",
                size_ - 1);
    TORCH_CHECK(tag >= 0, "tag: got ", tag, ", expected 0 or more");
    contiguous(data, "tensors");
    auto run = std::make_shared<message_operation>(group_->link());
    run->ordered = false;
    const message_key key = group_->next_message(peer, static_cast<std::uint64_t>(tag), sends);
    if (sends) run->send(key, data_of(data), bytes_of(data));
    else run->receive(key, data_of(data), bytes_of(data));
    return submit(std::move(run), sends ? c10d::OpType::SEND : c10d::OpType::RECV, c10d::kUnsetTimeout, {data}, {},
                  false);
}
backend::work backend::send(tensors& data, int target, int tag) {
    return message_work(only(data, "tensors"), target, tag, true);
}
backend::work backend::recv(tensors& data, int source, int tag) {
    auto made = message_work(only(data, "tensors"), source, tag, false);
    static_cast<backend_work&>(*made).source = source;
    return made;
}

backend::work backend::barrier(const c10d::BarrierOptions& how) {
    return collective_work({.what = collective::barrier}, c10d::OpType::BARRIER, how.timeout, {});
}

}  // namespace examples
