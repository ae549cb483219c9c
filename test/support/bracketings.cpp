#include "support/bracketings.hpp"

#include <map>
#include <tuple>
#include <vector>

#include "collsched/schedule/edge_views.hpp"
#include "collsched/schedule/stored_schedule.hpp"

namespace support {

namespace {

std::string name_of_rank(rank_t rank) { return std::to_string(rank); }
std::string pair_of(const std::string& a, const std::string& b) { return "(" + a + " " + b + ")"; }

/// A byte: the expression over ranks that it holds, and the offset of its operands in their inputs.
struct expression {
    std::string text;
    bytes_t offset = 0;
};

/// Runs edges on expressions, straight from the rules of a step: all reads come before all writes.
class expression_run {
  public:
    expression_run(const some_schedule& x, binding binding)
        : s_(materialize(x)), contract_(s_.contract()), bound_(binding) {
        for (rank_t r = 0; r < s_.ranks; ++r)
            for (bytes_t i = 0; i < contract_.input_bytes(r); ++i) byte(r, buffer::input, i) = {std::to_string(r), i};
        for (step_t k = 0; k < s_.steps(); ++k) run_step(k);
    }

    std::string wrong() {
        for (rank_t r = 0; r < s_.ranks; ++r) {
            if (contract_.collective == collective::reduce && r != contract_.root) continue;
            for (bytes_t i = 0; i < contract_.output_bytes(r); ++i) {
                const expression& found = byte(r, buffer::output, i);
                const bool scattered = contract_.collective == collective::reduce_scatter;
                const bytes_t offset = scattered ? contract_.layout().displ(r) + i : i;
                const std::string wanted = wanted_at(r);
                if (wanted.empty() || (found.text == wanted && found.offset == offset)) continue;
                return std::to_string(r) + ", " + std::to_string(i) + ": " + found.text;
            }
        }
        return "";
    }

  private:
    std::string wanted_at(rank_t r) const {
        switch (contract_.collective) {
            case collective::scan: return prefix(0, r + 1);
            case collective::exscan: return r == 0 ? "" : prefix(0, r);
            default: return halves(0, s_.ranks);
        }
    }
    expression& byte(rank_t r, buffer where, bytes_t offset) {
        const auto alias = contract_.alias(r, bound_);
        if (alias.any() && where == alias.guest) return memory_[{r, alias.host, offset + alias.offset}];
        return memory_[{r, where, offset}];
    }
    void run_step(step_t k) {
        std::vector<std::tuple<edge, bytes_t, expression>> moves;
        std::map<const expression*, int> writes;
        for (const edge& e : s_.edges())
            for (bytes_t i = 0; e.step == k && i < e.size; ++i)
                moves.emplace_back(e, i, byte(e.src, e.from, e.from_offset + i));
        for (const auto& [e, i, moved] : moves) {
            expression& into = byte(e.dst, e.into, e.into_offset + i);
            if (++writes[&into] > 1) into.text = "two in a step";
            else if (e.action == action::copy) into = moved;
            else if (into.offset != moved.offset || into.text.empty()) into.text = "other operands";
            else if (e.action == action::combine_before) into.text = pair_of(moved.text, into.text);
            else into.text = pair_of(into.text, moved.text);
        }
    }

    stored_schedule s_;
    contract contract_;
    binding bound_;
    std::map<std::tuple<rank_t, buffer, bytes_t>, expression> memory_;
};

}  // namespace

std::string halves(rank_t first, rank_t n) { return value_of_tree(first, n, first_half, name_of_rank, pair_of); }

std::string prefix(rank_t first, rank_t n) { return value_of_tree(first, n, first_power, name_of_rank, pair_of); }

std::string wrong_tree(const some_schedule& x, binding binding) { return expression_run(x, binding).wrong(); }

}  // namespace support
