#include "shape_request.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "collsched/collective/make_numbered.hpp"
#include "collsched/combine/local_step.hpp"
#include "collsched/combine/rename_buffers.hpp"
#include "limits.hpp"
#include "placement_option.hpp"

using namespace collsched;

text_table schedule_table(const shape_request& shape, std::vector<text_table::column> more) {
    const std::size_t digits = std::to_string(shape.ranks.last).size();
    std::vector<text_table::column> columns{{"schedule", text_table::side::left, shape.longest_name()},
                                            {"ranks", text_table::side::right, digits}};
    columns.insert(columns.end(), more.begin(), more.end());
    return text_table(std::move(columns));
}

block_layout shape_request::layout(rank_t p) const {
    if (bytes) return block_layout::partition(*bytes, p, element);
    if (!has_counts()) return block.value_or(element);
    const std::span<const bytes_t> sizes(counts);
    return displs.empty() ? block_layout(sizes) : block_layout(sizes, displs);
}

usage_error shape_request::mistake(const argument_error& wrong, rank_t p) const {
    const std::string_view argument = wrong.argument;
    if (matrix && (argument == "counts" || argument == "displs")) return {"--matrix", matrix_file, wrong.expected};
    // Collectives of blocks are planned for the mean block size.
    if (argument != "bytes" || bytes) return usage_error(wrong, p);
    if (has_counts()) return {"--counts", fmt::format("{}", fmt::join(counts, ",")), wrong.expected};
    if (block) return {"--block", std::to_string(*block), wrong.expected};
    return usage_error(wrong, p);
}

any_schedule shape_request::make(const listed_schedule& which, rank_t p) const {
    any_schedule one = made(which, p);
    if (const argument_error wrong = one.check()) throw mistake(wrong, p);
    return one;
}

shape shape_request::shape_for(const listed_schedule& which, rank_t p) const {
    const bool exchange = which.entry->info.collective == collective::alltoall;
    if (which.irregular && exchange && !matrix)
        throw usage_error::missing("--matrix",
                                   fmt::format("a file with a size for each pair of ranks, for {}", which.name));
    if (which.irregular && !exchange && !has_counts())
        throw usage_error::missing("--counts",
                                   fmt::format("a size for each {}, for {}", counted(which, p).each, which.name));
    if (!neighbors && which.entry->takes(&shape::neighbors))
        throw usage_error::missing("--neighbors",
                                   fmt::format("a file with the targets of each rank, or --dims, for {}", which.name));
    if (!cluster && which.entry->takes(&shape::cluster))
        throw usage_error::missing("--cluster", fmt::format("the file of the cluster for {}", which.name));
    if (!network && takes_network(*which.entry))
        throw usage_error::missing("--network", fmt::format("the file of the network for {}", which.name));
    if (const auto extra = surplus(which)) throw usage_error::conflict(extra->name, which.name);
    if (const counted_things things = counted(which, p); has_counts() && std::ssize(counts) != things.number)
        throw usage_error("--counts", fmt::format("{}", fmt::join(counts, ",")),
                          fmt::format("one for each {}, of which there are {}", things.each, things.number));
    if (which.entry->takes(&shape::cluster)) refuse_large_plan(p);
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
    if (numbering) result.numbering = numbering->order;
    if (which.entry->takes(&shape::placement) && cluster) result.placement = cluster->groups(p);
    else if (!placement.empty()) result.placement = free_placement(placement, p, group);
    else if (hosts) result.placement = hosted_placement(*hosts, p);
    if (cluster && which.entry->takes(&shape::cluster)) result.cluster = cluster->on(p);
    if (const argument_error wrong = result.block.check(p); wrong && !neighbors) throw usage_error(wrong);
    if (network) network->plan(*which.entry, result);
    return result;
}

any_schedule shape_request::made(const listed_schedule& which, rank_t p) const {
    any_schedule one = make_numbered(*which.entry, shape_for(which, p));
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
    if (cluster && !cluster_serves_model && !which.entry->takes(&shape::cluster) &&
        !which.entry->takes(&shape::placement))
        return surplus_option{"--cluster", cluster->file};
    if (numbering && !takes_numbering(*which.entry)) return surplus_option{"--numbering", numbering->text};
    const bool along_network = numbering && numbering->text == cycle_numbering;
    if (network && !network_serves_model && !along_network && !takes_network(*which.entry))
        return surplus_option{"--network", network->file().path};
    // A name of several schedules may include others than forests.
    if (network && network->trees() > 0 && name.find('/') != name.npos && !which.entry->takes(&shape::forest))
        return surplus_option{"--trees", std::to_string(network->trees())};
    const std::string order_text = fmt::format("{}", fmt::join(order, ","));
    const auto text = [](const std::optional<std::int64_t>& value) { return value ? std::to_string(*value) : ""; };
    const bool places = which.entry->takes(&shape::placement) && (placement == "block" || placement == "cyclic");
    const auto takes = [&](auto member) { return which.entry->takes(member); };
    const std::tuple<const char*, bool, std::string> parameters[] = {
        {"root", takes(&shape::root), text(root)},
        {"segment", takes(&shape::segment), text(segment)},
        {"group", takes(&shape::group), places ? "" : text(group)},
        {"aggregate", takes(&shape::aggregate), text(aggregate)},
        {"window", takes(&shape::window), text(window)},
        {"order", takes(&shape::order), order_text},
        {"radix", takes(&shape::radix), text(radix)},
        {"placement", takes(&shape::placement), placement}};
    if (hosts && !which.entry->takes(&shape::placement)) return surplus_option{"--hosts", hosts->file};
    for (const auto& [option, taken, value] : parameters)
        if (!value.empty() && !taken) return surplus_option{fmt::format("--{}", option), value};
    return {};
}

shape_request::counted_things shape_request::counted(const listed_schedule& which, rank_t p) const {
    if (which.entry->info.collective != collective::neighbor_alltoall) return {p, "rank"};
    return {neighbors ? neighbors->lists.out_slots() : 0, "out-slot of each rank"};
}

std::vector<listed_schedule> shape_request::select() const {
    std::vector<listed_schedule> chosen = find_schedules(name, has_counts() || matrix);
    if (name.find('/') == name.npos)
        std::erase_if(chosen, [this](const listed_schedule& one) {
            return surplus(one).has_value() || (!cluster && one.entry->takes(&shape::cluster)) ||
                   (!network && takes_network(*one.entry)) || (!neighbors && one.entry->takes(&shape::neighbors)) ||
                   (has_counts() && std::ssize(counts) != counted(one, ranks.first).number);
        });
    const auto has_trees = [](const listed_schedule& one) { return one.entry->takes(&shape::forest); };
    if (network && network->trees() > 0 && std::ranges::none_of(chosen, has_trees) && !chosen.empty())
        throw usage_error::conflict("--trees", name);
    return chosen;
}

any_schedule shape_request::from_file() const {
    if (cluster && !cluster_serves_model)
        throw usage_error("--cluster", cluster->file, "the model lob or contention, with a schedule from a file");
    if (network && !network_serves_model)
        throw usage_error("--network", network->file().path, "the model queue, with a schedule from a file");
    return file->schedule;
}

link_queue_model::router shape_request::paths_of(const any_schedule& s) const {
    if (file && !file_paths.empty()) return network->paths(s, file_paths, name.substr(1));
    return network->paths(s);
}

edge_path::names shape_request::path_names(const any_schedule& s) const {
    if (!file) return network ? network->path_names(s) : edge_path::names();
    if (file_paths.empty()) return {};
    const auto before = [](const edge& a, const edge& b) { return precedes(a, b); };
    const auto all =
        std::make_shared<std::map<edge, std::vector<std::string>, bool (*)(const edge&, const edge&)>>(before);
    const stored_schedule stored = materialize(file->schedule);
    const contract& terms = stored.contract();
    /// Moves an end of an edge to the buffer that contains its own one in place.
    const auto bind_end = [&](rank_t rank, buffer& end, bytes_t& offset) {
        const auto alias = terms.alias(rank, binding::in_place);
        if (alias.any() && end == alias.guest) end = alias.host, offset += alias.offset;
    };
    for (std::size_t i = 0; i < file_paths.size(); ++i) {
        edge e = stored.edges()[i];
        if (how == binding::in_place) {
            bind_end(e.src, e.from, e.from_offset);
            bind_end(e.dst, e.into, e.into_offset);
        }
        (*all)[e] = file_paths[i].vertices;
    }
    return [all](const edge& e, std::vector<std::string>& path) {
        if (const auto found = all->find(e); found != all->end())
            path.insert(path.end(), found->second.begin(), found->second.end());
    };
}

std::optional<std::string> shape_request::untaken_option() const {
    std::optional<std::string> option;
    for (const listed_schedule& one : find_schedules(name, has_counts() || matrix)) {
        const auto extra = surplus(one);
        if (!extra || (option && *option != extra->name)) return {};
        option = extra->name;
    }
    return option;
}

void shape_request::for_each(const std::function<void(const std::string& name, const any_schedule&)>& f) const {
    if (file) return f(file->name, from_file());
    const auto visit = [&](const listed_schedule& which, rank_t p) {
        const any_schedule one = made(which, p);
        const argument_error wrong = one.check();
        const bool any = std::string_view(which.entry->info.ranks) == "any";
        if (wrong && name == "all" && !any && std::string_view(wrong.argument) == "ranks") return;
        if (wrong) throw mistake(wrong, p);
        f(which.name, one);
    };
    for (const listed_schedule& which : select())
        for (rank_t p = ranks.first;; ++p) {
            visit(which, p);
            if (p == ranks.last) break;
        }
}

void shape_request::for_each_largest(const std::function<void(const std::string& name, const any_schedule&)>& f) const {
    shape_request largest = *this;
    largest.ranks.first = largest.ranks.last;
    largest.for_each(f);
}

std::size_t shape_request::longest_name() const {
    if (file) return file->name.size();
    std::size_t longest = 0;
    for (const listed_schedule& which : select()) longest = std::max(longest, which.name.size());
    return longest;
}

any_schedule shape_request::as_bound(any_schedule made) const {
    return how == binding::in_place ? any_schedule(bind_in_place(made)) : made;
}

named_any_schedule shape_request::make_one() const {
    if (file) return {file->name, as_bound(from_file())};
    return {name, as_bound(make(find_schedule(name), ranks.first))};
}
