#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "foreign_algorithms.hpp"

namespace collsched::foreign {

/// Builds the selection of one collective within a communicator.
class mpich_selector {
    using json = nlohmann::ordered_json;

  public:
    /// Returns the selection for the rules of one collective. `before` is the selection for fewer ranks than the first
    /// rule covers.
    json of(std::span<const foreign_rule> rules, const json& before, std::string_view suffix) const {
        json by_ranks = json::object();
        if (rules.front().ranks > 1) by_ranks[fmt::format("comm_size<{}", rules.front().ranks)] = before;
        for (std::size_t i = 0, next = 0; i < rules.size(); i = next) {
            for (next = i; next < rules.size() && rules[next].ranks == rules[i].ranks;) ++next;
            const std::string key =
                next < rules.size() ? fmt::format("comm_size<{}", rules[next].ranks) : std::string("comm_size=any");
            by_ranks[key] = by_bytes(rules.subspan(i, next - i), suffix);
        }
        if (rules.front().collective != collective::alltoall) return by_ranks;
        // MPICH has one algorithm for in-place calls.
        json in_place = json::object();
        in_place["is_sendbuf_inplace=yes"] = leaf("MPIR_Alltoall_intra_pairwise_sendrecv_replace");
        in_place["is_sendbuf_inplace=no"] = std::move(by_ranks);
        return in_place;
    }

  private:
    static json leaf(const std::string& name) {
        json made = json::object();
        made["algorithm=" + name] = json::object();
        return made;
    }
    /// MPICH compares the size of all blocks together, of one block, or of the message, depending on the collective.
    static json by_bytes(std::span<const foreign_rule> rules, std::string_view suffix) {
        const collective collective = rules.front().collective;
        const bool total = collective == collective::allgather || collective == collective::reduce_scatter;
        const char* const size = total ? "total_msg_size" : "avg_msg_size";
        json made = json::object();
        bytes_t begin = 0;
        for (std::size_t i = 0; i < rules.size(); ++i) {
            const bool last = i + 1 == rules.size();
            const rank_t blocks = collective == collective::alltoall ? rules[i].ranks : 1;
            const bytes_t all = last ? 0 : rules[i + 1].bytes, end = all / blocks + (all % blocks > 0 ? 1 : 0);
            if (!last && end <= begin) continue;  // no block has a size in this range
            begin = end;
            made[last ? fmt::format("{}=any", size) : fmt::format("{}<{}", size, end)] = guarded(rules[i], suffix);
        }
        return made;
    }
    /// Returns the selection of a rule, with MPICH's default where the restrictions of the algorithm do not hold.
    static json guarded(const foreign_rule& rule, std::string_view suffix) {
        std::string name = rule.foreign;
        if (rule.collective == collective::reduce_scatter) name.insert(name.find("_intra_"), suffix);
        json made = json::object();
        if (name.ends_with("_reduce_scatter_allgather") || name.ends_with("_reduce_scatter_gather")) {
            const json other = leaf(rule.collective == collective::reduce ? "MPIR_Reduce_intra_binomial"
                                                                          : "MPIR_Allreduce_intra_recursive_doubling");
            json counts = json::object();
            counts["count<pow2"] = other;
            counts["count=any"] = leaf(name);
            made["is_op_built_in=yes"] = std::move(counts);
            made["is_op_built_in=no"] = other;
            return made;
        }
        if (rule.collective == collective::reduce_scatter && !name.ends_with("_recursive_doubling")) {
            made["is_commutative=yes"] = leaf(name);
            made["is_commutative=no"] = leaf(fmt::format("MPIR_Reduce_scatter{}_intra_recursive_doubling", suffix));
            return made;
        }
        if (rule.collective == collective::allgather && name.ends_with("_recursive_doubling")) {
            made["comm_size=pow2"] = leaf(name);
            made["comm_size=any"] = leaf("MPIR_Allgather_intra_brucks");
            return made;
        }
        return leaf(name);
    }
};

/// Returns MPICH's collective selection, the file that MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE names. `base` is
/// MPICH's own file of the same version. `rules` replace its rules for intracommunicators. Rules of reduce_scatter also
/// apply to reduce_scatter_block. Rules have the form that write_openmpi_rules() requires. Only allgather, allreduce,
/// alltoall, broadcast, reduce and reduce_scatter are used. For fewer ranks than the first rule the content of `base`
/// is kept.
/// @pre `base` contains the collectives of the rules
/// @param base   selection that MPICH ships
/// @param rules  rules that replace those of the base
inline std::string mpich_selection(const nlohmann::ordered_json& base, std::span<const foreign_rule> rules) {
    constexpr std::pair<collective, const char*> known[] = {{collective::allgather, "allgather"},
                                                            {collective::allreduce, "allreduce"},
                                                            {collective::alltoall, "alltoall"},
                                                            {collective::broadcast, "bcast"},
                                                            {collective::reduce, "reduce"},
                                                            {collective::reduce_scatter, "reduce_scatter"},
                                                            {collective::reduce_scatter, "reduce_scatter_block"}};
    nlohmann::ordered_json made = base;
    for (std::size_t i = 0, end = 0; i < rules.size(); i = end) {
        for (end = i; end < rules.size() && rules[end].collective == rules[i].collective;) ++end;
        for (const auto& [collective, name] : known) {
            if (collective != rules[i].collective) continue;
            const std::string suffix = std::string_view(name).ends_with("_block") ? "_block" : "";
            nlohmann::ordered_json& within = made.at(fmt::format("collective={}", name)).at("comm_type=intra");
            within = mpich_selector().of(rules.subspan(i, end - i), nlohmann::ordered_json(within), suffix);
        }
    }
    return made.dump(4) + "\n";
}

}  // namespace collsched::foreign
