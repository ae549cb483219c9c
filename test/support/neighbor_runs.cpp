#include "support/neighbor_runs.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <set>
#include <span>
#include <utility>

#include "collsched/execute/inline.hpp"
#include "support/real_bytes.hpp"
#include "support/verified.hpp"

namespace support {

std::vector<std::vector<std::int64_t>> run_numbers(const some_schedule& x,
                                                   std::vector<std::vector<std::int64_t>> input) {
    std::vector<std::vector<std::int64_t>> output;
    std::vector<rank_memory> memory;
    const contract contract = x.contract();
    for (rank_t r = 0; r < contract.ranks; ++r)
        output.emplace_back(static_cast<std::size_t>(contract.output_bytes(r)) / sizeof(std::int64_t), -1);
    for (std::size_t r = 0; r < input.size(); ++r)
        memory.push_back({std::as_bytes(std::span(input[r])), std::as_writable_bytes(std::span(output[r]))});
    REQUIRE(run_inline(x, memory).done());
    return output;
}

void check_bytes(const some_schedule& x) {
    const auto [bytes, memory] = filled(x.contract());
    REQUIRE(run_inline(x, memory).done());
    for (auto& b : bytes) CHECK(b.wrong() == "");
}

void check_slot_counts(const some_schedule& x, const neighborhood& n, const slot_size& size) {
    const metrics_report m = measured(x);
    const auto p = static_cast<std::size_t>(m.ranks);
    std::set<std::pair<rank_t, rank_t>> pairs;
    std::int64_t transfers = 0;
    bool joined = false;
    std::vector<bytes_t> sent(p), received(p), copied(p);
    std::vector<std::int64_t> copies(p);
    for (std::size_t r = 0; r < p; ++r) {
        const auto src = static_cast<rank_t>(r);
        for (rank_t i = 0; i < n.out_degree(src); ++i) {
            const rank_t dst = n.target(src, i);
            const bytes_t bytes = size(src, i);
            joined = joined || dst >= 0;
            if (dst < 0 || bytes == 0) continue;
            if (dst == src) {
                copied[r] += bytes, ++copies[r];
                continue;
            }
            ++transfers, sent[r] += bytes, received[static_cast<std::size_t>(dst)] += bytes;
            pairs.insert({src, dst});
        }
    }
    CHECK(m.steps == (joined ? 1 : 0));
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
