#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "collsched/verify.hpp"
#include "support/brief.hpp"
#include "support/oracle.hpp"
#include "support/samples.hpp"

using namespace collsched;

namespace {

struct mutant {
    std::string kind;
    std::vector<edge> edges;
    edge changed{};  // before its mutation
};

/// Every mutation of one edge: without it, with an offset shifted by a byte, with another rank or another step.
std::vector<mutant> mutants(const stored_schedule& s) {
    const std::vector<edge> all(s.edges().begin(), s.edges().end());
    std::vector<mutant> made;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto with = [&](const char* kind, auto change) {
            made.push_back({kind, all, all[i]});
            change(made.back().edges[i]);
        };
        made.push_back({"dropped", all, all[i]});
        made.back().edges.erase(made.back().edges.begin() + static_cast<std::ptrdiff_t>(i));
        for (const bytes_t shift : {-1, 1}) {
            with("shifted", [&](edge& e) { e.from_offset += shift; });
            with("shifted", [&](edge& e) { e.into_offset += shift; });
        }
        for (rank_t other = 0; other < s.ranks; ++other) {
            if (other != all[i].src) with("another source", [&](edge& e) { e.src = other; });
            if (other != all[i].dst) with("another target", [&](edge& e) { e.dst = other; });
        }
        for (step_t other = 0; other < s.steps(); ++other)
            if (other != all[i].step) with("another step", [&](edge& e) { e.step = other; });
    }
    return made;
}

}  // namespace

TEST_CASE(
    "mutations: verify and a byte-by-byte replay agree on single-edge mutations at p = 6, in long runs on every one") {
    const std::size_t of = support::long_run() ? 1 : support::brief() ? 64 : 8;
    int tried = 0, harmless = 0;
    std::size_t seen = 0;
    for (const auto& [name, schedule] : support::samples(6, 2))
        for (const binding how : support::bindings(schedule.contract())) {
            const stored_schedule s = materialize(schedule);
            if (s.contract().collective == collective::barrier) continue;  // no bytes to replay
            if (s.contract().input_bytes(3) > 100 || s.contract().output_bytes(3) > 100) continue;  // byte by byte
            REQUIRE(verify(s, how).ok());
            REQUIRE(support::replays(s, how));
            for (const mutant& m : mutants(s)) {
                if (seen++ % of != 0) continue;
                const stored_schedule spoilt = support::with_edges(s, m.edges);
                const verdict found = verify(spoilt, how);
                ++tried;
                harmless += found.ok() ? 1 : 0;
                INFO(name, " ", m.kind, " ", name_of(found.finding));
                REQUIRE(found.ok() == support::replays(spoilt, how));
                // In place a block is already at the target of its local copy, so a changed copy may be harmless. Sums are
                // stored where they are made and where they are read, and a block of scratch memory may have been
                // copied within it, so that a shifted edge may find the same byte.
                const bool may_find_a_copy = reduces(s.contract().collective) || m.changed.from == buffer::scratch;
                const bool hurts =
                    m.changed.size > 0 && (m.kind == "dropped" || (m.kind == "shifted" && !may_find_a_copy));
                if (hurts && how == binding::separate) REQUIRE(!found.ok());
            }
        }
    MESSAGE(tried, " mutations; ", harmless, " leave the schedule right");
    CHECK(tried > 80'000 / static_cast<int>(of));
}
