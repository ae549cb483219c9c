#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "collsched/format/files/json_reader.hpp"
#include "lenient_json.hpp"
#include "read_openmpi_rules.hpp"

namespace collsched::foreign {

class openmpi_json_reader : json_reader {
    static constexpr std::int64_t most_ranks = std::numeric_limits<std::int32_t>::max();

  public:
    using json_reader::json_reader;

    openmpi_rules read() {
        file_.refuse_zero_bytes("JSON");
        const std::string json = json_of_dialect(file_.text, json_dialect::last_commas);
        const json_value root = parse(json);
        check_keys(root, "the file",
                   {"rule_file_version", "module", "$schema", "collectives", "comm_rank_distribution"});
        const json_value& version = needed(root, "rule_file_version");
        if (version.number() != 3) file_.refuse(version.line, "rule_file_version", "another version", "3");
        const json_value& module = needed(root, "module");
        if (text(module, "module") != "tuned")
            file_.refuse(module.line, "module", json_text(text(module, "module")), "\"tuned\"");
        made_.format = 3;
        made_.version = openmpi_rules::release::v6_0;
        const json_value& collectives = needed(root, "collectives");
        const auto* members = collectives.as<json_value::object>();
        if (members == nullptr)
            file_.refuse(collectives.line, "collectives", "no object", "{\"allreduce\": [...], ...}");
        for (const json_member& member : *members) read_collective(member);
        return std::move(made_);
    }

  private:
    void read_collective(const json_member& member) {
        const std::optional<openmpi_rules::collective> collective =
            find_openmpi_collective(std::string_view(member.key));
        if (!collective) {
            const bool schema = member.key == "reducescatter" || member.key == "reducescatterblock";
            made_.findings.push_back(
                {member.line,
                 fmt::format("collective {}: {}", json_text(member.key),
                             schema ? "the name is in Open MPI's schema, but not in its reader, which then "
                                      "ignores the whole file"
                                    : "has no algorithms in tuned, so Open MPI ignores its rules or the file")});
        }
        for (const json_value& entry : list(member.value, member.key)) read_ranks(entry, collective);
    }
    void read_ranks(const json_value& value, std::optional<openmpi_rules::collective> collective) {
        check_keys(value, "a rule for ranks", {"comm_size_min", "comm_size_max", "comm_rank_distribution", "rules"});
        openmpi_rules::rule shared;
        shared.ranks = bound(value, "comm_size_min", 0, most_ranks);
        shared.last_ranks = bound(value, "comm_size_max", openmpi_rules::rule::no_end, most_ranks);
        if (const json_value* spread = find(value, "comm_rank_distribution")) {
            shared.remark = text(*spread, "comm_rank_distribution");
            if (shared.remark != "any" && shared.remark != "one-per-node" && shared.remark != "single-node")
                file_.refuse(spread->line, "comm_rank_distribution", json_text(shared.remark),
                             "any, one-per-node or single-node");
        }
        for (const json_value& entry : list(needed(value, "rules"), "rules")) {
            openmpi_rules::rule rule = read_rule(entry, shared, collective);
            if (!collective) continue;
            if (made_.rules.size() == openmpi_rules::most_rules)
                file_.refuse(entry.line, "too many rules", fmt::format("at most {}", openmpi_rules::most_rules));
            made_.rules.push_back(std::move(rule));
        }
    }
    openmpi_rules::rule read_rule(const json_value& value, const openmpi_rules::rule& shared,
                                  std::optional<openmpi_rules::collective> collective) {
        check_keys(value, "a rule for sizes",
                   {"msg_size_min", "msg_size_max", "alg", "reqs", "faninout", "seg_size", "bine_imp"});
        openmpi_rules::rule rule = shared;
        if (collective) rule.collective = *collective;
        rule.line = value.line;
        rule.bytes = bound(value, "msg_size_min", 0, openmpi_rules::rule::no_end);
        rule.last_bytes = bound(value, "msg_size_max", openmpi_rules::rule::no_end, openmpi_rules::rule::no_end);
        const auto setting = [&](std::string_view key, std::int64_t& into) {
            if (const json_value* given = find(value, key)) into = integer(*given, key, 0, most_ranks);
        };
        setting("reqs", rule.requests);
        setting("faninout", rule.fan);
        setting("seg_size", rule.segment);
        const json_value& number = needed(value, "alg");
        if (number.as<std::string>() == nullptr) rule.number = integer(number, "alg", 0, most_ranks);
        else if (collective) rule.number = numbered(*collective, *number.as<std::string>(), number.line);
        return rule;
    }
    /// Returns the number of a name. A name that Open MPI does not have is a finding, and its rule never applies.
    std::int64_t numbered(openmpi_rules::collective collective, const std::string& name, int line) {
        if (name == "ignore") return 0;
        for (const openmpi_algorithm& row : openmpi_algorithms)
            if (row.collective == collective && row.name == name && row.holds(openmpi_rules::release::v6_0))
                return row.number;
        made_.findings.push_back({line, fmt::format("{}: no algorithm {} in Open MPI 6.0: the rule is ignored",
                                                    info_of(collective).name, json_text(name))});
        return 0;
    }
    std::int64_t bound(const json_value& value, std::string_view key, std::int64_t otherwise, std::int64_t most) const {
        const json_value* given = find(value, key);
        if (given == nullptr) return otherwise;
        if (const auto* word = given->as<std::string>(); word && (*word == "inf" || *word == "Inf" || *word == "INF"))
            return openmpi_rules::rule::no_end;
        return integer(*given, key, 0, most);
    }

    openmpi_rules made_;
};

/// Reads the rules of a JSON file of Open MPI 6.0. As Open MPI's parser, it accepts a comma after the last element of an
/// object or list. Throws input_error with the line if the text is not such a file.
/// Source: opal_json.c and coll_tuned_dynamic_file.c of Open MPI, main branch of 2025.
/// @param file  the text
/// @return rules in the order of the file
inline openmpi_rules read_openmpi_json(const text_file& file) { return openmpi_json_reader(file).read(); }

}  // namespace collsched::foreign
