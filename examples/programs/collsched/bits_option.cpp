#include "bits_option.hpp"

#include <optional>

#include "collsched/format.hpp"
#include "collsched/select/algorithm_association.hpp"
#include "collsched/select/choice.hpp"
#include "usage_error.hpp"

using namespace collsched;

bits_option::bits_option(CLI::App& command)
    : class_(command, option_group::shape, "--bits", "rank|position|canonical",
             "class of the brackets of a reduction: the same bits on all ranks, for all elements, or for all schedules "
             "(default: no class)") {}

association_class bits_option::read() const {
    if (!given()) return association_class::any;
    const std::optional<association_class> found = find_association_class(class_.text());
    if (!found) throw usage_error(name(), class_.text(), "rank, position or canonical");
    return *found;
}

association_class bits_option::read_for(collective what) const {
    const association_class found = read();
    if (given() && !reduces(what))
        throw usage_error(name(), class_.text(), "a reduction, not " + std::string(name_of(what)));
    return found;
}

bool may_be_row(const algorithm_entry& entry, association_class bits) {
    if (bits == association_class::any || !reduces(entry.info.collective)) return true;
    if (!has_association(entry)) return bits == association_class::rank;  // planned for a cluster or a network
    association_report::summary summary = summarize_association(entry);
    if (entry.takes(&shape::placement))  // a row may serve ranks on any nodes
        for (const rank_t p : {6, 8, 12})
            for (const rank_t nodes : {2, 3, 4})
                for (const topology::placement& where :
                     {topology::placement::cyclic(p, nodes), topology::placement::block(p, nodes)})
                    add_association(entry, {.ranks = p, .placement = where}, summary);
    return summary.any_ranks >= bits;
}
