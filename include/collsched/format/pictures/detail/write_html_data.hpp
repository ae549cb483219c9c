#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "collsched/format/pictures/detail/holdings.hpp"
#include "collsched/format/schedules/detail/message_trace.hpp"
#include "collsched/format/detail/pen.hpp"
#include "collsched/format/text.hpp"
#include "collsched/format/pictures/detail/svg_style.hpp"
#include "collsched/verify/verify.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// Returns a text as a JSON string that is safe inside a script element: it contains no "<", so it cannot end the
/// element.
inline std::string script_text(std::string_view text) {
    std::string safe;
    for (const char c : json_text(text)) {
        if (c == '<') safe += "\\u003c";
        else safe += c;
    }
    return safe;
}

/// Returns the text of a verdict: "refused: wrong_bytes, step 3, rank 1, output byte 4".
inline std::string verdict_text(const verdict& found) {
    if (found.ok()) return "proved";
    return fmt::format(FMT_COMPILE("refused: {}, step {}, rank {}, {} byte {}"), name_of(found.finding), found.step,
                       found.rank, name_of(found.where), found.byte);
}

/// Writes the JSON object. Each function writes one member.
template <class Out>
class html_data {
  public:
    html_data(pen<Out>& put, const stored_schedule& s, binding binding)
        : put_(put), s_(s), how_(binding), held_(s, binding) {}

    void messages() {
        put_.text(",\n\"messages\":[");
        const traced_blocks blocks(s_.promise());
        const char* comma = "";
        for (const traced_message& m : trace_messages(s_, how_)) {
            put_(FMT_COMPILE("{}\n{{\"step\":{},\"src\":{},\"dst\":{},\"bytes\":{},\"blocks\":{},\"edges\":["), comma,
                 m.step, m.src, m.dst, m.bytes, script_text(block_label(blocks, m.parts)));
            const char* between = "";
            for (const edge& e : m.edges) {
                put_(FMT_COMPILE(R"({}["{}",{},"{}",{},{},"{}"])"), between, name_of(e.from), e.from_offset,
                     name_of(e.into), e.into_offset, e.size, name_of(e.action));
                between = ",";
            }
            put_.text("]}");
            comma = ",";
        }
        put_.text("\n]");
    }

    void columns() {
        const held_table& table = held_.table();
        put_(FMT_COMPILE(",\n\"columns_of\":{},\"merged\":{},\"columns\":["), table.of, table.merged);
        const svg_style style{s_.ranks};
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            const held_column& column = table.columns[i];
            const bool pieces = cuts_payload(s_.promise()) && s_.promise().collective != collective::reduce_scatter;
            const double turns = pieces ? static_cast<double>(i) / static_cast<double>(table.columns.size())
                                        : style.turns(static_cast<double>(grouped() ? column.owner : column.block));
            const std::string label = std::to_string(pieces ? static_cast<rank_t>(i) : column.block);
            put_(FMT_COMPILE("{}\n{{\"name\":{},\"label\":\"{}\",\"owner\":{},\"whole\":{},\"hue\":{}}}"),
                 i == 0 ? "" : ",", script_text(column_name(s_.promise(), column)), label,
                 grouped() ? column.owner : -1, held_.whole(i), std::lround(turns * 360));
        }
        put_.text("\n],\n\"promised\":[");
        for (rank_t r = 0; r < s_.ranks; ++r) {
            put_(FMT_COMPILE("{}["), r == 0 ? "" : ",");
            const char* comma = "";
            for (std::size_t i = 0; i < table.columns.size(); ++i)
                if (held_.promised(r, i)) {
                    put_(FMT_COMPILE("{}{}"), comma, i);
                    comma = ",";
                }
            put_.text("]");
        }
        put_.text("]");
    }

    /// Writes the changes of each step. An entry is [rank, column, amount] or [rank, column, amount, whose].
    void held() {
        put_.text(",\n\"held\":[");
        const verdict found = held_.for_each_step([&](step_t step, std::span<const holding> changed) {
            put_(FMT_COMPILE("{}\n{{\"step\":{},\"cells\":["), step < 0 ? "" : ",", step);
            const char* comma = "";
            for (const holding& holding : changed) {
                put_(FMT_COMPILE("{}[{},{},{}"), comma, holding.rank, holding.column, holding.amount);
                if (!holding.whose.empty()) put_(FMT_COMPILE(",\"{}\""), holding.whose);
                put_.text("]");
                comma = ",";
            }
            put_.text("]}");
        });
        put_(FMT_COMPILE("\n],\n\"followed\":{}"), found.ok() ? s_.steps() : found.step);
    }

  private:
    /// Returns whether the columns are grouped by source rank.
    bool grouped() const {
        const collective collective = s_.promise().collective;
        return (collective == collective::alltoall || collective == collective::neighbor_alltoall) &&
               !held_.table().merged;
    }

    pen<Out>& put_;
    const stored_schedule& s_;
    binding how_;
    holdings held_;
};

/// Writes the data for the script of a page as one JSON object that is safe inside a script element. `messages` are
/// those of trace_messages; an edge is [from, from_offset, into, into_offset, size, action]. `columns` are the columns
/// of the table of held data, `promised` the columns that the contract promises to each rank, and `held` the changes by
/// step.
template <std::output_iterator<char> Out>
Out write_html_data(Out out, const stored_schedule& s, std::string_view name, binding binding = binding::separate) {
    pen put(std::move(out));
    const contract& c = s.promise();
    put(FMT_COMPILE("{{\"schedule\":{},\"collective\":\"{}\",\"ranks\":{},\"steps\":{},\"reduces\":{},\"verdict\":{}"),
        script_text(name), name_of(c.collective), s.ranks, s.steps(), reduces(c.collective),
        script_text(verdict_text(verify(s, binding))));
    detail::html_data data(put, s, binding);
    data.messages();
    data.columns();
    data.held();
    put.text("}\n");
    return put.done();
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
