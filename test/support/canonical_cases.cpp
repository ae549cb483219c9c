#include "support/canonical_cases.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include "collsched/verify/combination_trees.hpp"
#include "support/brief.hpp"
#include "support/registry.hpp"
#include "support/samples.hpp"

namespace support {

namespace {

constexpr bytes_t element = 8;

/// The shapes of an algorithm apart from root and size: with its own parameters, and with others.
std::vector<shape> parameters(const algorithm_entry& entry, rank_t p) {
    std::vector<shape> made{{.ranks = p, .element = element}};
    for (const rank_t k : {2, 4, 8}) {
        shape other = made[0];
        if (entry.takes(&shape::radix)) other.radix = k;
        if (entry.takes(&shape::group)) other.group = k;
        if (entry.takes(&shape::placement) && k <= p) other.placement = topology::placement::block(p, (p + k - 1) / k);
        if (entry.takes(&shape::radix) || entry.takes(&shape::group) || entry.takes(&shape::placement))
            made.push_back(other);
    }
    return made;
}

/// A message, or a block of each rank, of so many elements, with segments of one element, some, and in one piece.
std::vector<shape> sizes(const algorithm_entry& entry, const shape& of, bool more) {
    const rank_t p = of.ranks;
    std::vector<bytes_t> lengths =
        entry.takes(&shape::block) ? std::vector<bytes_t>{1, 3, 17} : std::vector<bytes_t>{1, p, p + p / 2 + 1, 61};
    if (more) lengths.push_back(entry.takes(&shape::block) ? 6000 / p : 6000);
    std::vector<shape> made;
    for (const bytes_t length : lengths)
        for (const bytes_t segment : {bytes_t{0}, bytes_t{1}, p / 2 + 1}) {
            if (segment > 0 && (!entry.takes(&shape::segment) || length > 100 || length < p)) continue;
            shape one = of;
            one.block = one.bytes = length * element;
            one.segment = segment * element;
            made.push_back(one);
        }
    return made;
}

void add_case(const algorithm_entry& entry, const shape& of, std::vector<conformance_case>& all) {
    const any_schedule s = entry.make(of);
    if (s.check()) return;
    for (const binding how : bindings(s.contract())) {
        if (!association(s, how).has(association_class::canonical)) continue;
        const std::string name = std::string(name_of(entry.info.collective)) + "/" + entry.info.name +
                                 " p=" + std::to_string(of.ranks) + " root=" + std::to_string(of.root) +
                                 " bytes=" + std::to_string(of.bytes) + " segment=" + std::to_string(of.segment) +
                                 (how == binding::in_place ? " in place" : "");
        const std::uint64_t number = static_cast<std::uint64_t>(of.ranks) << 32 | all.size();
        all.push_back({name, s, how, number, operands::rounding});
    }
}

}  // namespace

std::vector<conformance_case> canonical_cases(rank_t p) {
    std::vector<conformance_case> all;
    for (const algorithm_entry& entry : registered_at(p)) {
        if (!reduces(entry.info.collective)) continue;
        bool first = true;
        for (const shape& own : parameters(entry, p))
            for (const shape& sized : sizes(entry, own, std::exchange(first, false) || long_run()))
                for (rank_t root = 0; root < (entry.takes(&shape::root) ? p : 1); ++root) {
                    const bool left_out =
                        root % 3 != p % 3;  // two thirds of the roots of many ranks, others for each p
                    if (entry.takes(&shape::root) && p > 4 && !long_run() && left_out) continue;
                    shape one = sized;
                    one.root = root;
                    add_case(entry, one, all);
                }
    }
    return all;
}

}  // namespace support
