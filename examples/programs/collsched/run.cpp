#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "collsched/execute/inline.hpp"
#include "collsched/execute/recording.hpp"
#include "collsched/execute/threads.hpp"
#include "collsched/format.hpp"
#include "commands.hpp"
#include "forked_run.hpp"
#include "known_bytes.hpp"
#include "limits.hpp"
#include "shape_options.hpp"
#include "text_output.hpp"
#include "text_table.hpp"
#include "texts/write_run_trace.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

struct run_options {
    explicit run_options(CLI::App& command)
        : shape(command, shape_options::takes::range_of_all),
          on(command, option_group::other, "--on", "inline|threads|processes",
             "transport: all ranks in one thread, a thread per rank, or a process per rank"),
          repeat(command, option_group::other, "--repeat", "N", "number of executions of the same plans (default 1)"),
          trace(command, option_group::output, "--trace", "FILE",
                "file for a trace of one more execution between threads, for Perfetto"),
          json(command, option_group::output, "--json", "one JSON object per schedule and number of ranks") {}

    shape_options shape;
    text_option on, repeat, trace;
    flag_option json;
};

/// The places of a rank's buffers: side by side, or in place one within the other.
struct buffer_places {
    std::size_t input, output, size;
};

buffer_places places_of(const contract& contract, rank_t r, binding how) {
    const auto alias = contract.alias(r, how);
    const auto in = static_cast<std::size_t>(contract.input_bytes(r));
    if (!alias.any()) return {0, in, in + static_cast<std::size_t>(contract.output_bytes(r))};
    const auto offset = static_cast<std::size_t>(alias.offset);
    const bool input_inside = alias.guest == buffer::input;
    return {input_inside ? offset : 0, input_inside ? 0 : offset,
            static_cast<std::size_t>(contract.reach(r, alias.host, alias))};
}

/// Buffers for all ranks: inputs with known bytes, outputs with other bytes.
class known_memory {
  public:
    known_memory(const contract& contract, binding how)
        : contract_(contract), any_order_(contract.commutative), pages_(size_of_all(contract, how)) {
        std::span<std::byte> left = pages_.bytes();
        for (rank_t r = 0; r < contract.ranks; ++r) {
            const buffer_places at = places_of(contract, r, how);
            input_.push_back(left.subspan(at.input, static_cast<std::size_t>(contract.input_bytes(r))));
            bound_.push_back(
                {input_.back(), left.subspan(at.output, static_cast<std::size_t>(contract.output_bytes(r)))});
            left = left.subspan(at.size);
        }
    }

    const std::vector<rank_memory>& ranks() const { return bound_; }
    reduction operation() { return known_bytes::operation(any_order_); }

    void fill() {
        std::ranges::fill(pages_.bytes(), std::byte{0xee});
        for (rank_t r = 0; r < contract_.ranks; ++r) {
            bytes_t i = 0;
            for (std::byte& b : input_[static_cast<std::size_t>(r)]) b = known_bytes::byte_of(r, i++);
        }
    }

    /// Returns the first wrong byte of a rank's result, or -1. Counts the checked bytes.
    bytes_t wrong_byte(rank_t r, std::int64_t& checked_bytes) const {
        bytes_t wrong = -1;
        contract_.results(r, [&](const contract::result_range& part) {
            checked_bytes += part.where.size;
            for (bytes_t i = 0; i < part.where.size && wrong < 0; ++i)
                if (bound_[static_cast<std::size_t>(r)].output[static_cast<std::size_t>(part.where.offset + i)] !=
                    known_bytes::expected(contract_.commutative, part, i))
                    wrong = part.where.offset + i;
        });
        return wrong;
    }

  private:
    static std::size_t size_of_all(const contract& contract, binding how) {
        std::size_t all = 0;
        for (rank_t r = 0; r < contract.ranks; ++r) all += places_of(contract, r, how).size;
        return all;
    }

    const contract contract_;
    bool any_order_;
    shared_pages pages_;
    std::vector<std::span<std::byte>> input_;
    std::vector<rank_memory> bound_;
};

/// Rejects schedules whose buffers are too large to allocate.
void refuse_large_buffers(const any_schedule& s) {
    constexpr bytes_t most = bytes_t{1} << 32;
    checked bytes = 0;
    const contract contract = s.contract();
    for (rank_t r = 0; r < s.ranks; ++r)
        bytes = bytes + contract.input_bytes(r) + contract.output_bytes(r) + s.scratch(r) + s.staging(r);
    if (bytes.ok() && bytes.value() <= most) return;
    throw usage_error("--ranks", std::to_string(s.ranks),
                      fmt::format("ranks and blocks with buffers of at most {} bytes in total", most));
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
    throw usage_error("--on", on, "inline, threads, processes");
}

/// The result of a schedule's executions.
struct run_result {
    run_status status;
    std::int64_t bytes = 0;  ///< checked bytes
    rank_t rank = 0;         ///< of the wrong byte
    bytes_t wrong_byte = -1;

    const char* word() const { return status.failed() ? "failed" : wrong_byte >= 0 ? "wrong" : "ok"; }
    bool ok() const { return !status.failed() && wrong_byte < 0; }
    std::string detail() const {
        if (status.failed())
            return fmt::format("error={} step={} rank={} peer={}", status.error, status.step, status.rank, status.peer);
        return wrong_byte < 0 ? "" : fmt::format("rank={} byte={}", rank, wrong_byte);
    }
    std::string json_detail() const {
        if (status.failed())
            return fmt::format(R"("error":{},"step":{},"rank":{},"peer":{})", status.error, status.step, status.rank,
                               status.peer);
        if (wrong_byte >= 0) return fmt::format(R"("rank":{},"byte":{})", rank, wrong_byte);
        return fmt::format(R"("bytes":{})", bytes);
    }
};

run_result run_one(const any_schedule& s, const shape_request& shape, const place_to_run& place, int repeat) {
    known_memory memory(s.contract(), shape.how);
    // In place, the result of the first start would be the operand of the second one.
    const bool refills = shape.how == binding::in_place;
    run_result end{.status = {}};
    for (int i = 0; i < (refills ? repeat : 1) && !end.status.failed(); ++i) {
        memory.fill();
        end.status = place.run(s, memory.ranks(), shape.how, memory.operation(), refills ? 1 : repeat);
    }
    for (rank_t r = 0; r < s.ranks && end.ok(); ++r) {
        end.rank = r;
        end.wrong_byte = memory.wrong_byte(r, end.bytes);
    }
    return end;
}

using thread_recording = recording<thread_fabric::endpoint>;

/// Returns the messages of one more run between threads.
std::vector<thread_recording::entry> record(const any_schedule& s, binding how) {
    known_memory memory(s.contract(), how);
    memory.fill();
    std::vector<std::vector<thread_recording::entry>> logs(static_cast<std::size_t>(s.ranks));
    run_threads(s, memory.ranks(), how, memory.operation(), 1, [&](rank_t r, thread_fabric::endpoint inner) {
        return thread_recording(inner, r, logs[static_cast<std::size_t>(r)]);
    });
    std::vector<thread_recording::entry> all;
    for (const auto& log : logs) all.insert(all.end(), log.begin(), log.end());
    return all;
}

void refuse_large_run(const std::string&, const any_schedule& s) {
    refuse_beyond(s, 24, "");
    refuse_large_buffers(s);
}

void check_options(const run_options& options, const shape_request& shape, const place_to_run& place) {
    if (options.repeat.number(1, 1) > std::numeric_limits<int>::max())
        throw usage_error("--repeat", options.repeat.text(), "1 to 2^31-1");
    if (shape.ranks.last > place.most_ranks)
        throw usage_error("--ranks", std::to_string(shape.ranks.last),
                          fmt::format("1 to {} with --on {}", place.most_ranks, place.name));
    if (options.trace.given() &&
        (options.on.text() != "threads" || shape.name == "all" || shape.ranks.first != shape.ranks.last))
        throw usage_error("--trace", options.trace.text(), "one schedule on one number of ranks, with --on threads");
    shape.for_each_largest(refuse_large_run);
}

int run(const run_options& options) {
    const shape_request shape = options.shape.read();
    const place_to_run& place = find_place(options.on.text());
    check_options(options, shape, place);
    const int repeat = static_cast<int>(options.repeat.number(1, 1));
    constexpr auto right = text_table::side::right;
    text_table table = schedule_table(
        shape, {{"on"}, {"repeat", right}, {"result", text_table::side::left, 6}, {"bytes", right, 10}, {"detail"}});
    int status = success;
    shape.for_each([&](const std::string& name, const any_schedule& s) {
        refuse_large_run(name, s);
        const run_result end = run_one(s, shape, place, repeat);
        if (!end.ok()) status = refused;
        if (options.json.given()) {
            put_line(fmt::format(R"({{"schedule":{},"ranks":{},"on":"{}","repeat":{},"result":"{}",{}}})",
                                 json_text(name), s.ranks, place.name, repeat, end.word(), end.json_detail()));
        } else {
            table.add({name, std::to_string(s.ranks), place.name, std::to_string(repeat), end.word(),
                       end.ok() ? std::to_string(end.bytes) : "", end.detail()},
                      end.ok() ? text_style::plain : text_style::failure);
            table.print();
        }
        if (options.trace.given())
            write_file("--trace", options.trace.text(),
                       [&](text_output::iterator out) { texts::write_run_trace(out, record(s, shape.how)); });
        standard_output().flush();
    });
    return status;
}

}  // namespace

command add_run(CLI::App& program) {
    return make_command<run_options>(
        program,
        {.name = "run",
         .phrase = "execution of a schedule in memory, with every byte checked",
         .sentence = "Executes a schedule in memory and checks every byte of the result.",
         .usage = {"run NAME|all SHAPE... --on inline|threads|processes [--repeat N] [--trace FILE] [--json]"},
         .examples = {"run allgather/ring --ranks 5 --on threads", "run all --ranks 4 --on inline --block 64"}},
        run);
}
