#include "collsched/execute/processes.hpp"

#include <doctest/doctest.h>

#include <malloc.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include "collsched/collective/allgather/bruck.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/allreduce/ring.hpp"
#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/execute/rank_memory.hpp"
#include "collsched/execute/reduce_with.hpp"
#include "collsched/execute/reductions.hpp"
#include "collsched/execute/detail/control_links.hpp"
#include "support/brief.hpp"
#include "support/conformance.hpp"
#include "support/late_executor.hpp"
#include "support/processes.hpp"
#include "support/reporting_transport.hpp"
#include "support/registry.hpp"
#include "support/wait_or_fail.hpp"
#include "support/waits.hpp"

using namespace collsched;
using namespace std::chrono_literals;

namespace {

using rank_transport = support::reporting_transport<process_group::transport>;

/// A rank of a group, with what is wrong with its joining.
struct member {
    member(const process_group::anonymous_segment& room, rank_t ranks, rank_t rank, process_group::options how = {}) {
        if (const process_group::join_error wrong = group.join(room, ranks, rank, how)) fault = wrong.object;
    }
    process_group group;
    std::string fault;
};

/// Two ranks in this process, which the test lets act in turn.
struct pair_of_ranks {
    explicit pair_of_ranks(process_group::options how = {}) : first(room, 2, 0, how), second(room, 2, 1, how) {}

    process_group::anonymous_segment room;
    member first, second;
    rank_transport zero{first.group}, one{second.group};
};

/// Both ways for large messages: straight from the sender's memory, and through the ring.
constexpr process_group::options copied_once{.single_copy = true, .single_copy_from = 0},
    copied_twice{.single_copy = false};

int owner_a, owner_b;
message::request own(std::int64_t node) { return {&owner_a, node}; }
message::key to(rank_t peer, std::int64_t sequence, std::int64_t node = 0) {
    return {peer, 3, 5, sequence, 77, own(node)};
}

std::vector<std::byte> some_bytes(std::size_t size, std::size_t seed) {
    std::vector<std::byte> all(size);
    for (std::size_t i = 0; i < size; ++i) all[i] = static_cast<std::byte>((i * 7 + i / 253 + seed * 31) & 0xff);
    return all;
}

/// Polls both ends until `wanted` completions have come to this one.
std::vector<completion> collect(rank_transport& mine, rank_transport& other, std::vector<completion>& others,
                                std::size_t wanted) {
    std::vector<completion> found;
    for (int idle = 0; found.size() < wanted && idle < 100'000; ++idle) {
        if (const completion c = other.poll(); c.request.owner != nullptr || c.error != 0) others.push_back(c);
        if (const completion c = mine.poll(); c.request.owner != nullptr || c.error != 0) found.push_back(c), idle = 0;
    }
    return found;
}

/// Sends messages of these sizes from 0 to 1, received in the order of `receives`; whether all came as they should.
bool exchange(pair_of_ranks& both, const std::vector<std::size_t>& sizes, const std::vector<std::size_t>& receives,
              bool send_first) {
    std::vector<std::vector<std::byte>> out, in;
    std::vector<message::send_part> sent;
    std::vector<message::receive_part> received;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        out.push_back(some_bytes(sizes[i], i));
        in.emplace_back(sizes[i]);
    }
    for (auto& one : out) sent.push_back({one.data(), std::ssize(one)});
    for (auto& one : in) received.push_back({one.data(), std::ssize(one)});
    bool posted = true;
    const auto send_all = [&] {
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const auto n = static_cast<std::int64_t>(i);
            posted = both.zero.post_send(to(1, n, n), {&sent[i], 1}) == 0 && posted;
        }
    };
    std::vector<completion> ends, others;
    if (send_first) send_all();
    if (send_first) both.one.poll();
    for (const std::size_t i : receives) {
        const auto n = static_cast<std::int64_t>(i);
        posted = both.one.post_recv(to(0, n, n), {&received[i], 1}) == 0 && posted;
    }
    if (!send_first) send_all();
    ends = collect(both.one, both.zero, others, sizes.size());
    std::vector<completion> rest = collect(both.zero, both.one, ends, sizes.size() - others.size());
    others.insert(others.end(), rest.begin(), rest.end());
    std::vector<int> seen(sizes.size() * 2);
    for (const completion& c : ends) ++seen[static_cast<std::size_t>(c.request.node)], posted = posted && c.error == 0;
    for (const completion& c : others)
        ++seen[sizes.size() + static_cast<std::size_t>(c.request.node)], posted = posted && c.error == 0;
    for (const int times : seen) posted = posted && times == 1;
    return posted && in == out;
}

std::string text_of(const run_status& end) {
    return end.done() ? ""
                      : "error " + std::to_string(end.error) + " in step " + std::to_string(end.step) + " of rank " +
                            std::to_string(end.rank) + " with " + std::to_string(end.peer);
}

}  // namespace

TEST_CASE("conformance: real bytes between processes, p = 1 .. 5") {
    for (const process_group::options how : {process_group::options{}, process_group::options{1024, false}})
        for (rank_t p = 1; p <= 5; ++p) {
            const process_group::anonymous_segment room;
            const auto run = [&](rank_t r) -> std::string {
                member self(room, p, r, how);
                if (!self.fault.empty()) return self.fault;
                rank_transport transport(self.group);
                std::string fault;
                std::size_t runs = 0;
                const bool brief = how.ring_bytes == 1024;
                support::for_each_conformance_case(p, p, brief, [&](const auto& one) {
                    if (fault.empty()) fault = support::conform(one, r, transport);
                    ++runs;
                });
                if (!fault.empty() || runs > compiled::registry().size() / support::one_of() / 8) return fault;
                return "only " + std::to_string(runs) + " cases";
            };
            REQUIRE(support::run_processes_of(p, run) == "");
        }
}

TEST_CASE("conformance: real bytes between processes with local operations that complete later, out of order") {
    for (rank_t p = 2; p <= 4; ++p) {
        const process_group::anonymous_segment room;
        const auto run = [&](rank_t r) -> std::string {
            member self(room, p, r);
            rank_transport transport(self.group);
            support::late_executor local(static_cast<std::uint64_t>(r));
            std::string fault;
            support::for_each_conformance_case(p, p, true, [&](const auto& one) {
                if (fault.empty()) fault = support::conform(one, r, transport, local, 20s);
            });
            return fault.empty() && local.completed == 0 ? "nothing was late" : fault;
        };
        REQUIRE(support::run_processes_of(p, run) == "");
    }
}

TEST_CASE("process_transport: messages match by key in any order of posts") {
    for (const process_group::options how : {copied_once, copied_twice})
        for (const bool send_first : {true, false}) {
            pair_of_ranks both(how);
            std::vector<std::size_t> sizes, backward;
            for (std::size_t i = 0; i < 40; ++i)
                sizes.push_back(i % 4 == 0 ? 0 : i % 4 == 1 ? 8 : i % 4 == 2 ? 3000 : 70'000);
            for (std::size_t i = sizes.size(); i-- > 0;) backward.push_back(i);
            CHECK(exchange(both, sizes, backward, send_first));
            CHECK(both.one.single_copy(0) == how.single_copy);
        }
}

TEST_CASE("process_transport: messages beyond the capacity of a ring may be received in reverse order") {
    for (const std::size_t size : std::vector<std::size_t>{0, 8, 5000}) {
        pair_of_ranks both({.ring_bytes = 1024});
        const std::vector<std::size_t> sizes(5000, size);
        std::vector<std::size_t> backward;
        for (std::size_t i = sizes.size(); i-- > 0;) backward.push_back(i);
        CHECK(exchange(both, sizes, backward, true));
        CHECK(exchange(both, sizes, backward, false));
    }
}

TEST_CASE("process_transport: both ends may divide a message differently") {
    for (const process_group::options how : {copied_once, copied_twice})
        for (const std::size_t size : {std::size_t{100}, std::size_t{2000}, std::size_t{100'000}}) {
            pair_of_ranks both(how);
            const std::vector<std::byte> from = some_bytes(size, 1);
            std::vector<std::byte> into(size);
            std::vector<message::send_part> out;
            std::vector<message::receive_part> in;
            for (std::size_t at = 0, n = 0; at < size; at += n, n = (n + 3) % 97)
                out.push_back({from.data() + at, static_cast<bytes_t>(std::min(n, size - at))});
            for (std::size_t at = 0, n = 5; at < size; at += n, n = (n + 11) % 1013)
                in.push_back({into.data() + at, static_cast<bytes_t>(std::min(n, size - at))});
            REQUIRE(total_bytes(std::span<const message::send_part>(out)) == static_cast<bytes_t>(size));
            CHECK(both.zero.post_send(to(1, 0), out) == 0);
            CHECK(both.one.post_recv(to(0, 0), in) == 0);
            std::vector<completion> others;
            CHECK(collect(both.one, both.zero, others, 1).size() == 1);
            CHECK(into == from);
        }
}

TEST_CASE("process_transport: 64 MiB arrive with one copy and with two") {
    for (const process_group::options how : {copied_once, copied_twice}) {
        const process_group::anonymous_segment room;
        const auto run = [&](rank_t r) -> std::string {
            member self(room, 2, r, how);
            rank_transport transport(self.group);
            const std::vector<std::byte> from = some_bytes(std::size_t{64} << 20, 9);
            std::vector<std::byte> into(r == 1 ? from.size() : 0);
            const message::send_part out{from.data(), std::ssize(from)};
            const message::receive_part in{into.data(), std::ssize(into)};
            const int error =
                r == 0 ? transport.post_send(to(1, 0), {&out, 1}) : transport.post_recv(to(0, 0), {&in, 1});
            const completion end = transport.wait_any(30s);
            if (error != 0 || end.request.owner != &owner_a || end.error != 0)
                return "error " + std::to_string(end.error);
            if (r == 1 && transport.single_copy(0) != how.single_copy) return "not copied as asked for";
            return r == 0 || into == from ? "" : "wrong bytes";
        };
        CHECK(support::run_processes_of(2, run) == "");
    }
}

TEST_CASE("process_transport: both ends report different sizes and different schedules, but a send that is complete") {
    for (const process_group::options how : {copied_once, copied_twice})
        for (const std::size_t size : {std::size_t{8}, std::size_t{50'000}})
            for (const bool send_first : {true, false})
                for (const int error : {process_group::error::size_mismatch, process_group::error::disagreement}) {
                    pair_of_ranks both(how);
                    std::vector<std::byte> from(size), into(size);
                    const bytes_t less = error == process_group::error::size_mismatch ? 1 : 0;
                    const message::send_part out{from.data(), std::ssize(from)};
                    const message::receive_part in{into.data(), std::ssize(into) - less};
                    message::key receive = to(0, 0);
                    if (error == process_group::error::disagreement) ++receive.fingerprint;
                    if (send_first) CHECK(both.zero.post_send(to(1, 0), {&out, 1}) == 0);
                    if (send_first) CHECK(both.one.poll().request.owner == nullptr);
                    CHECK(both.one.post_recv(receive, {&in, 1}) == 0);
                    if (!send_first) CHECK(both.zero.post_send(to(1, 0), {&out, 1}) == 0);
                    const completion theirs = both.one.wait_any(1s), mine = both.zero.wait_any(1s);
                    CHECK((theirs.error == error && theirs.peer == 0 && theirs.request.owner == &owner_a));
                    CHECK((mine.error == (size == 8 ? 0 : error) && mine.peer == 1 && mine.request.owner == &owner_a));
                }
}

TEST_CASE("process_transport: a message to a rank outside the group is rejected") {
    pair_of_ranks both;
    for (const rank_t peer : {-1, 0, 2}) {
        CHECK(both.zero.post_send(to(peer, 0), {}) == process_group::error::no_such_rank);
        CHECK(both.zero.post_recv(to(peer, 0), {}) == process_group::error::no_such_rank);
    }
}

TEST_CASE("process_group: a wait ends when its time is up, and not before") {
    pair_of_ranks both;
    for (const auto time : {0ms, 1ms, 12ms, 30ms}) {
        const auto wait = [&] {
            const completion end = both.zero.wait_any(time);
            CHECK((end.request.owner == nullptr && end.error == 0));
        };
        const support::shortest_waits shortest(wait, time, 4ms, 500);
        CHECK(shortest.wait >= time);
        CHECK(shortest.wait <= shortest.sleep + 4ms);
    }
}

TEST_CASE("process_transport: cancel releases the memory of one owner only, at any stage") {
    for (const process_group::options how : {copied_once, copied_twice})
        for (const std::size_t size : {std::size_t{8}, std::size_t{200'000}}) {
            pair_of_ranks both(how);
            const std::vector<std::byte> right = some_bytes(size, 2);
            std::vector<std::byte> given_back = right, into(size), other_into(size);
            const message::send_part out{given_back.data(), std::ssize(given_back)},
                kept{right.data(), std::ssize(right)};
            const message::receive_part in{into.data(), std::ssize(into)},
                other_in{other_into.data(), std::ssize(into)};
            message::key other_send = to(1, 1, 9), other_receive = to(0, 1, 9);
            other_send.request.owner = other_receive.request.owner = &owner_b;
            CHECK(both.zero.post_send(to(1, 0), {&out, 1}) == 0);
            CHECK(both.zero.post_send(other_send, {&kept, 1}) == 0);
            both.one.poll();
            both.zero.cancel(&owner_a);
            std::memset(given_back.data(), 0, size);
            CHECK(both.one.post_recv(other_receive, {&other_in, 1}) == 0);
            CHECK(both.one.post_recv(to(0, 0), {&in, 1}) == 0);
            std::vector<completion> theirs;
            const std::vector<completion> mine = collect(both.zero, both.one, theirs, 1);
            REQUIRE((mine.size() == 1 && mine[0].request.owner == &owner_b));
            CHECK(mine[0].error == 0);
            // The receive either matched the send before, and was withdrawn, or waits; it never is complete with zeros.
            for (int i = 0; i < 100; ++i)
                if (const completion c = both.one.poll(); c.request.owner != nullptr) theirs.push_back(c);
            CHECK(other_into == right);
            for (const completion& c : theirs)
                CHECK((c.request.owner == &owner_b || c.error == process_group::error::withdrawn ||
                       (size == 8 && into == right)));
            both.one.cancel(&owner_a);
            // The same pair goes on.
            CHECK(exchange(both, {8, 100'000}, {1, 0}, true));
        }
}

TEST_CASE("process_transport: cancelling a matched receive ends its send as withdrawn") {
    for (const process_group::options how : {copied_once, copied_twice}) {
        pair_of_ranks both(how);
        const std::vector<std::byte> from = some_bytes(1'000'000, 2);
        std::vector<std::byte> into(from.size());
        const message::send_part out{from.data(), std::ssize(from)};
        const message::receive_part in{into.data(), std::ssize(into)};
        CHECK(both.zero.post_send(to(1, 0), {&out, 1}) == 0);
        both.one.poll();
        CHECK(both.one.post_recv(to(0, 0), {&in, 1}) == 0);
        if (!how.single_copy) {
            both.zero.poll();
            both.one.poll();
        }
        both.one.cancel(&owner_a);
        const std::vector<std::byte> then = into;
        CHECK(both.zero.wait_any(1s).error == process_group::error::withdrawn);
        both.one.poll();
        CHECK(into == then);
        CHECK(exchange(both, {8, 100'000}, {1, 0}, true));
    }
}

TEST_CASE("process_transport: a send cancelled during its copy delivers correct bytes or none") {
    // Rank 1 reports that it waits for the next message; rank 0 cancels that ever later, spoils it, and reports that.
    constexpr std::size_t size = 1 << 20;
    const process_group::anonymous_segment room;
    const auto run = [&](rank_t r) -> std::string {
        member self(room, 2, r);
        rank_transport transport(self.group);
        std::vector<std::byte> bytes(size);
        const message::send_part out{bytes.data(), size};
        const message::receive_part in{bytes.data(), size};
        const auto control = [&](std::int64_t i, bool sends) {
            message::key key{1 - r, 4, 5, i, 77, {&owner_b, i}};
            return sends ? transport.post_send(key, {}) : transport.post_recv(key, {});
        };
        int complete = 0, taken_back = 0;
        for (std::int64_t i = 0; i < 300; ++i) {
            std::memset(bytes.data(), r == 0 ? static_cast<int>(i % 200 + 1) : 0, size);
            if (r == 1) {
                transport.post_recv(to(0, i), {&in, 1});
                control(2 * i + 1, false);
                control(2 * i, true);
            } else {
                control(2 * i, false);
                if (transport.wait_any(20s).request.owner != &owner_b) return "rank 1 is not ready";
                transport.post_send(to(1, i), {&out, 1});
                // The last message has time to arrive, also on a busy machine, and some have none, also on a fast one.
                if (i % 30 != 0) transport.wait_any(i < 299 ? std::chrono::nanoseconds(i * 10'000) : 20s);
                transport.cancel(&owner_a);
                std::memset(bytes.data(), 0xff, size);
                control(2 * i + 1, true);
                if (transport.wait_any(20s).request.owner != &owner_b) return "rank 1 receives nothing";
                continue;
            }
            bool delivered = false;
            for (int controls = 0; controls < 2;) {
                const completion end = transport.wait_any(20s);
                if (end.request.owner == nullptr) return "rank 0 sends nothing";
                if (end.request.owner == &owner_b) ++controls;
                else delivered = end.error == 0;
            }
            transport.cancel(&owner_a);
            ++(delivered ? complete : taken_back);
            for (const std::byte b : bytes)
                if (delivered && b != static_cast<std::byte>(i % 200 + 1))
                    return "wrong bytes in message " + std::to_string(i);
        }
        return r == 0 || (complete > 0 && taken_back > 0) ? "" : std::to_string(complete) + " of 300 came";
    };
    CHECK(support::run_processes_of(2, run) == "");
}

TEST_CASE("process_transport: executions on separate channels share a transport") {
    const process_group::anonymous_segment room;
    const auto run = [&](rank_t r) -> std::string {
        member self(room, 3, r);
        rank_transport transport(self.group);
        std::vector<std::unique_ptr<support::real_bytes>> bytes;
        std::vector<std::unique_ptr<bound_plan>> plans;
        std::vector<std::unique_ptr<execution<rank_transport>>> runs;
        for (std::uint64_t channel = 0; channel < 8; ++channel) {
            const allgather::bruck s{.ranks = 3, .block = channel % 2 == 0 ? 16 : 9000};
            bytes.push_back(std::make_unique<support::real_bytes>(lower(s).contract(), r));
            plans.push_back(std::make_unique<bound_plan>(s, r, bytes.back()->memory()));
            runs.push_back(std::make_unique<execution<rank_transport>>(plans.back()->plan(), transport,
                                                                       execution_options{.channel = channel}));
        }
        for (int round = 0; round < 20; ++round) {
            for (auto& one : bytes) one->refill(round);
            // Each rank starts them in another order.
            for (std::size_t i = 0; i < 8; ++i) {
                const std::size_t which = (i * 3 + static_cast<std::size_t>(r) * 5) % 8;
                runs[which]->start(plans[which]->buffers());
            }
            for (auto& one : runs)
                if (const run_status end = support::wait_or_fail(*one, 20s); !end.done()) return text_of(end);
            for (auto& one : bytes)
                if (const std::string wrong = one->wrong(); !wrong.empty()) return wrong;
        }
        return "";
    };
    CHECK(support::run_processes_of(3, run) == "");
}

TEST_CASE("process_transport: ranks that join by name run one collective after another, and again after a crash") {
    const std::string name = "/collsched-transport-" + std::to_string(::getpid());
    for (const bool crash : {false, true, false}) {
        const auto run = [&](rank_t r) -> std::string {
            process_group group;
            if (const process_group::join_error wrong = group.join(name.c_str(), crash ? 4 : 3, r)) return wrong.object;
            if (crash) ::raise(SIGKILL);
            rank_transport transport(group);
            for (const bytes_t size : {bytes_t{10}, bytes_t{100'000}}) {
                const broadcast::over_tree<trees::binomial> s{.ranks = 3, .bytes = size};
                support::real_bytes bytes(lower(s).contract(), r);
                bound_plan plan(s, r, bytes.memory());
                execution<rank_transport> all(plan.plan(), transport, {.channel = static_cast<std::uint64_t>(size)});
                for (int round = 0; round < 10; ++round) {
                    bytes.refill(round);
                    all.start(plan.buffers());
                    if (const run_status end = support::wait_or_fail(all, 20s); !end.done()) return text_of(end);
                    if (const std::string wrong = bytes.wrong(); !wrong.empty()) return wrong;
                }
            }
            return "";
        };
        const std::string faults = support::run_processes_of(3, run);
        CHECK((crash ? faults.find("killed by signal 9") != std::string::npos : faults == ""));
    }
}

TEST_CASE("process_transport: no start after the first one allocates memory") {
    const auto check = [](const auto& s, const reduction& op) {
        for (const process_group::options how : {copied_once, copied_twice}) {
            const process_group::anonymous_segment room;
            const auto run = [&](rank_t r) -> std::string {
                member self(room, 2, r, how);
                rank_transport transport(self.group);
                support::real_bytes bytes(lower(s).contract(), r);
                bound_plan plan(s, r, bytes.memory());
                execution<rank_transport> all(plan.plan(), transport);
                std::size_t before = 0;
                for (int round = 0; round < 1000; ++round) {
                    if (round == 5) before = ::mallinfo2().uordblks;
                    all.start(plan.buffers(), op);
                    if (!support::wait_or_fail(all, 20s).done()) return text_of(all.state());
                }
                const std::size_t after = ::mallinfo2().uordblks;
                return before == after ? "" : std::to_string(after - before) + " bytes more";
            };
            CHECK(support::run_processes_of(2, run) == "");
        }
    };
    check(allgather::ring{.ranks = 2, .block = 20'000}, {});
    check(allreduce::ring{.ranks = 2, .bytes = 400'000, .element = 8}, reductions::sum<double>());
}

TEST_CASE("a message is combined on arrival: early or late, in the ring or in the sender's memory, in place or not") {
    for (const process_group::options how : {copied_once, copied_twice})
        for (const std::size_t values : {1U, 1000U, 40'000U})
            for (const bool early : {false, true})
                for (const bool size_is_known : {false, true})
                    for (const bool in_place : {false, true}) {
                        CAPTURE(values);
                        CAPTURE(early);
                        pair_of_ranks both(how);
                        reduction op = reductions::sum<std::int64_t>();
                        if (!size_is_known) op.element = 0;
                        std::vector<std::int64_t> sent(values), operand(values), into(values), expected(values);
                        for (std::size_t i = 0; i < values; ++i) {
                            sent[i] = static_cast<std::int64_t>(1000 * i);
                            operand[i] = static_cast<std::int64_t>(i) - 7;
                            expected[i] = sent[i] + operand[i];
                        }
                        if (in_place) into = operand;
                        const std::vector<std::int64_t>& read = in_place ? into : operand;
                        const auto size = static_cast<bytes_t>(8 * values);
                        const message::send_part out{reinterpret_cast<const std::byte*>(sent.data()), size},
                            other{reinterpret_cast<const std::byte*>(read.data()), size};
                        const message::receive_part target{reinterpret_cast<std::byte*>(into.data()), size};
                        const auto send = [&] { return both.zero.post_send(to(1, 0, 1), {&out, 1}); };
                        if (early) CHECK(send() == 0);
                        if (early) CHECK(both.one.poll().empty());
                        CHECK(both.one.post_recv_combine(to(0, 0, 2), {target, other, action::combine_after, &op}) ==
                              0);
                        if (!early) CHECK(send() == 0);
                        std::vector<completion> ends, others;
                        ends = collect(both.one, both.zero, others, 1);
                        REQUIRE(ends.size() == 1);
                        CHECK((ends[0].request.node == 2 && ends[0].error == 0));
                        if (others.empty()) others = collect(both.zero, both.one, ends, 1);
                        REQUIRE(others.size() == 1);
                        CHECK((others[0].request.node == 1 && others[0].error == 0));
                        CHECK(into == expected);
                    }
}

TEST_CASE("a reduction that throws: a call of the receiver throws, and the receive ends with an error") {
    for (const process_group::options how : {copied_once, copied_twice})
        for (const std::size_t values : {10U, 40'000U})
            for (const bool early : {false, true}) {
                CAPTURE(values);
                CAPTURE(early);
                pair_of_ranks both(how);
                auto failing = reduce_with<double>([](double, double) -> double { throw 7; }, true);
                const reduction op = failing;
                const std::vector<double> sent(values);
                std::vector<double> into(values);
                const auto size = static_cast<bytes_t>(8 * values);
                const message::send_part out{reinterpret_cast<const std::byte*>(sent.data()), size};
                const message::receive_part target{reinterpret_cast<std::byte*>(into.data()), size};
                const message::combined_part part{target, {target.data, size}, action::combine_after, &op};
                const auto send = [&] { return both.zero.post_send(to(1, 0, 1), {&out, 1}); };
                if (early) CHECK(send() == 0);
                if (early) CHECK(both.one.poll().empty());
                CHECK(both.one.post_recv_combine(to(0, 0, 2), part) == 0);
                if (!early) CHECK(send() == 0);
                completion received, returned;
                int thrown = 0;
                for (int i = 0; i < 100'000 && (received.empty() || returned.empty()); ++i) {
                    try {
                        if (const completion c = both.one.poll(); !c.empty()) received = c;
                    } catch (int number) {
                        CHECK(number == 7);
                        ++thrown;
                    }
                    if (const completion c = both.zero.poll(); !c.empty()) returned = c;
                }
                CHECK(thrown == 1);
                CHECK((received.request.node == 2 && received.error == process_group::error::combine_failed));
                const bool through_ring = values <= 10 || !how.single_copy;  // the send is complete before the failure
                CHECK((returned.request.node == 1 &&
                       returned.error == (through_ring ? 0 : process_group::error::combine_failed)));
            }
}

TEST_CASE("process_transport: executions require no staging for messages that are combined on arrival") {
    const process_group::anonymous_segment room;
    member self(room, 2, 0);
    rank_transport transport(self.group);
    const plan steps(allreduce::ring{.ranks = 2, .bytes = 400'000, .element = 8}, 0, binding::in_place);
    execution<rank_transport> run(steps, transport);
    CHECK(steps.staging_bytes() > 0);
    CHECK(run.staging_bytes() == 0);
}

TEST_CASE("process_transport: after a process is killed, every other one reports rank, step and peer") {
    for (const bool small : {true, false}) {
        const process_group::anonymous_segment room;
        const allgather::ring s{.ranks = 4, .block = small ? 8 : 100'000};
        const auto run = [&](rank_t r) -> std::string {
            member self(room, 4, r);
            rank_transport transport(self.group);
            support::real_bytes bytes(lower(s).contract(), r);
            bound_plan plan(s, r, bytes.memory());
            execution<rank_transport> all(plan.plan(), transport);
            for (int round = 0; round < 100; ++round) {
                all.start(plan.buffers());
                if (r == 2 && round == 50) {
                    all.progress();
                    ::raise(SIGKILL);
                }
                const auto start = std::chrono::steady_clock::now();
                const run_status end = support::wait_or_fail(all, 30s);
                if (end.done()) continue;
                if (std::chrono::steady_clock::now() - start > 5s) return "reported too late";
                if (end.error != process_group::error::peer_died || end.rank != r || end.peer < 0) return text_of(end);
                if (r != 0 && (end.peer != 2 || end.step < 0)) return text_of(end);  // its neighbors in the ring
                const message::receive_part none{};
                const int later = transport.post_recv(to(2, 0), {&none, 1});
                return later == process_group::error::peer_died ? "reported" : "posts go on";
            }
            return "not reported";
        };
        support::rank_processes all(4, run);
        const std::vector<std::string> faults = all.faults();
        for (const std::size_t r : std::vector<std::size_t>{0, 1, 3}) CHECK(faults[r] == "reported");
        CHECK(faults[2] == "killed by signal 9");
    }
}

TEST_CASE("process_transport: errors name the dead rank if another rank leaves after it") {
    const process_group::anonymous_segment room;
    member zero(room, 3, 0);
    rank_transport first(zero.group);
    support::rank_processes dying(1, [&](rank_t) -> std::string {
        const member two(room, 3, 2);
        if (!two.fault.empty()) return two.fault;
        ::raise(SIGKILL);
        return "";
    });
    CHECK(dying.faults()[0] == "killed by signal 9");
    std::byte target{};
    const message::receive_part in{&target, 1};
    {
        member one(room, 3, 1);
        rank_transport second(one.group);
        CHECK(first.post_recv(to(1, 0), {&in, 1}) == 0);
    }
    const completion lost = first.wait_any(1s), end = first.wait_any(1s);
    CHECK((lost.request.owner == nullptr && lost.error == process_group::error::peer_died && lost.peer == 2));
    CHECK((end.request.owner == &owner_a && end.error == process_group::error::peer_left && end.peer == 1));
    CHECK(first.post_recv(to(1, 1), {&in, 1}) == 0);
    const completion again = first.wait_any(1s);
    CHECK((again.request.owner == nullptr && again.error == process_group::error::peer_died && again.peer == 2));
    CHECK(first.post_recv(to(2, 0), {&in, 1}) == process_group::error::peer_died);
}

TEST_CASE("process_transport: after acknowledge, waits return no death, and living ranks exchange messages") {
    const process_group::anonymous_segment room;
    member zero(room, 4, 0), one(room, 4, 1);
    rank_transport first(zero.group), second(one.group);
    support::rank_processes dying(2, [&](rank_t rank) -> std::string {
        const member dead(room, 4, rank + 2);
        if (!dead.fault.empty()) return dead.fault;
        ::raise(SIGKILL);
        return "";
    });
    for (const std::string& fault : dying.faults()) CHECK(fault == "killed by signal 9");
    std::byte target{};
    const std::byte byte{9};
    const message::receive_part in{&target, 1};
    const message::send_part out{&byte, 1};
    CHECK(first.post_recv(to(1, 0, 6), {&in, 1}) == 0);
    first.acknowledge(-1);
    first.acknowledge(4);
    first.acknowledge(3);
    for (int i = 0; i < 2; ++i) {
        const completion lost = first.wait_any(5s);
        CHECK((lost.request.owner == nullptr && lost.error == process_group::error::peer_died && lost.peer == 2));
    }
    first.acknowledge(2);
    CHECK(first.wait_any(50ms).empty());
    for (const rank_t dead : {rank_t{2}, rank_t{3}}) {
        CHECK(first.post_recv(to(dead, 0), {&in, 1}) == process_group::error::peer_died);
        CHECK(first.post_send(to(dead, 0), {&out, 1}) == process_group::error::peer_died);
    }
    CHECK(second.post_send(to(0, 0), {&out, 1}) == 0);
    const completion end = first.wait_any(5s);
    CHECK((end.error == 0 && end.request.node == 6 && target == byte));
    CHECK(second.wait_any(5s).error == 0);
    CHECK(second.wait_any(5s).error == process_group::error::peer_died);
}

TEST_CASE("process_transport: a rank that leaves in order ends only the messages with it") {
    const process_group::anonymous_segment room;
    member zero(room, 3, 0), one(room, 3, 1);
    rank_transport first(zero.group), second(one.group);
    const std::byte byte{};
    std::byte target{};
    const message::send_part out{&byte, 1};
    const message::receive_part in{&target, 1};
    {
        member two(room, 3, 2);
        rank_transport third(two.group);
        CHECK(first.post_recv(to(2, 0, 4), {&in, 1}) == 0);
    }
    const completion end = first.wait_any(1s);
    CHECK((end.error == process_group::error::peer_left && end.peer == 2 && end.request.node == 4));
    CHECK(first.post_send(to(2, 0), {&out, 1}) == process_group::error::peer_left);
    CHECK(first.wait_any(50ms).error == 0);
    CHECK(first.post_recv(to(1, 0), {&in, 1}) == 0);
    CHECK(second.post_send(to(0, 0), {&out, 1}) == 0);
    CHECK(first.wait_any(1s).request.owner == &owner_a);
}

TEST_CASE("process_transport: complete messages of failures and agreements arrive after the end of their sender") {
    for (const rank_t sender : {0, 1}) {
        const process_group::anonymous_segment room;
        member first(room, 2, 0), second(room, 2, 1);
        process_group::transport ends[] = {process_group::transport(first.group),
                                           process_group::transport(second.group)};
        detail::control_links<process_group::transport> left(communicator(ends[1 - sender], 2, 1 - sender));
        {
            detail::control_links<process_group::transport> gone(communicator(ends[sender], 2, sender));
            gone.start(5);
            gone.revoke({.state = run_status::phase::failed, .error = 4, .rank = sender});
        }
        for (completion c = ends[1 - sender].poll(); !c.empty(); c = ends[1 - sender].poll()) deliver(c);
        CHECK(left.is_revoked());
    }
}
