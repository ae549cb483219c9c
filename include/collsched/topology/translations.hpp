#pragma once

#include <cstdint>
#include <span>

#include "collsched/core/detail/sort.hpp"
#include "collsched/core/detail/splitmix64.hpp"
#include "collsched/core/rank.hpp"
#include "collsched/topology/detail/arc_table.hpp"
#include "collsched/topology/detail/signed_vector.hpp"
#include "collsched/topology/network.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace topology {

namespace detail {

/// Extends a permutation of the ranks to the switches, so that it maps arcs to arcs of equal bandwidth.
///
/// Switches get labels from those of their neighbors until no round distinguishes more of them: in the network, and in
/// its image, in which rank r has the label of its image. Equal labels are images of each other. Among switches that no
/// label distinguishes, the first is mapped to the first. The result is verified, so that labels need not be unique.
class switch_images {
  public:
    switch_images(const arc_table& arcs, rank_t ranks, rank_t vertices)
        : arcs_(arcs), ranks_(ranks), switches_(vertices - ranks) {}

    /// @param images  per rank, its image
    /// @return the image of each vertex, or nothing if none is found. O(rounds * links), of which there are at most one
    ///         per switch that labels distinguish, or that is chosen
    signed_vector<rank_t> extend(signed_vector<rank_t> images) {
        if (switches_ > 0 && !match(images)) return {};
        for (std::int64_t i = 0; i < arcs_.size(); ++i) {
            const std::int64_t found = arcs_.find(images[arcs_[i].from], images[arcs_[i].to]);
            if (found < 0 || arcs_[found].bandwidth != arcs_[i].bandwidth) return {};
        }
        return images;
    }

  private:
    using labels = signed_vector<std::uint64_t>;

    /// Most visits of arcs in the search for one permutation.
    static constexpr std::int64_t most_work = std::int64_t{1} << 30;

    static std::uint64_t mixed(std::uint64_t seed) { return collsched::detail::splitmix64(seed)(); }

    bool match(signed_vector<rank_t>& images) {
        labels domain, range;
        for (rank_t v = 0; v < ranks_ + switches_; ++v) {
            domain.push_back(mixed(v < ranks_ ? static_cast<std::uint64_t>(images[v]) + 1 : 0));
            range.push_back(mixed(v < ranks_ ? static_cast<std::uint64_t>(v) + 1 : 0));
        }
        std::int64_t work = 0;
        for (rank_t chosen = 0;; ++chosen) {
            for (std::int64_t before = 0, count = 1; count > before; work += 2 * arcs_.size()) {
                domain = refined(domain), range = refined(range);
                before = count, count = different(domain);
                if (work > most_work) return false;
            }
            const signed_vector<rank_t> from = sorted(domain), to = sorted(range);
            for (std::int64_t i = 0; i < switches_; ++i)
                if (domain[from[i]] != range[to[i]]) return false;
            const std::int64_t tied = first_tie(domain, from);
            if (tied < 0) {
                images.resize(domain.size());
                for (std::int64_t i = 0; i < switches_; ++i) images[from[i]] = to[i];
                return true;
            }
            domain[from[tied]] = range[to[tied]] = mixed(~static_cast<std::uint64_t>(chosen));
        }
    }
    /// Returns the position of the switch of the least number that shares its label with others, or -1.
    static std::int64_t first_tie(const labels& of, const signed_vector<rank_t>& order) {
        std::int64_t tied = -1;
        for (std::int64_t i = 0; i + 1 < order.length(); ++i) {
            const bool is_first = of[order[i]] == of[order[i + 1]] && (i == 0 || of[order[i]] != of[order[i - 1]]);
            if (is_first && (tied < 0 || order[i] < order[tied])) tied = i;
        }
        return tied;
    }

    /// Returns labels of switches that depend on those of their neighbors.
    labels refined(const labels& old) const {
        labels result = old;
        for (std::int64_t i = 0; i < arcs_.size(); ++i) {
            const arc_table::arc& arc = arcs_[i];
            const std::uint64_t rate = mixed(static_cast<std::uint64_t>(arc.bandwidth));
            if (arc.from >= ranks_) result[arc.from] += mixed(old[arc.to] ^ rate);
            if (arc.to >= ranks_) result[arc.to] += mixed(old[arc.from] + rate);
        }
        for (rank_t v = ranks_; v < result.length(); ++v) result[v] = mixed(result[v]);
        return result;
    }
    /// Returns the switches by label, then by number.
    signed_vector<rank_t> sorted(const labels& of) const {
        signed_vector<rank_t> order;
        for (rank_t v = ranks_; v < of.length(); ++v) order.push_back(v);
        collsched::detail::sort(order.data(), order.length(),
                                [&of](rank_t a, rank_t b) { return of[a] != of[b] ? of[a] < of[b] : a < b; });
        return order;
    }
    /// Returns the number of different labels of switches.
    std::int64_t different(const labels& of) const {
        const signed_vector<rank_t> order = sorted(of);
        std::int64_t count = 0;
        for (std::int64_t i = 0; i < switches_; ++i) count += i == 0 || of[order[i]] != of[order[i - 1]] ? 1 : 0;
        return count;
    }

    const arc_table& arcs_;
    rank_t ranks_, switches_;
};

class translations_search;

}  // namespace detail

/// A commutative group of permutations of the vertices of a network, one for each rank r, which maps rank 0 to r. Each
/// keeps the sum of the bandwidths of the links from one vertex to another.
///
/// The ranks are those of a torus of some sizes, whose last coordinate varies fastest: the permutation of r adds the
/// coordinates of r. The permutations of switches are found from the links.
class network::translations {
  public:
    /// Constructs the group of no network, for 0 ranks.
    translations() = default;

    /// Returns the number of ranks, and of permutations; 0: none are known.
    rank_t ranks() const { return ranks_; }
    /// Returns the sizes of the torus.
    /// @return sizes, each 2 or more, with the product ranks(); valid as long as this object
    std::span<const rank_t> sizes() const { return sizes_; }
    /// Returns the image of a vertex under the permutation that maps rank 0 to r. O(number of sizes).
    /// @param v  vertex of the network
    /// @param r  rank, 0 .. ranks()-1
    /// @return a rank for a rank, a switch for a switch
    rank_t image(rank_t v, rank_t r) const {
        const std::int64_t sizes = sizes_.length();
        const std::int32_t* by = digits_.data() + r * sizes;
        if (v >= ranks_) {
            for (std::int64_t d = 0; d < sizes; ++d) v = moved(v, d, by[d]);
            return v;
        }
        const std::int32_t* of = digits_.data() + v * sizes;
        rank_t sum = 0;
        for (std::int64_t d = 0; d < sizes; ++d) {
            const rank_t digit = of[d] + by[d];
            sum = sum * sizes_[d] + (digit < sizes_[d] ? digit : digit - sizes_[d]);
        }
        return sum;
    }
    /// Returns the rank whose permutation is the inverse of that of r. O(number of sizes).
    /// @param r  rank, 0 .. ranks()-1
    rank_t inverse(rank_t r) const {
        rank_t result = 0;
        for (std::int64_t d = 0; d < sizes_.length(); ++d) {
            const rank_t digit = digits_[r * sizes_.length() + d];
            result = result * sizes_[d] + (digit == 0 ? 0 : sizes_[d] - digit);
        }
        return result;
    }
    /// Returns the rank that generates a coordinate: its permutation adds 1 to coordinate d.
    /// @param d  dimension, 0 .. sizes().size()-1
    rank_t generator(std::int64_t d) const {
        rank_t stride = 1;
        for (std::int64_t i = d + 1; i < sizes_.length(); ++i) stride *= sizes_[i];
        return stride;
    }

  private:
    friend class detail::translations_search;

    /// A switch in its cycle under a generator.
    struct cycle_place {
        std::int64_t first, length, offset;
    };
    /// The cycles of the switches under a generator.
    struct switch_cycles {
        detail::signed_vector<rank_t> switches;    // cycle by cycle
        detail::signed_vector<cycle_place> where;  // per switch
    };

    /// Keeps a group. `images[d]` has the image of each vertex under generator d.
    translations(rank_t ranks, detail::signed_vector<rank_t> sizes,
                 const detail::signed_vector<detail::signed_vector<rank_t>>& images)
        : ranks_(ranks), sizes_(static_cast<detail::signed_vector<rank_t>&&>(sizes)) {
        digits_.resize(static_cast<std::size_t>(ranks * sizes_.length()));
        for (rank_t r = 0; r < ranks; ++r)
            for (std::int64_t d = sizes_.length(), remainder = r; d-- > 0; remainder /= sizes_[d])
                digits_[r * sizes_.length() + d] = static_cast<std::int32_t>(remainder % sizes_[d]);
        for (const detail::signed_vector<rank_t>& image : images) cycles_.push_back(cycles_of(image));
    }

    switch_cycles cycles_of(const detail::signed_vector<rank_t>& images) const {
        switch_cycles cycles;
        cycles.where.assign(images.size() - static_cast<std::size_t>(ranks_), {});
        for (rank_t v = ranks_; v < images.length(); ++v) {
            if (cycles.where[v - ranks_].length > 0) continue;
            const std::int64_t first = cycles.switches.length();
            rank_t w = v;
            do cycles.switches.push_back(w);
            while ((w = images[w]) != v);
            const std::int64_t length = cycles.switches.length() - first;
            for (std::int64_t i = 0; i < length; ++i)
                cycles.where[cycles.switches[first + i] - ranks_] = {first, length, i};
        }
        return cycles;
    }
    rank_t moved(rank_t v, std::int64_t d, std::int64_t times) const {
        const cycle_place& at = cycles_[d].where[v - ranks_];
        return cycles_[d].switches[at.first + (at.offset + times) % at.length];
    }

    rank_t ranks_ = 0;
    detail::signed_vector<rank_t> sizes_;
    detail::signed_vector<std::int32_t> digits_;   // of each rank, the first dimension first
    detail::signed_vector<switch_cycles> cycles_;  // per dimension
};

namespace detail {

/// Searches the translations of one network.
class translations_search {
  public:
    explicit translations_search(const network& net)
        : ranks_(net.ranks()), arcs_(net), images_(arcs_, ranks_, net.vertices()) {}

    network::translations run() {
        if (!arcs_.fits() || !complete(1)) return {};
        signed_vector<rank_t> sizes;
        signed_vector<signed_vector<rank_t>> images;
        for (std::int64_t i = found_.length(); i-- > 0;) {
            sizes.push_back(found_[i].size);
            images.push_back(static_cast<signed_vector<rank_t>&&>(found_[i].images));
        }
        return {ranks_, static_cast<signed_vector<rank_t>&&>(sizes), images};
    }

  private:
    /// A permutation that adds 1 to a coordinate.
    struct generator {
        rank_t size;
        signed_vector<rank_t> images;
    };

    /// Finds generators for the coordinates of at least `stride`, largest sizes first.
    bool complete(rank_t stride) {
        if (stride == ranks_) return true;
        if (hopeless_[stride]) return false;
        for (rank_t parts = 1; parts < ranks_ / stride; ++parts) {
            if (ranks_ / stride % parts != 0) continue;
            const rank_t size = ranks_ / stride / parts;
            generator candidate{size, images_.extend(shifted(stride, size))};
            if (candidate.images.empty() || !fits(candidate)) continue;
            found_.push_back(static_cast<generator&&>(candidate));
            if (complete(stride * size)) return true;
            found_.pop_back();
        }
        hopeless_[stride] = true;
        return false;
    }
    /// Returns the ranks with 1 added to one coordinate.
    signed_vector<rank_t> shifted(rank_t stride, rank_t size) const {
        signed_vector<rank_t> images;
        for (rank_t r = 0; r < ranks_; ++r)
            images.push_back(r / stride % size + 1 < size ? r + stride : r + stride - stride * size);
        return images;
    }
    /// Returns whether switches move as ranks do: back after `size` times, and the same in both orders of generators.
    bool fits(const generator& candidate) const {
        for (rank_t v = ranks_; v < candidate.images.length(); ++v) {
            rank_t w = candidate.images[v];
            rank_t length = 1;
            for (; w != v && length <= candidate.size; ++length) w = candidate.images[w];
            if (length > candidate.size || candidate.size % length != 0) return false;
            for (const generator& other : found_)
                if (candidate.images[other.images[v]] != other.images[candidate.images[v]]) return false;
        }
        return true;
    }

    rank_t ranks_;
    arc_table arcs_;
    switch_images images_;
    signed_vector<char> hopeless_ = signed_vector<char>(static_cast<std::size_t>(ranks_));
    signed_vector<generator> found_;  // the last coordinate first
};

}  // namespace detail

/// Finds translations of a network.
///
/// Tried are all sizes whose product is the number of ranks. Each generator is verified: it must map the links from one
/// vertex to another to links of the same sum of bandwidths. A network may have translations that are not found, if its
/// ranks are not numbered as in a torus, or if the first choice between equal switches fits no other generator.
///
/// Complexity: O(links log links) for each tried generator without switches, and as many rounds over the links as there
/// are switches at most.
/// @param net  a network; one with more than 2^20 vertices or 2^22 links has no translations here
/// @return translations; those of 0 ranks if none are found
inline network::translations find_translations(const network& net) {
    constexpr std::int64_t most_vertices = 1 << 20, most_links = 1 << 22;
    if (net.check() || net.vertices() > most_vertices || std::ssize(net.links()) > most_links) return {};
    if (net.ranks() < 2) return {};
    return detail::translations_search(net).run();
}

namespace detail {

/// The orbits of the arcs of a network under translations: two arcs are in one orbit if a translation maps one to the
/// other. They have equal bandwidths.
struct link_orbits {
    signed_vector<std::int64_t> of;         ///< per arc, the number of its orbit
    signed_vector<std::int64_t> size;       ///< per orbit, its number of arcs, a divisor of the number of ranks
    signed_vector<std::int64_t> bandwidth;  ///< per orbit, bytes per second of each arc

    /// Finds all orbits. O(arcs * dimensions * log arcs).
    link_orbits(const arc_table& arcs, const network::translations& group) {
        of.assign(static_cast<std::size_t>(arcs.size()), -1);
        signed_vector<std::int64_t> open;
        for (std::int64_t first = 0; first < arcs.size(); ++first) {
            if (of[first] >= 0) continue;
            const std::int64_t orbit = size.length();
            size.push_back(0);
            bandwidth.push_back(arcs[first].bandwidth);
            of[first] = orbit;
            for (open.assign(1, first); !open.empty();) {
                const arc_table::arc arc = arcs[open.back()];
                open.pop_back();
                ++size[orbit];
                for (std::int64_t d = 0; d < std::ssize(group.sizes()); ++d) {
                    const rank_t by = group.generator(d);
                    const std::int64_t next = arcs.find(group.image(arc.from, by), group.image(arc.to, by));
                    if (of[next] >= 0) continue;
                    of[next] = orbit;
                    open.push_back(next);
                }
            }
        }
    }
};

}  // namespace detail

}}}  // namespace collsched::COLLSCHED_ABI::topology
