#include "collsched/execute/detail/agreement_protocol.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collsched/core/detail/splitmix64.hpp"

using namespace collsched;

namespace {

using detail::agreement_protocol;
using detail::agreement_value;
using detail::control_message;

/// Members of agreements, with a queue from each to each other. A member dies after a number of its sends. Some of its
/// last messages are lost, and each other member detects the death after the messages that arrive.
class simulated_members {
    struct member {
        member(rank_t ranks, rank_t rank) : protocol(ranks, rank), in(static_cast<std::size_t>(ranks)) {}
        agreement_protocol protocol;
        std::vector<std::deque<std::optional<control_message>>> in;  // by sender; none: the sender has died
        int sends = 0, left = -1;
        bool dead = false, started = false;
    };

    member& at(rank_t rank) { return all_[static_cast<std::size_t>(rank)]; }
    auto sender(rank_t from) {
        return [this, from](rank_t to, const control_message& m) {
            if (at(from).left >= 0 && at(from).sends == at(from).left) die(from);
            if (at(from).dead || at(to).dead) return;
            ++at(from).sends;
            at(to).in[static_cast<std::size_t>(from)].push_back(m);
        };
    }
    void die(rank_t rank) {
        if (std::exchange(at(rank).dead, true)) return;
        for (member& other : all_) {
            auto& queue = other.in[static_cast<std::size_t>(rank)];
            queue.resize(static_cast<std::size_t>(random_.between(0, std::ssize(queue))));
            queue.push_back(std::nullopt);
        }
    }
    void deliver(rank_t from, rank_t to) {
        auto& queue = at(to).in[static_cast<std::size_t>(from)];
        const std::optional<control_message> next = queue.front();
        queue.pop_front();
        if (next) at(to).protocol.handle(from, *next, sender(to));
        else at(to).protocol.lose(from, sender(to));
    }

  public:
    simulated_members(rank_t ranks, std::uint64_t seed) : ranks_(ranks), random_(seed) {
        for (rank_t r = 0; r < ranks; ++r) all_.emplace_back(member(ranks, r));
    }
    void dies_after(rank_t rank, int sends) { at(rank).left = sends; }
    int sends(rank_t rank) { return at(rank).sends; }
    bool is_dead(rank_t rank) { return at(rank).dead; }
    std::size_t living() {
        std::size_t n = 0;
        for (const member& one : all_) n += !one.dead;
        return n;
    }

    /// Runs one agreement to its end. Returns the decisions of the living, and of those that died after it.
    std::vector<std::optional<agreement_value>> agree() {
        std::vector<std::optional<agreement_value>> decided(all_.size());
        std::vector<rank_t> waiting;
        for (rank_t r = 0; r < ranks_; ++r)
            if (!is_dead(r)) waiting.push_back(r);
        for (int moves = 0; moves < 100'000; ++moves) {
            std::vector<std::pair<rank_t, rank_t>> busy;  // queues with a message or a death, from and to
            for (rank_t to = 0; to < ranks_; ++to)
                for (rank_t from = 0; from < ranks_ && !is_dead(to); ++from)
                    if (!at(to).in[static_cast<std::size_t>(from)].empty()) busy.emplace_back(from, to);
            const auto choices = std::ssize(busy) + std::ssize(waiting);
            if (choices == 0) break;
            const auto chosen = static_cast<std::size_t>(random_.between(0, choices - 1));
            rank_t actor = 0;
            if (chosen < waiting.size()) {
                actor = waiting[chosen];
                waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(chosen));
                if (!is_dead(actor))
                    at(actor).protocol.start(flags_of(actor), static_cast<std::uint64_t>(actor), sender(actor));
                if (!is_dead(actor)) at(actor).started = true;
            } else {
                actor = busy[chosen - waiting.size()].second;
                deliver(busy[chosen - waiting.size()].first, actor);
            }
            member& mover = at(actor);
            if (mover.started && !mover.protocol.running() && !decided[static_cast<std::size_t>(actor)])
                decided[static_cast<std::size_t>(actor)] = mover.protocol.decision();
        }
        for (member& one : all_) one.started = false;
        return decided;
    }
    static std::uint64_t flags_of(rank_t rank) { return ~(std::uint64_t{1} << rank); }

  private:
    rank_t ranks_;
    detail::splitmix64 random_;
    std::vector<member> all_;
};

/// Returns the fault of the decisions of one agreement, or "".
std::string fault_of(simulated_members& members, rank_t ranks) {
    const std::vector<std::optional<agreement_value>> decided = members.agree();
    std::optional<agreement_value> first;
    for (rank_t r = 0; r < ranks; ++r) {
        const auto& own = decided[static_cast<std::size_t>(r)];
        if (!own && !members.is_dead(r)) return "rank " + std::to_string(r) + " does not end";
        if (own && first && !(*own == *first)) return "rank " + std::to_string(r) + " decides another value";
        if (own) first = own;
    }
    if (!first) return "";
    std::uint64_t least = 0;
    for (rank_t r = 0; r < ranks; ++r) {
        const bool contributes = (first->flags >> r & 1) == 0;
        if (first->has_failed(r) && !members.is_dead(r)) return "a living rank counts as failed";
        if (!first->has_failed(r) && !contributes) return "the flags of a rank are missing";
        if (!first->has_failed(r)) least = static_cast<std::uint64_t>(r);
    }
    if (first->children < least || first->children >= static_cast<std::uint64_t>(ranks)) return "wrong children";
    return first->flags >> ranks == ~std::uint64_t{0} >> ranks ? "" : "wrong flags";
}

/// Three agreements in a row; `deaths` have a rank and the number of its sends.
std::string faults_of(rank_t ranks, std::uint64_t seed, const std::vector<std::pair<rank_t, int>>& deaths) {
    simulated_members members(ranks, seed);
    for (const auto& [rank, sends] : deaths) members.dies_after(rank, sends);
    std::string faults;
    for (int i = 0; i < 3; ++i) faults += fault_of(members, ranks);
    if (!faults.empty()) {
        faults = std::to_string(ranks) + " ranks, seed " + std::to_string(seed) + ": " + faults;
        for (const auto& [rank, sends] : deaths)
            faults += ", " + std::to_string(rank) + " dies after " + std::to_string(sends);
    }
    return faults;
}

}  // namespace

TEST_CASE("agreement_protocol: without a death, p members send (p - 1)(p + 3) messages") {
    for (rank_t p = 1; p <= 9; ++p) {
        simulated_members members(p, 5);
        CHECK(fault_of(members, p) == "");
        int sends = 0;
        for (rank_t r = 0; r < p; ++r) sends += members.sends(r);
        CHECK(sends == (p - 1) * (p + 3));
    }
}

TEST_CASE("agreement_protocol: uniform and complete for one death after each number of sends") {
    for (rank_t p = 2; p <= 6; ++p)
        for (rank_t dead = 0; dead < p; ++dead)
            for (int sends = 0; sends <= 6 * static_cast<int>(p); ++sends)
                for (std::uint64_t seed = 0; seed < 20; ++seed) REQUIRE(faults_of(p, seed, {{dead, sends}}) == "");
}

TEST_CASE("agreement_protocol: uniform and complete for two deaths after each numbers of sends") {
    for (rank_t p = 3; p <= 5; ++p)
        for (rank_t first = 0; first < p; ++first)
            for (rank_t second = first + 1; second < p; ++second)
                for (int i = 0; i <= 3 * static_cast<int>(p); ++i)
                    for (int k = 0; k <= 3 * static_cast<int>(p); ++k)
                        for (std::uint64_t seed = 0; seed < 6; ++seed)
                            REQUIRE(faults_of(p, seed, {{first, i}, {second, k}}) == "");
}

TEST_CASE("agreement_protocol: uniform and complete for random deaths of up to all but one of many members") {
    detail::splitmix64 random(3);
    for (int round = 0; round < 2000; ++round) {
        const rank_t p = random.between(2, 12);
        std::vector<std::pair<rank_t, int>> deaths;
        for (rank_t r = 0; r < p; ++r)
            if (std::ssize(deaths) < p - 1 && random.between(0, 2) != 0)
                deaths.emplace_back(r, static_cast<int>(random.between(0, 4 * p)));
        REQUIRE(faults_of(p, static_cast<std::uint64_t>(round), deaths) == "");
    }
}

TEST_CASE("control_message: a message that no member sends is not read") {
    control_message m{control_message::report, 7, 2, {5, 3, {0b101, 1}}}, read;
    REQUIRE(control_message::words(65) == m.packed().size());
    CHECK(read.unpack(m.packed(), 65));
    CHECK((read.kind == control_message::report && read.number == 7 && read.ballot == 2 && read.value == m.value));
    const auto refused = [&](std::size_t word, std::uint64_t value) {
        std::vector<std::uint64_t> words = m.packed();
        words[word] = value;
        return !read.unpack(words, 65);
    };
    for (const std::uint64_t kind : {std::uint64_t{0}, std::uint64_t{6}, ~std::uint64_t{0}}) CHECK(refused(0, kind));
    CHECK(!refused(2, 65));
    CHECK(refused(2, 66));
    CHECK(refused(6, 2));
}

TEST_CASE("control_message: kinds have fixed numbers, and a default one is of no kind") {
    const run_status strange{.state = run_status::phase::failed, .error = -7, .step = -1, .rank = 1, .peer = -1};
    const run_status received = control_message::revocation(strange, 3).cause(3);
    CHECK((received.error == -7 && received.step == -1 && received.rank == 1 && received.peer == -1));
    CHECK(control_message::revocation({.rank = 3, .peer = 3}, 4).cause(3).rank == -1);
    CHECK(control_message::revocation({.rank = 3, .peer = 3}, 4).cause(3).peer == -1);
    static_assert(control_message::revoke == 1 && control_message::report == 2 && control_message::propose == 3);
    static_assert(control_message::accept == 4 && control_message::decide == 5);
    const control_message none;
    CHECK((none.kind == 0 && none.number == 0 && none.ballot == 0));
    CHECK((none.value.flags == ~std::uint64_t{0} && none.value.children == 0 && none.value.failed.empty()));
    CHECK(control_message::words(1) == 6);
    CHECK(control_message::words(64) == 6);
    CHECK(control_message::words(65) == 7);
    CHECK(none.packed() == std::vector<std::uint64_t>{0, 0, 0, ~std::uint64_t{0}, 0});
    control_message m;
    const auto reads = [&](std::uint64_t kind, std::uint64_t ballot, std::uint64_t failed, rank_t ranks) {
        const std::uint64_t words[] = {kind, 9, ballot, 0, 0, failed};
        return m.unpack(words, ranks);
    };
    CHECK((reads(1, 0, 0, 3) && reads(5, 3, 0b111, 3) && reads(2, 64, ~std::uint64_t{0}, 64)));
    CHECK_FALSE((reads(0, 0, 0, 3) || reads(6, 0, 0, 3) || reads(2, 4, 0, 3) || reads(2, 0, 0b1000, 3)));
}

TEST_CASE("agreement_value: merged values have the flags of both, and the failures and children of either") {
    agreement_value one{0b110, 4, {0b1, 0}}, other{0b011, 3, {0b10, 0b100}};
    agreement_value both = one;
    both.merge(other);
    CHECK(both == agreement_value{0b010, 4, {0b11, 0b100}});
    both.add_failed(63);
    both.add_failed(64);
    for (const rank_t rank : {0, 1, 63, 64, 66}) CHECK(both.has_failed(rank));
    for (const rank_t rank : {2, 62, 65, 67}) CHECK(!both.has_failed(rank));
}
