#include "call_report.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "algorithms/algorithms.hpp"
#include "collsched/format/rules/read_decisions.hpp"

using namespace collsched;

namespace {

/// A function of MPI in a report.
struct reported_function {
    std::string_view name;
    std::optional<collective> what;
    bool has_block = false;  ///< whether its size is that of one block
};
const reported_function reported_functions[] = {
    {"barrier", collective::barrier},
    {"bcast", collective::broadcast},
    {"scatter", collective::scatter, true},
    {"scatterv", {}},
    {"gather", collective::gather, true},
    {"gatherv", {}},
    {"allgather", collective::allgather, true},
    {"allgatherv", collective::allgather},
    {"reduce", collective::reduce},
    {"allreduce", collective::allreduce},
    {"reduce_scatter", collective::reduce_scatter},
    {"reduce_scatter_block", collective::reduce_scatter},
    {"alltoall", collective::alltoall, true},
    {"alltoallv", {}},
    {"alltoallw", {}},
    {"scan", collective::scan},
    {"exscan", collective::exscan},
};

const reported_function* find_function(std::string_view name) {
    const auto found = std::ranges::find(reported_functions, name, &reported_function::name);
    return found == std::end(reported_functions) ? nullptr : found;
}

class report_reader : json_reader {
  public:
    using json_reader::json_reader;

    call_report report() const {
        const json_value all = parse();
        check_keys(all, "a report", {"format", "version", "library", "mpi", "ranks", "nodes", "rows"});
        const json_value& format = needed(all, "format");
        if (text(format, "format") != "collsched report")
            file_.refuse(format.line, "format", json_text(text(format, "format")), "\"collsched report\"");
        integer(needed(all, "version"), "version", 1, 1);
        call_report made{.library = text(needed(all, "library"), "library"),
                         .mpi = text(needed(all, "mpi"), "mpi"),
                         .ranks = integer(needed(all, "ranks"), "ranks", 1),
                         .nodes = integer(needed(all, "nodes"), "nodes", 0),
                         .rows = {}};
        for (const json_value& value : list(needed(all, "rows"), "rows")) made.rows.push_back(row(value));
        return made;
    }

  private:
    reported_calls row(const json_value& value) const {
        check_keys(value, "a row",
                   {"function", "form", "ranks", "ranks_per_node", "commutative", "bytes_from", "bytes_to", "algorithm",
                    "parameters", "reason", "calls", "calls_max", "bytes", "timed_calls", "seconds", "seconds_max"});
        reported_calls made;
        read_call(value, made);
        read_choice(value, made);
        read_sums(value, made);
        return made;
    }
    void read_call(const json_value& value, reported_calls& made) const {
        const json_value& function = needed(value, "function");
        made.function = text(function, "function");
        const reported_function* known = find_function(made.function);
        if (known == nullptr)
            file_.refuse(function.line, "function", json_text(made.function),
                         "a collective function, such as \"bcast\"");
        made.what = known->what;
        const json_value& form = needed(value, "form");
        made.form = text(form, "form");
        if (made.form != "blocking" && made.form != "non-blocking" && made.form != "persistent")
            file_.refuse(form.line, "form", json_text(made.form), "\"blocking\", \"non-blocking\" or \"persistent\"");
        made.ranks = number(value, "ranks", 1).value_or(0);
        made.ranks_per_node = number(value, "ranks_per_node", 1).value_or(1);
        if (const json_value* given = find(value, "commutative")) made.commutative = truth(*given, "commutative");
        made.from = number(value, "bytes_from", 0);
        made.to = number(value, "bytes_to", made.from.value_or(0));
    }
    void read_choice(const json_value& value, reported_calls& made) const {
        made.algorithm = text(needed(value, "algorithm"), "algorithm");
        made.reason = text(needed(value, "reason"), "reason");
        if (made.what) made.entry = compiled::find(*made.what, made.algorithm);
        const json_value* given = find(value, "parameters");
        if (given == nullptr) return;
        std::vector<std::string_view> names;
        for (const decision::free_parameter& one : free_parameters) names.push_back(one.name);
        check_keys(*given, "parameters", names);
        for (const decision::free_parameter& one : free_parameters)
            if (const auto set = number(*given, one.name, 0)) made.parameters.*one.row = *set;
    }
    void read_sums(const json_value& value, reported_calls& made) const {
        made.calls = integer(needed(value, "calls"), "calls", 1);
        made.most_calls = integer(needed(value, "calls_max"), "calls_max", 1, made.calls);
        made.bytes = number(value, "bytes", 0).value_or(0);
        made.timed_calls = number(value, "timed_calls", 1).value_or(0);
        if (made.timed_calls == 0) return;
        made.seconds = seconds(value, "seconds");
        made.most_seconds = seconds(value, "seconds_max");
    }
    std::optional<std::int64_t> number(const json_value& value, std::string_view name, std::int64_t least) const {
        const json_value* given = find(value, name);
        if (given == nullptr) return {};
        return integer(*given, name, least);
    }
    double seconds(const json_value& value, std::string_view name) const {
        constexpr double most = 1e12;
        const json_value& given = needed(value, name);
        const std::optional<double> found = given.number();
        if (!found || !(*found >= 0) || !(*found <= most))
            file_.refuse(given.line, name, found ? fmt::format("{}", *found) : "no number", "seconds, 0 to 1e12");
        return *found;
    }
};

}  // namespace

bytes_t reported_calls::table_bytes() const {
    const reported_function* known = find_function(function);
    const bytes_t mean = calls > 0 ? bytes / calls : 0;
    if (known == nullptr || !known->has_block) return mean;
    constexpr bytes_t most = std::numeric_limits<bytes_t>::max();
    return ranks > 0 && mean > most / ranks ? most : mean * ranks;
}

call_report read_call_report(const text_file& file) { return report_reader(file).report(); }
