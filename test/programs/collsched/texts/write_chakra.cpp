#include "examples/programs/collsched/texts/write_chakra.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "collsched/collective/allreduce/ring.hpp"

using namespace collsched;
using namespace collsched::texts;

namespace {

/// The fields of a protobuf message: numbers and texts, in order.
struct fields {
    std::multimap<std::uint64_t, std::uint64_t> numbers;
    std::multimap<std::uint64_t, std::string> texts;

    std::uint64_t number(std::uint64_t field) const {
        REQUIRE(numbers.count(field) == 1);
        return numbers.find(field)->second;
    }
};

std::uint64_t varint(const std::string& text, std::size_t& at) {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        REQUIRE(at < text.size());
        const auto byte = static_cast<unsigned char>(text[at++]);
        value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
    }
}

std::string bytes(const std::string& text, std::size_t& at) {
    const std::uint64_t size = varint(text, at);
    REQUIRE(size <= text.size() - at);
    at += size;
    return text.substr(at - size, size);
}

fields decoded(const std::string& text) {
    fields found;
    for (std::size_t at = 0; at < text.size();) {
        const std::uint64_t key = varint(text, at);
        if ((key & 7) == 0) {
            found.numbers.emplace(key >> 3, varint(text, at));
        } else {
            REQUIRE((key & 7) == 2);
            found.texts.emplace(key >> 3, bytes(text, at));
        }
    }
    return found;
}

/// The attributes of a node, each with the number of the field of its value.
std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> attributes(const fields& node) {
    std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> found;
    const auto [begin, end] = node.texts.equal_range(10);
    for (auto one = begin; one != end; ++one) {
        const fields attribute = decoded(one->second);
        REQUIRE((attribute.texts.count(1) == 1 && attribute.numbers.size() == 1));
        found[attribute.texts.find(1)->second] = *attribute.numbers.begin();
    }
    return found;
}

}  // namespace

TEST_CASE("write_chakra: every operation of a rank is a node with its attributes and dependencies") {
    const goal_program program(execution_graph(allreduce::ring{.ranks = 4, .bytes = 4000, .element = 4}),
                               {.combine_fs = 1'000'000});
    using kind = goal_program::kind;
    for (rank_t r = 0; r < 4; ++r) {
        std::string text;
        write_chakra(std::back_inserter(text), program, r);
        std::size_t at = 0;
        CHECK(decoded(bytes(text, at)).texts.count(1) == 1);
        const std::int64_t first = program.first(r);
        for (std::int64_t i = first; i < program.first(r + 1); ++i) {
            const goal_program::operation& operation = program[i];
            const fields node = decoded(bytes(text, at));
            CHECK(node.number(1) == static_cast<std::uint64_t>(i - first));
            CHECK(node.number(3) == (operation.kind == kind::calc ? 4U : operation.kind == kind::send ? 5U : 6U));
            std::vector<std::uint64_t> waits;
            for (auto [one, end] = node.numbers.equal_range(5); one != end; ++one) waits.push_back(one->second);
            REQUIRE(waits.size() == program.required(i).size());
            for (std::size_t k = 0; k < waits.size(); ++k)
                CHECK(waits[k] == static_cast<std::uint64_t>(program.required(i)[k] - first));
            const auto found = attributes(node);
            CHECK(found.at("is_cpu_op") == std::pair<std::uint64_t, std::uint64_t>(27, 0));
            if (operation.kind == kind::calc) {
                CHECK(node.number(7) == static_cast<std::uint64_t>((operation.amount + 999) / 1000));
                continue;
            }
            const bool sends = operation.kind == kind::send;
            const auto number = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
            CHECK(found.at("comm_size") == std::pair<std::uint64_t, std::uint64_t>(9, number(operation.amount)));
            CHECK(found.at("comm_src").second == number(sends ? r : operation.peer));
            CHECK(found.at("comm_dst").second == number(sends ? operation.peer : r));
            CHECK(found.at("comm_tag") == std::pair<std::uint64_t, std::uint64_t>(7, number(operation.tag)));
        }
        CHECK(at == text.size());
    }
}
