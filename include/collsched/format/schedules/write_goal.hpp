#pragma once

#include <utility>

#include "collsched/format/text.hpp"
#include "collsched/simulate/goal_program.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Writes a GOAL program as text for txt2bin of LogGOPSim. Operations of a rank are labeled o0, o1 and so on. The
/// dependencies of an operation follow it.
/// @param out      output iterator for the text
/// @param program  a GOAL program
/// @return the iterator behind the text
template <std::output_iterator<char> Out>
Out write_goal(Out out, const goal_program& program) {
    using kind = goal_program::kind;
    detail::pen put(std::move(out));
    put(FMT_COMPILE("num_ranks {}\n"), program.ranks());
    for (rank_t r = 0; r < program.ranks(); ++r) {
        put(FMT_COMPILE("rank {} {{\n"), r);
        const std::int64_t first = program.first(r);
        for (std::int64_t i = first; i < program.first(r + 1); ++i) {
            const goal_program::operation& operation = program[i];
            if (operation.kind == kind::calc) put(FMT_COMPILE("o{}: calc {}\n"), i - first, operation.amount);
            else if (operation.kind == kind::send)
                put(FMT_COMPILE("o{}: send {}b to {} tag {}\n"), i - first, operation.amount, operation.peer,
                    operation.tag);
            else
                put(FMT_COMPILE("o{}: recv {}b from {} tag {}\n"), i - first, operation.amount, operation.peer,
                    operation.tag);
        }
        for (std::int64_t i = first; i < program.first(r + 1); ++i)
            for (const std::int64_t before : program.required(i))
                put(FMT_COMPILE("o{} requires o{}\n"), i - first, before - first);
        put(FMT_COMPILE("}}\n"));
    }
    return put.done();
}

}}  // namespace collsched::COLLSCHED_ABI
