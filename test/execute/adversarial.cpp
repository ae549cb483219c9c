// Executions over networks that do their worst: all guarantees hold for every behavior that a transport may have, and
// where it breaks its contract every rank ends and reports the place.

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collsched/execute/mock_network/mock_run.hpp"
#include "support/brief.hpp"
#include "support/layouts.hpp"
#include "support/real_bytes.hpp"
#include "support/registry.hpp"
#include "support/samples.hpp"

using namespace collsched;
using support::random_source;
using support::sample;

namespace {

/// Notes what a rank has under way.
class witness {
  public:
    explicit witness(mock_network::endpoint inner) : inner_(inner) {}

    int post_send(const message::key& key, std::span<const message::send_part> parts) {
        return noted(key, inner_.post_send(key, parts));
    }
    int post_recv(const message::key& key, std::span<const message::receive_part> parts) {
        return noted(key, inner_.post_recv(key, parts));
    }
    completion poll() { return noted(inner_.poll()); }
    completion wait_any(std::chrono::nanoseconds timeout) { return noted(inner_.wait_any(timeout)); }
    void cancel(const void* owner) { inner_.cancel(owner); }

    std::set<std::int64_t> under_way;  ///< tokens in program order; as it was when the execution failed
    std::int64_t failed = -1;          ///< the token of the last message with an error

  private:
    int noted(const message::key& key, int error) {
        if (error == already_complete) return error;
        under_way.insert(key.request.node);
        if (error != 0) failed = key.request.node;
        return error;
    }
    completion noted(const completion& c) {
        if (c.request.owner == nullptr) return c;
        if (c.error != 0) failed = c.request.node;
        under_way.erase(c.request.node);
        return c;
    }

    mock_network::endpoint inner_;
};

/// A witness that combines messages when it reports them.
class combining_witness : public witness {
  public:
    using witness::witness;

    int post_recv_combine(const message::key& key, const message::combined_part& part) {
        held& message = held_[{key.request.owner, key.request.node}];
        message.part = part;
        message.bytes.resize(static_cast<std::size_t>(part.into.size));
        message.into = {message.bytes.data(), part.into.size};
        const int error = post_recv(key, {&message.into, 1});
        if (error != 0) combine(key.request, error == already_complete);
        return error;
    }
    completion poll() { return combined(witness::poll()); }
    completion wait_any(std::chrono::nanoseconds timeout) { return combined(witness::wait_any(timeout)); }

    void cancel(const void* owner) {
        witness::cancel(owner);
        std::erase_if(held_, [&](const auto& message) { return message.first.first == owner; });
    }

    static inline int combinations = 0;

  private:
    struct held {
        message::combined_part part;
        std::vector<std::byte> bytes;
        message::receive_part into;
    };

    completion combined(const completion& c) {
        if (c.request.owner != nullptr) combine(c.request, c.error == 0);
        return c;
    }
    void combine(const message::request& request, bool arrived) {
        const auto found = held_.find({request.owner, request.node});
        if (found == held_.end()) return;
        if (arrived) found->second.part.combine(found->second.bytes.data());
        combinations += arrived ? 1 : 0;
        held_.erase(found);
    }

    // For all ends: each reports completions of every execution of its rank.
    static inline std::map<std::pair<const void*, std::int64_t>, held> held_;
};

/// A combining witness whose sends are complete as they are posted, but for every `late`th of each end.
class buffering_witness : public combining_witness {
  public:
    using combining_witness::combining_witness;

    int post_send(const message::key& key, std::span<const message::send_part> parts) {
        if (late > 0 && ++posts_ % late == 0) return combining_witness::post_send(key, parts);
        copy& kept = copies_[++number_];
        for (const message::send_part& part : parts)
            kept.bytes.insert(kept.bytes.end(), part.data, part.data + part.size);
        kept.part = {kept.bytes.data(), std::ssize(kept.bytes)};
        message::key own = key;
        own.request = {this, number_};
        const int error = combining_witness::post_send(own, {&kept.part, parts.empty() ? std::size_t{0} : 1});
        return error > 0 ? error : already_complete;
    }
    completion poll() {
        for (;;) {
            const completion c = combining_witness::poll();
            if (c.request.owner != this) return c;
            copies_.erase(c.request.node);
        }
    }
    message::buffered_sends buffered() const { return {1 << 20, 1 << 20}; }

    static inline int late = 0;  // 0: none

  private:
    struct copy {
        std::vector<std::byte> bytes;
        message::send_part part;
    };
    std::map<std::int64_t, copy> copies_;
    std::int64_t number_ = 0;
    int posts_ = 0;
};

/// All ranks of a schedule, with memory of their own.
template <class End>
struct crew_over {
    crew_over(mock_network& network, const any_schedule& x, binding how, execution_options options = {},
              bytes_t staging_limit = detail::default_staging)
        : op(support::operation(x.contract())) {
        for (rank_t r = 0; r < x.ranks; ++r) {
            bytes.emplace_back(x.contract(), r, how);
            plans.emplace_back(plan(x, r, how, {}, staging_limit), bytes.back().memory());
            ends.emplace_back(network.at(r));
            runs.emplace_back(plans.back().plan(), ends.back(), options);
            all.push_back(&runs.back());
        }
    }
    void start(std::size_t r, int round = 0) {
        bytes[r].refill(round);
        runs[r].start(plans[r].buffers(), op);
    }
    void start() {
        for (std::size_t r = 0; r < runs.size(); ++r) start(r);
    }
    /// Empty if all ranks are done and their bytes right, else what is wrong first.
    std::string wrong() const {
        for (std::size_t r = 0; r < runs.size(); ++r) {
            const run_status& end = runs[r].state();
            if (!end.done())
                return "error " + std::to_string(end.error) + " in step " + std::to_string(end.step) + " of rank " +
                       std::to_string(r) + " with " + std::to_string(end.peer);
            if (const std::string fault = bytes[r].wrong(); !fault.empty()) return fault;
        }
        return "";
    }

    reduction op;
    std::deque<support::real_bytes> bytes;
    std::deque<bound_plan> plans;
    std::deque<End> ends;
    std::deque<execution<End>> runs;
    std::vector<execution<End>*> all;
};
using crew = crew_over<witness>;

binding any_binding(const any_schedule& x, random_source& random) {
    const std::vector<binding> able = support::bindings(x.contract());
    return able[static_cast<std::size_t>(random.below(std::ssize(able)))];
}

mock_network::options any_network(random_source& random) {
    constexpr std::int64_t delays[] = {0, 0, 1, 20, 1000};
    return {.seed = static_cast<std::uint64_t>(random.below(1'000'000'000)),
            .eager = random.below(2) == 0,
            .at_once = random.below(2) == 0,
            .reorder = random.below(4) != 0,
            .noise = random.below(2) == 0,
            .delay = delays[random.below(5)],
            .pair_window = random.below(3),
            .rank_window = random.below(4)};
}

bytes_t any_staging(random_source& random) {
    constexpr bytes_t limits[] = {0, 16, 100, detail::default_staging};
    return limits[random.below(4)];
}

execution_options any_execution(random_source& random, std::uint64_t channel) {
    const bool bounded = random.below(2) == 0;
    return {.channel = channel,
            .epoch = static_cast<std::uint64_t>(random.below(5)),
            .limits = {bounded ? random.below(3) : 0, bounded ? random.below(3) : 0}};
}

/// Starts all ranks of all crews in a drawn order, with some turns in between.
template <class End>
void start_in_any_order(mock_network& network, std::deque<crew_over<End>>& crews, int round, random_source& random) {
    std::vector<std::pair<std::size_t, std::size_t>> order;
    for (std::size_t c = 0; c < crews.size(); ++c)
        for (std::size_t r = 0; r < crews[c].runs.size(); ++r) order.push_back({c, r});
    std::vector<execution<End>*> started;
    for (std::size_t i = 0; i < order.size(); ++i) {
        std::swap(order[i], order[i + static_cast<std::size_t>(random.below(std::ssize(order) - std::ssize(started)))]);
        crew_over<End>& own = crews[order[i].first];
        own.start(order[i].second, round);
        started.push_back(&own.runs[order[i].second]);
        if (random.below(3) == 0) take_turns(network, started, network.now() + random.below(60));
    }
}

/// Runs schedules at the same time on the same endpoints, twice, by the seed. Returns the first error, or an empty
/// string.
template <class End>
std::string run_together_over(const std::vector<const any_schedule*>& schedules, std::uint64_t seed) {
    random_source random(seed);
    mock_network network(schedules[0]->ranks, any_network(random));
    std::deque<crew_over<End>> crews;
    for (const any_schedule* x : schedules)
        crews.emplace_back(network, *x, any_binding(*x, random), any_execution(random, crews.size()),
                           any_staging(random));
    for (int round = 0; round < 2; ++round) {
        start_in_any_order(network, crews, round, random);
        std::vector<execution<End>*> all;
        for (auto& one : crews) all.insert(all.end(), one.all.begin(), one.all.end());
        settle(network, all);
        for (const auto& one : crews)
            if (const std::string fault = one.wrong(); !fault.empty())
                return "round " + std::to_string(round) + ": " + fault;
    }
    return "";
}

/// The same over transports that combine messages, and over others, for even and odd seeds.
std::string run_together(const std::vector<const any_schedule*>& schedules, std::uint64_t seed) {
    return seed % 2 == 0 ? run_together_over<combining_witness>(schedules, seed)
                         : run_together_over<witness>(schedules, seed);
}

const sample& any_sample(const std::vector<sample>& all, random_source& random) {
    return all[static_cast<std::size_t>(random.below(std::ssize(all)))];
}

/// f(sample) for one drawn sample of every algorithm.
template <class F>
void for_each_algorithm(rank_t p, random_source& random, F f) {
    for (const algorithm_entry& entry : compiled::registry())
        if (const std::vector<sample> all = support::samples(entry, p); !all.empty()) f(any_sample(all, random));
}

/// The error in the way in which a rank ended when something had been done to it or to others; or "".
std::string wrong_end(const crew& all, std::size_t r, const mock_network& network) {
    const run_status& end = all.runs[r].state();
    const plan& own = all.plans[r].plan();
    const witness& seen = all.ends[r];
    if (end.done()) return all.bytes[r].wrong();
    if (!end.failed()) return "it still runs";
    if (end.rank != static_cast<rank_t>(r)) return "it names another rank";
    if (end.error == unknown_completion) {
        if (network.struck().rank != end.rank) return "nothing was reported twice";
        for (const plan::node& n : own.nodes())
            if (n.is_message() && end.step == own.edge_of(n).step && end.peer == own.peer_of(n)) return "";
        return "it names a step without a message";
    }
    const bool struck = end.error == mock_network::error::injected || end.error == mock_network::error::peer_died;
    if (!struck && end.error != timed_out) return "error " + std::to_string(end.error);
    if (!struck && seen.under_way.empty()) return "it waits for nothing";
    const std::int64_t token = struck ? seen.failed : *seen.under_way.begin();
    const plan::node& named = own.nodes()[static_cast<std::size_t>(token) % own.nodes().size()];
    if (end.step != own.edge_of(named).step || end.peer != own.peer_of(named)) return "it names another message";
    return "";
}

constexpr std::chrono::nanoseconds timeout = std::chrono::milliseconds(5);

/// Runs a schedule over a network with faults. Empty, or what is wrong with the end of which rank; `failed` is how many
/// ranks failed, `struck` how the one ended that the fault struck.
struct run_with_faults {
    run_with_faults(const any_schedule& x, binding how, const mock_network::options& options)
        : network(x.ranks, options), all(network, x, how) {
        all.start();
        settle(network, all.all, timeout);
        for (std::size_t r = 0; r < all.runs.size(); ++r) {
            failed += all.runs[r].state().failed() ? 1 : 0;
            if (const std::string what = wrong_end(all, r, network); wrong.empty() && !what.empty())
                wrong = "rank " + std::to_string(r) + ": " + what;
        }
        if (network.now() > timeout.count() + 100'000) wrong += " too late";
    }
    const run_status& end_of(rank_t rank) const { return all.runs[static_cast<std::size_t>(rank)].state(); }

    mock_network network;
    crew all;
    int failed = 0;
    std::string wrong;
};

/// f(name, schedule, binding, options without faults, how many completions there are) for schedules of all algorithms.
template <class F>
void for_each_faulty_case(std::uint64_t seed, F f) {
    random_source random(seed);
    for (const rank_t p : {2, 3, 4, 5, 7, 8, 9})
        for_each_algorithm(p, random, [&](const sample& one) {
            const binding how = any_binding(one.schedule, random);
            const mock_network::options options = any_network(random);
            INFO(one.name);
            const run_with_faults clean(one.schedule, how, options);
            REQUIRE(clean.wrong == "");
            REQUIRE(clean.failed == 0);
            if (clean.network.reported() > 0)
                f(one.schedule, how, options, random.below(clean.network.reported()), clean.network);
        });
}

}  // namespace

TEST_CASE("adversarial network: every algorithm is correct with one message in flight, eager or not") {
    for (rank_t p = 1; p <= 8; ++p)
        for (const sample& one : support::samples(p))
            for (const bool eager : {false, true}) {
                INFO(one.name, eager ? " eager" : "");
                mock_network network(p, {.eager = eager, .pair_window = 1, .rank_window = 1});
                const std::vector<binding> able = support::bindings(one.schedule.contract());
                crew all(network, one.schedule, able[eager ? 0 : able.size() - 1]);
                all.start();
                settle(network, all.all);
                REQUIRE(all.wrong() == "");
            }
}

TEST_CASE("adversarial network: every algorithm is correct in its prepared order, and after a late send at any place") {
    random_source random(50);
    for (const int late : {0, 1, 2, 3, 5})
        for (rank_t p = 1; p <= 8; ++p)
            for (const sample& one : support::samples(p)) {
                INFO(one.name, " late ", late);
                buffering_witness::late = late;
                mock_network network(p, any_network(random));
                crew_over<buffering_witness> all(network, one.schedule, any_binding(one.schedule, random), {},
                                                 any_staging(random));
                for (int round = 0; round < 2; ++round) {
                    for (std::size_t r = 0; r < all.runs.size(); ++r) all.start(r, round);
                    settle(network, all.all);
                    REQUIRE(all.wrong() == "");
                }
            }
}

TEST_CASE(
    "adversarial network: every algorithm is correct over a transport that combines on arrival, with no more staging") {
    combining_witness::combinations = 0;
    for (rank_t p = 1; p <= 8; ++p)
        for (const sample& one : support::samples(p))
            for (const binding how : support::bindings(one.schedule.contract())) {
                INFO(one.name);
                mock_network network(p, {.eager = true, .delay = 3, .pair_window = 1, .rank_window = 1});
                crew_over<combining_witness> all(network, one.schedule, how);
                for (std::size_t r = 0; r < all.runs.size(); ++r)
                    CHECK(all.runs[r].staging_bytes() <= all.plans[r].plan().staging_bytes());
                all.start();
                settle(network, all.all);
                REQUIRE(all.wrong() == "");
            }
    CHECK(combining_witness::combinations > 1000);
}

TEST_CASE("adversarial network: messages in flight stay within the limits, and every algorithm ends") {
    std::uint64_t turn = 0;
    for (rank_t p = 1; p <= 8; ++p)
        for (const sample& one : support::samples(p))
            for (const execution_options::message_limits most :
                 {execution_options::message_limits{1, 1},
                  ++turn % 2 == 0 ? execution_options::message_limits{2, 1} : execution_options::message_limits{1, 3}})
                for (const mock_network::options& options :
                     {mock_network::options{}, {.seed = turn, .reorder = true, .delay = 9}}) {
                    INFO(one.name, " sends ", most.sends, " receives ", most.receives, " delay ", options.delay);
                    mock_network network(p, options);
                    crew all(network, one.schedule, support::bindings(one.schedule.contract())[0], {.limits = most},
                             turn % 3 == 0 ? 0 : detail::default_staging);
                    all.start();
                    settle(network, all.all);
                    REQUIRE(all.wrong() == "");
                    for (rank_t r = 0; r < p; ++r) {
                        CHECK(network.most_in_flight(r).sends <= most.sends);
                        CHECK(network.most_in_flight(r).receives <= most.receives);
                    }
                }
}

TEST_CASE("adversarial network: ten thousand random runs end with correct bytes") {
    const int each = support::brief() ? 1 : 6;
    std::uint64_t runs = 0;
    for (rank_t p = 1; p <= 16; p += support::brief() ? 3 : 1)
        for (const algorithm_entry& entry : compiled::registry()) {
            const std::vector<sample> all = support::samples(entry, p);
            for (int i = 0; i < each && !all.empty(); ++i) {
                random_source random(++runs);
                const sample& one = any_sample(all, random);
                INFO(one.name, " seed ", runs);
                REQUIRE(run_together({&one.schedule}, runs) == "");
            }
        }
    CHECK(runs >= 10'000 / support::one_of());
}

TEST_CASE("adversarial network: schedules on separate channels of the same endpoints run at the same time") {
    random_source random(7);
    for (rank_t p = 1; p <= 16; ++p) {
        std::vector<sample> all;
        for_each_algorithm(p, random, [&](const sample& one) { all.push_back(one); });
        for (std::uint64_t i = 0; i < 40 / support::one_of(); ++i) {
            std::vector<const any_schedule*> chosen(static_cast<std::size_t>(2 + random.below(3)));
            std::string names;
            for (const any_schedule*& one : chosen) {
                const sample& drawn = any_sample(all, random);
                one = &drawn.schedule;
                names += drawn.name + "; ";
            }
            const std::uint64_t seed = static_cast<std::uint64_t>(p) * 1000 + i;
            INFO(names, "seed ", seed);
            REQUIRE(run_together(chosen, seed) == "");
        }
    }
}

TEST_CASE("adversarial network: both ends report a failed post or message with step and peer") {
    for_each_faulty_case(1, [](const any_schedule& x, binding how, mock_network::options options, std::int64_t hit,
                               auto&) {
        for (const bool refuse : {false, true}) {
            (refuse ? options.faults.refuse : options.faults.fail) = refuse ? hit : hit / 2;
            const run_with_faults run(x, how, options);
            options.faults = {};
            CHECK(run.wrong == "");
            const mock_network::victim& struck = run.network.struck();
            REQUIRE(struck.rank >= 0);
            CHECK((run.end_of(struck.rank).failed() && run.end_of(struck.rank).error == mock_network::error::injected));
            CHECK(run.end_of(struck.rank).peer == struck.key.peer);
            if (!options.eager) CHECK(run.end_of(struck.key.peer).failed());
            if (!options.eager && !refuse) CHECK(run.end_of(struck.key.peer).peer == struck.rank);
        }
    });
}

TEST_CASE("adversarial network: the rank of a lost completion times out") {
    for_each_faulty_case(
        2, [](const any_schedule& x, binding how, mock_network::options options, std::int64_t hit, auto&) {
            options.faults.lose = hit;
            const run_with_faults run(x, how, options);
            CHECK(run.wrong == "");
            REQUIRE(run.network.struck().rank >= 0);
            CHECK(run.end_of(run.network.struck().rank).error == timed_out);
        });
}

TEST_CASE("adversarial network: a completion reported twice is an error or without effect, and no byte is wrong") {
    int noticed = 0;
    for_each_faulty_case(
        3, [&](const any_schedule& x, binding how, mock_network::options options, std::int64_t hit, auto&) {
            options.faults.repeat = hit;
            const run_with_faults run(x, how, options);
            CHECK(run.wrong == "");
            REQUIRE(run.network.struck().rank >= 0);
            const run_status& end = run.end_of(run.network.struck().rank);
            CHECK((end.done() || end.error == unknown_completion));
            if (end.failed()) CHECK(end.peer == run.network.struck().key.peer);
            CHECK((end.failed() || run.failed == 0));
            noticed += end.failed() ? 1 : 0;
        });
    CHECK(noticed > 0);
}

TEST_CASE(
    "adversarial network: a completion reported again during a later start is noticed there, and no byte is wrong") {
    int noticed = 0;
    for_each_faulty_case(
        5, [&](const any_schedule& x, binding how, mock_network::options options, std::int64_t hit, auto&) {
            options.delay = 30;
            options.faults.repeat = hit;
            mock_network network(x.ranks, options);
            crew all(network, x, how);
            bool failed = false;
            for (int round = 0; round < 3 && !failed; ++round) {
                for (std::size_t r = 0; r < all.runs.size(); ++r) all.start(r, round);
                settle(network, all.all, timeout);
                for (std::size_t r = 0; r < all.runs.size(); ++r) {
                    CHECK(wrong_end(all, r, network) == "");
                    failed = failed || all.runs[r].state().failed();
                }
                noticed += failed && round > 0 ? 1 : 0;
            }
        });
    CHECK(noticed > 0);
}

TEST_CASE("adversarial network: ranks that depend on a dead rank fail with its number or time out") {
    int repeated = 0;
    for_each_faulty_case(4, [&](const any_schedule& x, binding how, mock_network::options options, std::int64_t hit,
                                const mock_network& clean) {
        options.faults.dead = static_cast<rank_t>(hit % x.ranks);
        options.faults.dies_at = clean.now() * (hit % 7) / 8;
        const run_with_faults run(x, how, options);
        CHECK(run.wrong == "");
        for (rank_t r = 0; r < x.ranks; ++r)
            if (run.end_of(r).error == mock_network::error::peer_died) {
                CHECK(run.end_of(r).peer == options.faults.dead);
                ++repeated;
            }
    });
    CHECK(repeated > 50);
}
