#pragma once

#include <cstdint>
#include <span>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "collsched/select/foreign_algorithms.hpp"

namespace collsched::inline v0_1 {

namespace detail {

/// The numbers that rules files have for collectives; -1: none.
constexpr int openmpi_number(collective what) {
    switch (what) {
        case collective::allgather: return 0;
        case collective::allreduce: return 2;
        case collective::alltoall: return 3;
        case collective::barrier: return 6;
        case collective::broadcast: return 7;
        case collective::exscan: return 8;
        case collective::gather: return 9;
        case collective::reduce: return 11;
        case collective::reduce_scatter: return 12;
        case collective::scan: return 14;
        case collective::scatter: return 15;
        default: return -1;
    }
}

}  // namespace detail

/// A rules file of Open MPI's component `tuned`, for the parameters coll_tuned_use_dynamic_rules and
/// coll_tuned_dynamic_rules_filename. The rules of a collective stand together, by ranks, then bytes, both ascending, and the
/// first of each number of ranks from 0 bytes on. What holds for fewer ranks than the first rule Open MPI decides itself.
/// Source: coll_tuned_dynamic_file.c: collectives; of each its number, communicator sizes; of each its size, message sizes; of
/// each its bytes, algorithm, fan-out, segment.
template <class Out>
Out write_openmpi_rules(Out out, std::span<const foreign_rule> rules) {
    const auto run = [&](std::size_t from, auto same) {
        std::size_t end = from;
        while (end < rules.size() && same(rules[from], rules[end])) ++end;
        return end;
    };
    const auto same_what = [](const foreign_rule& a, const foreign_rule& b) { return a.what == b.what; };
    const auto same_size = [&](const foreign_rule& a, const foreign_rule& b) {
        return same_what(a, b) && a.ranks == b.ranks;
    };
    const auto parts = [&](std::size_t from, std::size_t end, auto same) {
        std::size_t n = 0;
        for (std::size_t i = from; i < end; i = run(i, same)) ++n;
        return n;
    };
    out = fmt::format_to(out, FMT_COMPILE("{} # collectives\n"), parts(0, rules.size(), same_what));
    for (std::size_t i = 0, end = 0; i < rules.size(); i = end) {
        end = run(i, same_what);
        out = fmt::format_to(out, FMT_COMPILE("{} # {}\n{} # communicator sizes\n"),
                             detail::openmpi_number(rules[i].what), name_of(rules[i].what), parts(i, end, same_size));
        for (std::size_t j = i, next = 0; j < end; j = next) {
            next = run(j, same_size);
            out =
                fmt::format_to(out, FMT_COMPILE("{} # ranks or more\n{} # message sizes\n"), rules[j].ranks, next - j);
            for (std::size_t k = j; k < next; ++k)
                out = fmt::format_to(out, FMT_COMPILE("{} {} 0 {}{}{}\n"), rules[k].bytes, rules[k].foreign,
                                     rules[k].segment, rules[k].remark.empty() ? "" : " # ", rules[k].remark);
        }
    }
    return out;
}

}  // namespace collsched::inline v0_1
