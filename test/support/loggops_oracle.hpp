#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace support {

/// One operation of one host.
struct oracle_operation {
    /// The enumerators are in the order in which operations that become free together enter the queue.
    enum class operation_kind { send, receive, calc };

    operation_kind kind = operation_kind::calc;
    std::int64_t amount = 0;             ///< Size in bytes of a send or receive, duration in ns of a calc.
    int peer = -1;                       ///< Target host of a send, source host of a receive.
    int tag = 0;                         ///< Tag of a send or receive.
    std::vector<int> predecessors = {};  ///< Indices of operations of the same host that must be done before.
};

/// Parameters of the LogGOPS model: L, o, g in ns, G and O in ns per byte, S in bytes.
struct oracle_parameters {
    std::int64_t L = 2500;
    std::int64_t o = 1500;
    std::int64_t g = 1000;
    std::int64_t G = 6;
    std::int64_t O = 0;
    std::int64_t S = 65535;
};

/// A simulation of the LogGOPS model, written for clarity and not for speed.
class loggops_oracle {
  public:
    /// @param hosts operations of each host, in program order
    /// @param parameters parameters of the model
    /// @throw std::invalid_argument if an operation has a peer, a predecessor or an amount out of range
    loggops_oracle(const std::vector<std::vector<oracle_operation>>& hosts, const oracle_parameters& parameters)
        : model(parameters) {
        for (const std::vector<oracle_operation>& operations : hosts) {
            host_state host;
            for (const oracle_operation& operation : operations) {
                check(operation, hosts.size(), operations.size());
                host.operations.push_back({operation, false, false});
            }
            states.push_back(host);
        }
    }

    /// Runs all operations.
    /// @return final CPU time of each host in ns
    /// @pre `run` has not been called on this object
    /// @throw std::runtime_error if an operation can never be done
    std::vector<std::int64_t> run() {
        for (std::size_t host = 0; host < states.size(); ++host) enter_free_operations(host);

        while (!queue.empty()) {
            const event_key key = queue.begin()->first;
            const event next = queue.begin()->second;
            queue.erase(queue.begin());
            run_event(key, next);

            // An event changes at most the operations of two hosts. A host without changes has nothing to enter.
            for (std::size_t host = 0; host < states.size(); ++host)
                if (states[host].has_new_done) {
                    states[host].has_new_done = false;
                    enter_free_operations(host);
                }
        }

        std::vector<std::int64_t> times;
        for (std::size_t host = 0; host < states.size(); ++host) {
            for (std::size_t index = 0; index < states[host].operations.size(); ++index)
                if (!states[host].operations[index].done)
                    throw std::runtime_error("host " + std::to_string(host) + ", operation " + std::to_string(index) +
                                             ": got an operation that never completes, expected a program that ends");
            times.push_back(states[host].cpu);
        }
        return times;
    }

  private:
    struct operation_state {
        oracle_operation operation;
        bool entered;  // has entered the queue, once
        bool done;
    };

    struct message {
        std::size_t source;
        std::size_t source_operation;  // index of the send
        std::size_t target;
        std::int64_t size;
        int tag;
    };

    struct host_state {
        std::int64_t cpu = 0;  // next free time of the CPU
        std::int64_t out = 0;  // next free time of the NIC for sending
        std::int64_t in = 0;   // next free time of the NIC for receiving
        std::vector<operation_state> operations = {};
        std::list<std::size_t> waiting_receives = {};  // indices of operations, in the order in which they ran
        std::list<message> unexpected_messages = {};   // in order of arrival
        bool has_new_done = false;
    };

    struct event {
        bool is_message;
        std::size_t host;          // where the operation runs or the message arrives
        std::size_t operation;     // index of the operation, unless `is_message`
        message arriving_message;  // meaningful only if `is_message`
    };

    // Time and number of first insertion. The queue runs the least key first.
    using event_key = std::pair<std::int64_t, std::int64_t>;

    oracle_parameters model;
    std::vector<host_state> states = {};
    std::map<event_key, event> queue = {};
    std::int64_t next_number = 0;

    static void check(const oracle_operation& operation, std::size_t host_count, std::size_t operation_count) {
        const auto in_range = [](int value, std::size_t end) {
            return value >= 0 && static_cast<std::size_t>(value) < end;
        };
        if (operation.amount < 0)
            throw std::invalid_argument("amount: got " + std::to_string(operation.amount) + ", expected 0 or more");
        if (operation.kind != oracle_operation::operation_kind::calc && !in_range(operation.peer, host_count))
            throw std::invalid_argument("peer: got " + std::to_string(operation.peer) + ", expected 0.." +
                                        std::to_string(host_count - 1));
        for (const int predecessor : operation.predecessors)
            if (!in_range(predecessor, operation_count))
                throw std::invalid_argument("predecessor: got " + std::to_string(predecessor) + ", expected 0.." +
                                            std::to_string(operation_count - 1));
    }

    // Inserts an event for the first time.
    void enter(std::int64_t time, const event& entering) {
        queue.emplace(event_key{time, next_number}, entering);
        ++next_number;
    }

    // Inserts an event that cannot run yet again. It keeps its number.
    void put_back(std::int64_t time, const event_key& key, const event& delayed) {
        queue.emplace(event_key{time, key.second}, delayed);
    }

    bool is_free(const host_state& host, const operation_state& candidate) const {
        if (candidate.entered) return false;
        for (const int predecessor : candidate.operation.predecessors)
            if (!host.operations[static_cast<std::size_t>(predecessor)].done) return false;
        return true;
    }

    // Enters the free operations of one host: sends, receives, calcs, each in program order.
    void enter_free_operations(std::size_t host_index) {
        using enum oracle_operation::operation_kind;
        host_state& host = states[host_index];
        for (const auto kind : {send, receive, calc})
            for (std::size_t index = 0; index < host.operations.size(); ++index) {
                operation_state& candidate = host.operations[index];
                if (candidate.operation.kind != kind || !is_free(host, candidate)) continue;
                candidate.entered = true;
                const std::int64_t time = kind == send ? std::max(host.cpu, host.out) : host.cpu;
                enter(time, event{false, host_index, index, message{}});
            }
    }

    void complete(std::size_t host, std::size_t operation) {
        states[host].operations[operation].done = true;
        states[host].has_new_done = true;
    }

    bool is_rendezvous(std::int64_t size) const { return size > model.S; }

    // Completes a receive and, under rendezvous, the send of its message.
    void match(std::int64_t time, std::size_t receive, const message& matched) {
        complete(matched.target, receive);
        if (is_rendezvous(matched.size)) {
            host_state& sender = states[matched.source];
            sender.cpu = std::max(sender.cpu, time);
            sender.out = std::max(sender.out, time);
            complete(matched.source, matched.source_operation);
        }
    }

    void run_event(const event_key& key, const event& next) {
        if (next.is_message) {
            run_message(key, next);
            return;
        }
        switch (states[next.host].operations[next.operation].operation.kind) {
            case oracle_operation::operation_kind::send: run_send(key, next); break;
            case oracle_operation::operation_kind::receive: run_receive(key, next); break;
            case oracle_operation::operation_kind::calc: run_calc(key, next); break;
        }
    }

    void run_calc(const event_key& key, const event& next) {
        const std::int64_t time = key.first;
        host_state& host = states[next.host];
        if (host.cpu > time) {
            put_back(host.cpu, key, next);
            return;
        }
        host.cpu = time + host.operations[next.operation].operation.amount;
        complete(next.host, next.operation);
    }

    void run_send(const event_key& key, const event& next) {
        const std::int64_t time = key.first;
        host_state& host = states[next.host];
        const std::int64_t ready = std::max(host.cpu, host.out);
        if (ready > time) {
            put_back(ready, key, next);
            return;
        }
        const oracle_operation& send = host.operations[next.operation].operation;
        host.cpu = time + model.o + (send.amount - 1) * model.O;
        host.out = time + model.g + (send.amount - 1) * model.G;

        // The message enters the queue before the operations that this send frees.
        const auto target = static_cast<std::size_t>(send.peer);
        const message sent{next.host, next.operation, target, send.amount, send.tag};
        enter(time + model.o + model.L, event{true, target, 0, sent});
        if (!is_rendezvous(send.amount)) complete(next.host, next.operation);
    }

    void run_receive(const event_key& key, const event& next) {
        host_state& host = states[next.host];
        const oracle_operation& receive = host.operations[next.operation].operation;
        for (auto candidate = host.unexpected_messages.begin(); candidate != host.unexpected_messages.end();
             ++candidate)
            if (matches(receive, *candidate)) {
                const message matched = *candidate;
                host.unexpected_messages.erase(candidate);
                match(key.first, next.operation, matched);
                return;
            }
        host.waiting_receives.push_back(next.operation);
    }

    void run_message(const event_key& key, const event& next) {
        const std::int64_t time = key.first;
        const message& arriving = next.arriving_message;
        host_state& host = states[next.host];
        const std::int64_t ready = std::max(host.cpu, host.in);
        if (ready > time) {
            put_back(ready, key, next);
            return;
        }
        host.cpu = time + model.o + std::max((arriving.size - 1) * model.O, (arriving.size - 1) * model.G);
        host.in = time + model.g + (arriving.size - 1) * model.G;

        for (auto candidate = host.waiting_receives.begin(); candidate != host.waiting_receives.end(); ++candidate)
            if (matches(host.operations[*candidate].operation, arriving)) {
                const std::size_t receive = *candidate;
                host.waiting_receives.erase(candidate);
                match(time, receive, arriving);
                return;
            }
        host.unexpected_messages.push_back(arriving);
    }

    static bool matches(const oracle_operation& receive, const message& candidate) {
        return receive.tag == candidate.tag && static_cast<std::size_t>(receive.peer) == candidate.source;
    }
};

/// Computes the finishing time of each host under the LogGOPS model.
/// @param hosts operations of each host, in program order
/// @param parameters parameters of the model
/// @return final CPU time of each host in ns
/// @throw std::invalid_argument if an operation has a peer, a predecessor or an amount out of range
/// @throw std::runtime_error if an operation can never be done, for example a receive without a matching message
inline std::vector<std::int64_t> loggops_finish_times(const std::vector<std::vector<oracle_operation>>& hosts,
                                                      const oracle_parameters& parameters) {
    return loggops_oracle(hosts, parameters).run();
}

/// Reads a program in the GOAL text form. `irequires` and CPU or NIC numbers are not supported.
/// @param text the program: `num_ranks N`, then a block `rank R { ... }` for each rank
/// @return operations of each host, in program order
/// @throw std::invalid_argument if the text has a line of another form
inline std::vector<std::vector<oracle_operation>> read_goal(const std::string& text) {
    using enum oracle_operation::operation_kind;

    int line_number = 0;
    const auto fail = [&line_number](const std::string& got, const std::string& expected) {
        throw std::invalid_argument("line " + std::to_string(line_number) + ": got " + got + ", expected " + expected);
    };
    const auto number = [&fail](const std::string& digits, std::int64_t most) {
        std::int64_t value = -1;
        const char* const end = digits.data() + digits.size();
        const auto [stop, code] = std::from_chars(digits.data(), end, value);
        if (code != std::errc{} || stop != end || value < 0 || value > most) fail(digits, "0.." + std::to_string(most));
        return value;
    };
    const auto bytes = [&fail, &number](std::string size) {
        if (size.empty() || size.back() != 'b') fail(size, "a size such as 100b");
        size.pop_back();
        return number(size, INT64_MAX);
    };

    struct requirement {
        std::string successor;
        std::string predecessor;
    };
    std::vector<std::vector<oracle_operation>> hosts;
    std::vector<bool> has_block;
    std::map<std::string, std::size_t> labels;  // of the open block
    std::vector<requirement> requirements;      // of the open block
    bool has_rank_count = false;
    bool in_block = false;
    std::size_t host = 0;

    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        ++line_number;
        std::vector<std::string> words;
        std::istringstream line_words(line);
        for (std::string word; line_words >> word;) words.push_back(word);
        if (words.empty()) continue;

        if (!has_rank_count) {
            if (words.size() != 2 || words[0] != "num_ranks") fail(line, "num_ranks N");
            hosts.resize(static_cast<std::size_t>(number(words[1], INT32_MAX)));
            has_block.resize(hosts.size(), false);
            has_rank_count = true;
        } else if (!in_block) {
            if (words.size() != 3 || words[0] != "rank" || words[2] != "{") fail(line, "rank R {");
            host = static_cast<std::size_t>(number(words[1], static_cast<std::int64_t>(hosts.size()) - 1));
            if (has_block[host]) fail(line, "one block per rank");
            has_block[host] = true;
            labels.clear();
            requirements.clear();
            in_block = true;
        } else if (words.size() == 1 && words[0] == "}") {
            // A requirement may precede the operations that it names, so it is resolved at the end of the block.
            for (const auto& [successor, predecessor] : requirements) {
                if (!labels.contains(successor)) fail(successor, "a label of this rank");
                if (!labels.contains(predecessor)) fail(predecessor, "a label of this rank");
                hosts[host][labels.at(successor)].predecessors.push_back(static_cast<int>(labels.at(predecessor)));
            }
            in_block = false;
        } else if (words.size() == 3 && words[1] == "requires") {
            requirements.push_back({words[0], words[2]});
        } else {
            if (words[0].back() == ':') {
                const std::string label = words[0].substr(0, words[0].size() - 1);
                if (!labels.emplace(label, hosts[host].size()).second)
                    fail(label, "a label that is used once per rank");
                words.erase(words.begin());
            }
            oracle_operation operation;
            const bool is_send = words.size() >= 4 && words[0] == "send" && words[2] == "to";
            const bool is_receive = words.size() >= 4 && words[0] == "recv" && words[2] == "from";
            if (words.size() == 2 && words[0] == "calc") {
                operation.kind = calc;
                operation.amount = number(words[1], INT64_MAX);
            } else if ((is_send || is_receive) && (words.size() == 4 || (words.size() == 6 && words[4] == "tag"))) {
                operation.kind = is_send ? send : receive;
                operation.amount = bytes(words[1]);
                operation.peer = static_cast<int>(number(words[3], static_cast<std::int64_t>(hosts.size()) - 1));
                if (words.size() == 6) operation.tag = static_cast<int>(number(words[5], INT32_MAX));
            } else {
                fail(line, "send, recv, calc or requires");
            }
            hosts[host].push_back(operation);
        }
    }
    if (!has_rank_count || in_block) fail("end of text", has_rank_count ? "}" : "num_ranks N");
    return hosts;
}

}  // namespace support
