#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "collsched/format/clusters/cluster.hpp"
#include "collsched/format/files/detail/host_list.hpp"
#include "collsched/format/files/text_file.hpp"
#include "collsched/format/text.hpp"
#include "collsched/topology/placement.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// The host of each rank of a job, as described by a file.
struct cluster::rank_hosts {
    /// Consecutive ranks on one host.
    struct entry {
        std::string name;  ///< name of the host
        rank_t ranks = 1;  ///< number of ranks, 1 or more
        int line = 0;      ///< line of the file, from 1
        bool operator==(const entry&) const = default;
    };

    std::string file;            ///< name of the file
    std::vector<entry> entries;  ///< in rank order; a host may appear several times

    /// Returns the number of ranks. O(entries).
    rank_t ranks() const {
        rank_t all = 0;
        for (const entry& host : entries) all += host.ranks;
        return all;
    }
    /// Returns the placement of the first ranks on the nodes of a cluster. O(nodes + ranks).
    /// @param c      cluster whose nodes have the names of the hosts
    /// @param count  number of ranks, 1 to ranks()
    /// @return a placement without error. Failure: throws input_error for an unknown host or too many ranks.
    topology::placement on(const cluster& c, rank_t count) const {
        std::unordered_map<std::string_view, rank_t> nodes;
        for (std::size_t i = 0; i < c.names.size(); ++i) nodes.emplace(c.names[i], static_cast<rank_t>(i));
        return placed(count, c.cost.switches().nodes(), [&](const entry& host) {
            const auto found = nodes.find(host.name);
            if (found != nodes.end()) return found->second;
            throw input_error({.value = "host " + json_text(host.name),
                               .expected = fmt::format("a node of the cluster {}, such as {}", json_text(c.name),
                                                       json_text(c.names.front())),
                               .file = file,
                               .line = host.line});
        });
    }
    /// Returns the placement of the first ranks on the hosts alone, numbered by their first appearance. O(ranks).
    /// @param count  number of ranks, 1 to ranks()
    /// @return a placement without error. Failure: throws input_error for too many ranks.
    topology::placement on_hosts(rank_t count) const {
        std::unordered_map<std::string_view, rank_t> hosts;
        rank_t remaining = count;
        for (const entry& host : entries) {
            if (remaining > 0) hosts.emplace(host.name, static_cast<rank_t>(hosts.size()));
            remaining -= std::min(remaining, host.ranks);
        }
        return placed(count, static_cast<rank_t>(hosts.size()),
                      [&](const entry& host) { return hosts.find(host.name)->second; });
    }
    bool operator==(const rank_hosts&) const = default;

  private:
    template <class Node>
    topology::placement placed(rank_t count, rank_t nodes, Node node) const {
        if (const rank_t all = ranks(); count > all)
            throw input_error({.argument = "ranks",
                               .value = fmt::format("{}", count),
                               .expected = fmt::format("at most {}, the ranks of {}", all, file)});
        std::vector<rank_t> node_of_rank;
        for (const entry& host : entries) {
            const rank_t slots = std::min(count - static_cast<rank_t>(node_of_rank.size()), host.ranks);
            if (slots > 0) node_of_rank.insert(node_of_rank.end(), static_cast<std::size_t>(slots), node(host));
        }
        const topology::placement placement = topology::placement::list(node_of_rank, nodes);
        if (const argument_error error = placement.check()) throw input_error(input_error::mistake::of(error));
        return placement;
    }
};

namespace detail {

/// Reads the hosts of a job from a text in one of four formats.
class hosts_reader {
  public:
    explicit hosts_reader(const text_file& file) : file_(file), hosts_{file.name, {}} {}

    cluster::rank_hosts read() {
        file_.refuse_zero_bytes("a text");
        split_lines();
        if (lines_.empty()) file_.refuse(1, "nothing in it", "the host of each rank");
        switch (format_of_file()) {
            case format::slurm: read_slurm(); break;
            case format::openmpi: read_openmpi(); break;
            case format::mpich: read_mpich(); break;
            case format::plain:
                for (const line& row : lines_) add(row.number, row.text, 1);
        }
        return std::move(hosts_);
    }

  private:
    enum class format { plain, openmpi, mpich, slurm };
    struct line {
        int number;
        std::string_view text;  ///< without comment and blanks around it
    };

    static constexpr rank_t most = most_nodes;
    static constexpr std::string_view blanks = " \t\r";

    void split_lines() {
        int number = 1;
        for (std::string_view unread = file_.text; !unread.empty(); ++number) {
            const std::string_view text = take_line(unread), content = trimmed(text.substr(0, text.find('#')));
            if (content.empty()) continue;
            if (static_cast<rank_t>(lines_.size()) == most) refuse_more(number);
            lines_.push_back({number, content});
        }
    }
    [[noreturn]] void refuse_more(int number) const { file_.refuse(number, "more ranks", "at most 2^20"); }
    [[noreturn]] void refuse(const line& row, std::string_view expected) const {
        file_.refuse(row.number, json_text(row.text.substr(0, 100)), expected);
    }

    static format format_of(std::string_view text) {
        if (text.find_first_of("[,(") != text.npos) return format::slurm;
        if (text.find('=') != text.npos) return format::openmpi;
        return text.find(':') == text.npos ? format::plain : format::mpich;
    }
    /// Returns the format of the first line that is more than a name.
    format format_of_file() const {
        for (const line& row : lines_)
            if (const format found = format_of(row.text); found != format::plain) return found;
        return format::plain;
    }

    void add(int number, std::string_view name, rank_t ranks) {
        if (name.empty() || name.size() > 256 || name.find_first_of(" \t[](){}<>,:;=\"'") != name.npos)
            file_.refuse(number, json_text(name.substr(0, 100)), "the name of a host, of at most 256 characters");
        all_ += ranks;
        if (all_ > most) refuse_more(number);
        hosts_.entries.push_back({std::string(name), ranks, number});
    }
    static std::optional<rank_t> ranks_of(std::string_view digits) {
        const std::optional<rank_t> value = integer_of(digits);
        return value && *value >= 1 && *value <= most ? value : std::nullopt;
    }

    void read_openmpi() {
        std::unordered_set<std::string_view> names;
        for (const line& row : lines_) {
            const std::size_t name_end = std::min(row.text.find_first_of(blanks), row.text.size());
            const std::string_view name = row.text.substr(0, name_end);
            if (!names.insert(name).second)
                file_.refuse(row.number, json_text(name.substr(0, 100)) + " twice", "every host once beside slots=N");
            std::optional<rank_t> slots, limit;
            for (std::string_view unread = row.text.substr(name_end); !unread.empty();) {
                unread = unread.substr(unread.find_first_not_of(blanks));
                const std::string_view word = unread.substr(0, unread.find_first_of(blanks));
                unread = unread.substr(word.size());
                const std::string_view key = word.substr(0, word.find('='));
                std::optional<rank_t>& value = key == "slots" ? slots : limit;
                if ((key != "slots" && key != "max_slots" && key != "max-slots") || value || key == word)
                    refuse(row, slots_expected);
                value = ranks_of(word.substr(key.size() + 1));
                if (!value) refuse(row, slots_expected);
            }
            if (slots && limit && *slots > *limit) refuse(row, "slots=N, at most max_slots=N");
            add(row.number, name, slots ? *slots : limit.value_or(1));
        }
    }
    void read_mpich() {
        for (const line& row : lines_) {
            const std::size_t colon = row.text.find(':');
            const auto ranks = colon == row.text.npos ? rank_t{1} : ranks_of(row.text.substr(colon + 1));
            if (!ranks) refuse(row, "NAME or NAME:RANKS, 1 to 2^20 ranks");
            add(row.number, row.text.substr(0, colon), *ranks);
        }
    }
    void read_slurm() {
        const line& list = lines_.front();
        const std::vector<std::string> names = expand_host_list(list.text, {file_, list.number});
        std::vector<rank_t> counts(names.size(), 1);
        if (lines_.size() > 1) counts = read_counts(lines_[1], names.size());
        if (lines_.size() > 2) refuse(lines_[2], "one list of hosts and one line of counts");
        for (std::size_t i = 0; i < names.size(); ++i) add(list.number, names[i], counts[i]);
    }
    /// Reads counts of ranks per host, such as "4(x2),3".
    std::vector<rank_t> read_counts(const line& row, std::size_t hosts) const {
        std::vector<rank_t> counts;
        for (const std::string_view item : split_list(row.text)) {
            const std::size_t open = item.find("(x");
            const bool repeats = open != item.npos && item.ends_with(')');
            const auto ranks = ranks_of(item.substr(0, open));
            const auto times = repeats ? ranks_of(item.substr(open + 2, item.size() - open - 3)) : rank_t{1};
            if (!ranks || !times || (open != item.npos && !repeats))
                refuse(row, "counts of ranks per host such as 4(x2),3");
            if (counts.size() + static_cast<std::size_t>(*times) > hosts) refuse(row, one_each(hosts));
            counts.insert(counts.end(), static_cast<std::size_t>(*times), *ranks);
        }
        if (counts.size() != hosts) refuse(row, one_each(hosts));
        return counts;
    }
    static std::string one_each(std::size_t hosts) { return fmt::format("counts for {} hosts", hosts); }

    static constexpr std::string_view slots_expected = "NAME, with slots=N and max_slots=N or without, 1 to 2^20";

    const text_file& file_;
    std::vector<line> lines_;
    cluster::rank_hosts hosts_;
    rank_t all_ = 0;
};

}  // namespace detail

/// Reads the hosts of the ranks of a job. The content selects one of four formats: a name per line, in rank order; an
/// Open MPI hostfile, `name slots=4 max_slots=8`; an MPICH hostfile, `name:4`; and a list of Slurm, `n[0-3,7]`, with a
/// second line of ranks per host or without, `4(x2),3(x3)`. `#` begins a comment. At most 2^20 ranks. Throws
/// input_error.
/// @param file  the text
/// @return the hosts in rank order
inline cluster::rank_hosts read_hosts(const text_file& file) { return detail::hosts_reader(file).read(); }
/// Reads the file of this path. Throws input_error.
/// @param path  path of the file, of at most 2^28 bytes
/// @return the hosts in rank order
inline cluster::rank_hosts read_hosts(const std::filesystem::path& path) { return read_hosts(read_text_file(path)); }

}}  // namespace collsched::COLLSCHED_ABI
