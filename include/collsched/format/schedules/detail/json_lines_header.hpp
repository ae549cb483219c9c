#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collsched/format/files/json_reader.hpp"
#include "collsched/format/schedules/write_json_lines.hpp"
#include "collsched/schedule/parameters.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The content of the first line of a schedule in JSON Lines.
struct json_lines_header {
    std::string name;
    collsched::contract contract;
    step_t steps = 0;
    pacing paced;
    std::vector<bytes_t> scratch, staging;
    bool has_paths = false;  ///< edges may have paths
    int line = 0;            ///< line of the header
};

/// Reads the header line. Throws input_error.
class json_lines_header_reader : json_reader {
  public:
    explicit json_lines_header_reader(const text_file& file) : json_reader(file) {}

    json_lines_header read(const json_value& value) {
        check_keys(value, "the header",
                   {"format", "schedule", "collective",  "algorithm",   "ranks",     "root",    "steps",   "rounds",
                    "pacing", "element",  "commutative", "input",       "output",    "scratch", "staging", "counts",
                    "displs", "matrix",   "send_displs", "recv_displs", "neighbors", "sources", "slots"});
        read_.line = value.line;
        const json_value& version = needed(value, "format");
        const std::int64_t format = whole_number(file_, version, "format", 1);
        if (format != format_version && format != path_format_version)
            file_.refuse(version.line, "format", "another version",
                         fmt::format("{}, or {} with paths", format_version, path_format_version));
        read_.has_paths = format == path_format_version;
        read_.name = text(needed(value, "schedule"), "schedule");
        // The name must be safe in the line-oriented output of programs.
        if (read_.name.empty() || read_.name.size() > 256 ||
            std::ranges::any_of(read_.name, [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
            file_.refuse(value.line, "schedule", json_text(read_.name), "a name of at most 256 printable characters");
        read_.contract.collective = collective_of(needed(value, "collective"));
        read_.contract.ranks = whole_number(file_, needed(value, "ranks"), "ranks", 1);
        read_.contract.root = whole_number(file_, needed(value, "root"), "root", 0, read_.contract.ranks - 1);
        read_.contract.element = whole_number(file_, needed(value, "element"), "element", 1);
        read_.contract.commutative = truth(needed(value, "commutative"), "commutative");
        read_.steps = whole_number(file_, needed(value, "steps"), "steps", 0);
        read_.paced = pacing_of(needed(value, "pacing"));
        const std::vector<bytes_t> input = sizes(needed(value, "input"), "input");
        const std::vector<bytes_t> output = sizes(needed(value, "output"), "output");
        read_.scratch = sizes(needed(value, "scratch"), "scratch");
        read_.staging = sizes(needed(value, "staging"), "staging");
        read_blocks(value, input, output);
        if (const argument_error error = check_contract(read_.contract)) file_.refuse(read_.line, error);
        if (read_.contract.bytes % read_.contract.element != 0)
            file_.refuse(read_.line, argument_error{"element", read_.contract.element,
                                                    "a size that divides what each rank brings"});
        if (const argument_error error =
                check_elements(read_.contract.layout(), read_.contract.ranks, read_.contract.element))
            file_.refuse(read_.line, error);
        check_sizes("input", input, [&](rank_t r) { return read_.contract.input_bytes(r); });
        check_sizes("output", output, [&](rank_t r) { return read_.contract.output_bytes(r); });
        return std::move(read_);
    }

  private:
    /// Returns the collective of a name. The names of irregular collectives end with v.
    collective collective_of(const json_value& value) const {
        const std::string& name = text(value, "collective");
        for (int i = 0; i <= static_cast<int>(collective::neighbor_alltoall); ++i) {
            const auto collective = static_cast<collsched::collective>(i);
            if (name == name_of(collective) ||
                (has_blocks(collective) && name == std::string(name_of(collective)) + "v"))
                return collective;
        }
        file_.refuse(value.line, "collective", json_text(name), "one of 'collsched list'");
    }

    pacing pacing_of(const json_value& value) const {
        const std::string& name = text(value, "pacing");
        if (name == "data") return {};
        constexpr std::string_view begin = "window(";
        if (name.starts_with(begin) && name.ends_with(')')) {
            const std::string_view digits(name.data() + begin.size(), name.size() - begin.size() - 1);
            if (const std::int64_t window = integer_of(digits).value_or(0); window > 0) return {window};
        }
        file_.refuse(value.line, "pacing", json_text(name), "\"data\", \"window(w)\" with w of 1 or more");
    }

    /// Returns a list with one entry per rank.
    const json_value::list& one_each(const json_value& value, std::string_view key) const {
        const json_value::list& all = list(value, key);
        if (std::ssize(all) != read_.contract.ranks)
            file_.refuse(value.line, key, fmt::format("{} entries", all.size()),
                         fmt::format("{}, one for each rank", read_.contract.ranks));
        return all;
    }
    std::vector<std::int64_t> numbers(const json_value::list& from, std::string_view key, std::int64_t least) const {
        std::vector<std::int64_t> entries;
        for (const json_value& entry : from)
            entries.push_back(whole_number(file_, entry, fmt::format("{}[{}]", key, entries.size()), least));
        return entries;
    }
    std::vector<bytes_t> sizes(const json_value& value, std::string_view key) const {
        return numbers(one_each(value, key), key, 0);
    }
    /// One list per rank, concatenated, and the length of each.
    struct rows {
        std::vector<std::int64_t> lengths, entries;
    };
    rows read_rows(const json_value& header, std::string_view key, std::int64_t least) const {
        rows read;
        for (const json_value& row : one_each(needed(header, key), key)) {
            const std::string name = fmt::format("{}[{}]", key, read.lengths.size());
            const std::vector<std::int64_t> entries = numbers(list(row, name), name, least);
            read.lengths.push_back(std::ssize(entries));
            read.entries.insert(read.entries.end(), entries.begin(), entries.end());
        }
        return read;
    }
    /// Returns lists with as many entries per row as `other`.
    std::vector<std::int64_t> entries_as(const rows& other, const json_value& header, std::string_view key) const {
        rows read = read_rows(header, key, 0);
        if (read.lengths != other.lengths)
            file_.refuse(read_.line, key, "rows of different lengths", "an entry for each slot");
        return std::move(read.entries);
    }

    /// Reads the sizes of blocks, which a contract contains in addition to the sizes of buffers.
    void read_blocks(const json_value& header, const std::vector<bytes_t>& input, const std::vector<bytes_t>& output) {
        const collsched::collective collective = read_.contract.collective;
        if (moves_blocks(collective)) {
            const bool gathers = collective == collective::gather || collective == collective::allgather;
            read_.contract.blocks = layout(header, gathers ? input[0] : output[0]);
        } else if (collective == collective::alltoall) {
            read_.contract.blocks = matrix(header, input[0]);
        } else if (has_neighbors(collective)) {
            const neighborhood lists = read_neighbors(header);
            read_.contract.blocks = {lists, read_slots(header, lists, input, output)};
        } else if (collective != collective::barrier) {
            read_.contract.bytes = input[static_cast<std::size_t>(read_.contract.root)];
        }
    }

    block_layout layout(const json_value& header, bytes_t block) const {
        const json_value* counts = find(header, "counts");
        const json_value* displs = find(header, "displs");
        if (counts == nullptr && displs != nullptr) file_.refuse(displs->line, "displs without counts", "both");
        if (counts == nullptr) return block;
        const std::vector<bytes_t> block_sizes = sizes(*counts, "counts");
        if (displs == nullptr) return block_layout(std::span<const bytes_t>(block_sizes));
        const std::vector<bytes_t> places = sizes(*displs, "displs");
        return {std::span<const bytes_t>(block_sizes), std::span<const bytes_t>(places)};
    }

    block_matrix matrix(const json_value& header, bytes_t row) const {
        if (find(header, "matrix") == nullptr) return whole_elements(row / read_.contract.ranks);
        rows square;
        square.lengths.assign(static_cast<std::size_t>(read_.contract.ranks), read_.contract.ranks);
        const std::vector<bytes_t> counts = whole_elements(entries_as(square, header, "matrix"));
        const std::span<const bytes_t> block_counts(counts);
        if (find(header, "send_displs") == nullptr && find(header, "recv_displs") == nullptr)
            return block_matrix(block_counts);
        const std::vector<bytes_t> sent = whole_elements(entries_as(square, header, "send_displs"));
        const std::vector<bytes_t> received = whole_elements(entries_as(square, header, "recv_displs"));
        return {block_counts, std::span<const bytes_t>(sent), std::span<const bytes_t>(received)};
    }

    neighborhood read_neighbors(const json_value& header) const {
        const rows targets = read_rows(header, "neighbors", -1), sources = read_rows(header, "sources", -1);
        const rows slots = read_rows(header, "slots", -1);
        if (slots.lengths != targets.lengths)
            file_.refuse(read_.line, "slots", "rows of different lengths", "an entry for each of neighbors");
        const neighborhood lists{targets.lengths, targets.entries, sources.lengths, sources.entries, slots.entries};
        if (const argument_error error = lists.check(read_.contract.ranks)) file_.refuse(read_.line, error);
        return lists;
    }

    slot_layout read_slots(const json_value& header, const neighborhood& n, const std::vector<bytes_t>& input,
                           const std::vector<bytes_t>& output) const {
        const rows targets = read_rows(header, "neighbors", -1), sources = read_rows(header, "sources", -1);
        const bool gathered = read_.contract.collective == collective::neighbor_allgather;
        const json_value* counts = find(header, "counts");
        if (counts == nullptr && gathered) return slot_layout::gathered(whole_elements(input[0]));
        if (counts == nullptr)
            return slot_layout::exchanged(
                whole_elements(std::max(equal_slot(targets, input), equal_slot(sources, output))));
        const bool placed = find(header, "recv_displs") != nullptr;
        const std::vector<bytes_t> received =
            placed ? whole_elements(entries_as(sources, header, "recv_displs")) : std::vector<bytes_t>();
        if (gathered) {
            const std::vector<bytes_t> slot_sizes = whole_elements(sizes(*counts, "counts"));
            return placed ? slot_layout::gathered(n, slot_sizes, received) : slot_layout::gathered(n, slot_sizes);
        }
        const std::vector<bytes_t> slot_sizes = whole_elements(entries_as(targets, header, "counts"));
        if (!placed) return slot_layout::exchanged(n, slot_sizes);
        return slot_layout::exchanged(n, slot_sizes, whole_elements(entries_as(targets, header, "send_displs")),
                                      received);
    }

    /// Returns sizes or displacements after a check that they are multiples of the element size.
    bytes_t whole_elements(bytes_t size) const {
        if (const argument_error error = check_elements(size, 1, read_.contract.element))
            file_.refuse(read_.line, error);
        return size;
    }
    std::vector<bytes_t> whole_elements(std::vector<bytes_t> all) const {
        for (const bytes_t size : all) whole_elements(size);
        return all;
    }

    /// Returns the slot size of the first rank that has slots; 0 if no rank has slots.
    static bytes_t equal_slot(const rows& slots, const std::vector<bytes_t>& held) {
        for (std::size_t r = 0; r < held.size(); ++r)
            if (slots.lengths[r] > 0) return held[r] / slots.lengths[r];
        return 0;
    }

    template <class ExpectedSize>
    void check_sizes(const char* buffer, const std::vector<bytes_t>& read_sizes,
                     const ExpectedSize& expected_size) const {
        for (std::size_t r = 0; r < read_sizes.size(); ++r)
            if (const bytes_t expected = expected_size(static_cast<rank_t>(r)); read_sizes[r] != expected)
                file_.refuse(read_.line, fmt::format("{}[{}]", buffer, r), fmt::format("{}", read_sizes[r]),
                             fmt::format("{}, as follows from the collective and its blocks", expected));
    }

    json_lines_header read_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
