#include "collsched/format/write_goal.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "collsched/collective/broadcast/over_tree.hpp"
#include "collsched/simulate/loggops_run.hpp"
#include "collsched/tree/binomial.hpp"
#include "support/brief.hpp"
#include "support/layouts.hpp"
#include "support/registry.hpp"

using namespace collsched;

namespace {

/// A GOAL file as its grammar has it, and LogGOPSim's rules run on that: from the text alone.
class goal_file {
  public:
    explicit goal_file(const std::string& text) {
        static const std::regex header("num_ranks ([0-9]+)"), block(R"(rank ([0-9]+) \{)"),
            message(R"(([A-Za-z]\w*): (send|recv) ([1-9][0-9]*)b (to|from) ([0-9]+) tag ([0-9]+))"),
            calc(R"(([A-Za-z]\w*): calc ([0-9]+))"), needs(R"(([A-Za-z]\w*) requires ([A-Za-z]\w*))");
        std::istringstream lines(text);
        std::string line;
        std::smatch part;
        std::map<std::string, std::size_t> labels;  // of the rank at hand
        int rank = -1;
        bool open = false;
        for (int number = 0; std::getline(lines, line); ++number) {
            CAPTURE(line);
            if (number == 0) {
                REQUIRE(std::regex_match(line, part, header));
                ranks = std::stoi(part[1]);
            } else if (std::regex_match(line, part, block)) {
                REQUIRE((!open && std::stoi(part[1]) == ++rank));
                open = true;
                labels.clear();
            } else if (line == "}") {
                REQUIRE(open);
                open = false;
            } else if (std::regex_match(line, part, message)) {
                REQUIRE((part[2] == "send") == (part[4] == "to"));
                REQUIRE(std::stoi(part[5]) < ranks);
                REQUIRE(labels.emplace(part[1], operations.size()).second);
                operations.push_back({part[2] == "send" ? 's' : 'r',
                                      rank,
                                      std::stoll(part[3]),
                                      std::stoi(part[5]),
                                      std::stoll(part[6]),
                                      {}});
            } else if (std::regex_match(line, part, calc)) {
                REQUIRE(labels.emplace(part[1], operations.size()).second);
                operations.push_back({'z', rank, std::stoll(part[2]), -1, 0, {}});
            } else {
                REQUIRE(std::regex_match(line, part, needs));
                operations[labels.at(part[1])].needs.insert(labels.at(part[2]));
            }
        }
        REQUIRE((!open && rank + 1 == ranks));
    }

    std::vector<std::int64_t> host_times(const loggops_model& m) {
        cpu.assign(static_cast<std::size_t>(ranks), 0);
        out = in = cpu;
        free_operations();
        while (!queue.empty()) {
            auto next = queue.begin();
            for (auto one = queue.begin(); one != queue.end(); ++one)
                if (one->time < next->time) next = one;  // of equal times the first that was put in
            const happening now = *next;
            queue.erase(next);
            happen(now, m);
            free_operations();
        }
        for (const operation& one : operations) CHECK(one.done);
        return cpu;
    }

    struct operation {
        char what;  // s, r, z: in which order they begin
        int rank;
        std::int64_t amount;
        int peer;
        std::int64_t tag;
        std::set<std::size_t> needs;
        bool begun = false, done = false;
    };
    int ranks = 0;
    std::vector<operation> operations;

  private:
    struct happening {
        std::int64_t time;
        std::size_t operation;
        bool arrival;
    };

    std::int64_t& of(std::vector<std::int64_t>& clocks, int rank) { return clocks[static_cast<std::size_t>(rank)]; }

    void free_operations() {
        for (int rank = 0; rank < ranks; ++rank)
            for (const char what : {'s', 'r', 'z'})
                for (std::size_t i = 0; i < operations.size(); ++i) {
                    operation& one = operations[i];
                    if (one.rank != rank || one.what != what || one.begun) continue;
                    if (!std::ranges::all_of(one.needs, [&](std::size_t k) { return operations[k].done; })) continue;
                    one.begun = true;
                    queue.push_back({what == 's' ? std::max(of(cpu, rank), of(out, rank)) : of(cpu, rank), i, false});
                }
    }

    void happen(const happening& now, const loggops_model& m) {
        operation& one = operations[now.operation];
        const std::int64_t t = now.time, rest = one.amount - 1;
        if (now.arrival) {
            std::int64_t &c = of(cpu, one.peer), &n = of(in, one.peer);
            if (std::max(c, n) > t) return queue.push_back({std::max(c, n), now.operation, true});
            c = t + m.overhead_ns + std::max(rest * m.byte_overhead_ns, rest * m.byte_gap_ns);
            n = t + m.gap_ns + rest * m.byte_gap_ns;
            for (std::size_t& waiting : receives)
                if (waiting != none && fit(one, operations[waiting]))
                    return meet(now.operation, waiting, t, m), void(waiting = none);
            messages.push_back(now.operation);
        } else if (one.what == 's') {
            std::int64_t &c = of(cpu, one.rank), &n = of(out, one.rank);
            if (std::max(c, n) > t) return queue.push_back({std::max(c, n), now.operation, false});
            c = t + m.overhead_ns + rest * m.byte_overhead_ns;
            n = t + m.gap_ns + rest * m.byte_gap_ns;
            queue.push_back({t + m.overhead_ns + m.latency_ns, now.operation, true});
            if (one.amount <= m.eager_bytes) one.done = true;
        } else if (one.what == 'r') {
            for (std::size_t& waiting : messages)
                if (waiting != none && fit(operations[waiting], one))
                    return meet(waiting, now.operation, t, m), void(waiting = none);
            receives.push_back(now.operation);
        } else if (of(cpu, one.rank) > t) {
            queue.push_back({of(cpu, one.rank), now.operation, false});
        } else {
            of(cpu, one.rank) = t + one.amount;
            one.done = true;
        }
    }

    static bool fit(const operation& send, const operation& receive) {
        return send.rank == receive.peer && send.peer == receive.rank && send.tag == receive.tag;
    }
    void meet(std::size_t send, std::size_t receive, std::int64_t t, const loggops_model& m) {
        operations[receive].done = true;
        if (operations[send].amount <= m.eager_bytes) return;
        operations[send].done = true;
        for (auto* clocks : {&cpu, &out})
            of(*clocks, operations[send].rank) = std::max(t, of(*clocks, operations[send].rank));
    }

    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::vector<std::int64_t> cpu, out, in;
    std::vector<happening> queue;
    std::vector<std::size_t> receives, messages;  // in order of arrival
};

std::string text_of(const goal_program& program) {
    std::string text;
    write_goal(std::back_inserter(text), program);
    return text;
}

}  // namespace

TEST_CASE("the format, line by line") {
    const broadcast::over_tree<trees::binomial> s{.ranks = 3, .bytes = 10, .segment = 5};
    CHECK(
        text_of(goal_program(execution_graph(s, binding::in_place))) ==
        "num_ranks 3\n"
        "rank 0 {\no0: send 5b to 2 tag 0\no1: send 5b to 1 tag 0\no2: send 5b to 2 tag 1\no3: send 5b to 1 tag 1\n}\n"
        "rank 1 {\no0: recv 5b from 0 tag 0\no1: recv 5b from 0 tag 1\n}\n"
        "rank 2 {\no0: recv 5b from 0 tag 0\no1: recv 5b from 0 tag 1\n}\n");
}

TEST_CASE("programs take the times of LogGOPSim's rules, run on the text") {
    const bool full = support::long_run();
    support::random_source random(11);
    const auto any = [&](std::int64_t least, std::int64_t most) { return least + random.below(most - least + 1); };
    for (int round = 0; round < (full ? 200 : 60) / static_cast<int>(support::one_of());) {
        const rank_t p = round % 8 == 0 ? any(17, full ? 64 : 40) : any(1, 16);
        const std::vector<algorithm_entry> all = support::registered_at(p);
        const algorithm_entry& entry = all[static_cast<std::size_t>(random.below(std::ssize(all)))];
        const bytes_t bytes = any(0, 1) == 0 ? any(1, 40) : any(1000, 200'000);
        const any_schedule s = entry.make({.ranks = p,
                                           .root = random.below(p),
                                           .block = bytes,
                                           .bytes = bytes,
                                           .segment = any(0, 1) == 0 ? 0 : 1 + bytes / any(1, 4)});
        const loggops_model model{.latency_ns = any(0, 3000),
                                  .overhead_ns = any(0, 2000),
                                  .gap_ns = any(0, 1500),
                                  .byte_gap_ns = any(0, 6),
                                  .byte_overhead_ns = any(0, 2),
                                  .eager_bytes = any(0, 1) == 0 ? 65535 : bytes / any(1, 4)};
        if (s.check()) continue;
        INFO(name_of(entry.info.what), " ", entry.info.name, " p ", p, " bytes ", bytes);
        const goal_program program(execution_graph(s), {.copy_fs = any(0, 100'000), .combine_fs = any(0, 200'000)});
        if (program.operations().size() > 2500) continue;
        goal_file file(text_of(program));
        REQUIRE(file.operations.size() == program.operations().size());
        const simulation run = simulate(program, model);
        std::vector<picoseconds> wanted = file.host_times(model);
        for (picoseconds& one : wanted) one *= 1000;
        CHECK(std::ranges::equal(wanted, run.finish));
        ++round;
    }
}
