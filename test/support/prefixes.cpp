#include "support/prefixes.hpp"

#include "support/oracle.hpp"

namespace support {

namespace {

/// Whether the contract has for rank r the inputs of the ranks 0 .. r (a scan) or 0 .. r-1, in this order, byte by byte,
/// as in the definition.
bool results_are_prefixes(const some_schedule& x, bytes_t bytes) {
    const contract contract = x.contract();
    bool good = !contract.commutative;
    for (rank_t r = 0; r < contract.ranks; ++r) {
        const rank_t last = contract.collective == collective::scan ? r + 1 : r;
        bytes_t covered = 0;
        contract.results(r, [&](const contract::result_range& part) {
            good = good && part.where == byte_range{0, bytes} && part.first == 0 && part.last == last && part.at == 0;
            covered += part.where.size;
        });
        good = good && covered == (last > 0 ? bytes : 0);
    }
    return good;
}

}  // namespace

void check_prefixes(const some_schedule& x, bytes_t bytes) {
    CHECK(results_are_prefixes(x, bytes));
    for (const binding binding : {binding::separate, binding::in_place}) {
        CHECK(verified(x, binding).ok());
        if (x.ranks <= 12 && bytes <= 6) CHECK(replays(x, binding));
    }
}

std::int64_t combines(const some_schedule& x, rank_t r) {
    std::int64_t count = 0;
    for (const edge& e : program(x, r)) count += e.combines() && e.dst == r ? 1 : 0;
    return count;
}

bytes_t scratch_used(const some_schedule& x, rank_t r) {
    bytes_t most = 0;
    for (const edge& e : program(x, r)) {
        if (e.dst == r && e.into == buffer::scratch) most = std::max(most, e.target().end());
        if (e.src == r && e.from == buffer::scratch) most = std::max(most, e.source().end());
    }
    return most;
}

}  // namespace support
