#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <range/v3/algorithm/copy_if.hpp>
#include <range/v3/algorithm/find_if.hpp>

#include "collsched/format/files/text_file.hpp"
#include "foreign/read_mpich_selection.hpp"
#include "foreign/write_mpich_selection.hpp"
#include "bits_option.hpp"
#include "commands.hpp"
#include "decision_output.hpp"
#include "foreign/openmpi_collectives.hpp"
#include "foreign/write_openmpi_json.hpp"
#include "foreign/write_openmpi_rules.hpp"
#include "search_options.hpp"
#include "table_journal.hpp"
#include "table_request.hpp"
#include "text_output.hpp"
#include "texts/write_decision_header.hpp"
#include "usage_error.hpp"

using namespace collsched;
using namespace collsched::foreign;

namespace {

struct table_options {
    explicit table_options(CLI::App& command)
        : what(command, "COLLECTIVE", "name of a collective without v or neighbors, or all"),
          ranks(command, option_group::shape, "--ranks", "A,B,...",
                "numbers of ranks, ascending; a row applies from its number on (default: the ranks of --network)"),
          sizes(command, option_group::shape, "--sizes", "A,B,...",
                "sizes in bytes, of the message or of all blocks together (default 8,64,512,...,2^21)"),
          element(command, option_group::shape, "--element", "BYTES",
                  "element size in bytes, which divides all sizes; elements are never split (default 1)"),
          bits(command),
          model(command, option_group::model, "--model", "MODEL", model_help),
          cluster(command),
          network(command),
          header(command, option_group::output, "--header", "FILE", "additional file for the table as a C++ header"),
          svg(command, option_group::output, "--svg", "FILE",
              "additional file for a picture of the times over the size, for one collective and number of ranks"),
          openmpi(command, option_group::output, "--openmpi", "FILE", "additional file for rules of Open MPI"),
          openmpi_version(command, option_group::output, "--openmpi-version", "4.0|4.1|5.0|6.0",
                          "version of Open MPI (default 4.1)"),
          commutative_only(command, option_group::output, "--commutative-only",
                           "rules that require commutative operators (default: rules for all programs)"),
          equal_arguments(
              command, option_group::output, "--equal-arguments",
              "rules that require equal counts and datatypes on all ranks (default: rules for all programs)"),
          mpich(command, option_group::output, "--mpich", "FILE",
                "additional file for a collective selection of MPICH"),
          mpich_base(command, option_group::output, "--mpich-base", "FILE",
                     "generic.json of the version of MPICH, for --mpich"),
          read(command, option_group::output, "--read", "FILE",
               "decision table, rules file of Open MPI or selection file of MPICH to explain and check"),
          explain(command, option_group::output, "--explain", "FILE",
                  "decision table whose rows for one call are printed, with the reasons for and against them"),
          bytes(command, option_group::shape, "--bytes", "N",
                "size in bytes for --explain, of the message or of all blocks together (default 0)"),
          ranks_per_node(command, option_group::shape, "--ranks-per-node", "N",
                         "largest number of ranks on one node for --explain (default 1)"),
          keep_order(command, option_group::shape, "--keep-order",
                     "operation that is not commutative, for --explain (default: commutative)"),
          json(command, option_group::output, "--json",
               "with --read a decision table, with --explain one JSON object per row"),
          out(command, option_group::output, "--out", "FILE",
              "file for the table, in place of standard output; FILE.cells keeps priced cells, from which the same "
              "command continues"),
          check(command, option_group::output, "--check", "FILE",
                "decision table whose rows are priced again, to compare their times, the model and the files"),
          sample(command, option_group::output, "--sample", "N", "largest number of rows for --check (default 20)"),
          search(command) {}

    text_option what, ranks, sizes, element;
    bits_option bits;
    text_option model;
    cluster_options cluster;
    planning_options network;
    text_option header, svg, openmpi, openmpi_version;
    flag_option commutative_only, equal_arguments;
    text_option mpich, mpich_base, read, explain, bytes, ranks_per_node;
    flag_option keep_order, json;
    text_option out, check, sample;
    search_options search;
};

bool has_table(collective what) { return !has_neighbors(what); }

/// Returns the version of --openmpi-version, or nothing.
std::optional<openmpi_rules::release> read_version(const text_option& option) {
    if (!option.given()) return std::nullopt;
    const std::optional<openmpi_rules::release> found = find_openmpi_version(option.text());
    if (option.text() == "main") throw usage_error(option.name(), "main", "4.0, 4.1, 5.0 or 6.0 (6.0 replaces main)");
    if (!found) throw usage_error(option.name(), option.text(), "4.0, 4.1, 5.0 or 6.0");
    return found;
}

/// Reads the options for Open MPI. A JSON file has no comments, so its name must contain the properties.
void read_openmpi(const table_options& options, table_request& made) {
    const std::optional<openmpi_rules::release> version = read_version(options.openmpi_version);
    for (const flag_option* flag : {&options.commutative_only, &options.equal_arguments})
        if (flag->given() && !options.openmpi.given()) throw usage_error::alone(flag->name(), "--openmpi");
    if (version && !options.openmpi.given()) throw usage_error::alone("--openmpi-version", "--openmpi");
    if (!options.openmpi.given()) return;
    made.openmpi = version.value_or(openmpi_rules::release::v4_1);
    made.programs = {options.commutative_only.given(), options.equal_arguments.given()};
    if (*made.openmpi != openmpi_rules::release::v6_0) return;
    const std::string name = std::filesystem::path(options.openmpi.text()).filename().string();
    for (const flag_option* flag : {&options.commutative_only, &options.equal_arguments})
        if (flag->given() && name.find(flag->name().substr(2)) == name.npos)
            throw usage_error(
                "--openmpi", options.openmpi.text(),
                fmt::format("a file name with \"{}\", since JSON has no comments", flag->name().substr(2)));
}

/// Reads the network, and the numbers of ranks: one with a network.
void read_ranks(const table_options& options, table_request& made) {
    constexpr rank_t most = 4096;
    made.network = options.network.read();
    if (made.network && made.network->ranks() > most)
        throw usage_error("--network", made.network->file().path, fmt::format("1 to {} ranks", most));
    if (!made.network || options.ranks.given()) made.ranks = read_ascending(options.ranks, 1, most);
    else made.ranks = {made.network->ranks()};
    if (made.network && made.ranks != std::vector<std::int64_t>{made.network->ranks()})
        throw usage_error("--ranks", options.ranks.text(),
                          fmt::format("{}, the ranks of --network", made.network->ranks()));
}

/// Reads the model and the cluster.
void read_costs(const table_options& options, table_request& made) {
    made.model = read_model("--model", model_text(options.model, made.network));
    made.cluster = options.cluster.read();
    check_cluster(made.model, made.cluster, made.network);
    occupy_latencies(made.model, made.network);
    check_overheads(made.model, made.cluster);
}

table_request read(const table_options& options) {
    table_request made;
    std::string what = options.what.text();
    if (what != "all") what = find_collective(what);
    for (const listed_schedule& one : catalogue()) {
        if (one.irregular || !has_table(one.entry->info.collective)) continue;
        if (what != "all" && what != name_of(one.entry->info.collective)) continue;
        made.list.push_back(*one.entry);
        if (std::find(made.whats.begin(), made.whats.end(), one.entry->info.collective) == made.whats.end())
            made.whats.push_back(one.entry->info.collective);
    }
    if (made.list.empty()) throw usage_error("COLLECTIVE", what, "a collective without v or neighbors, or all");
    read_ranks(options, made);
    made.sizes.assign(std::begin(default_sizes), std::end(default_sizes));
    if (options.sizes.given()) made.sizes = read_ascending(options.sizes, 0, std::int64_t{1} << 40, read_size);
    made.element = options.element.size(1, 1);
    for (const std::int64_t size : made.sizes)
        if (size % made.element != 0)
            throw usage_error("--element", options.element.text(), fmt::format("a size that divides {} bytes", size));
    made.bits = made.whats.size() == 1 ? options.bits.read_for(made.whats.front()) : options.bits.read();
    ranges::copy_if(made.list, std::back_inserter(made.of_class),
                    [&](const algorithm_entry& entry) { return may_be_row(entry, made.bits); });
    read_costs(options, made);
    made.processors = options.search.read();
    made.budget = [&search = options.search](rank_t p) { return search.read_budget(p); };
    made.budget(1);  // reports mistakes
    read_openmpi(options, made);
    made.curves = options.svg.given();
    if (made.curves && (made.whats.size() > 1 || made.ranks.size() > 1 || made.whats.front() == collective::barrier))
        throw usage_error("--svg", options.svg.text(), "one collective with sizes, and one number of ranks");
    made.mpich = options.mpich.given();
    for (const text_option* one : {&options.openmpi, &options.mpich})
        if (one->given() && options.bits.given()) throw usage_error::conflict(options.bits.name(), one->name());
    if (options.mpich_base.given() && !options.mpich.given()) throw usage_error::alone("--mpich-base", "--mpich");
    if (options.mpich.given() && !options.mpich_base.given())
        throw usage_error::missing("--mpich-base", "MPICH's generic.json, for --mpich");
    return made;
}

nlohmann::ordered_json read_base(const std::string& path) {
    const text_file file = read_or_refuse("--mpich-base", [&] { return read_text_file(std::filesystem::path(path)); });
    auto base = nlohmann::ordered_json::parse(file.text, nullptr, false);
    for (const char* const name :
         {"allgather", "allreduce", "alltoall", "bcast", "reduce", "reduce_scatter", "reduce_scatter_block"}) {
        const auto found = base.is_object() ? base.find(fmt::format("collective={}", name)) : base.end();
        if (!base.is_object() || found == base.end() || !found->is_object() || !found->contains("comm_type=intra"))
            throw usage_error("--mpich-base", path,
                              "MPICH's generic.json, with \"collective=...\" and \"comm_type=intra\"");
    }
    // A selection of another part of MPICH, such as ch4's, has the same keys.
    const auto read = read_or_refuse("--mpich-base", [&] { return read_mpich_selection(file); });
    for (const mpich_selection_file::rule& rule : read.rules)
        if (rule.algorithm.starts_with("MPIDI_"))
            throw usage_error("--mpich-base",
                              input_error::mistake{.value = json_text(rule.algorithm),
                                                   .expected = "algorithms of MPIR, as in mpir/generic.json",
                                                   .file = path,
                                                   .line = rule.line});
    return base;
}

/// Returns the comments above the rules: the version, the properties of programs, and omitted collectives.
std::string heading(const table_request& table, const finished_table& made) {
    std::string text = openmpi_heading(*table.openmpi, table.programs);
    std::string names;
    for (const openmpi_rules::collective one : made.left_out)
        names += fmt::format("{}{}", names.empty() ? "" : ", ", info_of(one).name);
    if (!names.empty()) text += fmt::format("\n# no number is right for every program: {}", names);
    return text;
}

void write_openmpi(const table_options& options, const table_request& table, const finished_table& made) {
    write_file("--openmpi", options.openmpi.text(), [&](text_output::iterator out) {
        if (*table.openmpi == openmpi_rules::release::v6_0) write_openmpi_json(out, made.openmpi, table.programs);
        else write_openmpi_rules(out, made.openmpi, heading(table, made));
    });
}

/// Rejects the options of tables beside --read or --explain.
void check_alone(const table_options& options, const std::string& mode) {
    for (const text_option* one :
         {&options.sizes, &options.model, &options.svg, &options.openmpi, &options.mpich, &options.mpich_base,
          &options.out, &options.check, &options.sample, &options.search.threads, &options.search.budget})
        if (one->given()) throw usage_error::conflict(one->name(), mode);
    for (const flag_option* one : {&options.commutative_only, &options.equal_arguments})
        if (one->given()) throw usage_error::conflict(one->name(), mode);
    if (options.cluster.read(true) || !options.cluster.placement().empty() || options.cluster.hosts())
        throw usage_error::conflict("--cluster", mode);
    if (options.network.read()) throw usage_error::conflict("--network", mode);
}

/// Rejects the options of --explain without it.
void check_no_call(const table_options& options) {
    for (const text_option* one : {&options.bytes, &options.ranks_per_node})
        if (one->given()) throw usage_error::alone(one->name(), "--explain");
    if (options.keep_order.given()) throw usage_error::alone(options.keep_order.name(), "--explain");
}

/// Reads --read, which is valid only with --openmpi-version, --header and --json.
int read_rules(const table_options& options) {
    check_alone(options, "--read");
    check_no_call(options);
    if (options.bits.given()) throw usage_error::conflict(options.bits.name(), "--read");
    for (const text_option* one : {&options.ranks, &options.what, &options.element, &options.explain})
        if (one->given()) throw usage_error::conflict(one->name(), "--read");
    return explain_rules({.path = options.read.text(),
                          .version = read_version(options.openmpi_version),
                          .json = options.json.given(),
                          .header = options.header.given() ? std::optional(options.header.text()) : std::nullopt});
}

/// Reads --explain and the call.
int explain_call(const table_options& options) {
    check_alone(options, "--explain");
    for (const text_option* one : {&options.openmpi_version, &options.header})
        if (one->given()) throw usage_error::conflict(one->name(), "--explain");
    const std::string what = find_collective(options.what.text());
    explained_call wanted{.file = options.explain.text(), .call = {}, .json = options.json.given()};
    const auto found = ranges::find_if(catalogue(), [&](const listed_schedule& one) {
        return !one.irregular && has_table(one.entry->info.collective) && what == name_of(one.entry->info.collective);
    });
    if (found == catalogue().end()) throw usage_error("COLLECTIVE", what, "a collective without v or neighbors");
    if (!options.ranks.given()) throw usage_error::missing("--ranks", "the number of ranks");
    constexpr rank_t most_ranks = 65'536;
    wanted.call = {.collective = found->entry->info.collective,
                   .ranks = options.ranks.number(1, 1),
                   .bytes = options.bytes.size(0, 0),
                   .ranks_per_node = options.ranks_per_node.number(1, 1),
                   .commutative = !options.keep_order.given(),
                   .association = options.bits.read_for(found->entry->info.collective)};
    wanted.element = options.element.size(1, 1);
    if (wanted.call.bytes % wanted.element != 0)
        throw usage_error("--element", options.element.text(),
                          fmt::format("a size that divides {} bytes", wanted.call.bytes));
    if (options.bits.given() && !options.bytes.given())
        throw usage_error::missing("--bytes", "the size for --bits; a message without bytes has every class");
    if (wanted.call.ranks > most_ranks)
        throw usage_error("--ranks", options.ranks.text(), fmt::format("1 to {}", most_ranks));
    if (wanted.call.ranks_per_node > wanted.call.ranks)
        throw usage_error("--ranks-per-node", options.ranks_per_node.text(), fmt::format("1 to {}", wanted.call.ranks));
    return explain_decision(wanted);
}

/// Returns the model and the options that prices depend on, beside the files.
std::string conditions(const table_options& options, const table_request& table) {
    return model_text(options.model, table.network) + options.network.text() + options.cluster.text();
}

/// Returns the numbers of a list, "8,64".
std::string list_text(const std::vector<std::int64_t>& numbers) { return fmt::format("{}", fmt::join(numbers, ",")); }

/// Returns the origin of the table, for those who read the file, and to make it again.
std::string description(const table_options& options, const table_request& table) {
    const std::string what = options.what.text();
    std::string text =
        fmt::format("collsched table {} --ranks {} --sizes {}", what == "all" ? what : find_collective(what),
                    list_text(table.ranks), list_text(table.sizes));
    if (table.element > 1) text += fmt::format(" --element {}", table.element);
    if (table.bits != association_class::any) text += fmt::format(" --bits {}", name_of(table.bits));
    if (table.openmpi) text += fmt::format(" --openmpi --openmpi-version {}", name_of(*table.openmpi));
    if (table.programs.commutative_only) text += " --commutative-only";
    if (table.programs.equal_arguments) text += " --equal-arguments";
    if (table.mpich) text += " --mpich";
    const std::string files = read_files_text();
    return fmt::format("{} --model {}; version {}.{}.{}{}", text, conditions(options, table), COLLSCHED_VERSION_MAJOR,
                       COLLSCHED_VERSION_MINOR, COLLSCHED_VERSION_PATCH, files.empty() ? "" : "; files " + files);
}

/// Rejects outputs that are the file of --out or that of its cells.
void check_outputs(const table_options& options, const table_journal& journal) {
    for (const text_option* one : {&options.header, &options.svg, &options.openmpi, &options.mpich})
        if (one->given() && journal.is_target(one->text()))
            throw usage_error(one->name(), one->text(), "a different file for each output");
}

/// Writes the files beside the table.
void write_files(const table_options& options, const table_request& table, const nlohmann::ordered_json& base,
                 const finished_table& made) {
    if (options.header.given())
        write_file("--header", options.header.text(), [&](text_output::iterator out) {
            texts::write_decision_header(
                out, made.rows,
                fmt::format("The cheapest algorithms under {}", model_text(options.model, table.network)));
        });
    if (options.svg.given())
        write_file("--svg", options.svg.text(), [&](text_output::iterator out) {
            const std::string title = fmt::format("{} on {} ranks", options.what.text(), table.ranks.front());
            fmt::format_to(out, "{}", candidates_plot(title, made.curves));
        });
    if (options.openmpi.given()) write_openmpi(options, table, made);
    if (options.mpich.given())
        write_file("--mpich", options.mpich.text(),
                   [&](text_output::iterator out) { fmt::format_to(out, "{}", mpich_selection(base, made.mpich)); });
}

/// Reads --check and prices rows again.
int check_rows(const table_options& options) {
    for (const text_option* one :
         {&options.what, &options.ranks, &options.sizes, &options.element, &options.header, &options.svg,
          &options.openmpi, &options.openmpi_version, &options.mpich, &options.mpich_base, &options.read,
          &options.explain, &options.out, &options.search.threads, &options.search.budget})
        if (one->given()) throw usage_error::conflict(one->name(), "--check");
    for (const flag_option* one : {&options.commutative_only, &options.equal_arguments, &options.json})
        if (one->given()) throw usage_error::conflict(one->name(), "--check");
    if (options.bits.given()) throw usage_error::conflict(options.bits.name(), "--check");
    check_no_call(options);
    table_request table;
    for (const listed_schedule& one : catalogue())
        if (!one.irregular && has_table(one.entry->info.collective)) table.list.push_back(*one.entry);
    table.network = options.network.read();
    read_costs(options, table);
    return check_table(table, {.file = options.check.text(),
                               .sample = options.sample.number(1, 20),
                               .conditions = conditions(options, table),
                               .files = read_files_text()});
}

/// Reports cells that are not final.
void note_state(const std::vector<foreign::priced_cell>& cells) {
    const auto cut = std::ranges::count(cells, false, &priced_cell::is_final);
    if (cut > 0)
        put_note(fmt::format("{} of {} cells are not final: their --budget was over; a larger one continues", cut,
                             cells.size()));
}

int make_table(const table_options& options) {
    if (options.read.given()) return read_rules(options);
    if (options.explain.given()) return explain_call(options);
    if (options.check.given()) return check_rows(options);
    check_no_call(options);
    if (options.json.given()) throw usage_error::alone("--json", "--read or --explain");
    if (options.sample.given()) throw usage_error::alone("--sample", "--check");
    const table_request table = read(options);
    const std::string origin = description(options, table);
    nlohmann::ordered_json base;
    if (options.mpich.given()) base = read_base(options.mpich_base.text());
    table_journal journal;
    if (options.out.given()) journal.open_file(options.out.text(), origin, table);
    check_outputs(options, journal);
    const std::vector<priced_cell> cells = price_cells(table, journal, origin);
    const std::size_t all = table.cells().size();
    const finished_table made = assemble(table, cells);
    if (!journal.is_open()) write_decisions(standard_output().out(), made.rows, with_state(origin, cells, all));
    note_state(cells);
    if (cells.size() == all) {
        write_files(options, table, base, made);
        return success;
    }
    put_note(fmt::format("interrupted: {} of {} cells are done{}", cells.size(), all,
                         journal.is_open() ? fmt::format(" and kept in {}; the same command continues", journal.name())
                                           : "; with --out FILE the same command would continue"));
    return interrupted_work;
}

}  // namespace

command add_table(CLI::App& program) {
    return make_command<table_options>(
        program,
        {.name = "table",
         .phrase = "cheapest algorithms by ranks and bytes, also for Open MPI and MPICH",
         .sentence = "Prints the cheapest algorithms by ranks and bytes as a decision table, and writes them for MPI "
                     "libraries.",
         .usage =
             {"table COLLECTIVE|all --ranks A,B,... [--sizes A,B,...] [--element BYTES] [--bits CLASS] --model MODEL "
              "[--cluster FILE] "
              "[--header FILE] [--svg FILE] [--openmpi FILE] [--mpich FILE --mpich-base FILE]",
              "table COLLECTIVE|all --network FILE [--without A>B,...] [--trees K] [--model MODEL] ...",
              "table ... --out FILE [--threads N] [--budget SECONDS]",
              "table --check FILE --model MODEL [--cluster FILE | --network FILE] [--sample N]",
              "table --read FILE [--openmpi-version VERSION] [--header FILE] [--json]",
              "table --explain FILE COLLECTIVE --ranks N [--bytes N] [--element BYTES] [--ranks-per-node N] "
              "[--keep-order] [--bits "
              "CLASS] [--json]"},
         .examples = {"table allgather --ranks 4,8 --sizes 512,524288 --model hockney:alpha_us=1,beta_ns=0.1",
                      "table all --ranks 4 --sizes 1024 --model hockney:alpha_us=1,beta_ns=0.1 --openmpi rules.conf",
                      "table allgather --network network.json --sizes 1000,1000000"},
         .notes = model_notes},
        make_table);
}
