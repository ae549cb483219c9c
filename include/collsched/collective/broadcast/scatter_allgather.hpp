#pragma once

#include "collsched/collective/allgather/circulant.hpp"
#include "collsched/collective/allgather/recursive_doubling.hpp"
#include "collsched/collective/allgather/ring.hpp"
#include "collsched/collective/scatter/over_tree.hpp"
#include "collsched/collective/with_contract.hpp"
#include "collsched/combine/rename_buffers.hpp"
#include "collsched/combine/then.hpp"
#include "collsched/tree/binomial.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace broadcast {

/// A scatter of p parts of the message over a binomial tree, then an allgather of the parts. Suits long messages: the
/// root of a binomial broadcast tree sends m ceil(log2 p) bytes.
///
/// Rounds: ceil(log2 p) plus those of the allgather. Over an allgather that moves p-1 blocks per rank, every rank
/// receives at most 2 m (p-1)/p bytes, up to one element per part; no rank sends more. Scratch is that of the scatter,
/// whose inner ranks hold up to half of the message.
/// Source: Barnett et al. 1994, "Interprocessor collective communication library (InterCom)".
template <described Allgather, class Label>
struct scatter_allgather {
    rank_t ranks = 1;
    rank_t root = 0;
    bytes_t bytes = 0;
    bytes_t element = 1;
    Allgather of{};

    static constexpr algorithm_info info{.collective = collective::broadcast,
                                         .name = Label::name,
                                         .ranks = Allgather::info.ranks,
                                         .rounds = Label::rounds,
                                         .source = "Barnett et al. 1994"};

    constexpr auto view() const {
        using scatter_parts = scatter::over_tree<trees::binomial>;
        const contract contract = contract_of(*this);
        const block_layout parts = block_layout::partition(bytes, ranks, element);
        const auto part_of = [parts](rank_t r) { return location{buffer::output, parts.displ(r)}; };
        const auto scattering = [part_of](rank_t r, buffer b) {
            return b == buffer::output ? part_of(r) : location{b, 0};
        };
        const auto gathering = [part_of](rank_t r, buffer b) {
            return b == buffer::input ? part_of(r) : location{b, 0};
        };
        const collsched::contract part{.ranks = ranks, .root = root, .blocks = parts};
        return then(rename_buffers(with_contract(scatter_parts{}, part), scattering, contract),
                    rename_buffers(with_contract(of, part), gathering, contract));
    }

    static constexpr void parameters(auto& self, auto f) {
        collsched::detail::contract_parameters(self, f);
        own_parameters<Allgather>(self.of, f);
    }
    bool operator==(const scatter_allgather&) const = default;
};

namespace detail {

struct scatter_circulant_label {
    static constexpr const char* name = "scatter-circulant";
    static constexpr const char* rounds = "2 ceil(log2 p)";
};
struct scatter_recursive_doubling_label {
    static constexpr const char* name = "scatter-recursive-doubling";
    static constexpr const char* rounds = "2 log2 p; ceil(log2 p) + floor(log2 p) + 2 where p is no power of two";
};
struct scatter_ring_label {
    static constexpr const char* name = "scatter-ring";
    static constexpr const char* rounds = "ceil(log2 p) + p-1";
};

}  // namespace detail

/// A binomial scatter of p parts, then allgather::circulant of them; see scatter_allgather.
///
/// Rounds 2 ceil(log2 p).
using scatter_circulant = scatter_allgather<allgather::circulant, detail::scatter_circulant_label>;

/// A binomial scatter of p parts, then allgather::recursive_doubling of them; see scatter_allgather.
///
/// Rounds 2 log2 p; ceil(log2 p) + floor(log2 p) + 2 if p is no power of two. A rank sends at most 2 m (p-1)/p bytes if
/// p is a power of two, else less than 4 m (p-1)/p, up to one element per part.
using scatter_recursive_doubling =
    scatter_allgather<allgather::recursive_doubling, detail::scatter_recursive_doubling_label>;

/// A binomial scatter of p parts, then allgather::ring of them; see scatter_allgather.
///
/// Rounds ceil(log2 p) + p-1.
using scatter_ring = scatter_allgather<allgather::ring, detail::scatter_ring_label>;

}}}  // namespace collsched::COLLSCHED_ABI::broadcast
