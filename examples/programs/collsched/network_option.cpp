#include "network_option.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "collsched/format/clusters/read_network.hpp"
#include "collsched/format/files/text_file.hpp"
#include "collsched/topology/network.hpp"
#include "printable.hpp"
#include "text_output.hpp"

using namespace collsched;

std::string printable_name(const std::string& name) { return printable(name, 256); }

std::string read_network_file::name() const { return std::filesystem::path(path).stem().string(); }

std::string read_network_file::vertex(rank_t v) const { return vertex_name(net, v); }

std::string read_network_file::shown(rank_t v) const { return printable_name(vertex(v)); }

namespace {

/// Reads the list of an option: names of vertices, and links such as a>b, with commas between them.
class removal_list {
  public:
    removal_list(const read_network_file& file, const std::string& option, const std::string& list)
        : file_(file), option_(option), list_(list) {
        for (rank_t v = 0; v < file.net.vertices(); ++v) names_.push_back(file.vertex(v));
        do {
            const rank_t from = take_name(",>");
            if (next() == '>') add_links(from, (++at_, take_name(",")));
            else vertices_.push_back(from);
        } while (at_++ < list.size());
    }
    topology::network left() const { return topology::prune(file_.net, links_, vertices_); }

  private:
    char next() const { return at_ < list_.size() ? list_[at_] : '\0'; }

    /// Returns the vertex with the longest name that is next, up to one of the separators or to the end.
    rank_t take_name(std::string_view separators) {
        const std::string_view rest = std::string_view(list_).substr(at_);
        rank_t best = -1;
        std::size_t length = 0;
        for (std::size_t v = 0; v < names_.size(); ++v) {
            const std::string& name = names_[v];
            const bool ends = rest.size() == name.size() ||
                              (rest.size() > name.size() && separators.find(rest[name.size()]) != separators.npos);
            if (ends && rest.starts_with(name) && (best < 0 || name.size() > length))
                best = static_cast<rank_t>(v), length = name.size();
        }
        if (best < 0) refuse(std::string(rest.substr(0, rest.find_first_of(separators))));
        at_ += length;
        return best;
    }
    void add_links(rank_t from, rank_t to) {
        const std::size_t before = links_.size();
        for (std::size_t i = 0; i < file_.net.links().size(); ++i) {
            const topology::network::link& one = file_.net.links()[i];
            if (one.from == from && one.to == to) links_.push_back(static_cast<std::int64_t>(i));
        }
        if (links_.size() == before)
            throw usage_error(option_, file_.vertex(from) + ">" + file_.vertex(to), "a link of " + file_.path);
    }
    [[noreturn]] void refuse(const std::string& word) const {
        throw usage_error(option_, word.empty() ? list_ : word,
                          "vertices of " + file_.path + ", and links such as a>b, with commas between them");
    }

    const read_network_file& file_;
    const std::string &option_, &list_;
    std::size_t at_ = 0;
    std::vector<std::string> names_;
    std::vector<std::int64_t> links_;
    std::vector<rank_t> vertices_;
};

}  // namespace

void read_network_file::remove(const std::string& by, const std::string& list) {
    if (list.empty()) throw usage_error::missing(by, "vertices, or links such as a>b");
    topology::network left = removal_list(*this, by, list).left();
    if (left.check()) throw usage_error(by, list, "at least one rank of " + path + " that is left");
    net = std::move(left);
    option = by;
}

void read_network_file::draw(const std::string& by, const std::string& target, const network_marks& marks) const {
    constexpr rank_t most_drawn = 1024;
    if (net.vertices() > most_drawn)
        throw usage_error(by, fmt::format("{} vertices", net.vertices()), fmt::format("at most {}", most_drawn));
    write_file(by, target, [&](text_output::iterator out) { write_network_svg(out, net, marks); });
}

std::optional<std::pair<rank_t, rank_t>> read_network_file::one_way() const {
    std::map<std::pair<rank_t, rank_t>, std::int64_t> excess;
    for (const topology::network::link& one : net.links())
        excess[std::minmax(one.from, one.to)] += one.from < one.to ? one.bandwidth : -one.bandwidth;
    for (const auto& [ends, more] : excess)
        if (more != 0) return ends;
    return {};
}

void read_network_file::refuse_one_way() const {
    if (const auto ends = one_way())
        throw usage_error("--network", path,
                          fmt::format("for an allreduce the same bandwidth in both directions between {} and {}",
                                      vertex(ends->first), vertex(ends->second)));
}

usage_error read_network_file::mistake(const argument_error& error) const {
    input_error::mistake found = input_error::mistake::of(error, path);
    const bool names = (found.argument == "vertex" || found.argument == "switch" || found.argument == "path") &&
                       error.value >= 0 && error.value < net.vertices();
    if (names) found.value = vertex(error.value);
    return usage_error(option, found);
}

network_option::network_option(CLI::App& command)
    : file_(command, option_group::cluster, "--network", "FILE",
            "network: JSON, a SimGrid platform, or output of ibnetdiscover; or a cluster in JSON as its links"),
      without_(command, option_group::cluster, "--without", "A>B,...",
               "links, or vertices, of --network that are not there (default: none)") {}

bool network_option::given() const {
    if (without_.given() && !file_.given()) throw usage_error::alone("--without", "--network");
    return file_.given();
}

std::string network_option::text() const {
    if (!file_.given()) return {};
    const std::string name = std::filesystem::path(file_.text()).filename().string();
    return fmt::format(" --network {}{}", name, without_.given() ? " --without " + without_.text() : "");
}

read_network_file network_option::read() const {
    if (!file_.given() || file_.text().empty()) throw usage_error::missing("--network", "the file of a network");
    const std::string path = file_.text();
    read_network_file read{
        .net = read_or_refuse("--network", [&] { return read_network(std::filesystem::path(path)); }), .path = path};
    if (without_.given()) read.remove("--without", without_.text());
    return read;
}
