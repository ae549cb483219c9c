#include "collsched/format/detail/block_trace.hpp"

#include <doctest/doctest.h>

#include "collsched/schedule/metrics.hpp"
#include "support/layouts.hpp"
#include "support/registry.hpp"

using namespace collsched;
using namespace collsched::detail;

TEST_CASE("message_trace: messages are the edges of one step between one pair, and carry all their blocks") {
    for (rank_t p = 1; p <= 9; ++p)
        for (const auto& [name, blocks] : support::layouts(p))
            for (const algorithm_entry& entry : support::registered_at(p)) {
                CAPTURE(p);
                CAPTURE(name);
                CAPTURE(entry.info.name);
                const stored_schedule s = materialize(entry.make({.ranks = p, .block = blocks}));
                if (!traces_blocks(s.contract())) continue;
                const traced_blocks traced(s.contract());
                std::int64_t messages = 0;
                std::size_t edges = 0;
                for (const traced_message& m : trace_messages(s)) {
                    messages += m.is_local() ? 0 : 1;
                    bytes_t bytes = 0, carried = 0, of_blocks = 0;
                    for (const edge& e : m.edges) {
                        CHECK(&e == &s.edges()[edges++]);
                        CHECK((e.step == m.step && e.src == m.src && e.dst == m.dst));
                        bytes += e.size;
                    }
                    for (const block_part& part : m.parts) carried += part.bytes.size;
                    for (const rank_t block : m.whole_blocks) of_blocks += traced.count(block);
                    CHECK(bytes == m.bytes);
                    CHECK(carried == m.bytes);
                    CHECK(of_blocks == m.bytes);
                }
                CHECK(edges == s.edges().size());
                CHECK(messages == metrics(s).messages);
            }
}
