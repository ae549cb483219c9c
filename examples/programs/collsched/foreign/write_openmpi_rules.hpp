#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "openmpi_collectives.hpp"
#include "openmpi_rules.hpp"

namespace collsched::foreign {

/// Returns the first index after `from` whose rule is not `same` as the one at `from`.
template <class Same>
std::size_t run_end(std::span<const openmpi_rules::rule> rules, std::size_t from, Same same) {
    std::size_t end = from;
    while (end < rules.size() && same(rules[from], rules[end])) ++end;
    return end;
}
inline bool same_collective(const openmpi_rules::rule& a, const openmpi_rules::rule& b) {
    return a.collective == b.collective;
}
inline bool same_ranks(const openmpi_rules::rule& a, const openmpi_rules::rule& b) {
    return same_collective(a, b) && a.ranks == b.ranks;
}
template <class Same>
std::size_t runs(std::span<const openmpi_rules::rule> rules, Same same) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < rules.size(); i = run_end(rules, i, same)) ++n;
    return n;
}

/// Returns the first line of a text file: the version, and the properties of programs.
/// @param version  release series of the file
/// @param programs  properties of all programs that run with the file
inline std::string openmpi_heading(openmpi_rules::release version, openmpi_rules::program_properties programs) {
    std::string text = fmt::format("# Open MPI {}, component tuned", name_of(version));
    if (programs.commutative_only) text += "; commutative-only: wrong results for operators that do not commute";
    if (programs.equal_arguments)
        text += "; equal-arguments: fails where ranks pass different counts or datatypes, also where MPI ignores them";
    return text;
}

/// Writes a rules file of Open MPI 4.0, 4.1 or 5.0 for its component `tuned`: a text of numbers, which the parameters
/// coll_tuned_use_dynamic_rules and coll_tuned_dynamic_rules_filename load.
/// @param heading the first line, openmpi_heading(); comment lines of the same form may follow
/// @pre the rules are grouped by collective and ascend by ranks, then bytes; the first rule for each number of ranks
/// has 0 bytes
/// Open MPI applies the rules of the smallest number of ranks to fewer ranks too. If that number is greater than 1, the
/// writer puts a rule with algorithm 0 before them.
/// Source: coll_tuned_dynamic_file.c: number of collectives; per collective its id and the number of rank counts; per
/// rank count the ranks and the number of sizes; per size the bytes, algorithm, fan, segment. The number of requests is
/// omitted, since versions before 5.0.7 do not read it.
/// @param out    output iterator for the text
/// @param rules  rules of one version
/// @return the iterator behind the text
template <class Out>
Out write_openmpi_rules(Out out, std::span<const openmpi_rules::rule> rules, std::string_view heading) {
    out = fmt::format_to(out, FMT_COMPILE("{}\n{} # collectives\n"), heading, runs(rules, same_collective));
    for (std::size_t i = 0, end = 0; i < rules.size(); i = end) {
        end = run_end(rules, i, same_collective);
        const std::span group = rules.subspan(i, end - i);
        const bool gap = group.front().ranks > 1;
        out = fmt::format_to(out, FMT_COMPILE("{} # {}\n{} # communicator sizes\n"),
                             static_cast<int>(group.front().collective), info_of(group.front().collective).name,
                             runs(group, same_ranks) + (gap ? 1 : 0));
        if (gap)
            out = fmt::format_to(out, FMT_COMPILE("1 # ranks or more\n1 # message sizes\n0 0 0 0 # its own choice\n"));
        for (std::size_t j = i, next = 0; j < end; j = next) {
            next = run_end(rules, j, same_ranks);
            out =
                fmt::format_to(out, FMT_COMPILE("{} # ranks or more\n{} # message sizes\n"), rules[j].ranks, next - j);
            for (std::size_t k = j; k < next; ++k)
                out =
                    fmt::format_to(out, FMT_COMPILE("{} {} {} {}{}{}\n"), rules[k].bytes, rules[k].number, rules[k].fan,
                                   rules[k].segment, rules[k].remark.empty() ? "" : " # ", rules[k].remark);
        }
    }
    return out;
}

}  // namespace collsched::foreign
