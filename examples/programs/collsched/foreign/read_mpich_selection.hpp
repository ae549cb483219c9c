#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "collsched/format/files/json_reader.hpp"
#include "lenient_json.hpp"

namespace collsched::foreign {

/// The content of a collective selection of MPICH: the algorithms with their conditions, and the mistakes found.
struct mpich_selection_file {
    /// An algorithm and the conditions under which MPICH selects it.
    struct rule {
        int line = 0;                           ///< line of the algorithm, from 1
        std::vector<std::string> conditions{};  ///< all conditions, the collective first
        std::string algorithm{};  ///< name of MPICH's function or composition, such as "MPIR_Bcast_intra_binomial"
    };
    /// A fault of the selection.
    struct finding {
        int line = 0;        ///< line of the fault, from 1
        std::string text{};  ///< description of the fault
    };
    static constexpr std::size_t most_rules = std::size_t{1} << 16,  ///< largest number of rules of a file
        most_conditions = 32;                                        ///< largest number of conditions of a rule

    std::vector<rule> rules;        ///< in the order of the file
    std::vector<finding> findings;  ///< mistakes in the rules
};

class mpich_selection_reader : json_reader {
    using strings = std::vector<std::string>;

  public:
    using json_reader::json_reader;

    mpich_selection_file read() {
        file_.refuse_zero_bytes("JSON");
        const std::string json = json_of_dialect(file_.text, json_dialect::last_commas_and_comments);
        json_value root = parse(json);
        strip_blanks(root);
        is_device_layer_ = json.find("MPIDI_") != json.npos;
        strings path;
        for (const json_member& member : members(root)) {
            if (!member.key.starts_with("collective="))
                file_.refuse(member.line, json_text(member.key), "\"collective=NAME\"");
            path.assign(1, member.key);
            walk(member.value, path);
        }
        return std::move(made_);
    }

  private:
    /// Removes the blanks of all keys, as MPICH does.
    static void strip_blanks(json_value& value) {
        auto* members = std::get_if<std::unique_ptr<json_value::object>>(&value.content);
        if (members == nullptr) return;
        for (json_member& member : **members) {
            std::erase(member.key, ' ');
            strip_blanks(member.value);
        }
    }
    static bool is_leaf(std::string_view key) {
        return key.starts_with("algorithm=") || key.starts_with("composition=");
    }
    const json_value::object& members(const json_value& value) const {
        const auto* found = value.as<json_value::object>();
        if (found == nullptr) file_.refuse(value.line, "no object", "{\"CONDITION\": {...}}");
        return *found;
    }
    void walk(const json_value& value, strings& path) {
        const json_value::object& all = members(value);
        if (all.empty())
            file_.refuse(value.line, "nothing below " + json_text(path.back()), "\"algorithm=NAME\" or conditions");
        if (path.size() > mpich_selection_file::most_conditions)
            file_.refuse(value.line, "too many conditions",
                         fmt::format("at most {}", mpich_selection_file::most_conditions));
        check_level(all, path);
        for (const json_member& member : all) {
            if (is_leaf(member.key)) {
                add(member, path);
                continue;
            }
            if (member.key.find_first_of("=<") == member.key.npos)
                file_.refuse(member.line, json_text(member.key), "a condition with = or <, or \"algorithm=NAME\"");
            path.push_back(member.key);
            walk(member.value, path);
            path.pop_back();
        }
    }
    /// Checks one level. MPICH tests the conditions of a level in order: sizes must ascend, and the last condition must
    /// cover all remaining cases. The device's layers leave them to MPIR.
    void check_level(const json_value::object& all, const strings& path) {
        std::int64_t before = -1;
        for (const json_member& member : all) {
            const std::optional<std::int64_t> limit = limit_of(member.key);
            if (limit && *limit <= before)
                report(member.line, path, member.key + " can never hold: limits do not ascend");
            if (limit) before = *limit;
        }
        const std::string& last = all.back().key;
        const bool whole = is_device_layer_ || is_leaf(last) || last.ends_with("=any") ||
                           (all.size() > 1 && (last.ends_with("=no") || last.ends_with("=yes"))) ||
                           last.starts_with("comm_type=");
        if (!whole) report(all.back().line, path, "no rule for what " + last + " leaves");
    }
    static std::optional<std::int64_t> limit_of(std::string_view key) {
        const std::size_t less = key.find('<');
        if (less == key.npos) return std::nullopt;
        const bool equal = key.substr(less + 1).starts_with("=");
        const std::string_view digits = key.substr(less + 1 + (equal ? 1 : 0));
        if (digits.empty() || digits.size() > 17 || digits.find_first_not_of("0123456789") != digits.npos)
            return std::nullopt;
        std::int64_t value = 0;
        for (const char c : digits) value = 10 * value + (c - '0');
        return 2 * value + (equal ? 1 : 0);  // "<= n" ends after "< n"
    }
    void add(const json_member& member, const strings& path) {
        if (made_.rules.size() == mpich_selection_file::most_rules)
            file_.refuse(member.line, "too many rules", fmt::format("at most {}", mpich_selection_file::most_rules));
        std::string name = member.key.substr(member.key.find('=') + 1);
        if (!is_algorithm_of(name, path.front().substr(path.front().find('=') + 1)))
            report(member.line, path, json_text(name) + " is no algorithm of this collective");
        restrictions(name, member.line, path);
        made_.rules.push_back({member.line, path, std::move(name)});
    }
    /// Returns whether a name is that of an algorithm of MPIR, of ch4's POSIX layer, or of a composition of ch4.
    static bool is_algorithm_of(std::string_view name, const std::string& collective) {
        std::string upper = collective;
        if (!upper.empty()) upper.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(upper.front())));
        return name.starts_with(fmt::format("MPIR_{}_", upper)) ||
               name.starts_with(fmt::format("MPIDI_POSIX_mpi_{}_", collective)) ||
               name.starts_with(fmt::format("MPIDI_{}_intra_composition_", upper));
    }
    /// Checks that the conditions ensure the restrictions of MPICH's algorithm.
    void restrictions(std::string_view name, int line, const strings& path) {
        const auto needs = [&](std::initializer_list<std::string_view> conditions, std::string_view why) {
            for (const std::string_view text : conditions)
                if (std::find(path.begin(), path.end(), text) == path.end()) {
                    report(line, path, fmt::format("{} is wrong or fails {}: {} is missing", name, why, text));
                    return;
                }
        };
        if (name.ends_with("_intra_reduce_scatter_allgather") || name.ends_with("_intra_reduce_scatter_gather"))
            needs({"is_op_built_in=yes", "count=any"}, "for operators of users and for short messages");
        const bool scatters = name.starts_with("MPIR_Reduce_scatter_");
        if ((scatters && (name.ends_with("_pairwise") || name.ends_with("_recursive_halving"))) ||
            name == "MPIR_Reduce_intra_smp" || name == "MPIR_Allreduce_intra_smp")
            needs({"is_commutative=yes"}, "for operators that do not commute");
        if (scatters && name.ends_with("_noncommutative"))
            needs({"comm_size=pow2"}, "on other ranks than a power of two");
        if (name == "MPIR_Allgather_intra_recursive_doubling" || name == "MPIR_Allgatherv_intra_recursive_doubling")
            needs({"comm_size=pow2"}, "on other ranks than a power of two");
        if (name == "MPIR_Alltoall_intra_brucks" || name == "MPIR_Alltoall_intra_pairwise" ||
            name == "MPIR_Alltoall_intra_scattered")
            needs({"is_sendbuf_inplace=no"}, "in place");
        if (name == "MPIR_Alltoall_intra_pairwise_sendrecv_replace")
            needs({"is_sendbuf_inplace=yes"}, "unless in place");
    }
    void report(int line, const strings& path, std::string text) {
        if (made_.findings.size() < mpich_selection_file::most_rules)
            made_.findings.push_back({line, path.front().substr(path.front().find('=') + 1) + ": " + std::move(text)});
    }

    mpich_selection_file made_;
    bool is_device_layer_ = false;  ///< whether the file is for ch4 or its POSIX layer
};

/// Reads a collective selection of MPICH, the file that MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE names, or that of ch4
/// or of its POSIX layer (MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE and
/// MPIR_CVAR_CH4_POSIX_COLL_SELECTION_TUNING_JSON_FILE). As MPICH's parser, it accepts comments, a comma after the last
/// element, and blanks in keys. Throws input_error with the line if the text is not such a file. Findings are limits out
/// of order, algorithms of another collective, and for MPIR levels without a rule for the remaining cases and algorithms
/// whose restrictions the conditions do not ensure.
/// Source: MPICH 4.0.2, src/mpi/coll: csel.c, and the restrictions in each algorithm's file; of ch4 the containers in
/// ch4_init.c and posix_init.c of MPICH 4.2.
/// @param file  the text
/// @return rules and findings
inline mpich_selection_file read_mpich_selection(const text_file& file) { return mpich_selection_reader(file).read(); }

}  // namespace collsched::foreign
