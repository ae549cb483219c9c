#include "collsched/format.hpp"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "catalogue.hpp"
#include "cluster_options.hpp"
#include "collsched/format/readers/text_file.hpp"
#include "collsched/format/write_mpich_selection.hpp"
#include "commands.hpp"
#include "model_option.hpp"
#include "model_price.hpp"
#include "text_output.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

struct table_options {
    explicit table_options(CLI::App& command)
        : what(command, "COLLECTIVE", "", "a collective, or all"),
          ranks(command, "--ranks", "A,B,...", "numbers of ranks, ascending; a row holds from its number on"),
          sizes(command, "--sizes", "A,B,...",
                "bytes: the message, or the blocks of all ranks together (8,64,512,...,2^21)"),
          model(command, "--model", "MODEL", accepted_models),
          cluster(command),
          header(command, "--header", "FILE", "the table as a C++ header too"),
          openmpi(command, "--openmpi", "FILE", "a rules file for Open MPI too"),
          openmpi_version(command, "--openmpi-version", "4.1|main", "whose algorithms there are (4.1)"),
          mpich(command, "--mpich", "FILE", "a collective selection file for MPICH too, with --mpich-base"),
          mpich_base(command, "--mpich-base", "FILE", "MPICH's own selection file, generic.json of its version") {}

    text_option what, ranks, sizes, model;
    cluster_options cluster;
    text_option header, openmpi, openmpi_version, mpich, mpich_base;
};

/// What a table is made of, checked.
struct table_request {
    std::vector<collective> whats;
    std::vector<std::int64_t> ranks, sizes;
    any_model model;
    std::optional<placed_cluster> cluster;
    bool with_main = false;
    std::vector<algorithm_entry> list;
};

bool has_table(collective what) { return !has_neighbors(what); }

std::vector<std::int64_t> ascending(const text_option& option, std::int64_t least, std::int64_t most) {
    const std::vector<std::int64_t> numbers = read_numbers(option.name(), option.text(), least);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (numbers[i] > most || (i > 0 && numbers[i] <= numbers[i - 1]))
            throw usage_error(option.name(), option.text(), fmt::format("ascending numbers, {} to {}", least, most));
    if (numbers.empty()) throw usage_error(option.name(), "", "one number or more");
    return numbers;
}

table_request read(const table_options& options) {
    table_request made;
    const std::string what = options.what.text();
    if (what != "all") check_collective(what);
    for (const listed_schedule& one : catalogue()) {
        if (one.irregular || !has_table(one.entry->info.what)) continue;
        if (what != "all" && what != name_of(one.entry->info.what)) continue;
        made.list.push_back(*one.entry);
        if (std::find(made.whats.begin(), made.whats.end(), one.entry->info.what) == made.whats.end())
            made.whats.push_back(one.entry->info.what);
    }
    if (made.list.empty()) throw usage_error("COLLECTIVE", what, "all, or a collective without v or neighbors");
    made.ranks = ascending(options.ranks, 1, 4096);
    made.sizes = {8, 64, 512, 4096, 32768, 262144, 2097152};
    if (options.sizes.given()) made.sizes = ascending(options.sizes, 0, std::int64_t{1} << 40);
    made.model = read_model("--model", options.model.text());
    made.cluster = options.cluster.read(true);
    if (needs_cluster(made.model) && !made.cluster)
        throw usage_error("--cluster", "", "a file that describes the cluster, for this model");
    const std::string version = options.openmpi_version.given() ? options.openmpi_version.text() : "4.1";
    if (version != "4.1" && version != "main") throw usage_error("--openmpi-version", version, "4.1 or main");
    if (options.openmpi_version.given() && !options.openmpi.given())
        throw usage_error("--openmpi-version", version, "beside --openmpi");
    made.with_main = version == "main";
    if (options.mpich.given() != options.mpich_base.given())
        throw usage_error("--mpich-base", options.mpich_base.given() ? options.mpich_base.text() : "",
                          "MPICH's generic.json, beside --mpich");
    const text_option* const files[] = {&options.header, &options.openmpi, &options.mpich};
    for (const text_option* one : files)
        for (const text_option* other : files)
            if (one != other && one->given() && other->given() && one->text() == other->text())
                throw usage_error(other->name(), other->text(), "a file of its own for each");
    return made;
}

choice_request asked(const table_request& table, collective what, rank_t p, bytes_t bytes) {
    shape wanted{.ranks = p, .segment = shape::as_it_is};
    const bool blocks = moves_blocks(what) || what == collective::alltoall;
    if (blocks) wanted.block = bytes % p == 0 ? block_layout(bytes / p) : block_layout::partition(bytes, p);
    else wanted.bytes = what == collective::barrier ? 0 : bytes;
    if (table.cluster) {
        wanted.cluster = table.cluster->on(p);
        wanted.placement = table.cluster->place(p);
    }
    return {
        .what = what, .wanted = wanted, .has_cluster = table.cluster.has_value(), .most_edges = std::int64_t{1} << 18};
}

decision row_of(collective what, rank_t p, bytes_t bytes, const priced_candidate& best) {
    decision row{.what = what, .ranks = p, .bytes = bytes, .algorithm = best.entry->info.name};
    const auto take = [&](const char* name, std::int64_t value, std::int64_t& into) {
        if (best.entry->takes(name)) into = value;
    };
    take("segment", best.wanted.segment, row.segment);
    take("radix", best.wanted.radix, row.radix);
    take("group", best.wanted.group, row.group);
    take("aggregate", best.wanted.aggregate, row.aggregate);
    take("window", best.wanted.window, row.window);
    return row;
}

/// Adds a rule, unless it says what the one before says.
void add_rule(std::vector<foreign_rule>& rules, const foreign_rule& row) {
    if (!rules.empty()) {
        const foreign_rule& last = rules.back();
        if (last.what == row.what && last.ranks == row.ranks && last.foreign == row.foreign &&
            last.segment == row.segment)
            return;
    }
    rules.push_back(row);
}
foreign_rule rule_of(const decision& best, picoseconds cost, const foreign_choice& there) {
    foreign_rule rule{best.what, best.ranks, best.bytes, there.which->foreign};
    const std::int64_t segment = there.here.wanted.segment;
    if (there.which->takes_segments && segment != shape::as_it_is) rule.segment = segment;
    if (cost >= there.here.cost) return rule;
    std::string better = best.algorithm;
    detail::for_each_setting(
        best, [&](const char* name, std::int64_t value) { better += fmt::format(" {}={}", name, value); });
    rule.remark = fmt::format("{}; {} would take {:.2f} of its time", there.which->algorithm, better,
                              static_cast<double>(cost) / static_cast<double>(there.here.cost));
    return rule;
}

struct finished_table {
    std::vector<decision> rows;
    std::vector<foreign_rule> openmpi, mpich;
};

/// The first size of each number of ranks holds from 0 bytes on.
finished_table decide(const table_request& table, bool openmpi, bool mpich) {
    finished_table made;
    const bool shows = isatty(STDERR_FILENO) != 0;
    for (const collective what : table.whats)
        for (const rank_t p : table.ranks)
            for (const bytes_t size : what == collective::barrier ? std::vector<std::int64_t>{0} : table.sizes) {
                if (shows)
                    std::fputs(fmt::format("\r\033[K{} on {} ranks, {} bytes", name_of(what), p, size).c_str(), stderr);
                const choice_request request = asked(table, what, p, size);
                with_price(table.model, table.cluster, p, binding::separate, [&](const auto& price) {
                    const choice best = choose(request, table.list, price);
                    if (best.candidates.empty()) return;
                    const priced_candidate& first = best.candidates.front();
                    const decision row = row_of(what, p, size == table.sizes.front() ? 0 : size, first);
                    add_decision(made.rows, row);
                    if (openmpi)
                        if (const auto there =
                                choose_foreign(request, table.list, openmpi_algorithms, table.with_main, price))
                            add_rule(made.openmpi, rule_of(row, first.cost, *there));
                    if (mpich)
                        if (const auto there = choose_foreign(request, table.list, mpich_algorithms, true, price))
                            add_rule(made.mpich, rule_of(row, first.cost, *there));
                });
            }
    if (shows) std::fputs(fmt::format("\r\033[K").c_str(), stderr);
    return made;
}

nlohmann::ordered_json read_base(const std::string& path) {
    const text_file file =
        read_or_refuse("--mpich-base = ", [&] { return read_text_file(std::filesystem::path(path)); });
    auto base = nlohmann::ordered_json::parse(file.text, nullptr, false);
    for (const char* const name :
         {"allgather", "allreduce", "alltoall", "bcast", "reduce", "reduce_scatter", "reduce_scatter_block"}) {
        const auto found = base.is_object() ? base.find(fmt::format("collective={}", name)) : base.end();
        if (!base.is_object() || found == base.end() || !found->is_object() || !found->contains("comm_type=intra"))
            throw usage_error("--mpich-base", path,
                              "MPICH's generic.json, with \"collective=...\" and \"comm_type=intra\"");
    }
    return base;
}

int make_table(const table_options& options) {
    const table_request table = read(options);
    nlohmann::ordered_json base;
    if (options.mpich.given()) base = read_base(options.mpich_base.text());
    const finished_table made = decide(table, options.openmpi.given(), options.mpich.given());
    if (options.header.given())
        write_file("--header", options.header.text(),
                   [&](text_output::iterator out) { write_decision_header(out, made.rows, options.model.text()); });
    if (options.openmpi.given())
        write_file("--openmpi", options.openmpi.text(),
                   [&](text_output::iterator out) { write_openmpi_rules(out, made.openmpi); });
    if (options.mpich.given())
        write_file("--mpich", options.mpich.text(),
                   [&](text_output::iterator out) { fmt::format_to(out, "{}", mpich_selection(base, made.mpich)); });
    write_decisions(standard_output().out(), made.rows);
    return success;
}

}  // namespace

command add_table(CLI::App& program) {
    CLI::App* parser = add_command(program, "table", "what is cheapest, by ranks and sizes: for programs and for MPIs");
    const auto options = std::make_shared<table_options>(*parser);
    return {parser, [options] { return make_table(*options); }};
}
