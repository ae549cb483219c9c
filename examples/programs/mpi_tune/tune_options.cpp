#include "tune_options.hpp"

#include <algorithm>
#include <iterator>
#include <variant>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "algorithms/algorithms.hpp"
#include "examples/programs/collsched/commands.hpp"
#include "examples/programs/collsched/decision_output.hpp"
#include "examples/programs/collsched/model_option.hpp"
#include "examples/programs/collsched/options.hpp"
#include "examples/programs/collsched/text_output.hpp"
#include "examples/programs/collsched/usage_error.hpp"

using namespace collsched;

namespace {

struct tune_options {
    explicit tune_options(CLI::App& parser)
        : collectives(parser, option_group::shape, "--collectives", "A,B,...",
                      "collectives (default: all without v or neighbors)"),
          ranks(parser, option_group::shape, "--ranks", "A,B,...",
                "numbers of ranks, ascending: the first ones of the run (default: powers of two, and all)"),
          sizes(parser, option_group::shape, "--sizes", "A,B,...",
                "sizes in bytes, of the message or of all blocks together (default 8,64,512,...,2^21)"),
          keep_order(parser, option_group::shape, "--keep-order",
                     "only schedules for operations that are not commutative (default: all)"),
          model(parser, option_group::model, "--model", "MODEL",
                "loggp:... or @FILE with it (default: measured between ranks 0 and 1)"),
          out(parser, option_group::output, "--out", "FILE", "file for the decision table"),
          state(parser, option_group::output, "--state", "FILE",
                "file for all measurements; those that it has are not repeated"),
          budget(parser, option_group::other, "--budget", "SECONDS", "time of the whole program (default 60)"),
          candidates(parser, option_group::other, "--candidates", "N",
                     "number of measured algorithms per case, the cheapest by the model (default 4)"),
          patience(parser, option_group::other, "--seconds-without-progress", "N",
                   "time after which a rank that makes no progress ends the program (default 30)") {}

    text_option collectives, ranks, sizes;
    flag_option keep_order;
    text_option model, out, state, budget, candidates, patience;
};

const command_text help_text{
    .name = "mpi_tune",
    .phrase = {},
    .sentence = "Measures the best algorithms of each collective over MPI, and writes a decision table.",
    .usage = {"mpi_tune --out FILE [--state FILE] [--budget SECONDS] [OPTION...]"},
    .examples = {"-np 4 mpi_tune --out tuned.json --budget 60",
                 "-np 4 mpi_tune --out tuned.json --state tuned.jsonl --collectives allreduce,broadcast"},
    .notes = {"docs/mpi_tune.md describes the measurement, the table and the file of --state."},
    .program = "mpirun"};

/// Reads the words. Errors of the parser become usage errors. Returns whether help is requested.
bool parse(CLI::App& parser, std::vector<std::string> words) {
    std::ranges::reverse(words);
    try {
        parser.parse(words);
    } catch (const CLI::CallForHelp&) {
        return true;
    } catch (const CLI::ArgumentMismatch& wrong) {  // "--ranks: 1 required TEXT missing"
        const std::string text = wrong.what();
        throw usage_error::missing(fmt::format("value of {}", text.substr(0, text.find(':'))),
                                   "one word after the option");
    } catch (const CLI::ParseError& wrong) {
        throw usage_error("command line", wrong.what(), "options as in 'mpi_tune --help'");
    }
    if (!parser.remaining().empty())
        throw usage_error("argument", parser.remaining().front(), "the options of 'mpi_tune --help'");
    return false;
}

std::vector<collective> read_collectives(const text_option& option) {
    std::vector<collective> known;
    std::vector<std::string> names;
    for (const algorithm_entry& entry : compiled::registry()) {
        if (has_neighbors(entry.info.collective) || std::ranges::count(known, entry.info.collective) > 0) continue;
        known.push_back(entry.info.collective);
        names.emplace_back(name_of(entry.info.collective));
    }
    if (!option.given()) return known;
    std::vector<collective> made;
    const std::string text = option.text();
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const auto found = std::ranges::find(names, text.substr(begin, end - begin));
        if (found == names.end() ||
            std::ranges::count(made, known[static_cast<std::size_t>(found - names.begin())]) > 0)
            throw usage_error(option.name(), text, fmt::format("each once: {}", fmt::join(names, ", ")));
        made.push_back(known[static_cast<std::size_t>(found - names.begin())]);
        begin = end + 1;
    }
    return made;
}

std::int64_t bounded(const text_option& option, std::int64_t most, std::int64_t otherwise) {
    const std::int64_t number = option.number(1, otherwise);
    if (number > most) throw usage_error(option.name(), option.text(), fmt::format("1 to {}", most));
    return number;
}

loggp_model read_only_loggp(const text_option& option) {
    const any_model read = read_model(option.name(), option.text());
    if (const auto* model = std::get_if<loggp_model>(&read)) return *model;
    throw usage_error(option.name(), option.text(), "loggp:... or @FILE with it");
}

std::vector<std::int64_t> default_ranks(std::int64_t ranks) {
    std::vector<std::int64_t> made;
    for (std::int64_t n = 2; n < ranks; n *= 2) made.push_back(n);
    made.push_back(ranks);
    return made;
}

tune_request read(const tune_options& options, std::int64_t ranks) {
    constexpr std::int64_t most_bytes = std::int64_t{1} << 30, most_seconds = 1'000'000, most_candidates = 32;
    constexpr std::size_t most_numbers = 64;
    if (ranks < 2) throw usage_error("ranks", std::to_string(ranks), "2 or more, by mpirun -np");
    if (!options.out.given()) throw usage_error::missing("--out", "the file for the decision table");
    tune_request made;
    made.out = options.out.text();
    made.state = options.state.text();
    if (options.state.given() && made.state.empty()) throw usage_error::missing("--state", "the name of a file");
    made.collectives = read_collectives(options.collectives);
    made.ranks = options.ranks.given() ? read_ascending(options.ranks, 2, ranks) : default_ranks(ranks);
    if (made.ranks.size() > most_numbers)
        throw usage_error("--ranks", options.ranks.text(), fmt::format("at most {} numbers", most_numbers));
    made.sizes.assign(std::begin(default_sizes), std::end(default_sizes));
    if (options.sizes.given()) made.sizes = read_ascending(options.sizes, 0, most_bytes, read_size);
    made.budget = bounded(options.budget, most_seconds, made.budget);
    made.candidates = static_cast<std::size_t>(bounded(options.candidates, most_candidates, 4));
    made.patience = bounded(options.patience, most_seconds, made.patience);
    if (options.model.given()) made.model = read_only_loggp(options.model);
    made.keeps_order = options.keep_order.given();
    return made;
}

}  // namespace

std::optional<tune_request> read_tune_request(int argc, char** argv, std::int64_t ranks) {
    CLI::App parser("", "mpi_tune");
    parser.set_help_flag("-h,--help", "this help");
    parser.allow_extras();
    const tune_options options(parser);
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (parse(parser, words)) {
        standard_output().write(command_help({&parser, {}, help_text}));
        standard_output().flush();
        return std::nullopt;
    }
    tune_request made = read(options, ranks);
    made.words = fmt::format("mpi_tune on {} ranks: {}", ranks, fmt::join(words, " "));
    return made;
}
