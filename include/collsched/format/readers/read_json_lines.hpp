#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collsched/format/readers/json_reader.hpp"
#include "collsched/format/write_json_lines.hpp"
#include "collsched/schedule/stored_schedule.hpp"

namespace collsched::inline v0_1 {

/// A schedule and what its file calls it.
struct named_schedule {
    std::string name;
    stored_schedule schedule;
};

namespace detail {

class json_lines_reader : json_reader {
  public:
    explicit json_lines_reader(const text_file& file) : json_reader(file) {}

    named_schedule read() {
        std::vector<edge> edges;
        for_each_line([&](const json_value& value) {
            if (header_line_ == 0) read_header(value);
            else edges.push_back(read_edge(value));
        });
        if (header_line_ == 0) file_.refuse(1, "no lines", "a header, then a line an edge");
        std::ranges::sort(edges, precedes);
        stored_schedule made = store(edges);
        if (const error wrong = made.check()) refuse(wrong);
        return {std::move(name_), std::move(made)};
    }

  private:
    void read_header(const json_value& value) {
        check_keys(value, "the header",
                   {"format", "schedule", "collective",  "algorithm",   "ranks",     "root",    "steps",   "rounds",
                    "pacing", "element",  "commutative", "input",       "output",    "scratch", "staging", "counts",
                    "displs", "matrix",   "send_displs", "recv_displs", "neighbors", "sources", "slots"});
        header_line_ = value.line;
        if (const json_value& version = needed(value, "format");
            whole_number(file_, version, "format", 1) != format_version)
            file_.refuse(version.line, "format of another version", fmt::format("{}", format_version));
        name_ = text(needed(value, "schedule"), "schedule");
        // It is printed in lines that others read.
        if (name_.empty() || std::ranges::any_of(name_, [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
            file_.refuse(value.line, "schedule = " + json_text(name_), "a name of printable characters");
        promise_.what = collective_of(needed(value, "collective"));
        promise_.ranks = whole_number(file_, needed(value, "ranks"), "ranks", 1);
        promise_.root = whole_number(file_, needed(value, "root"), "root", 0, promise_.ranks - 1);
        promise_.element = whole_number(file_, needed(value, "element"), "element", 1);
        promise_.commutative = truth(needed(value, "commutative"), "commutative");
        steps_ = whole_number(file_, needed(value, "steps"), "steps", 0);
        pacing_ = pacing_of(needed(value, "pacing"));
        const std::vector<bytes_t> input = sizes(needed(value, "input"), "input");
        const std::vector<bytes_t> output = sizes(needed(value, "output"), "output");
        scratch_ = sizes(needed(value, "scratch"), "scratch");
        staging_ = sizes(needed(value, "staging"), "staging");
        read_blocks(value, input, output);
        if (const error wrong = check_contract(promise_)) refuse(wrong);
        if (promise_.bytes % promise_.element != 0)
            refuse({"element", promise_.element, "a size that divides what each rank brings"});
        if (const error wrong = check_elements(promise_.blocks, promise_.ranks, promise_.element)) refuse(wrong);
        check_sizes("input", input, [&](rank_t r) { return promise_.input_bytes(r); });
        check_sizes("output", output, [&](rank_t r) { return promise_.output_bytes(r); });
    }

    /// Irregular collectives have a name with v.
    collective collective_of(const json_value& value) const {
        const std::string& name = text(value, "collective");
        for (int i = 0; i <= static_cast<int>(collective::neighbor_alltoall); ++i) {
            const auto what = static_cast<collective>(i);
            if (name == name_of(what) || (has_blocks(what) && name == std::string(name_of(what)) + "v")) return what;
        }
        file_.refuse(value.line, "collective = " + json_text(name), "one of 'collsched list'");
    }

    pacing pacing_of(const json_value& value) const {
        const std::string& how = text(value, "pacing");
        if (how == "data") return {};
        constexpr std::string_view begin = "window(";
        std::int64_t window = 0;
        const char* const last = how.data() + how.size();
        if (how.starts_with(begin)) {
            const auto [end, wrong] = std::from_chars(how.data() + begin.size(), last, window);
            if (wrong == std::errc{} && window > 0 && std::string_view(end, last) == ")") return {window};
        }
        file_.refuse(value.line, "pacing = " + json_text(how), "\"data\", \"window(w)\" with w of 1 or more");
    }

    /// One for each rank.
    const json_value::list& one_each(const json_value& value, std::string_view what) const {
        const json_value::list& all = list(value, what);
        if (std::ssize(all) != promise_.ranks)
            file_.refuse(value.line, fmt::format("{} has {} entries", what, all.size()),
                         fmt::format("{}, one for each rank", promise_.ranks));
        return all;
    }
    std::vector<std::int64_t> numbers(const json_value::list& from, std::string_view what, std::int64_t least) const {
        std::vector<std::int64_t> made;
        for (const json_value& one : from)
            made.push_back(whole_number(file_, one, fmt::format("{}[{}]", what, made.size()), least));
        return made;
    }
    std::vector<bytes_t> sizes(const json_value& value, std::string_view what) const {
        return numbers(one_each(value, what), what, 0);
    }
    /// A list for each rank, one after another; how long each is.
    struct rows {
        std::vector<std::int64_t> lengths, entries;
    };
    rows read_rows(const json_value& header, std::string_view what, std::int64_t least) const {
        rows read;
        for (const json_value& row : one_each(needed(header, what), what)) {
            const std::string name = fmt::format("{}[{}]", what, read.lengths.size());
            const std::vector<std::int64_t> own = numbers(list(row, name), name, least);
            read.lengths.push_back(std::ssize(own));
            read.entries.insert(read.entries.end(), own.begin(), own.end());
        }
        return read;
    }
    /// As many in each row as there.
    std::vector<std::int64_t> entries_as(const rows& other, const json_value& header, std::string_view what) const {
        rows read = read_rows(header, what, 0);
        if (read.lengths != other.lengths)
            file_.refuse(header_line_, fmt::format("{} has rows of other lengths", what), "an entry for each slot");
        return std::move(read.entries);
    }

    /// The sizes that a contract holds beside those of whole buffers.
    void read_blocks(const json_value& header, const std::vector<bytes_t>& input, const std::vector<bytes_t>& output) {
        const collective what = promise_.what;
        if (moves_blocks(what)) {
            const bool own = what == collective::gather || what == collective::allgather;
            promise_.blocks = layout(header, own ? input[0] : output[0]);
        } else if (what == collective::alltoall) {
            promise_.matrix = matrix(header, input[0]);
        } else if (has_neighbors(what)) {
            read_slots(header, input, output);
        } else if (what != collective::barrier) {
            promise_.bytes = input[static_cast<std::size_t>(promise_.root)];
        }
    }

    block_layout layout(const json_value& header, bytes_t block) const {
        const json_value* counts = find(header, "counts");
        const json_value* displs = find(header, "displs");
        if (counts == nullptr && displs != nullptr) file_.refuse(displs->line, "displs without counts", "both");
        if (counts == nullptr) return block;
        const std::vector<bytes_t> each = sizes(*counts, "counts");
        if (displs == nullptr) return block_layout(std::span<const bytes_t>(each));
        const std::vector<bytes_t> places = sizes(*displs, "displs");
        return {std::span<const bytes_t>(each), std::span<const bytes_t>(places)};
    }

    block_matrix matrix(const json_value& header, bytes_t row) const {
        if (find(header, "matrix") == nullptr) return row / promise_.ranks;
        rows square;
        square.lengths.assign(static_cast<std::size_t>(promise_.ranks), promise_.ranks);
        const std::vector<bytes_t> counts = entries_as(square, header, "matrix");
        const std::span<const bytes_t> each(counts);
        if (find(header, "send_displs") == nullptr && find(header, "recv_displs") == nullptr) return block_matrix(each);
        const std::vector<bytes_t> sent = entries_as(square, header, "send_displs");
        const std::vector<bytes_t> heard = entries_as(square, header, "recv_displs");
        return {each, std::span<const bytes_t>(sent), std::span<const bytes_t>(heard)};
    }

    void read_slots(const json_value& header, const std::vector<bytes_t>& input, const std::vector<bytes_t>& output) {
        const rows targets = read_rows(header, "neighbors", -1), sources = read_rows(header, "sources", -1);
        const rows slots = read_rows(header, "slots", -1);
        if (slots.lengths != targets.lengths)
            file_.refuse(header_line_, "slots has rows of other lengths", "an entry for each of neighbors");
        neighborhood& n = promise_.neighbors;
        n = {targets.lengths, targets.entries, sources.lengths, sources.entries, slots.entries};
        if (const error wrong = n.check(promise_.ranks)) refuse(wrong);
        const bool gathered = promise_.what == collective::neighbor_allgather;
        const json_value* counts = find(header, "counts");
        if (counts == nullptr && gathered) {
            promise_.slots = gathered_slots(input[0]);
            return;
        }
        if (counts == nullptr) {
            promise_.slots = exchanged_slots(std::max(equal_slot(targets, input), equal_slot(sources, output)));
            return;
        }
        const bool placed = find(header, "recv_displs") != nullptr;
        const std::vector<bytes_t> heard = placed ? entries_as(sources, header, "recv_displs") : std::vector<bytes_t>();
        if (gathered) {
            const std::vector<bytes_t> each = sizes(*counts, "counts");
            promise_.slots = placed ? gathered_slots(n, each, heard) : gathered_slots(n, each);
            return;
        }
        const std::vector<bytes_t> each = entries_as(targets, header, "counts");
        if (!placed) promise_.slots = exchanged_slots(n, each);
        else promise_.slots = exchanged_slots(n, each, entries_as(targets, header, "send_displs"), heard);
    }
    /// What the first rank that has slots says is the size of each; 0 if none has.
    static bytes_t equal_slot(const rows& slots, const std::vector<bytes_t>& held) {
        for (std::size_t r = 0; r < held.size(); ++r)
            if (slots.lengths[r] > 0) return held[r] / slots.lengths[r];
        return 0;
    }

    template <class Meant>
    void check_sizes(const char* buffer, const std::vector<bytes_t>& told, const Meant& meant) const {
        for (std::size_t r = 0; r < told.size(); ++r)
            if (const bytes_t right = meant(static_cast<rank_t>(r)); told[r] != right)
                file_.refuse(header_line_, fmt::format("{}[{}] = {}", buffer, r, told[r]),
                             fmt::format("{}, as the collective and its blocks say", right));
    }

    edge read_edge(const json_value& value) const {
        check_keys(value, "an edge",
                   {"step", "src", "dst", "from", "from_offset", "into", "into_offset", "size", "action"});
        const auto number = [&](const char* key, std::int64_t end) {
            return whole_number(file_, needed(value, key), key, 0, end);
        };
        constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
        edge e;
        e.step = number("step", steps_ - 1);
        e.src = number("src", promise_.ranks - 1);
        e.dst = number("dst", promise_.ranks - 1);
        e.from = named<buffer>(value, "from", {buffer::input, buffer::output, buffer::scratch});
        e.from_offset = number("from_offset", any);
        e.into = named<buffer>(value, "into", {buffer::input, buffer::output, buffer::scratch});
        e.into_offset = number("into_offset", any);
        e.size = number("size", any);
        e.what = named<action>(value, "action", {action::copy, action::combine_before, action::combine_after});
        return e;
    }
    template <class Enum>
    Enum named(const json_value& value, const char* key, std::initializer_list<Enum> all) const {
        const json_value& found = needed(value, key);
        const std::string& name = text(found, key);
        std::string accepted;
        for (const Enum one : all) {
            if (name == name_of(one)) return one;
            (accepted += accepted.empty() ? "" : ", ") += name_of(one);
        }
        file_.refuse(found.line, fmt::format("{} = {}", key, json_text(name)), accepted);
    }

    stored_schedule store(const std::vector<edge>& edges) const {
        description_hash hash;
        hash(format_version);
        hash("edges");
        hash(promise_);
        hash(steps_);
        hash(pacing_.window);
        for (const std::vector<bytes_t>* memory : {&scratch_, &staging_})
            for (const bytes_t size : *memory) hash(size);
        for (const edge& e : edges) hash(e);
        return {promise_,
                steps_,
                pacing_,
                owned_array<bytes_t>(std::span<const bytes_t>(scratch_)),
                owned_array<bytes_t>(std::span<const bytes_t>(staging_)),
                owned_array<edge>(std::span<const edge>(edges)),
                hash.value()};
    }

    [[noreturn]] void refuse(const error& wrong) const {
        throw input_error(fmt::format("{}:{}: {}", file_.name, header_line_, error_text(wrong).c_str()));
    }

    std::string name_;
    contract promise_;
    step_t steps_ = 0;
    pacing pacing_;
    std::vector<bytes_t> scratch_, staging_;
    int header_line_ = 0;
};

}  // namespace detail

/// A schedule as write_json_lines writes it, edges in any order. "rounds" is not looked at. Its fingerprint is that of
/// its content, not of the algorithm it may have come from. Whether it keeps its contract is for verify to tell. Throws
/// input_error, with file and line.
inline named_schedule read_json_lines(const text_file& file) { return detail::json_lines_reader(file).read(); }
inline named_schedule read_json_lines(const std::filesystem::path& path) {
    return read_json_lines(read_text_file(path));
}

}  // namespace collsched::inline v0_1
