#include "shape_options.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "collsched/format/schedules/read_json_lines.hpp"
#include "texts/read_matrix.hpp"
#include "placement_option.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

void check_divides(bytes_t element, const std::string& what, bytes_t size) {
    if (size % element != 0)
        throw usage_error("--element", std::to_string(element), fmt::format("a size that divides {} = {}", what, size));
}

block_matrix read_matrix_file(const std::string& path) {
    return read_or_refuse("--matrix", [&] { return texts::read_matrix(std::filesystem::path(path)); });
}

void check_element(const shape_request& shape) {
    if (shape.block) check_divides(shape.element, "--block", *shape.block);
    if (shape.bytes) check_divides(shape.element, "--bytes", *shape.bytes);
    for (std::size_t i = 0; i < shape.counts.size(); ++i)
        check_divides(shape.element, fmt::format("--counts[{}]", i), shape.counts[i]);
    const rank_t rows = shape.matrix ? shape.ranks.first : 0;
    for (rank_t i = 0; i < rows; ++i)
        for (rank_t j = 0; j < rows; ++j)
            check_divides(shape.element, fmt::format("--matrix[{}][{}]", i, j), shape.matrix->count(i, j));
}

}  // namespace

shape_options::shape_options(CLI::App& command, takes what)
    : what_(what),
      name_(command, what == takes::collective ? "COLLECTIVE" : "NAME",
            what == takes::collective     ? "name of a collective: allgather, allgatherv, ..."
            : what == takes::range_of_all ? "name of a schedule (COLLECTIVE/ALGORITHM), @FILE with JSON Lines, or all"
                                          : "name of a schedule (COLLECTIVE/ALGORITHM), or @FILE with JSON Lines"),
      ranks_(command, option_group::shape, "--ranks", takes_one() ? "P" : "P|A..B",
             "number of ranks (default: the number of entries of another option, or of --network, or of nodes of "
             "--cluster)"),
      root_(command, option_group::shape, "--root", "R", "root of a rooted collective (default 0)"),
      block_(command, option_group::shape, "--block", "BYTES",
             "block size of every rank in bytes (default: one element)"),
      bytes_(command, option_group::shape, "--bytes", "BYTES",
             "message size in bytes; in block collectives the size of all blocks together (default: one element)"),
      counts_(command, option_group::shape, "--counts", "A,B,...", "block size of each rank in bytes"),
      displs_(command, option_group::shape, "--displs", "A,B,...",
              "displacement of each block in the result in bytes (default: packed in rank order)"),
      matrix_(command, option_group::shape, "--matrix", "FILE",
              "bytes from each rank to each rank of an alltoall, p rows of p"),
      element_(command, option_group::shape, "--element", "BYTES",
               "element size in bytes; elements are never split (default 1)"),
      segment_(command, option_group::parameters, "--segment", "BYTES",
               "pipeline segment size in bytes (default 0: no segmentation)"),
      radix_(command, option_group::parameters, "--radix", "K",
             "radix of k-ary and k-nomial trees, Bruck's algorithms and recursive multiplying, number of "
             "chains, rows per plane of by-dimension (default: the algorithm's)"),
      group_(command, option_group::parameters, "--group", "Q",
             "senders per sub-round of alltoall/grouped (default 1); ranks per ring or region of k-ring and "
             "locality-bruck (default 2); smallest number of ranks per row of by-dimension (default 8); ranks per node "
             "with --placement"),
      aggregate_(command, option_group::parameters, "--aggregate", "A",
                 "largest number of blocks per message of pat (default 4)"),
      order_(command, option_group::parameters, "--order", "A,B,...",
             "order in which the ranks of alltoall/grouped are ready (default: ascending)"),
      numbering_(
          command, option_group::parameters, "--numbering", "A,B,...",
          "rank of the network at each place of the algorithm, or `cycle`: along a cycle of neighbors in --network "
          "(default: ascending)"),
      window_(
          command, option_group::parameters, "--window", "W",
          "number of overlapping steps of an alltoall or allgather/linear (default: the algorithm's; 0: all steps)"),
      in_place_(command, option_group::shape, "--in-place",
                "input buffer within the output buffer (default: separate buffers)"),
      cluster_(command),
      network_(command),
      neighbors_(command) {}

void shape_options::read_file(shape_request& shape) const {
    std::vector<edge_path> paths;
    auto [name, schedule] =
        read_or_refuse("NAME", [&] { return read_json_lines(std::filesystem::path(shape.name.substr(1)), &paths); });
    shape.file = {std::move(name), any_schedule(schedule)};
    shape.file_paths = std::move(paths);
    const auto refuse = [](const std::string& option) {
        throw usage_error::conflict(option, "a schedule from a file");
    };
    for (const text_option* one : {&ranks_, &root_, &block_, &bytes_, &counts_, &displs_, &matrix_, &element_,
                                   &segment_, &radix_, &group_, &aggregate_, &order_, &numbering_, &window_})
        if (one->given()) refuse(one->name());
    if (const auto neighbors = neighbors_.read()) refuse(neighbors->option);
    if (!shape.cluster && !cluster_.placement().empty()) refuse("--placement");
    if (shape.hosts) refuse("--hosts");
    shape.ranks = {shape.file->schedule.ranks, shape.file->schedule.ranks};
    if (shape.network && shape.network->trees() > 0) refuse("--trees");
    if (shape.network && shape.network->ranks() != shape.ranks.first)
        throw usage_error("--network", shape.network->file().path,
                          fmt::format("a network of {} ranks, as the schedule has", shape.ranks.first));
    if (!in_place_.given()) return;
    if (has_neighbors(shape.file->schedule.contract().collective)) refuse("--in-place");
    shape.how = binding::in_place;
}

/// Returns the number of ranks of the options that have one entry per rank, else of the cluster; 0 if none of them is
/// given. Their agreement is checked with --ranks or by the algorithm.
rank_t shape_options::ranks_of_options(const shape_request& shape, rank_t rows) const {
    if (rows > 0) return rows;
    if (shape.neighbors) return shape.neighbors->lists.ranks();
    if (shape.has_counts()) return std::ssize(shape.counts);
    if (!shape.order.empty()) return std::ssize(shape.order);
    if (const rank_t placed = placed_ranks(cluster_.placement()); placed > 0) return placed;
    if (const auto& hosts = shape.cluster ? shape.cluster->hosts : shape.hosts) return hosts->ranks();
    if (shape.network) return shape.network->ranks();
    return shape.cluster ? static_cast<rank_t>(shape.cluster->described.names.size()) : 0;
}

void shape_options::read_ranks(shape_request& shape) const {
    shape.neighbors = neighbors_.read();
    at_most_one({&block_, &bytes_, &counts_, &matrix_});
    if (matrix_.given()) {
        shape.matrix_file = matrix_.text();
        shape.matrix = read_matrix_file(shape.matrix_file);
    }
    if (order_.given()) shape.order = read_list("--order", order_.text(), 0);
    if (counts_.given()) shape.counts = read_list("--counts", counts_.text(), 0, read_size);
    const rank_t nodes = ranks_of_options(shape, shape.matrix ? shape.matrix->ranks() : 0);
    const bool named = shape.name.find('/') != shape.name.npos;
    if (!ranks_.given() && nodes == 0 && named && takes_network(*find_schedule(shape.name).entry))
        throw usage_error::missing("--network", fmt::format("the file of the network for {}", shape.name));
    if (!ranks_.given() && nodes == 0) throw usage_error::missing("--ranks", "the number of ranks, 1 or more");
    if (takes_one() && ranks_.text().find("..") != std::string::npos)
        throw usage_error("--ranks", ranks_.text(), "one number of ranks");
    shape.ranks = read_rank_range(ranks_, nodes, nodes);
    if (const argument_error wrong = check_ranks(shape.ranks.last)) throw usage_error(wrong);
    const auto differ = [&](rank_t p) { return shape.ranks.first != p || shape.ranks.last != p; };
    const std::string ranks_text = ranks_.given() ? ranks_.text() : std::to_string(nodes);
    if (shape.network && differ(shape.network->ranks()))
        throw usage_error("--ranks", ranks_text, fmt::format("{}, the ranks of --network", shape.network->ranks()));
    const auto counts = static_cast<rank_t>(shape.counts.size());
    if (shape.matrix && differ(shape.matrix->ranks()))
        throw usage_error("--matrix", shape.matrix_file, fmt::format("{} rows, as in --ranks", ranks_text));
    if (shape.neighbors && differ(nodes))
        throw usage_error(shape.neighbors->option, shape.neighbors->text,
                          fmt::format("{} ranks, as in --ranks", ranks_text));
    if (shape.has_counts() && !shape.neighbors && differ(counts))
        throw usage_error("--counts", counts_.text(), fmt::format("one size for each of --ranks {}", ranks_text));
}

void shape_options::read_numbers_of(shape_request& shape) const {
    if (displs_.given() && !counts_.given()) throw usage_error::alone("--displs", "--counts");
    shape.element = element_.size(1, 1);
    if (block_.given()) shape.block = block_.size(0, 0);
    if (bytes_.given()) shape.bytes = bytes_.size(0, 0);
    if (root_.given()) shape.root = root_.number(0, 0);
    if (segment_.given()) shape.segment = segment_.size(0, 0);
    if (radix_.given()) shape.radix = radix_.number(1, 2);
    if (group_.given()) shape.group = group_.number(1, 1);
    if (aggregate_.given()) shape.aggregate = aggregate_.number(1, 1);
    if (window_.given()) shape.window = window_.number(0, 0);
    if (displs_.given()) shape.displs = read_list("--displs", displs_.text(), 0, read_size);
    if (displs_.given() && shape.displs.size() != shape.counts.size())
        throw usage_error("--displs", displs_.text(),
                          fmt::format("one displacement for each of {} counts", shape.counts.size()));
}

shape_request shape_options::read() const {
    shape_request shape;
    shape.name = name_.text();
    shape.cluster = cluster_.read(true);
    if (!shape.cluster) shape.hosts = cluster_.hosts();
    shape.network = network_.read();
    if (what_ == takes::collective) {
        shape.name = find_collective(shape.name);
    } else if (shape.name.starts_with('@')) {
        read_file(shape);
        return shape;
    } else if (shape.name != "all" || what_ != takes::range_of_all) {
        shape.name = find_schedule(shape.name, what_ == takes::range_of_all ? ", @FILE or all" : " or @FILE").name;
    }
    read_ranks(shape);
    read_numbers_of(shape);
    if (!shape.cluster) shape.placement = cluster_.placement();
    if (shape.placement.find(',') != shape.placement.npos)  // names determine the number of ranks
        for (const rank_t p : {shape.ranks.first, shape.ranks.last}) free_placement(shape.placement, p, shape.group);
    if (shape.cluster && shape.cluster->hosts) shape.cluster->place(shape.ranks.last);
    if (shape.hosts) hosted_placement(*shape.hosts, shape.ranks.last);
    if (numbering_.given()) {
        if (shape.ranks.first != shape.ranks.last)
            throw usage_error("--ranks", ranks_.text(), "one number of ranks, with --numbering");
        shape.numbering = read_numbering(numbering_.text(), shape.ranks.last, shape.network);
    }
    check_element(shape);
    if (in_place_.given()) shape.how = binding::in_place;
    return shape;
}
