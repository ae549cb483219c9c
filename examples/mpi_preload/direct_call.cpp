#include "direct_call.hpp"

#include <cstring>

namespace collsched::preload {

void direct_call::prepare(const plan& steps, const bound_buffers& memory, const reduction& op) {
    out_ = in_ = {};
    combined_ = {};
    copies_used_ = 0;
    ready_ = steps.nodes().size() <= most_nodes && steps.scratch_bytes() == 0;
    for (std::size_t i = 0; ready_ && i < steps.nodes().size(); ++i) ready_ = add(steps, steps.nodes()[i], memory, op);
    ready_ = ready_ && (out_.exists || in_.exists);
}

/// Adds a node of the plan. Returns false if it is none that this class carries out.
bool direct_call::add(const plan& steps, const plan::node& node, const bound_buffers& memory, const reduction& op) {
    const auto first = static_cast<std::size_t>(node.first_part);
    if (node.kind == plan::kind::join) return false;
    const edge& e = steps.edge_of(node);
    if (node.kind == plan::kind::apply) {  // after its message, which is the one that it waits for
        if (node.fused_with < 0 || node.waits_for != 1) return false;
        const collsched::detail::memory_range into{area_of(e.into), e.into_offset, e.size};
        combined_ = {memory.writable(into), memory.readable(node.is_folded() ? node.operand : into), e.action, &op};
        return true;
    }
    if (node.waits_for != 0) return false;
    if (node.kind == plan::kind::local) {
        if (e.action != action::copy) return false;
        copies_[copies_used_++] = {memory.writable({area_of(e.into), e.into_offset, e.size}),
                                   memory.readable({area_of(e.from), e.from_offset, e.size})};
        return true;
    }
    const bool is_send = node.kind == plan::kind::send;
    message& one = is_send ? out_ : in_;
    if (one.exists || node.parts > 1) return false;
    one = {true, node.parts == 1, steps.peer_of(node), node.sequence};
    if (!one.has_bytes) return node.fused_with < 0;
    if (is_send) sent_ = memory.readable(steps.sent()[first]);
    else if (node.fused_with < 0) received_ = memory.writable(steps.received()[first]);
    return true;
}

void direct_call::begin(route& over) {
    in_flight_ = 0;
    error_ = MPI_SUCCESS;
    if (out_.exists) note(over.post_send(key_of(out_), {&sent_, out_.has_bytes ? 1U : 0U}));
    for (std::size_t i = 0; i < copies_used_; ++i)
        std::memcpy(copies_[i].into.data, copies_[i].from.data, static_cast<std::size_t>(copies_[i].into.size));
    if (in_.exists && error_ == MPI_SUCCESS) receive(over);
}

/// Takes the message if it is the next one of its sender soon, and posts a receive otherwise.
void direct_call::receive(route& over) {
    constexpr bytes_t most_awaited = 4096;
    const message_key key = key_of(in_);
    const std::span<const receive_part> parts(&received_, in_.has_bytes ? 1U : 0U);
    const bool combines = combined_.op != nullptr;
    const int polls = (combines ? combined_.into.size : total_bytes(parts)) <= most_awaited ? 200 : 0;
    for (int i = 0; i < polls; ++i)
        if (combines ? over.take_next(key, combined_) : over.take_next(key, parts)) return;
    note(combines ? over.post_recv_combine(key, combined_) : over.post_recv(key, parts));
}

}  // namespace collsched::preload
