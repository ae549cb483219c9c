#include "bits.hpp"

#include <array>
#include <atomic>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "collsched/select/algorithm_association.hpp"
#include "never_destroyed.hpp"
#include "wish.hpp"

namespace collsched::preload {

namespace {

association_class wanted = association_class::any;

/// The values that determine the class of an algorithm: ranks, radix, group, aggregate and the node of every rank.
using class_key = std::tuple<const algorithm_entry*, rank_t, std::int64_t, rank_t, rank_t, std::vector<rank_t>>;
constinit never_destroyed<std::map<class_key, association_class>> known_classes;

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

association_class class_of_any_length(const algorithm_entry& entry, const shape& parameters) {
    if (entry.takes(&shape::cluster)) return association_class::rank;  // another tree for each length
    std::vector<rank_t> nodes;
    if (entry.takes(&shape::placement))
        for (rank_t r = 0; r < parameters.placement.ranks(); ++r) nodes.push_back(parameters.placement.node(r));
    const class_key key{&entry,           parameters.ranks,     parameters.radix,
                        parameters.group, parameters.aggregate, std::move(nodes)};
    if (const auto found = known_classes->find(key); found != known_classes->end()) return found->second;
    return known_classes->emplace(key, algorithm_association(entry, parameters)).first->second;
}

void warn_of_native(function what, const std::string& why) {
    static std::array<std::atomic<bool>, functions> warned{};
    if (warned[static_cast<std::size_t>(what)].exchange(true)) return;
    print_line(std::string(bits_variable) + ": " + name_of(what) +
               " runs in the MPI library, whose bits may differ: " + why);
}

}  // namespace collsched::preload
