#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "collsched/execute/inline.hpp"
#include "collsched/schedule/metrics.hpp"
#include "support/neighborhoods.hpp"
#include "support/real_bytes.hpp"

namespace support {

using namespace collsched;

/// Runs x on real memory, a 64-bit number a block: input[r] is what rank r brings; the outputs, -1 where nothing was
/// written.
template <schedulable X>
std::vector<std::vector<std::int64_t>> run_numbers(const X& x, std::vector<std::vector<std::int64_t>> input) {
    std::vector<std::vector<std::int64_t>> output;
    std::vector<rank_memory> memory;
    const contract promise = lower(x).contract();
    for (rank_t r = 0; r < promise.ranks; ++r)
        output.emplace_back(static_cast<std::size_t>(promise.output_bytes(r)) / sizeof(std::int64_t), -1);
    for (std::size_t r = 0; r < input.size(); ++r)
        memory.push_back({std::as_bytes(std::span(input[r])), std::as_writable_bytes(std::span(output[r]))});
    REQUIRE(run_inline(x, memory).done());
    return output;
}

/// Runs x on bytes of which no two neighbours are alike; every byte of the result must be right, and no other be
/// touched.
template <schedulable X>
void check_bytes(const X& x) {
    const auto [bytes, memory] = filled(lower(x).contract());
    REQUIRE(run_inline(x, memory).done());
    for (auto& b : bytes) CHECK(b.wrong() == "");
}

/// Rounds, messages, transfers and bytes as the lists say them, where out-slot i of rank r has size(r, i) bytes.
template <schedulable X, class Size>
void check_slot_counts(const X& x, const neighborhood& n, Size size) {
    const metrics_report m = metrics(x);
    const auto p = static_cast<std::size_t>(m.ranks);
    std::set<std::pair<rank_t, rank_t>> pairs;
    std::int64_t transfers = 0;
    std::vector<bytes_t> sent(p), received(p), copied(p);
    std::vector<std::int64_t> copies(p);
    for (std::size_t r = 0; r < p; ++r) {
        const auto src = static_cast<rank_t>(r);
        for (rank_t i = 0; i < n.out_degree(src); ++i) {
            const rank_t dst = n.target(src, i);
            const bytes_t bytes = size(src, i);
            if (dst < 0 || bytes == 0) continue;
            if (dst == src) {
                copied[r] += bytes, ++copies[r];
                continue;
            }
            ++transfers, sent[r] += bytes, received[static_cast<std::size_t>(dst)] += bytes;
            pairs.insert({src, dst});
        }
    }
    CHECK(m.steps == 1);
    CHECK(m.rounds == (transfers > 0 ? 1 : 0));
    CHECK(m.messages == std::ssize(pairs));
    CHECK(m.transfers == transfers);
    CHECK(m.signals == 0);
    for (std::size_t r = 0; r < p; ++r) {
        const auto rank = static_cast<rank_t>(r);
        CHECK(m.bytes_sent[rank] == sent[r]);
        CHECK(m.bytes_received[rank] == received[r]);
        CHECK(m.copied_bytes[rank] == copied[r]);
        CHECK(m.copies[rank] == copies[r]);
        CHECK(m.scratch[rank] + m.staging[rank] == 0);
    }
}

}  // namespace support
