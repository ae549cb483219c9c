#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "collsched/simulate/goal_program.hpp"

namespace collsched::texts {

/// A message of protobuf's wire format under construction. Fields are numbered 1 .. 2^28.
class protobuf_message {
  public:
    /// Appends a field of type int32, int64, uint64, bool or an enumeration.
    void number(std::uint32_t field, std::int64_t value) {
        varint(std::uint64_t{field} << 3);
        varint(static_cast<std::uint64_t>(value));
    }
    /// Appends a field of type string, or a message.
    void bytes(std::uint32_t field, std::string_view value) {
        varint(std::uint64_t{field} << 3 | 2);
        varint(value.size());
        text_ += value;
    }
    /// Appends a number as a varint, without a field.
    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) text_ += static_cast<char>(value | 0x80);
        text_ += static_cast<char>(value);
    }
    const std::string& text() const { return text_; }

  private:
    std::string text_;
};

/// The nodes of a Chakra execution trace. The schema is et_def.proto of MLCommons Chakra.
class chakra_node {
  public:
    enum class type : std::uint8_t { compute = 4, send = 5, receive = 6 };

    chakra_node(std::int64_t id, std::string_view name, type kind) {
        node_.number(1, id);
        node_.bytes(2, name);
        node_.number(3, static_cast<std::int64_t>(kind));
    }
    void depends_on(std::int64_t id) { node_.number(5, id); }
    void duration(std::int64_t microseconds) { node_.number(7, microseconds); }
    void attribute(std::string_view name, std::uint32_t field, std::int64_t value) {
        protobuf_message message;
        message.bytes(1, name);
        message.number(field, value);
        node_.bytes(10, message.text());
    }
    const std::string& text() const { return node_.text(); }

    static constexpr std::uint32_t int32_value = 7, int64_value = 9, bool_value = 27;

  private:
    protobuf_message node_;
};

inline chakra_node chakra_node_of(const goal_program& program, std::int64_t i) {
    using kind = goal_program::kind;
    const goal_program::operation& operation = program[i];
    const bool sends = operation.kind == kind::send, computes = operation.kind == kind::calc;
    chakra_node node(i - program.first(operation.rank),
                     computes ? "calc"
                     : sends  ? "send"
                              : "recv",
                     computes ? chakra_node::type::compute
                     : sends  ? chakra_node::type::send
                              : chakra_node::type::receive);
    for (const std::int64_t before : program.required(i)) node.depends_on(before - program.first(operation.rank));
    if (computes) node.duration((operation.amount + 999) / 1000);
    node.attribute("is_cpu_op", chakra_node::bool_value, 0);
    if (computes) return node;
    node.attribute("comm_size", chakra_node::int64_value, operation.amount);
    node.attribute("comm_src", chakra_node::int32_value, sends ? operation.rank : operation.peer);
    node.attribute("comm_dst", chakra_node::int32_value, sends ? operation.peer : operation.rank);
    node.attribute("comm_tag", chakra_node::int32_value, operation.tag);
    return node;
}

/// Writes the operations of one rank as a Chakra execution trace, the file PREFIX.RANK.et of a custom collective of
/// ASTRA-sim. Node ids are the places of the operations of the rank. A calculation becomes a COMP_NODE whose duration
/// is rounded up to microseconds. Dependencies are data dependencies.
/// Source: et_def.proto of MLCommons Chakra.
/// @param out      output iterator for bytes
/// @param program  a GOAL program with less than 2^31 ranks, and messages per pair
/// @param rank     0 .. ranks-1
/// @return the iterator behind the bytes
template <std::output_iterator<char> Out>
Out write_chakra(Out out, const goal_program& program, rank_t rank) {
    const auto put = [&out](const std::string& message) {
        protobuf_message length;
        length.varint(message.size());
        for (const std::string& text : {length.text(), message})
            for (const char byte : text) *out++ = byte;
    };
    protobuf_message metadata;
    metadata.bytes(1, "0.0.4");
    put(metadata.text());
    for (std::int64_t i = program.first(rank); i < program.first(rank + 1); ++i) put(chakra_node_of(program, i).text());
    return out;
}

}  // namespace collsched::texts
