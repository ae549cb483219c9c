#include "shape_options.hpp"

#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "collsched/combine/copy_input_first.hpp"
#include "collsched/combine/rename_buffers.hpp"
#include "collsched/format/readers/read_json_lines.hpp"
#include "collsched/format/readers/read_matrix.hpp"
#include "limits.hpp"
#include "placement_option.hpp"
#include "usage_error.hpp"

using namespace collsched;

rank_range read_rank_range(const text_option& option, rank_t first, rank_t last) {
    if (!option.given()) return {first, last};
    const std::string text = option.text();
    const std::size_t dots = text.find("..");
    if (dots == text.npos) {
        const rank_t p = read_number(option.name(), text, 1);
        return {p, p};
    }
    const char* const expected = "P, or A..B with 1 <= A <= B";
    rank_range range;
    try {
        range = {read_number(option.name(), text.substr(0, dots), 1),
                 read_number(option.name(), text.substr(dots + 2), 1)};
    } catch (const usage_error&) {  // its message would name only one end
        throw usage_error(option.name(), text, expected);
    }
    if (range.first > range.last) throw usage_error(option.name(), text, expected);
    return range;
}

namespace {

void check_divides(bytes_t element, const std::string& what, bytes_t size) {
    if (size % element != 0)
        throw usage_error("--element", std::to_string(element), fmt::format("a size that divides {} = {}", what, size));
}

block_matrix read_matrix_file(const std::string& path) {
    return read_or_refuse("--matrix", [&] { return read_matrix(std::filesystem::path(path)); });
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
      name_(command, what == takes::collective ? "COLLECTIVE" : "NAME", "",
            what == takes::collective     ? "a collective: the part before the slash in 'collsched list'"
            : what == takes::range_of_all ? "a schedule of 'collsched list', @FILE of JSON Lines, or all"
                                          : "a schedule of 'collsched list', or @FILE of JSON Lines"),
      ranks_(command, "--ranks", takes_one() ? "P" : "P|A..B", "number of ranks"),
      root_(command, "--root", "R", "the root, of schedules that have one (0)"),
      block_(command, "--block", "BYTES", "size of every rank's block (one element)"),
      bytes_(command, "--bytes", "BYTES",
             "size of the message; of block collectives all blocks, split in p parts of whole elements"),
      counts_(command, "--counts", "A,B,...", "size of each rank's block in bytes"),
      displs_(command, "--displs", "A,B,...", "where each block lies in the result (packed in rank order)"),
      matrix_(command, "--matrix", "FILE", "alltoall: bytes from each rank to each, p rows of p"),
      element_(command, "--element", "BYTES", "size of an element, which is never split (1)"),
      segment_(command, "--segment", "BYTES", "pipelines: the message in pieces of at most this size (0: in one)"),
      radix_(command, "--radix", "K", "of k-ary and k-nomial trees, of Bruck's algorithms, of recursive multiplying"),
      group_(command, "--group", "Q",
             "grouped exchange: how many ranks send at a time; k-ring, locality-bruck: ranks of a ring, of a region; "
             "--placement: ranks on a node"),
      aggregate_(command, "--aggregate", "A", "pat: how many blocks a message has at most"),
      order_(command, "--order", "A,B,...", "grouped exchange: the order in which ranks are ready"),
      window_(command, "--window", "W", "exchanges, allgather/linear: how many steps may overlap; 0: all"),
      in_place_(command, "--in-place", "input lies in output already"),
      cluster_(command),
      neighbors_(command) {}

void shape_options::read_file(shape_request& shape) const {
    auto [name, schedule] =
        read_or_refuse("NAME", [&] { return read_json_lines(std::filesystem::path(shape.name.substr(1))); });
    shape.file = {std::move(name), any_schedule(schedule)};
    const auto refuse = [](const std::string& option) {
        throw usage_error::conflict(option, "a schedule from a file");
    };
    for (const text_option* one : {&ranks_, &root_, &block_, &bytes_, &counts_, &displs_, &matrix_, &element_,
                                   &segment_, &radix_, &group_, &aggregate_, &order_, &window_})
        if (one->given()) refuse(one->name());
    if (const auto neighbors = neighbors_.read()) refuse(neighbors->option);
    if (!shape.cluster && !cluster_.placement().empty()) refuse("--placement");
    shape.ranks = {shape.file->schedule.ranks, shape.file->schedule.ranks};
    if (!in_place_.given()) return;
    if (has_neighbors(shape.file->schedule.contract().collective)) refuse("--in-place");
    shape.how = binding::in_place;
}

/// Returns the number of ranks of the options that have one entry per rank, else of the cluster; 0 if none of them is
/// given. Their agreement is checked with --ranks or by the algorithm.
rank_t shape_options::ranks_told(const shape_request& shape, rank_t rows) const {
    if (rows > 0) return rows;
    if (shape.neighbors) return shape.neighbors->lists.ranks();
    if (shape.has_counts()) return std::ssize(shape.counts);
    if (!shape.order.empty()) return std::ssize(shape.order);
    if (const rank_t placed = placed_ranks(cluster_.placement()); placed > 0) return placed;
    return shape.cluster ? static_cast<rank_t>(shape.cluster->described.names.size()) : 0;
}

shape_request shape_options::read() const {
    shape_request shape;
    shape.name = name_.text();
    shape.cluster = cluster_.read(true);
    if (what_ == takes::collective) {
        check_collective(shape.name);
    } else if (shape.name.starts_with('@')) {
        read_file(shape);
        return shape;
    } else if (shape.name != "all" || what_ != takes::range_of_all) {
        find_schedule(shape.name, what_ == takes::range_of_all ? ", @FILE and all" : " and @FILE");
    }
    shape.neighbors = neighbors_.read();
    at_most_one({&block_, &bytes_, &counts_, &matrix_});
    const std::optional<block_matrix> matrix =
        matrix_.given() ? std::optional(read_matrix_file(matrix_.text())) : std::nullopt;
    if (order_.given()) shape.order = read_numbers("--order", order_.text(), 0);
    if (counts_.given()) shape.counts = read_numbers("--counts", counts_.text(), 0);
    const rank_t nodes = ranks_told(shape, matrix ? matrix->ranks() : 0);
    if (!ranks_.given() && nodes == 0) throw usage_error::missing("--ranks", "the number of ranks, 1 or more");
    if (takes_one() && ranks_.text().find("..") != std::string::npos)
        throw usage_error("--ranks", ranks_.text(), "one number of ranks");
    shape.ranks = read_rank_range(ranks_, nodes, nodes);
    if (const argument_error wrong = check_ranks(shape.ranks.last)) throw usage_error(wrong);
    if (matrix) {
        shape.matrix_file = matrix_.text();
        shape.matrix = matrix;
        if (shape.ranks.first != matrix->ranks() || shape.ranks.last != matrix->ranks())
            throw usage_error("--matrix", shape.matrix_file,
                              fmt::format("{} rows, one for each of --ranks", shape.ranks.first));
    }
    if (shape.neighbors && (shape.ranks.first != nodes || shape.ranks.last != nodes))
        throw usage_error(
            shape.neighbors->option, shape.neighbors->text,
            fmt::format("{} ranks, as --ranks says", ranks_.given() ? ranks_.text() : std::to_string(nodes)));
    if (displs_.given() && !counts_.given()) throw usage_error::alone("--displs", "--counts");
    shape.element = element_.number(1, 1);
    if (block_.given()) shape.block = block_.number(0, 0);
    if (bytes_.given()) shape.bytes = bytes_.number(0, 0);
    if (root_.given()) shape.root = root_.number(0, 0);
    if (segment_.given()) shape.segment = segment_.number(0, 0);
    if (radix_.given()) shape.radix = radix_.number(2, 2);
    if (group_.given()) shape.group = group_.number(1, 1);
    if (aggregate_.given()) shape.aggregate = aggregate_.number(1, 1);
    if (window_.given()) shape.window = window_.number(0, 0);
    if (!shape.cluster) shape.placement = cluster_.placement();
    if (displs_.given()) shape.displs = read_numbers("--displs", displs_.text(), 0);
    const auto counts = static_cast<rank_t>(shape.counts.size());
    if (shape.has_counts() && !shape.neighbors && (shape.ranks.first != counts || shape.ranks.last != counts))
        throw usage_error(
            "--counts", counts_.text(),
            fmt::format("one for each of --ranks {}", ranks_.given() ? ranks_.text() : fmt::format("{}", nodes)));
    if (shape.placement.find(',') != shape.placement.npos)  // names determine the number of ranks
        for (const rank_t p : {shape.ranks.first, shape.ranks.last}) free_placement(shape.placement, p, shape.group);
    if (displs_.given() && shape.displs.size() != shape.counts.size())
        throw usage_error("--displs", displs_.text(), fmt::format("one for each of the {} counts", counts));
    check_element(shape);
    if (in_place_.given()) shape.how = binding::in_place;
    return shape;
}

block_layout shape_request::layout(rank_t p) const {
    if (bytes) return block_layout::partition(*bytes, p, element);
    if (!has_counts()) return block.value_or(element);
    const std::span<const bytes_t> sizes(counts);
    return displs.empty() ? block_layout(sizes) : block_layout(sizes, displs);
}

usage_error shape_request::mistake(const argument_error& wrong) const {
    // Collectives of blocks are planned for the mean block size.
    if (std::string_view(wrong.argument) != "bytes" || bytes) return usage_error(wrong);
    if (has_counts()) return {"--counts", fmt::format("{}", fmt::join(counts, ",")), wrong.expected};
    if (block) return {"--block", std::to_string(*block), wrong.expected};
    return usage_error(wrong);
}

any_schedule shape_request::make(const listed_schedule& which, rank_t p) const {
    any_schedule one = made(which, p);
    if (const argument_error wrong = one.check()) throw mistake(wrong);
    return one;
}

shape shape_request::shape_for(const listed_schedule& which, rank_t p) const {
    const bool exchange = which.entry->info.collective == collective::alltoall;
    if (which.irregular && exchange && !matrix)
        throw usage_error::missing(
            "--matrix", fmt::format("a file with a size for each pair of ranks, which {} takes", which.name));
    if (which.irregular && !exchange && !has_counts())
        throw usage_error::missing(
            "--counts", fmt::format("a size for each {}, which {} takes", counted(which, p).each, which.name));
    if (!neighbors && which.entry->takes("neighbors"))
        throw usage_error::missing("--neighbors",
                                   fmt::format("a file with the targets of each rank, or --dims, for {}", which.name));
    if (!cluster && which.entry->takes("cluster"))
        throw usage_error::missing("--cluster",
                                   fmt::format("a file that describes the cluster, which {} takes", which.name));
    if (const auto extra = surplus(which)) throw usage_error::conflict(extra->name, which.name);
    if (const counted_things things = counted(which, p); has_counts() && std::ssize(counts) != things.number)
        throw usage_error("--counts", fmt::format("{}", fmt::join(counts, ",")),
                          fmt::format("one for each {}, of which there are {}", things.each, things.number));
    if (which.entry->takes("cluster")) refuse_large_plan(p);
    collsched::shape result{.ranks = p, .root = root.value_or(0), .element = element, .segment = segment.value_or(0)};
    if (matrix) result.matrix = *matrix;
    if (neighbors) result.neighbors = neighbors->lists;
    if (has_blocks(which.entry->info.collective)) result.block = layout(p);
    else result.bytes = bytes.value_or(element);
    if (radix) result.radix = *radix;
    if (group) result.group = *group;
    if (aggregate) result.aggregate = *aggregate;
    if (window) result.window = *window;
    if (!order.empty()) result.order = permutation(order);
    if (which.entry->takes("placement") && cluster) result.placement = cluster->place(p);
    else if (!placement.empty()) result.placement = free_placement(placement, p, group);
    if (cluster && which.entry->takes("cluster")) result.cluster = cluster->on(p);
    if (const argument_error wrong = result.block.check(p); wrong && !neighbors) throw usage_error(wrong);
    return result;
}

any_schedule shape_request::made(const listed_schedule& which, rank_t p) const {
    any_schedule one = which.entry->make(shape_for(which, p));
    // A complete exchange would overwrite bytes that it has not sent.
    const bool overwrites = how == binding::in_place && which.entry->info.collective == collective::alltoall;
    return overwrites ? any_schedule(copy_input_first(one)) : one;
}

std::optional<shape_request::surplus_option> shape_request::surplus(const listed_schedule& which) const {
    const bool exchange = which.entry->info.collective == collective::alltoall;
    const bool slots = has_neighbors(which.entry->info.collective);
    const bool blocks = moves_blocks(which.entry->info.collective) || slots;
    if (how == binding::in_place && slots) return surplus_option{"--in-place", "given"};
    if (neighbors && !slots) return surplus_option{neighbors->option, neighbors->text};
    if (which.entry->info.collective == collective::barrier) {
        if (bytes) return surplus_option{"--bytes", std::to_string(*bytes)};
        if (element != 1) return surplus_option{"--element", std::to_string(element)};
    }
    if (matrix && !exchange) return surplus_option{"--matrix", matrix_file};
    if (bytes && which.entry->info.collective == collective::neighbor_alltoall)
        return surplus_option{"--bytes", std::to_string(*bytes)};
    if (!displs.empty() && slots) return surplus_option{"--displs", fmt::format("{}", fmt::join(displs, ","))};
    if (block && !blocks && !exchange) return surplus_option{"--block", std::to_string(*block)};
    if (has_counts() && !blocks) return surplus_option{"--counts", fmt::format("{}", fmt::join(counts, ","))};
    if (cluster && !cluster_serves_model && !which.entry->takes("cluster") && !which.entry->takes("placement"))
        return surplus_option{"--cluster", cluster->file};
    const std::string order_text = fmt::format("{}", fmt::join(order, ","));
    const auto text = [](const std::optional<std::int64_t>& value) { return value ? std::to_string(*value) : ""; };
    const bool places = which.entry->takes("placement") && (placement == "block" || placement == "cyclic");
    const std::pair<const char*, std::string> parameters[] = {
        {"root", text(root)},           {"segment", text(segment)}, {"group", places ? "" : text(group)},
        {"aggregate", text(aggregate)}, {"window", text(window)},   {"order", order_text},
        {"radix", text(radix)},         {"placement", placement}};
    for (const auto& [option, value] : parameters)
        if (!value.empty() && !which.entry->takes(option)) return surplus_option{fmt::format("--{}", option), value};
    return {};
}

shape_request::counted_things shape_request::counted(const listed_schedule& which, rank_t p) const {
    if (which.entry->info.collective != collective::neighbor_alltoall) return {p, "rank"};
    return {neighbors ? neighbors->lists.out_slots() : 0, "slot of each rank's targets"};
}

std::vector<listed_schedule> shape_request::select() const {
    std::vector<listed_schedule> chosen = find_schedules(name, has_counts() || matrix);
    if (name.find('/') == name.npos)
        std::erase_if(chosen, [this](const listed_schedule& one) {
            return surplus(one).has_value() || (!cluster && one.entry->takes("cluster")) ||
                   (!neighbors && one.entry->takes("neighbors")) ||
                   (has_counts() && std::ssize(counts) != counted(one, ranks.first).number);
        });
    return chosen;
}

any_schedule shape_request::from_file() const {
    if (cluster && !cluster_serves_model)
        throw usage_error("--cluster", cluster->file, "a model that needs it, beside a schedule of a file");
    return file->schedule;
}

void shape_request::for_each(const std::function<void(const std::string& name, const any_schedule&)>& f) const {
    if (file) return f(file->name, from_file());
    const auto visit = [&](const listed_schedule& which, rank_t p) {
        const any_schedule one = made(which, p);
        const argument_error wrong = one.check();
        const bool any = std::string_view(which.entry->info.ranks) == "any";
        if (wrong && name == "all" && !any && std::string_view(wrong.argument) == "ranks") return;
        if (wrong) throw mistake(wrong);
        f(which.name, one);
    };
    for (const listed_schedule& which : select())
        for (rank_t p = ranks.first;; ++p) {
            visit(which, p);
            if (p == ranks.last) break;
        }
}

any_schedule shape_request::as_bound(any_schedule made) const {
    return how == binding::in_place ? any_schedule(bind_in_place(made)) : made;
}

named_any_schedule shape_request::make_one() const {
    if (file) return {file->name, as_bound(from_file())};
    return {name, as_bound(make(find_schedule(name), ranks.first))};
}
