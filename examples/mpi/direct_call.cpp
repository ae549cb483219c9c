#include "direct_call.hpp"

#include <algorithm>
#include <cstring>

namespace collsched::preload {

namespace {

/// Leaves the cache line to its writer for some tens of cycles.
void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}  // namespace

void direct_call::prepare(const plan& steps, const plan::buffers& memory, const reduction& op) {
    out_ = in_ = {};
    combined_ = {};
    copies_used_ = 0;
    copied_bytes_ = 0;
    sent_ = {}, received_ = {};
    ready_ = steps.nodes().size() <= most_nodes;
    for (std::size_t i = 0; ready_ && i < steps.nodes().size(); ++i) ready_ = add(steps, steps.nodes()[i], memory, op);
    ready_ = ready_ && (out_.exists || in_.exists) && !uses_scratch();
}

bool direct_call::uses_scratch() const {
    const auto is_scratch = [](const local_copy& one) {
        return one.into.area == message::area::scratch || one.from.area == message::area::scratch;
    };
    return sent_.area == message::area::scratch || received_.area == message::area::scratch ||
           combined_.into.area == message::area::scratch || combined_.operand.area == message::area::scratch ||
           std::any_of(copies_.begin(), copies_.begin() + copies_used_, is_scratch);
}

/// Adds a node of the plan. Returns false if it is none that this class carries out.
bool direct_call::add(const plan& steps, const plan::node& node, const plan::buffers& memory, const reduction& op) {
    const auto first = static_cast<std::size_t>(node.first_part);
    if (node.kind == plan::kind::join) return false;
    const edge& e = steps.edge_of(node);
    if (node.kind == plan::kind::apply) {  // after its message, which is the one that it waits for
        if (node.fused_with < 0 || node.waits_for != 1) return false;
        const message::receive_part into = memory.writable({message::area_of(e.into), e.into_offset, e.size});
        const message::send_part operand = node.is_folded()
                                               ? memory.readable(node.operand)
                                               : memory.readable({message::area_of(e.into), e.into_offset, e.size});
        combined_ = {into, operand, e.action, &op};
        return true;
    }
    if (node.kind == plan::kind::local && e.action == action::copy) {
        const local_copy one{memory.writable({message::area_of(e.into), e.into_offset, e.size}),
                             memory.readable({message::area_of(e.from), e.from_offset, e.size})};
        if (node.waits_for > 0) return !steps.alias().any() && node.waits_for == 1 && combine_into(one);
        copies_[copies_used_++] = one;
        copied_bytes_ += one.into.size;
        return true;
    }
    if (node.waits_for != 0 || node.kind == plan::kind::local) return false;
    const bool is_send = node.kind == plan::kind::send;
    message_end& one = is_send ? out_ : in_;
    if (one.exists || node.parts > 1) return false;
    one = {true, node.parts == 1, steps.peer_of(node), node.sequence};
    if (!one.has_bytes) return node.fused_with < 0;
    if (is_send) sent_ = memory.readable(steps.sent()[first]);
    else if (node.fused_with < 0) received_ = memory.writable(steps.received()[first]);
    return true;
}

/// Combines where the result of the combination is copied to. Returns false if it is not what is copied. In separate
/// buffers nothing else reads or writes there before.
bool direct_call::combine_into(const local_copy& result) {
    message::receive_part& into = combined_.into;
    if (combined_.op == nullptr || into.area != result.from.area || into.offset != result.from.offset ||
        into.size != result.from.size || combined_.operand.area == into.area)
        return false;
    into = result.into;
    return true;
}

void direct_call::begin(call_transport& over) {
    in_flight_ = 0;
    error_ = 0;
    if (out_.exists) note(over.post_send(key_of(out_), {&sent_, out_.has_bytes ? 1U : 0U}));
    copied_ = false;
    if (copied_bytes_ < node_transport::single_copy_from) copy();  // longer ones follow a message that is there already
    if (in_.exists && error_ == 0) receive(over);
}

void direct_call::copy() {
    for (std::size_t i = 0; i < copies_used_; ++i)
        std::memcpy(copies_[i].into.data, copies_[i].from.data, static_cast<std::size_t>(copies_[i].into.size));
    copied_ = true;
}

/// Takes the message if it is the next one of its sender soon, and posts a receive otherwise.
void direct_call::receive(call_transport& over) {
    constexpr bytes_t most_awaited = 4096;
    const message::key key = key_of(in_);
    const std::span<const message::receive_part> parts(&received_, in_.has_bytes ? 1U : 0U);
    const bool combines = combined_.op != nullptr;
    const bool is_awaited = (combines ? combined_.into.size : total_bytes(parts)) <= most_awaited;
    const int polls = !is_awaited ? 0 : is_crowded() ? 1 : 200;
    for (int i = 0; i < polls; ++i) {
        if (combines ? over.take_next(key, combined_) : over.take_next(key, parts)) return;
        relax();
    }
    note(combines ? over.post_recv_combine(key, combined_) : over.post_recv(key, parts));
}

}  // namespace collsched::preload
