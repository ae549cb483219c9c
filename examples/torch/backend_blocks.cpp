#include "backend.hpp"
#include "tensors.hpp"

namespace examples {

backend::work backend::allgather(std::vector<tensors>& outputs, tensors& inputs, const c10d::AllgatherOptions& how) {
    const at::Tensor& input = contiguous(only(inputs, "inputs"), "inputs");
    TORCH_CHECK(outputs.size() == 1, "outputs: got ", outputs.size(), " lists, expected 1");
    check_alike(outputs[0], input, size_, "outputs");
    collective_call call{.what = collective::allgather,
                         .bytes = bytes_of(input),
                         .input = data_of(input),
                         .blocks = {{}, bytes_of(input)}};
    const bool apart = group_->is_staged(call) && are_apart(outputs[0], input);
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
    const at::Tensor flat = flat_like(output, size_);
    call.input = data_of(flat);
    call.before = [flat, from = inputs[0]] { fill_rows(flat, from); };
    return collective_work(call, c10d::OpType::SCATTER, how.timeout, outputs, {flat});
}

backend::work backend::reduce_scatter(tensors& outputs, std::vector<tensors>& inputs,
                                      const c10d::ReduceScatterOptions& how) {
    at::Tensor output = contiguous(only(outputs, "outputs"), "outputs");
    TORCH_CHECK(inputs.size() == 1, "inputs: got ", inputs.size(), " lists, expected 1");
    check_alike(inputs[0], output, size_, "inputs");
    const at::Tensor flat = flat_like(output, size_);
    return reduce_scatter_work(output, flat, how, [flat, from = inputs[0]] { fill_rows(flat, from); });
}

backend::work backend::_reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                            const c10d::ReduceScatterOptions& how) {
    contiguous(input, "input"), contiguous(output, "output");
    TORCH_CHECK(input.numel() == output.numel() * size_ && output.scalar_type() == input.scalar_type(), "input: got ",
                input.numel(), " elements, expected ", output.numel() * size_, " of the type of the output");
    return reduce_scatter_work(output, input, how, {});
}

backend::work backend::reduce_scatter_work(const at::Tensor& output, const at::Tensor& input,
                                           const c10d::ReduceScatterOptions& how, std::function<void()> before) {
    after_success after;
    if (how.reduceOp == c10d::ReduceOp::AVG) after = [output, p = size_] { at::Tensor(output).div_(p); };
    return collective_work({.what = collective::reduce_scatter,
                            .bytes = bytes_of(output),
                            .element = static_cast<bytes_t>(output.element_size()),
                            .input = data_of(input),
                            .output = data_of(output),
                            .op = reduction_for(output, how.reduceOp),
                            .values = values_of(output, how.reduceOp),
                            .before = std::move(before)},
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
    for (const auto* sizes : {&input_sizes, &output_sizes})
        for (const std::int64_t one : *sizes) TORCH_CHECK(one >= 0, "split sizes: got ", one, ", expected 0 or more");
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
    if (to[own].second > 0) run->copy(from[own].first, to[own].first, to[own].second);
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
