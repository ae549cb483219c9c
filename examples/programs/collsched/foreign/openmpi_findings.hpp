#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "openmpi_algorithms.hpp"
#include "openmpi_rules.hpp"

namespace collsched::foreign {

/// Checks rules in order, each against the preceding ones.
class openmpi_rule_check {
  public:
    openmpi_rule_check(std::span<const openmpi_rules::rule> rules, openmpi_rules::release version, bool first_match)
        : rules_(rules), version_(version), first_match_(first_match) {}

    std::vector<openmpi_rules::finding> run() {
        for (std::size_t i = 0; i < rules_.size(); ++i) {
            if ((i == 0 || rules_[i - 1].collective != rules_[i].collective) &&
                info_of(rules_[i].collective).reads_ignored)
                add(rules_[i], "rules fail where an argument that MPI ignores is no datatype");
            number(rules_[i]);
            if (!first_match_) order(i);
            sizes(i);
        }
        return std::move(found_);
    }

  private:
    void add(const openmpi_rules::rule& rule, std::string text) {
        found_.push_back({rule.line, std::string(info_of(rule.collective).name) + ": " + std::move(text)});
    }
    void number(const openmpi_rules::rule& rule) {
        if (rule.number == 0) return;
        const openmpi_algorithm* const row = find_openmpi_algorithm(version_, rule.collective, rule.number);
        if (row == nullptr) {
            add(rule, "number " + std::to_string(rule.number) + " does not exist in Open MPI " +
                          std::string(name_of(version_)) +
                          (first_match_ ? ": the rule is ignored" : ": the call fails with MPI_ERR_ARG"));
            return;
        }
        const std::string name = "number " + std::to_string(rule.number) + " (" + std::string(row->name) + ") ";
        if (row->ranks == rank_counts::two && !(rule.ranks == 2 && rule.last_ranks == 2))
            add(rule, name + "fails on other than 2 ranks");
        if (!row->keeps_order) add(rule, name + "is wrong for operators that do not commute");
        const bool segmented = rule.segment > 0 && takes_segments(*row);
        const right_for types = segmented ? row->segments : row->types;
        const char* const with_segments = segmented ? "with segments " : "";
        if (types == right_for::none) add(rule, name + with_segments + "is wrong or fails for some datatypes");
        else if (types == right_for::equal)
            add(rule, name + with_segments + "is wrong or fails where ranks pass different datatypes of one signature");
    }
    void order(std::size_t i) {
        const openmpi_rules::rule& rule = rules_[i];
        const bool first = i == 0 || rules_[i - 1].collective != rule.collective;
        if (first && rule.ranks > 1 && rule.number != 0)
            add(rule, "the first rule is for " + std::to_string(rule.ranks) +
                          " ranks or more, and Open MPI uses it on fewer ranks too");
        if (!first && rules_[i - 1].ranks > rule.ranks) add(rule, "numbers of ranks do not ascend");
        if (first || rules_[i - 1].ranks != rule.ranks) {
            if (rule.bytes > 0) add(rule, "the first size is not 0: Open MPI ignores the whole file");
        } else if (rules_[i - 1].bytes >= rule.bytes) add(rule, "sizes do not ascend");
    }
    void sizes(std::size_t i) {
        const openmpi_rules::rule& rule = rules_[i];
        if (i == 0 || rules_[i - 1].collective != rule.collective || rules_[i - 1].ranks != rule.ranks) return;
        const openmpi_collective_info& info = info_of(rule.collective);
        if (!info.several_sizes)
            add(rule, "several sizes, and Open MPI does not select by the size of the message here");
        else if (info.reads_ignored)
            add(rule, "several sizes: ranks that pass different arguments where MPI ignores them select differently");
    }

    std::span<const openmpi_rules::rule> rules_;
    openmpi_rules::release version_;
    bool first_match_;
    std::vector<openmpi_rules::finding> found_;
};

/// Returns the findings for rules in a version, by rule: numbers that the version does not have, numbers that are
/// incorrect for some valid MPI program, ranks and sizes out of order, and a first rule that applies to fewer ranks
/// than its range.
/// @param first_match true for JSON, where the first matching rule applies; false for text, where the last rule that
/// begins before applies
/// @param rules    rules, grouped by collective
/// @param version  release series whose numbers the rules have
inline std::vector<openmpi_rules::finding> openmpi_findings(std::span<const openmpi_rules::rule> rules,
                                                            openmpi_rules::release version, bool first_match) {
    return openmpi_rule_check(rules, version, first_match).run();
}

}  // namespace collsched::foreign
