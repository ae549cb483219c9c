#include "collsched/collective/alltoall/coordinator.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "collsched/collective/alltoall/grouped.hpp"
#include "collsched/core/detail/splitmix64.hpp"

using namespace collsched;
using alltoall::coordinator;
using alltoall::time_limits;

namespace {

using command = coordinator::command;
using loss = coordinator::loss;
using report = coordinator::report;

static_assert(command{} == command{0, 0} && loss{} == loss{0, report::ready, 0} &&
              time_limits{} == time_limits{INT64_MAX, INT64_MAX});

constexpr auto no_commands = [](command) {};
constexpr auto no_losses = [](loss) {};

std::size_t at(rank_t r) { return static_cast<std::size_t>(r); }

std::vector<rank_t> shuffled(rank_t p, detail::splitmix64& random) {
    std::vector<rank_t> order(at(p));
    std::iota(order.begin(), order.end(), 0);
    for (rank_t i = p - 1; i > 0; --i) std::swap(order[at(i)], order[at(random.between(0, i))]);
    return order;
}

std::vector<rank_t> targets(const coordinator& c, command given) {
    std::vector<rank_t> all;
    c.targets(given, [&](rank_t target) { all.push_back(target); });
    return all;
}

std::vector<command> advance(coordinator& c, std::int64_t now, std::vector<loss>* losses = nullptr) {
    std::vector<command> given;
    c.advance(
        now, [&](command one) { given.push_back(one); },
        [&](loss one) {
            REQUIRE(losses != nullptr);
            losses->push_back(one);
        });
    return given;
}

/// The fault of a node: none, never ready, or without reports from its n-th command on.
struct fate {
    bool ready = true;
    std::int64_t reported = INT64_MAX;
    bool loyal() const { return ready && reported == INT64_MAX; }
};

/// A cluster in virtual time: nodes get ready, send as commanded, report. All events of one instant, in random order, then advance().
/// `fault` is the first violation of the coordinator's contract.
struct cluster {
    cluster(rank_t ranks, rank_t group, time_limits given, std::vector<std::int64_t> ready_at, std::vector<fate> fates,
            std::uint64_t seed)
        : master({ranks, group}, given),
          limits(given),
          ready(std::move(ready_at)),
          fate_of(std::move(fates)),
          random(seed),
          received(at(ranks), std::vector<int>(at(ranks))),
          sender_to(at(ranks), -1),
          commands(at(ranks)) {
        for (rank_t r = 0; r < ranks; ++r)
            if (fate_of[at(r)].ready) events.emplace(ready[at(r)], command{r, -1});
        run();
    }

    void run() {
        advance();
        while (fault.empty() && !master.finished()) {
            const std::int64_t next = events.empty() ? no_limit : events.begin()->first;
            if (next == no_limit && master.deadline() == no_limit) return fail("waits for ever");
            if (master.deadline() < next) {
                const auto before = losses.size();
                now = master.deadline();
                advance();
                if (losses.size() != before) return fail("a limit passed too early");
                ++now;
                advance();
                if (losses.size() == before) return fail("a limit passed unseen");
                continue;
            }
            now = next;
            std::vector<command> due;
            for (; !events.empty() && events.begin()->first == now; events.erase(events.begin()))
                due.insert(due.begin() + random.between(0, std::ssize(due)), events.begin()->second);
            for (const command one : due) arrive(one);
            advance();
        }
    }

    void fail(const std::string& why) {
        if (fault.empty())
            fault = why + " at " + std::to_string(now) + " in round " + std::to_string(master.round()) +
                    " of p=" + std::to_string(master.groups().ranks) +
                    " group=" + std::to_string(master.groups().group);
    }

    void arrive(command one) {
        const rank_t r = one.node;
        if (one.round < 0) {
            const argument_error error = master.ready(r, now);
            if (static_cast<bool>(error) != is_lost(r)) fail("ready rejected, or accepted from a lost node");
            return;
        }
        if (const argument_error error = master.done(r, one.round)) return fail("done refused");
        --sending;
        for (rank_t& sender : sender_to)
            if (sender == r) sender = -1;
    }

    bool is_lost(rank_t r) const {
        return std::any_of(losses.begin(), losses.end(), [&](loss one) { return one.node == r; });
    }

    void advance() {
        master.advance(now, [&](command one) { obey(one); }, [&](loss one) { mourn(one); });
    }

    void obey(command one) {
        const rank_t r = one.node;
        if (one.round != round) {
            if (one.round < round || sending != 0) fail("a sub-round begins before the last has ended");
            round = one.round;
        }
        if (++sending > master.groups().group) fail("too many senders");
        if (!fate_of[at(r)].ready || ready[at(r)] > now) fail("a node sends before it is ready");
        if (is_lost(r)) fail("a lost node sends");
        const std::vector<rank_t> to = targets(master, one);
        if (to.empty()) fail("a command for nobody");
        for (const rank_t target : to) {
            if (is_lost(target)) fail("a lost node is a target");
            if (sender_to[at(target)] != -1) fail("two send to one");
            if (master.source(target, one.round) != r) fail("source and targets differ");
            sender_to[at(target)] = r;
            ++received[at(target)][at(r)];
        }
        if (commands[at(r)]++ < fate_of[at(r)].reported) events.emplace(now + random.between(0, 20), one);
    }

    void mourn(loss one) {
        const rank_t r = one.node;
        if (is_lost(r)) fail("lost twice");
        losses.push_back(one);
        if (fate_of[at(r)].loyal()) fail("a loyal node is given up");
        if (!master.given_up(r)) fail("a lost node is not given up");
        if (one.round != master.round()) fail("another round is named");
        const bool sends = one.awaited == report::done;
        if (sends == !fate_of[at(r)].ready) fail("another report is named");
        if (!sends) return;
        --sending;
        for (rank_t& sender : sender_to)
            if (sender == r) sender = -1;
    }

    /// Checks that every pair of nodes has met, but for lost nodes.
    void check_complete() {
        const rank_t p = master.groups().ranks;
        if (!fault.empty()) return;
        if (!master.finished() || master.round() != p || master.deadline() != no_limit) fail("not finished");
        for (rank_t i = 0; i < p; ++i)
            for (rank_t j = 0; j < p; ++j) {
                const int times = received[at(j)][at(i)];
                if (times > 1) fail("a pair meets twice");
                if (times == 0 && !is_lost(i) && !is_lost(j)) fail("a pair does not meet");
            }
    }

    static constexpr std::int64_t no_limit = time_limits::no_limit;

    coordinator master;
    time_limits limits;
    std::vector<std::int64_t> ready;
    std::vector<fate> fate_of;
    detail::splitmix64 random;
    std::multimap<std::int64_t, command> events;
    std::vector<std::vector<int>> received;  ///< [receiver][sender]: times
    std::vector<rank_t> sender_to;           ///< from whom now
    std::vector<std::int64_t> commands;
    std::vector<loss> losses;
    std::int64_t now = 0;
    rank_t sending = 0;
    step_t round = -1;
    std::string fault;
};

std::vector<std::int64_t> random_times(rank_t p, std::int64_t latest, detail::splitmix64& random) {
    std::vector<std::int64_t> times(at(p));
    for (auto& t : times) t = random.between(0, latest);
    return times;
}

/// Commands of an exchange where node i is ready at time (7 * i) % ranks and reports come at once; -1 if a pair does not meet.
constexpr std::int64_t commands_in_order(rank_t ranks, rank_t group) {
    coordinator c({ranks, group});
    for (rank_t node = 0; node < ranks; ++node)
        if (c.ready(node, 7 * node % ranks)) return -1;
    std::int64_t commands = 0;
    owned_array<bool> met(ranks * ranks);
    bool wrong = false;
    c.advance(
        0,
        [&](command given) {
            ++commands;
            c.targets(given, [&](rank_t target) {
                wrong |= met[given.node * ranks + target];
                met[given.node * ranks + target] = true;
            });
            wrong |= static_cast<bool>(c.done(given.node, given.round));
        },
        [&](loss) { wrong = true; });
    for (const bool pair : met) wrong |= !pair;
    return wrong || !c.finished() ? -1 : commands;
}

static_assert(commands_in_order(1, 1) == 1);
static_assert(commands_in_order(5, 2) == 2 * 2 + 2 * 2 + 1);
static_assert(commands_in_order(6, 3) == 18);

}  // namespace

TEST_CASE("alltoall::coordinator: if all are ready at once, the sub-rounds are those of the generator's schedule") {
    detail::splitmix64 random(1);
    std::string fault;
    for (rank_t p = 1; p <= 16; ++p)
        for (rank_t group = 1; group <= p; ++group)
            for (int round = 0; round < 5; ++round) {
                const std::vector<rank_t> order = shuffled(p, random);
                const alltoall::grouped generator{
                    .ranks = p, .block = 1, .group = group, .order = permutation(std::span<const rank_t>(order))};
                coordinator c({p, group});
                for (const rank_t node : shuffled(p, random)) {
                    const auto place = std::find(order.begin(), order.end(), node) - order.begin();
                    REQUIRE(!c.ready(node, 100 + place));
                }
                for (step_t k = 0; k < p; ++k) {
                    std::vector<command> given = advance(c, 200);
                    std::vector<std::vector<rank_t>> sent(at(p)), wanted(at(p));
                    for (const command one : given) {
                        if (one.round != k) fault = "another sub-round";
                        sent[at(one.node)] = targets(c, one);
                    }
                    for (rank_t r = 0; r < p; ++r) {
                        generator.targets(r, k, [&](rank_t target) { wanted[at(r)].push_back(target); });
                        generator.sources(r, k, [&](rank_t src) { fault += c.source(r, k) == src ? "" : "source "; });
                    }
                    if (sent != wanted) fault = "other targets";
                    if (c.round() != k || c.finished()) fault = "not in its sub-round";
                    for (; !given.empty(); given.pop_back()) {
                        if (!advance(c, 300).empty()) fault = "goes on too early";
                        REQUIRE(!c.done(given.back().node, k));
                    }
                }
                if (!advance(c, 400).empty() || !c.finished()) fault = "does not end";
                if (c.order() != generator.order) fault = "another order";
            }
    CHECK(fault == "");
}

TEST_CASE("alltoall::coordinator: the order is fixed once, when `group` nodes are ready") {
    coordinator c({6, 2});
    CHECK(!c.ordered());
    REQUIRE(!c.ready(4, 30));
    CHECK(advance(c, 30).empty());
    CHECK(!c.ordered());
    REQUIRE(!c.ready(5, 31));
    CHECK(advance(c, 31) == std::vector<command>{{4, 0}, {5, 0}});
    // Later reports change nothing: the others follow in rank order.
    REQUIRE(!c.ready(3, 1));
    const std::vector<rank_t> order{4, 5, 0, 1, 2, 3};
    CHECK(c.order() == permutation(std::span<const rank_t>(order)));
    // Receivers need not be ready.
    CHECK(targets(c, {4, 0}) == std::vector<rank_t>{0, 2, 5});
    CHECK(targets(c, {5, 0}) == std::vector<rank_t>{1, 3, 4});
}

TEST_CASE("alltoall::coordinator: ties of ready times are broken by rank, for every order of reports") {
    coordinator c({5, 1});
    for (const rank_t node : {4, 2, 3}) REQUIRE(!c.ready(node, 10));
    REQUIRE(!c.ready(1, 9));
    CHECK(advance(c, 10) == std::vector<command>{{1, 0}});
    const std::vector<rank_t> order{1, 2, 3, 4, 0};
    CHECK(c.order() == permutation(std::span<const rank_t>(order)));
}

TEST_CASE("alltoall::coordinator: a group starts when all its nodes are ready") {
    coordinator c({4, 2});
    REQUIRE(!c.ready(0, 1));
    REQUIRE(!c.ready(1, 2));
    for (const step_t k : {0, 1}) {
        REQUIRE(advance(c, 3) == std::vector<command>{{0, k}, {1, k}});
        REQUIRE(!c.done(1, k));
        REQUIRE(advance(c, 3).empty());
        REQUIRE(!c.done(0, k));
    }
    REQUIRE(!c.ready(3, 4));
    CHECK(advance(c, 4).empty());
    CHECK(c.round() == 2);
    CHECK((c.awaited(2) && !c.awaited(3) && !c.awaited(0)));
    REQUIRE(!c.ready(2, 5));
    CHECK(!c.awaited(2));
    CHECK(advance(c, 5) == std::vector<command>{{2, 2}, {3, 2}});
}

TEST_CASE("alltoall::coordinator: 10,000 arrival orders and timings give a complete exchange") {
    detail::splitmix64 random(2);
    std::string fault;
    for (int run = 0; run < 10'000 && fault.empty(); ++run) {
        const rank_t p = random.between(1, 24), group = random.between(1, p);
        const std::int64_t latest = random.between(0, 300);
        cluster c(p, group, {}, random_times(p, latest, random), std::vector<fate>(at(p)), random());
        c.check_complete();
        fault = c.fault;
        if (!c.losses.empty()) fault = "somebody was lost";
    }
    CHECK(fault == "");
}

TEST_CASE("alltoall::coordinator: a node that never reports is named, and the others finish") {
    detail::splitmix64 random(3);
    std::string fault;
    int lost = 0, unready = 0, undone = 0, everybody = 0;
    for (int run = 0; run < 10'000 && fault.empty(); ++run) {
        const rank_t p = random.between(1, 24), group = random.between(1, p);
        const std::int64_t latest = random.between(0, 300);
        const rank_t victims = random.between(0, 3) == 0 ? p : random.between(1, p);
        std::vector<fate> fates(at(p));
        const std::vector<rank_t> chosen = shuffled(p, random);
        for (rank_t i = 0; i < victims; ++i) {
            fate& one = fates[at(chosen[at(i)])];
            if (random.between(0, 1) == 0) one.ready = false;
            else one.reported = random.between(0, 3);
        }
        cluster c(p, group, {.ready = latest, .done = 20}, random_times(p, latest, random), fates, random());
        c.check_complete();
        fault = c.fault;
        const std::int64_t bound = ((p + group - 1) / group + 1) * (latest + 1) + p * 21;
        if (fault.empty() && c.now > bound) fault = "takes too long";
        for (rank_t r = 0; r < p && fault.empty(); ++r) {
            // A node that gets fewer commands than it reports has shown no fault.
            const bool struck = !fates[at(r)].ready || c.commands[at(r)] > fates[at(r)].reported;
            if (c.is_lost(r) != struck) fault = "the wrong nodes are lost";
            unready += !fates[at(r)].ready;
            undone += fates[at(r)].ready && struck;
        }
        lost += static_cast<int>(c.losses.size());
        everybody += std::ssize(c.losses) == p;
    }
    CHECK(fault == "");
    CHECK(lost == unready + undone);
    CHECK(unready > 10'000);
    CHECK(undone > 10'000);
    CHECK(everybody > 100);
}

TEST_CASE("alltoall::coordinator: the sub-rounds of a lost group are skipped") {
    coordinator c({6, 2}, {.ready = 10, .done = 5}, 100);
    for (const rank_t node : {0, 1, 4, 5}) REQUIRE(!c.ready(node, 100));
    CHECK(c.deadline() == time_limits::no_limit);  // no report is missing, advance() is due
    REQUIRE(advance(c, 100) == std::vector<command>{{0, 0}, {1, 0}});
    CHECK(c.deadline() == 105);
    std::vector<loss> losses;
    // 4 and 5 are before 2 and 3 in the queue: they are the next group.
    REQUIRE(!c.done(0, 0));
    CHECK(advance(c, 105, &losses).empty());
    CHECK(losses.empty());
    CHECK(advance(c, 106, &losses) == std::vector<command>{{0, 1}});
    CHECK(losses == std::vector<loss>{{1, report::done, 0}});
    CHECK(c.source(0, 0) == -1);
    CHECK(targets(c, {0, 1}) == std::vector<rank_t>{5, 3, 0});
    REQUIRE(!c.done(0, 1));
    REQUIRE(advance(c, 107, &losses) == std::vector<command>{{4, 2}, {5, 2}});
    for (const rank_t node : {4, 5}) REQUIRE(!c.done(node, 2));
    REQUIRE(advance(c, 108, &losses) == std::vector<command>{{4, 3}, {5, 3}});
    for (const rank_t node : {4, 5}) REQUIRE(!c.done(node, 3));
    CHECK(advance(c, 110, &losses).empty());
    CHECK(c.deadline() == 120);
    CHECK(advance(c, 120, &losses).empty());
    CHECK(advance(c, 121, &losses).empty());
    CHECK(losses == std::vector<loss>{{1, report::done, 0}, {2, report::ready, 4}, {3, report::ready, 4}});
    CHECK(c.finished());
    CHECK(c.deadline() == time_limits::no_limit);
}

TEST_CASE("alltoall::coordinator: the exchange continues among fewer than `group` ready nodes") {
    coordinator c({5, 3}, {.ready = 10});
    REQUIRE(!c.ready(4, 3));
    REQUIRE(!c.ready(1, 4));
    std::vector<loss> losses;
    CHECK(advance(c, 10, &losses).empty());
    CHECK(advance(c, 11, &losses) == std::vector<command>{{4, 0}});  // 1 would send to the lost 0 and 3 only
    CHECK(losses == std::vector<loss>{{0, report::ready, 0}, {2, report::ready, 0}, {3, report::ready, 0}});
    CHECK(targets(c, {4, 0}) == std::vector<rank_t>{1});
    REQUIRE(!c.done(4, 0));
    CHECK(advance(c, 12) == std::vector<command>{{1, 1}});
    CHECK(targets(c, {1, 1}) == std::vector<rank_t>{4});
    REQUIRE(!c.done(1, 1));
    CHECK(advance(c, 13) == std::vector<command>{{4, 2}, {1, 2}});  // copies of their own
    for (const rank_t node : {4, 1}) REQUIRE(!c.done(node, 2));
    CHECK(advance(c, 14).empty());
    CHECK(c.finished());
}

TEST_CASE("alltoall::coordinator: a report before the advance after its limit counts") {
    coordinator c({3, 2}, {.ready = 10, .done = 10});
    REQUIRE(!c.ready(0, 3));
    REQUIRE(!c.ready(1, 30));
    CHECK(advance(c, 30).size() == 2);
    CHECK(!c.given_up(2));  // no rank waits for it yet
    REQUIRE(!c.done(0, 0));
    REQUIRE(!c.done(1, 0));
    CHECK(advance(c, 90).size() == 2);
    CHECK(!c.given_up(2));
}

TEST_CASE("alltoall::coordinator: limits far away do not overflow") {
    coordinator c({2, 1}, {.ready = INT64_MAX - 1, .done = INT64_MAX - 1}, INT64_MAX - 5);
    CHECK(c.deadline() == time_limits::no_limit);
    REQUIRE(!c.ready(0, INT64_MAX));
    CHECK(advance(c, INT64_MAX).size() == 1);
}

TEST_CASE("alltoall::coordinator: the caller may give up nodes") {
    coordinator c({4, 2});
    REQUIRE(!c.give_up(1));
    CHECK(c.given_up(1));
    REQUIRE(!c.ready(3, 1));
    REQUIRE(!c.ready(0, 2));
    REQUIRE(advance(c, 2) == std::vector<command>{{3, 0}, {0, 0}});
    CHECK(c.order() == permutation(std::vector<rank_t>{3, 0, 2, 1}));
    REQUIRE(!c.done(3, 0));
    REQUIRE(!c.give_up(0));  // before its limit
    CHECK(advance(c, 3) == std::vector<command>{{3, 1}});
    CHECK(targets(c, {3, 1}) == std::vector<rank_t>{3});
    REQUIRE(!c.give_up(2));  // before its turn
    CHECK(advance(c, 3).empty());
    CHECK(!c.finished());  // 3 may still report
    REQUIRE(!c.done(3, 1));
    CHECK(advance(c, 4).empty());
    CHECK(c.finished());
    REQUIRE(!c.give_up(3));
    CHECK(c.finished());

    coordinator early({3, 2});
    REQUIRE(!early.ready(1, 0));
    REQUIRE(!early.give_up(1));  // ready, and gone before the order was fixed
    REQUIRE(!early.ready(2, 1));
    CHECK(advance(early, 1).empty());
    CHECK(!early.ordered());
    REQUIRE(!early.give_up(0));
    CHECK(advance(early, 2) == std::vector<command>{{2, 1}});  // in sub-round 0 all its targets are lost
}

TEST_CASE("alltoall::coordinator: the exchange is finished once all nodes are given up") {
    coordinator c({3, 2}, {.ready = 0, .done = 0});
    std::vector<loss> losses;
    CHECK(advance(c, 0, &losses).empty());
    CHECK(advance(c, 1, &losses).empty());
    CHECK(losses.size() == 3);
    CHECK(c.finished());
}

TEST_CASE("alltoall::coordinator: misuse is rejected and changes nothing") {
    coordinator c({4, 2}, {.ready = 10, .done = 10});
    const auto refused = [&](auto call) {
        const coordinator before = c;
        const argument_error error = call();
        CHECK(c == before);
        return error;
    };
    const auto ready = [&](rank_t node) { return refused([&] { return c.ready(node, 5); }); };
    const auto done = [&](rank_t node, step_t k) { return refused([&] { return c.done(node, k); }); };
    const argument_error nobody_4{"node", 4, "0 to ranks-1"}, nobody_minus{"node", -1, "0 to ranks-1"};

    CHECK(ready(4) == nobody_4);
    CHECK(ready(-1) == nobody_minus);
    CHECK(done(4, 0) == nobody_4);
    CHECK(done(-1, 0) == nobody_minus);
    CHECK(refused([&] { return c.give_up(4); }) == nobody_4);
    CHECK(done(0, 0) == argument_error{"round", 0, "the sub-round that runs"});

    REQUIRE(!c.ready(1, 1));
    CHECK(ready(1) == argument_error{"node", 1, "a node that was not reported ready before"});
    REQUIRE(!c.ready(2, 1));
    CHECK(done(1, 0) == argument_error{"round", 0, "the sub-round that runs"});
    REQUIRE(advance(c, 2) == std::vector<command>{{1, 0}, {2, 0}});

    CHECK(ready(1) == argument_error{"node", 1, "a node that was not reported ready before"});
    CHECK(done(1, 1) == argument_error{"round", 1, "the sub-round that runs"});
    CHECK(done(1, -1) == argument_error{"round", -1, "the sub-round that runs"});
    CHECK(done(0, 0) == argument_error{"node", 0, "a node with a command that it has not done yet"});
    REQUIRE(!c.done(1, 0));
    CHECK(done(1, 0) == argument_error{"node", 1, "a node with a command that it has not done yet"});
    CHECK(ready(1) == argument_error{"node", 1, "a node that was not reported ready before"});

    std::vector<loss> losses;
    REQUIRE(advance(c, 13, &losses) == std::vector<command>{{1, 1}});
    CHECK(losses == std::vector<loss>{{2, report::done, 0}});
    const argument_error lost{"node", 2, "a node that was not given up"};
    CHECK(ready(2) == lost);
    CHECK(done(2, 0) == lost);
    CHECK(done(2, 1) == lost);
    CHECK(refused([&] { return c.give_up(2); }) == lost);
    REQUIRE(!c.done(1, 1));
    advance(c, 14, &losses);
    advance(c, 25, &losses);
    REQUIRE(c.finished());
    CHECK(done(1, 1) == argument_error{"round", 1, "the sub-round that runs"});
}

TEST_CASE("alltoall::coordinator: wrong arguments are reported, and such a coordinator does nothing") {
    const auto error_of = [](coordinator c) {
        c.advance(1000, no_commands, no_losses);
        CHECK(c.finished());  // a caller that waits for the end returns at once
        return c.check();
    };
    CHECK(error_of(coordinator({0, 1})) == argument_error{"ranks", 0, "1 or more"});
    CHECK(error_of(coordinator({-3, 1})) == argument_error{"ranks", -3, "1 or more"});
    CHECK(error_of(coordinator({4, 0})) == argument_error{"group", 0, "1 to ranks"});
    CHECK(error_of(coordinator({4, 5})) == argument_error{"group", 5, "1 to ranks"});
    CHECK(error_of(coordinator({4, 2}, {.ready = -1})) == argument_error{"limits.ready", -1, "0 or more"});
    CHECK(error_of(coordinator({4, 2}, {.done = -1})) == argument_error{"limits.done", -1, "0 or more"});
    CHECK(coordinator({0, 1}).ready(0, 0));
    CHECK(!coordinator({4, 4}).check());
}
