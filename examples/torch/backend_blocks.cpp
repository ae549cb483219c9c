#include "backend.hpp"

namespace examples {

namespace {

/// The memory that an operation writes for an output: the output itself, or memory of its own where the output overlaps
/// an input. The input is then complete until the operation ends.
class target {
  public:
    target(const at::Tensor& output, bool apart) : output_(output), memory_(apart ? output : at::empty_like(output)) {}
    const at::Tensor& memory() const { return memory_; }
    /// Returns the function that copies the result to the output; empty if it is there.
    std::function<void()> completion() const {
        if (memory_.is_same(output_)) return {};
        return [output = output_, memory = memory_] { output.copy_(memory); };
    }

  private:
    at::Tensor output_, memory_;
};

}  // namespace

backend::work backend::allgather(std::vector<tensors>& outputs, tensors& inputs, const c10d::AllgatherOptions& how) {
    const at::Tensor& input = contiguous(only(inputs, "inputs"), "inputs");
    const tensors& into = alike(outputs, input, size_, "outputs");
    check_apart(into, "outputs");
    tensor_call call{{.collective = collective::allgather, .bytes = bytes_of(input), .input = memory_of(input)},
                     {{}, bytes_of(input)}};
    work_options options{.type = c10d::OpType::ALLGATHER, .timeout = how.timeout, .outputs = into, .kept = {input}};
    const bool ordered = std::ranges::all_of(into, [](const at::Tensor& one) { return one.is_contiguous(); });
    if (ordered && group()->is_staged(call) && !may_overlap(into, inputs)) {
        for (const at::Tensor& one : into) call.apart.first.push_back(data_of(one));
        call.output = {call.apart.first[0], static_cast<std::size_t>(bytes_of(input))};
        return collective_work(call, std::move(options));
    }
    const at::Tensor flat = flat_like(input, size_);
    call.output = memory_of(flat);
    options.after = [flat, into] { copy_rows(flat, into); };
    return collective_work(call, std::move(options));
}

backend::work backend::_allgather_base(at::Tensor& output, at::Tensor& input, const c10d::AllgatherOptions& how) {
    check_type(contiguous(output, "output"), contiguous(input, "input"), "output");
    TORCH_CHECK(output.numel() == input.numel() * size_, "output: got ", output.numel(), " elements, expected ",
                input.numel() * size_);
    const bool in_place = data_of(output) + rank_ * bytes_of(input) == data_of(input);
    const target into(output, in_place || !may_overlap({output}, {input}));
    return collective_work({{.collective = collective::allgather,
                             .binding = in_place ? binding::in_place : binding::separate,
                             .bytes = bytes_of(input),
                             .input = memory_of(input),
                             .output = memory_of(into.memory())}},
                           {.type = c10d::OpType::_ALLGATHER_BASE,
                            .timeout = how.timeout,
                            .outputs = {output},
                            .kept = {input},
                            .after = into.completion()});
}

backend::work backend::gather(std::vector<tensors>& outputs, tensors& inputs, const c10d::GatherOptions& how) {
    const at::Tensor& input = contiguous(only(inputs, "inputs"), "inputs");
    check_root(how.rootRank, size_);
    tensor_call call{
        {.collective = collective::gather, .root = how.rootRank, .bytes = bytes_of(input), .input = memory_of(input)}};
    work_options options{.type = c10d::OpType::GATHER, .timeout = how.timeout, .kept = {input}};
    if (how.rootRank != rank_) {
        TORCH_CHECK(outputs.empty(), "outputs: got ", outputs.size(), " lists, expected 0 on this rank");
        return collective_work(call, std::move(options));
    }
    options.outputs = alike(outputs, input, size_, "outputs");
    check_apart(options.outputs, "outputs");
    const at::Tensor flat = flat_like(input, size_);
    call.output = memory_of(flat);
    options.after = [flat, into = options.outputs] { copy_rows(flat, into); };
    return collective_work(call, std::move(options));
}

backend::work backend::scatter(tensors& outputs, std::vector<tensors>& inputs, const c10d::ScatterOptions& how) {
    const at::Tensor& output = contiguous(only(outputs, "outputs"), "outputs");
    check_root(how.rootRank, size_);
    tensor_call call{{.collective = collective::scatter,
                      .root = how.rootRank,
                      .bytes = bytes_of(output),
                      .output = memory_of(output)}};
    work_options options{.type = c10d::OpType::SCATTER, .timeout = how.timeout, .outputs = outputs};
    if (how.rootRank != rank_) {
        TORCH_CHECK(inputs.empty(), "inputs: got ", inputs.size(), " lists, expected 0 on this rank");
        return collective_work(call, std::move(options));
    }
    const tensors& from = alike(inputs, output, size_, "inputs");
    const at::Tensor flat = flat_like(output, size_);
    call.input = memory_of(flat);
    options.before = [flat, from] { fill_rows(flat, from); };
    return collective_work(call, std::move(options));
}

backend::work backend::reduce_scatter(tensors& outputs, std::vector<tensors>& inputs,
                                      const c10d::ReduceScatterOptions& how) {
    const at::Tensor& output = contiguous(only(outputs, "outputs"), "outputs");
    const tensors& from = alike(inputs, output, size_, "inputs");
    const at::Tensor flat = flat_like(output, size_);
    return reduce_scatter_work(output, flat, how.reduceOp,
                               {.type = c10d::OpType::REDUCE_SCATTER, .timeout = how.timeout, .before = [flat, from] {
                                    fill_rows(flat, from);
                                }});
}

backend::work backend::_reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                            const c10d::ReduceScatterOptions& how) {
    check_type(contiguous(input, "input"), contiguous(output, "output"), "input");
    TORCH_CHECK(input.numel() == output.numel() * size_, "input: got ", input.numel(), " elements, expected ",
                output.numel() * size_);
    return reduce_scatter_work(output, input, how.reduceOp,
                               {.type = c10d::OpType::_REDUCE_SCATTER_BASE, .timeout = how.timeout});
}

backend::work backend::reduce_scatter_work(const at::Tensor& output, const at::Tensor& input, const c10d::ReduceOp& op,
                                           work_options options) {
    const target into(output, !may_overlap({output}, {input}));
    options.outputs = {output}, options.kept = {input};
    options.after = into.completion();
    return reduction_work({{.collective = collective::reduce_scatter,
                            .bytes = bytes_of(output),
                            .input = memory_of(input),
                            .output = memory_of(into.memory())}},
                          into.memory(), op, std::move(options));
}

backend::work backend::alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<std::int64_t>& output_sizes,
                                     std::vector<std::int64_t>& input_sizes, const c10d::AllToAllOptions& how) {
    check_type(contiguous(output, "output"), contiguous(input, "input"), "output");
    check_split(input, input_sizes, size_, "input");
    check_split(output, output_sizes, size_, "output");
    const target into(output, !may_overlap({output}, {input}));
    work_options options{.type = c10d::OpType::ALLTOALL_BASE,
                         .timeout = how.timeout,
                         .outputs = {output},
                         .kept = {input},
                         .after = into.completion()};
    if (output_sizes.empty() && input_sizes.empty()) {
        TORCH_CHECK(input.numel() == output.numel(), "input: got ", input.numel(), " elements, expected ",
                    output.numel(), " as the output");
        return collective_work({{.collective = collective::alltoall,
                                 .bytes = bytes_of(input) / size_,
                                 .input = memory_of(input),
                                 .output = memory_of(into.memory())}},
                               std::move(options));
    }
    const auto divide = [this](const at::Tensor& one, const std::vector<std::int64_t>& sizes) {
        const bytes_t row = one.size(0) == 0 ? 0 : bytes_of(one) / one.size(0);
        parts all;
        std::byte* at = data_of(one);
        for (int r = 0; r < size_; ++r) {
            const bytes_t bytes = row * (sizes.empty() ? one.size(0) / size_ : sizes[static_cast<std::size_t>(r)]);
            all.emplace_back(at, bytes);
            at += bytes;
        }
        return all;
    };
    return exchange(divide(input, input_sizes), divide(into.memory(), output_sizes), std::move(options));
}

backend::work backend::alltoall(tensors& outputs, tensors& inputs, const c10d::AllToAllOptions& how) {
    const auto check = [&](const tensors& all, const char* name) {
        TORCH_CHECK(static_cast<int>(all.size()) == size_, name, ": got ", all.size(), " tensors, expected ", size_);
        for (const at::Tensor& one : all) check_type(contiguous(one, name), inputs[0], name);
    };
    check(inputs, "inputs"), check(outputs, "outputs");
    check_apart(outputs, "outputs");
    const bool apart = !may_overlap(outputs, inputs);
    parts to, from;
    std::vector<target> into;
    for (const at::Tensor& one : inputs) to.emplace_back(data_of(one), bytes_of(one));
    for (const at::Tensor& one : outputs) {
        into.emplace_back(one, apart);
        from.emplace_back(data_of(into.back().memory()), bytes_of(one));
    }
    return exchange(
        to, from,
        {.type = c10d::OpType::ALLTOALL, .timeout = how.timeout, .outputs = outputs, .kept = inputs, .after = [into] {
             for (const target& one : into)
                 if (const auto complete = one.completion()) complete();
         }});
}

backend::work backend::exchange(const parts& to, const parts& from, work_options options) {
    constexpr std::uint64_t exchanges = std::uint64_t{1} << 36;
    const auto own = static_cast<std::size_t>(rank_);
    TORCH_CHECK(to[own].second == from[own].second, "input: got ", to[own].second, " bytes for the own rank, expected ",
                from[own].second, " as in the output");
    const std::shared_ptr<rank_group> group = this->group();
    auto run = std::make_shared<message_operation>(group->link());
    for (int i = 1; i < size_; ++i) {
        const int target = (rank_ + i) % size_, source = (rank_ - i + size_) % size_;
        const auto& out = to[static_cast<std::size_t>(target)];
        const auto& in = from[static_cast<std::size_t>(source)];
        run->receive(group->next_message(source, exchanges, false), in.first, in.second);
        run->send(group->next_message(target, exchanges, true), out.first, out.second);
    }
    if (to[own].second > 0) run->copy(from[own].first, to[own].first, to[own].second);
    ++sequence_;
    return submit(group, std::move(run), std::move(options), false);
}

backend::work backend::message_work(const at::Tensor& data, int peer, int tag, bool sends) {
    TORCH_CHECK(peer >= 0 && peer < size_ && peer != rank_, "rank: got ", peer, ", expected another rank, 0..",
                size_ - 1);
    TORCH_CHECK(tag >= 0, "tag: got ", tag, ", expected 0 or more");
    contiguous(data, "tensors");
    const std::shared_ptr<rank_group> group = this->group();
    auto run = std::make_shared<message_operation>(group->link());
    run->ordered = false;
    const message::key key = group->next_message(peer, static_cast<std::uint64_t>(tag), sends);
    if (sends) run->send(key, data_of(data), bytes_of(data));
    else run->receive(key, data_of(data), bytes_of(data));
    return submit(
        group, std::move(run),
        {.type = sends ? c10d::OpType::SEND : c10d::OpType::RECV, .timeout = c10d::kUnsetTimeout, .outputs = {data}},
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
    return collective_work({{.collective = collective::barrier}},
                           {.type = c10d::OpType::BARRIER, .timeout = how.timeout});
}

}  // namespace examples
