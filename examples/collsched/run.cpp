#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "collsched/execute/inline.hpp"
#include "collsched/execute/recording.hpp"
#include "collsched/execute/threads.hpp"
#include "collsched/format.hpp"
#include "commands.hpp"
#include "forked_run.hpp"
#include "limits.hpp"
#include "shape_options.hpp"
#include "text_output.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

struct run_options {
    explicit run_options(CLI::App& command)
        : shape(command, shape_options::takes::range_of_all),
          on(command, "--on", "inline|threads|processes", "all ranks in one thread, a thread a rank, a process a rank"),
          repeat(command, "--repeat", "N", "start the same plans N times (1)"),
          trace(command, "--trace", "FILE", "threads: one run as a trace, which Perfetto shows, to FILE") {}

    shape_options shape;
    text_option on, repeat, trace;
};

/// Returns byte i of a rank's input. Neighboring ranks and offsets have different bytes.
std::byte byte_of(rank_t rank, bytes_t i) {
    std::uint64_t x = static_cast<std::uint64_t>(rank) * 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(i);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return static_cast<std::byte>(x >> 56);
}

/// Returns x op y. A commutative operation is the sum. Otherwise it is the composition of the maps n -> a n + b over 16
/// numbers (a and b are the halves of a byte), which detects every wrong order.
std::byte combined(bool commutative, std::byte x, std::byte y) {
    const auto left = static_cast<unsigned>(x), right = static_cast<unsigned>(y);
    if (commutative) return static_cast<std::byte>(left + right);
    const unsigned a = left >> 4, b = left & 15, c = right >> 4, d = right & 15;
    return static_cast<std::byte>((a * c & 15) << 4 | ((a * d + b) & 15));
}

void combine(void* commutative, std::byte* into, const std::byte* incoming, bytes_t size, action what) {
    const bool any_order = *static_cast<const bool*>(commutative);
    for (bytes_t i = 0; i < size; ++i)
        into[i] = what == action::combine_before ? combined(any_order, incoming[i], into[i])
                                                 : combined(any_order, into[i], incoming[i]);
}

/// The places of a rank's buffers: side by side, or in place one within the other.
struct buffer_places {
    std::size_t input, output, size;
};

buffer_places places_of(const contract& promise, rank_t r, binding how) {
    const auto alias = promise.alias(r, how);
    const auto in = static_cast<std::size_t>(promise.input_bytes(r));
    if (!alias.any()) return {0, in, in + static_cast<std::size_t>(promise.output_bytes(r))};
    const auto offset = static_cast<std::size_t>(alias.offset);
    const bool input_inside = alias.guest == buffer::input;
    return {input_inside ? offset : 0, input_inside ? 0 : offset,
            static_cast<std::size_t>(promise.reach(r, alias.host, alias))};
}

/// Buffers for all ranks: inputs with known bytes, outputs with other bytes.
class known_memory {
  public:
    known_memory(const contract& promise, binding how)
        : promise_(promise), any_order_(promise.commutative), pages_(size_of_all(promise, how)) {
        std::span<std::byte> left = pages_.bytes();
        for (rank_t r = 0; r < promise.ranks; ++r) {
            const buffer_places at = places_of(promise, r, how);
            input_.push_back(left.subspan(at.input, static_cast<std::size_t>(promise.input_bytes(r))));
            bound_.push_back(
                {input_.back(), left.subspan(at.output, static_cast<std::size_t>(promise.output_bytes(r)))});
            left = left.subspan(at.size);
        }
    }

    const std::vector<rank_memory>& ranks() const { return bound_; }
    reduction operation() { return {combine, &any_order_, any_order_}; }

    void fill() {
        std::ranges::fill(pages_.bytes(), std::byte{0xee});
        for (rank_t r = 0; r < promise_.ranks; ++r) {
            bytes_t i = 0;
            for (std::byte& b : input_[static_cast<std::size_t>(r)]) b = byte_of(r, i++);
        }
    }

    /// Returns the first wrong byte of a rank's result, or -1. Counts the checked bytes.
    bytes_t wrong_byte(rank_t r, std::int64_t& checked_bytes) const {
        bytes_t wrong = -1;
        promise_.results(r, [&](const contract::result_range& part) {
            checked_bytes += part.where.size;
            for (bytes_t i = 0; i < part.where.size && wrong < 0; ++i)
                if (bound_[static_cast<std::size_t>(r)].output[static_cast<std::size_t>(part.where.offset + i)] !=
                    expected(part, i))
                    wrong = part.where.offset + i;
        });
        return wrong;
    }

  private:
    static std::size_t size_of_all(const contract& promise, binding how) {
        std::size_t all = 0;
        for (rank_t r = 0; r < promise.ranks; ++r) all += places_of(promise, r, how).size;
        return all;
    }

    std::byte expected(const contract::result_range& part, bytes_t i) const {
        std::byte result = byte_of(part.first, part.at + i);
        for (rank_t r = part.first + 1; r < part.last; ++r)
            result = combined(promise_.commutative, result, byte_of(r, part.at + i));
        return result;
    }

    const contract promise_;
    bool any_order_;
    shared_pages pages_;
    std::vector<std::span<std::byte>> input_;
    std::vector<rank_memory> bound_;
};

/// Rejects schedules whose buffers are too large to allocate.
void refuse_large_buffers(const any_schedule& s) {
    constexpr bytes_t most = bytes_t{1} << 32;
    checked bytes = 0;
    const contract promise = s.contract();
    for (rank_t r = 0; r < s.ranks; ++r)
        bytes = bytes + promise.input_bytes(r) + promise.output_bytes(r) + s.scratch(r) + s.staging(r);
    if (bytes.ok() && bytes.value() <= most) return;
    throw usage_error("--ranks", std::to_string(s.ranks),
                      fmt::format("buffers of at most {} bytes in all: fewer ranks or smaller blocks", most));
}

/// An environment in which schedules can be run.
struct place_to_run {
    const char* name;
    rank_t most_ranks;
    run_status (*run)(const any_schedule&, std::span<const rank_memory>, binding, reduction, int repeat);
};
run_status run_in_threads(const any_schedule& s, std::span<const rank_memory> memory, binding how, reduction op,
                          int repeat) {
    return run_threads(s, memory, how, op, repeat);
}
constexpr place_to_run places_to_run[] = {{"inline", std::numeric_limits<rank_t>::max(), run_inline<any_schedule>},
                                          {"threads", 1024, run_in_threads},
                                          {"processes", 128, run_forked}};

const place_to_run& find_place(const std::string& on) {
    for (const place_to_run& one : places_to_run)
        if (on == one.name) return one;
    throw usage_error("--on", on, "inline, threads or processes");
}

bool run_one(const std::string& name, const any_schedule& s, const shape_request& shape, const place_to_run& place,
             int repeat) {
    known_memory memory(s.contract(), shape.how);
    // In place, the result of the first start would be the operand of the second one.
    const bool refills = shape.how == binding::in_place;
    run_status end;
    for (int i = 0; i < (refills ? repeat : 1) && !end.failed(); ++i) {
        memory.fill();
        end = place.run(s, memory.ranks(), shape.how, memory.operation(), refills ? 1 : repeat);
    }
    const auto out = standard_output().out();
    if (end.failed()) {
        fmt::format_to(out, "failed {} p={} on={} error={} step={} rank={} peer={}\n", name, s.ranks, place.name,
                       end.error, end.step, end.rank, end.peer);
        return false;
    }
    std::int64_t checked_bytes = 0;
    for (rank_t r = 0; r < s.ranks; ++r)
        if (const bytes_t wrong = memory.wrong_byte(r, checked_bytes); wrong >= 0) {
            fmt::format_to(out, "wrong {} p={} on={} rank={} byte={}\n", name, s.ranks, place.name, r, wrong);
            return false;
        }
    fmt::format_to(out, "ok {} p={} on={} repeat={} bytes={}\n", name, s.ranks, place.name, repeat, checked_bytes);
    return true;
}

using thread_recording = recording<thread_fabric::endpoint>;

/// Returns the messages of one more run between threads.
std::vector<thread_recording::message> record(const any_schedule& s, binding how) {
    known_memory memory(s.contract(), how);
    memory.fill();
    std::vector<std::vector<thread_recording::message>> logs(static_cast<std::size_t>(s.ranks));
    run_threads(s, memory.ranks(), how, memory.operation(), 1, [&](rank_t r, thread_fabric::endpoint inner) {
        return thread_recording(inner, r, logs[static_cast<std::size_t>(r)]);
    });
    std::vector<thread_recording::message> all;
    for (const auto& log : logs) all.insert(all.end(), log.begin(), log.end());
    return all;
}

int run(const run_options& options) {
    const shape_request shape = options.shape.read();
    const place_to_run& place = find_place(options.on.text());
    const std::int64_t repeat = options.repeat.number(1, 1);
    if (repeat > std::numeric_limits<int>::max()) throw usage_error("--repeat", options.repeat.text(), "1 to 2^31-1");
    if (shape.ranks.last > place.most_ranks)
        throw usage_error("--ranks", std::to_string(shape.ranks.last),
                          fmt::format("1 to {} on {}", place.most_ranks, place.name));
    if (options.trace.given() &&
        (options.on.text() != "threads" || shape.name == "all" || shape.ranks.first != shape.ranks.last))
        throw usage_error("--trace", options.trace.text(), "one schedule on one number of ranks, on threads");
    int status = success;
    shape.for_each([&](const std::string& name, const any_schedule& s) {
        refuse_beyond(s, 24, "");
        refuse_large_buffers(s);
        if (!run_one(name, s, shape, place, static_cast<int>(repeat))) status = refused;
        if (options.trace.given())
            write_file("--trace", options.trace.text(),
                       [&](text_output::iterator out) { write_run_trace(out, record(s, shape.how)); });
        standard_output().flush();
    });
    return status;
}

}  // namespace

command add_run(CLI::App& program) {
    CLI::App* parser = add_command(program, "run", "move real bytes, and check every one");
    const auto options = std::make_shared<run_options>(*parser);
    return {parser, [options] { return run(*options); }};
}
