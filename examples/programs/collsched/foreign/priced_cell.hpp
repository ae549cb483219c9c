#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "collsched/format/files/json_reader.hpp"
#include "collsched/format/rules/read_decisions.hpp"
#include "collsched/format/rules/write_decisions.hpp"
#include "collsched/format/text.hpp"
#include "collsched/select.hpp"
#include "openmpi_collectives.hpp"
#include "openmpi_rules.hpp"

namespace collsched::foreign {

/// The prices of one cell of a table: a collective, a number of ranks, a size and a class of the brackets.
struct priced_cell {
    /// The calls of a cell.
    struct calls {
        collsched::collective collective = collsched::collective::barrier;  ///< the collective
        rank_t ranks = 1;                                                   ///< number of ranks
        bytes_t bytes = 0;                                ///< of the message, or of the blocks of all ranks together
        association_class bits = association_class::any;  ///< class that the brackets of the rows have

        bool operator==(const calls&) const = default;
    };
    /// The least price of an algorithm of this library that the search computed.
    struct algorithm_price {
        std::string algorithm;
        picoseconds cost = 0;
    };
    /// The price of an algorithm number of Open MPI.
    struct openmpi_price {
        openmpi_rules::collective collective{};  ///< of Open MPI, such as allgatherv
        int number = 0;
        std::int64_t requests = 0;  ///< in flight; 0: no limit
        bytes_t segment = 0;        ///< in bytes; 0: none
        picoseconds cost = 0;
    };

    calls of;
    /// The cheapest for all calls, with its price as `time`, and the cheapest that keeps the order of operands if the first
    /// does not. Empty: nothing could be priced.
    std::vector<decision> rows{};
    std::vector<algorithm_price> others{};  ///< algorithms that are in no row
    std::vector<openmpi_price> openmpi{};
    std::string mpich{};         ///< cheapest algorithm of MPICH; empty: none
    bool is_final = true;        ///< whether the searches were complete
    std::int64_t budget_us = 0;  ///< processor time that they had, in microseconds
};

/// Writes a cell as a line of JSON, which read_cell() reads. @return the iterator behind the text
template <class Out>
Out write_cell(Out out, const priced_cell& cell) {
    out = fmt::format_to(out,
                         R"({{"collective":"{}","ranks":{},"bytes":{},"class":"{}","final":{},"budget_us":{},"rows":[)",
                         name_of(cell.of.collective), cell.of.ranks, cell.of.bytes, name_of(cell.of.bits),
                         cell.is_final, cell.budget_us);
    const auto comma = [](const auto& item, const auto& all) { return &item == all.data() ? "" : ","; };
    for (const decision& row : cell.rows) {
        decision stored = row;  // the class is that of the cell, and the time is exact
        stored.association = association_class::any;
        stored.time = 0;
        out = fmt::format_to(out, R"({}{{"cost_ps":{},"row":)", comma(row, cell.rows), row.time);
        out = fmt::format_to(write_decision(out, stored), "}}");
    }
    out = fmt::format_to(out, R"(],"others":[)");
    for (const priced_cell::algorithm_price& other : cell.others)
        out = fmt::format_to(out, R"({}{{"algorithm":{},"cost_ps":{}}})", comma(other, cell.others),
                             json_text(other.algorithm), other.cost);
    out = fmt::format_to(out, R"(],"openmpi":[)");
    for (const priced_cell::openmpi_price& price : cell.openmpi)
        out = fmt::format_to(out, R"({}{{"collective":"{}","number":{},"requests":{},"segment":{},"cost_ps":{}}})",
                             comma(price, cell.openmpi), info_of(price.collective).name, price.number, price.requests,
                             price.segment, price.cost);
    return fmt::format_to(out, "],\"mpich\":{}}}\n", json_text(cell.mpich));
}

/// Reads the lines of write_cell(). Every mistake throws an input_error with its line.
class cell_reader : json_reader {
  public:
    /// @param list  algorithms that rows may name
    cell_reader(const text_file& file, std::span<const algorithm_entry> list) : json_reader(file), list_(list) {}

    priced_cell cell(const json_value& value) const {
        check_keys(
            value, "a cell",
            {"collective", "ranks", "bytes", "class", "final", "budget_us", "rows", "others", "openmpi", "mpich"});
        priced_cell read;
        read.of.ranks = integer(needed(value, "ranks"), "ranks", 1);
        read.of.bytes = integer(needed(value, "bytes"), "bytes", 0);
        read.of.collective = collective_of(needed(value, "collective"));
        const json_value& bits = needed(value, "class");
        const bool any = text(bits, "class") == name_of(association_class::any);
        const std::optional<association_class> found =
            any ? association_class::any : find_association_class(text(bits, "class"));
        if (!found) file_.refuse(bits.line, "class", json_text(text(bits, "class")), "a class of brackets");
        read.of.bits = *found;
        read.is_final = truth(needed(value, "final"), "final");
        read.budget_us = integer(needed(value, "budget_us"), "budget_us", 0);
        for (const json_value& row : list(needed(value, "rows"), "rows")) read.rows.push_back(row_of(row, read.of));
        const auto& rows = read.rows;
        if (rows.size() > 2 || (rows.size() == 2 && (!rows[0].commutative || rows[1].commutative)))
            file_.refuse(value.line, "rows", fmt::format("{}", rows.size()),
                         "0 to 2, of which the first is for commutative operations if there are 2");
        for (const json_value& other : list(needed(value, "others"), "others")) {
            check_keys(other, "others", {"algorithm", "cost_ps"});
            read.others.push_back({algorithm_of(needed(other, "algorithm"), read.of.collective), cost_of(other)});
        }
        for (const json_value& price : list(needed(value, "openmpi"), "openmpi"))
            read.openmpi.push_back(openmpi_of(price));
        read.mpich = text(needed(value, "mpich"), "mpich");
        return read;
    }

  private:
    picoseconds cost_of(const json_value& value) const {
        return integer(needed(value, "cost_ps"), "cost_ps", 0, unpriced - 1);
    }
    collective collective_of(const json_value& value) const {
        for (const algorithm_entry& entry : list_)
            if (name_of(entry.info.collective) == text(value, "collective")) return entry.info.collective;
        file_.refuse(value.line, "collective", json_text(text(value, "collective")), "one of 'collsched list'");
    }
    std::string algorithm_of(const json_value& value, collective of) const {
        const std::string& name = text(value, "algorithm");
        if (find_algorithm(list_, of, name) == nullptr)
            file_.refuse(value.line, "algorithm", json_text(name), "one of 'collsched list'");
        return name;
    }
    decision row_of(const json_value& value, const priced_cell::calls& of) const {
        check_keys(value, "rows", {"cost_ps", "row"});
        const json_value& member = needed(value, "row");
        decision row = read_decision(file_, member, list_);
        if (row.collective != of.collective || row.ranks != of.ranks || row.bytes != of.bytes)
            file_.refuse(member.line, "row", text_of(row), "the collective, ranks and bytes of the cell");
        if (row.origin != decision::source::simulated || row.association != association_class::any)
            file_.refuse(member.line, "source", json_text(name_of(row.origin)), "\"simulated\", without a class");
        row.association = of.bits;
        row.time = cost_of(value);
        return row;
    }
    priced_cell::openmpi_price openmpi_of(const json_value& value) const {
        check_keys(value, "openmpi", {"collective", "number", "requests", "segment", "cost_ps"});
        const json_value& name = needed(value, "collective");
        const auto found = find_openmpi_collective(std::string_view(text(name, "collective")));
        if (!found) file_.refuse(name.line, "collective", json_text(text(name, "collective")), "one of Open MPI");
        constexpr std::int64_t most = 1000;
        return {*found, static_cast<int>(integer(needed(value, "number"), "number", 1, most)),
                integer(needed(value, "requests"), "requests", 0, most),
                integer(needed(value, "segment"), "segment", 0), cost_of(value)};
    }

    std::span<const algorithm_entry> list_;
};

}  // namespace collsched::foreign
