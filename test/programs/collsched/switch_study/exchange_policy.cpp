#include "examples/programs/collsched/switch_study/exchange_policy.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "examples/programs/collsched/switch_study/conflict_policies.hpp"
#include "examples/programs/collsched/switch_study/exchange_policies.hpp"
#include "examples/programs/collsched/switch_study/switch_contention.hpp"

using namespace collsched;
using namespace collsched::switch_study;

static_assert(exchange_policy<all_at_once>);
static_assert(exchange_policy<shifted_exchange>);
static_assert(exchange_policy<grouped_exchange>);
static_assert(exchange_policy<priority_exchange>);
static_assert(exchange_policy<random_delay_exchange>);
static_assert(!exchange_policy<int>);
static_assert(!exchange_policy<exchange_rule>);

namespace {

enum class event { begin, completed, received, lost, woken, decide };
struct line {
    event kind;
    picoseconds time;
    rank_t i, j;
    bool operator==(const line&) const = default;
};

/// Sends all bytes and records its notifications.
struct recorder {
    std::vector<line>* lines;

    struct recording : exchange_rule {
        explicit recording(std::vector<line>* to) : lines(to) {}
        std::vector<line>* lines;

        template <class Links>
        void begin(Links& links) {
            note(links, event::begin, 0, 0);
            for (rank_t i = 0; i < links.ranks(); ++i)
                for (rank_t j = 0; j < links.ranks(); ++j) links.open(i, j);
            links.wake(2, 1, 3);
            links.decide();
            links.decide();
        }
        template <class Links>
        void completed(Links& links, rank_t i, rank_t j) {
            note(links, event::completed, i, j);
            CHECK(links.finished(i, j));
        }
        template <class Links>
        void received(Links& links, rank_t i, rank_t j) {
            note(links, event::received, i, j);
            CHECK_FALSE(links.finished(i, j));
        }
        template <class Links>
        void lost(Links& links, rank_t i, rank_t j) {
            note(links, event::lost, i, j);
        }
        template <class Links>
        void woken(Links& links, rank_t i, rank_t j) {
            note(links, event::woken, i, j);
            links.decide();
        }
        template <class Links>
        void decide(Links& links) {
            note(links, event::decide, 0, 0);
        }

      private:
        template <class Links>
        void note(Links& links, event kind, rank_t i, rank_t j) {
            lines->push_back({kind, links.now(), i, j});
        }
    };

    argument_error check(rank_t) const { return {}; }
    recording rule(const block_matrix&, rank_t) const { return recording(lines); }
};

}  // namespace

TEST_CASE("exchange_policy: a policy is notified of each event when it happens") {
    // 1 ps per byte; ranks 1 and 2 send 10 bytes to rank 0, whose buffer holds one packet of 10
    constexpr switch_network network{.send_byte_fs = 1'000,
                                     .receive_byte_fs = 1'000,
                                     .latency_ps = 5,
                                     .packet = 10,
                                     .buffer = 10,
                                     .window = 1,
                                     .timeout_ps = 100,
                                     .timeout_limit_ps = 100};
    const std::vector<bytes_t> counts{0, 0, 0, 10, 0, 0, 10, 0, 0};
    std::vector<line> lines;
    CHECK(simulate_exchange(block_matrix(counts), 3, network, recorder{&lines}).completion == 140);
    CHECK(lines == std::vector<line>{{event::begin, 0, 0, 0},
                                     {event::decide, 0, 0, 0},
                                     {event::woken, 3, 2, 1},
                                     {event::decide, 3, 0, 0},
                                     {event::received, 25, 1, 0},
                                     {event::completed, 30, 1, 0},
                                     {event::lost, 110, 2, 0},
                                     {event::received, 135, 2, 0},
                                     {event::completed, 140, 2, 0}});
}
