#include "bits.hpp"

#include <array>
#include <atomic>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "collsched/select/algorithm_association.hpp"
#include "collsched/select/choice.hpp"
#include "never_destroyed.hpp"
#include "wish.hpp"

namespace collsched::preload {

namespace {

association_class wanted = association_class::any;

/// The values that determine the class of an algorithm: ranks, radix, group, aggregate and the node of every rank.
using class_key = std::tuple<const algorithm_entry*, rank_t, std::int64_t, rank_t, rank_t, std::vector<rank_t>>;
constinit never_destroyed<std::map<class_key, association_class>> known_classes;

/// Returns the class of the schedules of a choice, whatever their length.
association_class class_of(const choice& tried, rank_t ranks) {
    const shape& given = tried.parameters;
    std::vector<rank_t> nodes;
    if (given.placement.nodes() > 0)
        for (rank_t r = 0; r < ranks; ++r) nodes.push_back(given.placement.node(r));
    const class_key key{tried.algorithm, ranks, given.radix, given.group, given.aggregate, std::move(nodes)};
    if (const auto found = known_classes->find(key); found != known_classes->end()) return found->second;
    shape whole = given;
    whole.ranks = ranks;
    return known_classes->emplace(key, algorithm_association(*tried.algorithm, whole)).first->second;
}

}  // namespace

void read_bits() {
    wanted = association_class::any;
    const char* value = std::getenv(bits_variable);
    if (value == nullptr || *value == '\0') return;
    const std::optional<association_class> found = find_association_class(value);
    if (!found) refuse(bits_variable, value, "rank, position or canonical");
    wanted = *found;
}

association_class wanted_bits(function what) { return reduces(collective_of(what)) ? wanted : association_class::any; }

std::string bits_against(const choice& tried, const decision& how) {
    if (wanted_bits(how.what) == association_class::any) return {};
    const std::string name = tried.algorithm->info.name;
    if (tried.algorithm->takes("cluster"))
        return wanted > association_class::rank ? name + " has another tree for each length" : "";
    const association_class found = class_of(tried, how.ranks);
    if (found >= wanted) return {};
    return name + " has brackets of the class " + name_of(found);
}

void warn_of_native(function what, const std::string& why) {
    static std::array<std::atomic<bool>, functions> warned{};
    if (warned[static_cast<std::size_t>(what)].exchange(true)) return;
    print_line(std::string(bits_variable) + ": " + name_of(what) +
               " runs in the MPI library, whose bits may differ: " + why);
}

}  // namespace collsched::preload
