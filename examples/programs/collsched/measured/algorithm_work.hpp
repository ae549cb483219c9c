#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "collsched/core/bits.hpp"
#include "algorithm_words.hpp"
#include "work_sum.hpp"
#include "measured_case.hpp"

namespace collsched::measured {

/// The pattern of messages of an algorithm.
enum class message_pattern : std::uint8_t {
    ring,              ///< to the next rank
    pairwise,          ///< to another rank in each round
    neighbor,          ///< with the two neighbors in turn
    blockwise,         ///< with ranks at distances of powers of two, one message per block
    sparse,            ///< the same, without exchanges
    bruck,             ///< the same, with blocks in sequence and a copy
    halving,           ///< exchanges of halves, quarters, ...
    doubling,          ///< exchanges of whole vectors
    halving_doubling,  ///< exchanges of halves, quarters, ... and back
    segmented,         ///< the same, in segments
    scatter_ring,      ///< halves, quarters, ..., then a ring
    collected,         ///< all vectors to all ranks
    tree,              ///< a tree of logarithmic depth
    binary,            ///< a tree of two children per vertex
    split,             ///< two trees, each for one half
    chain,             ///< a pipeline
    linear,            ///< all messages at once
    synchronized,      ///< all messages in sequence
    library,           ///< the choice of an MPI library
};

/// The pattern of an algorithm and its work, by the words in its name.
struct algorithm_work {
    message_pattern pattern = message_pattern::tree;
    work_amounts amounts{};
};

/// Derives the work of a measured algorithm from the words in its name. An algorithm without known words has the work of
/// the plain algorithm with a logarithmic number of rounds.
class work_of_words {
  public:
    work_of_words(const measured_case& where, const algorithm_words& words)
        : where_(where), words_(words), sum_(static_cast<double>(words.segment)) {}

    algorithm_work find() {
        const message_pattern found = add_messages();
        const bool next_ranks_only = found == pattern::ring || found == pattern::neighbor || found == pattern::chain;
        const double residents = static_cast<double>(where_.ranks_per_node);
        if (!next_ranks_only && p_ > residents)
            sum_.amount(work_kind::shared) = (residents - 1) * sum_.bytes() * (p_ - residents) / (p_ - 1);
        const auto ports = static_cast<double>(words_.ports);
        sum_.amount(work_kind::port) = sum_.amount(work_kind::round) * (ports - 1);
        sum_.amount(work_kind::one_way) /= ports;
        sum_.amount(work_kind::two_way) /= ports;
        return {found, sum_.amounts()};
    }

  private:
    using kind = work_kind;
    using pattern = message_pattern;

    pattern add_messages() {
        switch (where_.collective) {
            case collective::allgather:
            case collective::reduce_scatter: return add_blocks(where_.collective == collective::reduce_scatter);
            case collective::allreduce: return add_allreduce();
            case collective::broadcast:
            case collective::reduce: return add_vector(where_.collective == collective::reduce);
            case collective::gather:
            case collective::scatter: return add_root_blocks();
            case collective::alltoall: return add_exchange();
            default: break;
        }
        sum_.add(kind::two_way, log_, m_);
        return pattern::tree;
    }

    /// Adds one message per block, in a logarithmic number of rounds.
    void add_blockwise(double times) {
        sum_.add(kind::one_way, times * (p_ - 1), m_ / p_);
        sum_.amount(kind::round) = times * log_;
        sum_.amount(kind::block) += times * (p_ - 1);
    }
    /// Adds the rounds in which the ranks beyond a power of two hand their vectors over.
    void add_fold(double messages) {
        if (is_power_of_two_) return;
        sum_.add(kind::two_way, messages, m_);
    }

    /// Adds half of such a round.
    void add_half_fold() {
        if (is_power_of_two_) return;
        sum_.add(kind::two_way, 1, m_ / 2);
        sum_.amount(kind::combine) += m_ / 2;
    }

    pattern add_blocks(bool combines) {
        if (combines) sum_.amount(kind::combine) = m_ * part_;
        if (words_.has("ring", "pairwise")) {
            sum_.add(kind::one_way, p_ - 1, m_ / p_);
            return words_.has("ring") ? pattern::ring : pattern::pairwise;
        }
        if (words_.has("neighbor")) {
            sum_.add(kind::two_way, p_ / 2, 2 * m_ / p_);
            return pattern::neighbor;
        }
        if (words_.has("sparbit", "block_by_block", "doubling_blocks")) {
            add_blockwise(1);
            return words_.has("sparbit") ? pattern::sparse : pattern::blockwise;
        }
        if (words_.has("bruck", "circulant")) {
            sum_.add_halving(kind::one_way, depth_, m_);
            if (words_.has("bruck")) sum_.amount(kind::copy) = m_;
            return pattern::bruck;
        }
        if (words_.has("linear")) {
            sum_.add(kind::one_way, 1, m_ * part_);
            sum_.amount(kind::fan) = p_ - 1;
            return pattern::linear;
        }
        if (words_.has("non_blocking")) return add_library_blocks(combines);
        return add_halving_blocks(combines);
    }

    /// Adds the messages of MPICH's nonblocking collectives: a ring or pairwise exchange from 2^19 bytes on.
    pattern add_library_blocks(bool combines) {
        if (m_ >= 0x1p19) {
            sum_.add(kind::one_way, p_ - 1, m_ / p_);
            return pattern::library;
        }
        sum_.add_halving(kind::two_way, depth_, m_);
        if (combines) add_fold(1);
        if (combines && !is_power_of_two_) sum_.amount(kind::combine) += m_;
        return pattern::library;
    }

    pattern add_halving_blocks(bool combines) {
        if (combines && words_.has("recursive_doubling")) {
            sum_.add(kind::two_way, log_, m_);
            add_fold(2);
            sum_.amount(kind::combine) = m_ * log_;
            return pattern::doubling;
        }
        sum_.add_halving(kind::two_way, depth_, m_);
        if (words_.has("recursive")) {
            add_fold(combines ? 1 : 2);
            if (combines && !is_power_of_two_) sum_.amount(kind::combine) += m_;
        }
        if (words_.has("permute", "dtype")) sum_.amount(kind::copy) = m_;
        if (words_.has("2_blocks")) sum_.amount(kind::block) += log_;
        if (words_.has("send")) sum_.add(kind::two_way, 1, m_ / p_);
        return pattern::halving;
    }

    pattern add_allreduce() {
        sum_.amount(kind::combine) = m_ * part_;
        if (words_.has("ring")) {
            sum_.add(kind::one_way, 2 * (p_ - 1), m_ / p_);
            return pattern::ring;
        }
        if (words_.has("allgather_reduce")) {
            sum_.add(kind::one_way, 1, m_ * (p_ - 1));
            sum_.amount(kind::fan) = p_ - 1;
            sum_.amount(kind::combine) = m_ * (p_ - 1);
            return pattern::collected;
        }
        if (words_.has("block_by_block")) {
            add_blockwise(2);
            return pattern::blockwise;
        }
        const bool library = words_.has("non_blocking"), folds = library || words_.has("rec", "rabenseifner");
        if (library ? m_ > 2048 : words_.has("rabenseifner", "bdw", "b_cont", "swing", "circulant")) {
            sum_.add_halving(kind::two_way, depth_, m_);
            sum_.add_halving(kind::two_way, depth_, m_);
            if (folds) add_fold(2);
            if (folds && !is_power_of_two_) sum_.amount(kind::combine) += m_;
            if (!folds && words_.has("bdw")) add_half_fold();
            if (library) return pattern::library;
            if (!words_.has("segmented")) return pattern::halving_doubling;
            if (words_.segment == 0) sum_.amount(kind::block) = 2 * p_;
            return pattern::segmented;
        }
        sum_.add(kind::two_way, log_, m_);
        if (folds) add_fold(2);
        sum_.amount(kind::combine) = m_ * log_;
        return library ? pattern::library : pattern::doubling;
    }

    pattern add_vector(bool combines) {
        const pattern found = add_vector_messages(combines || words_.implementation == "utofu" ? 1 : 2);
        if (combines) sum_.amount(kind::combine) = found == pattern::halving_doubling ? m_ * part_ : sum_.bytes();
        if (words_.has("tmpbuf")) sum_.amount(kind::copy) = m_;
        return found;
    }
    /// The messages of a parent to its children share its link `sharing` at a time, unless they are put in sequence.
    pattern add_vector_messages(double sharing) {
        if (words_.has("ring", "scatter", "rabenseifner", "bdw")) {
            sum_.add_halving(kind::one_way, depth_, m_);
            if (!words_.has("ring")) {
                sum_.add_halving(kind::two_way, depth_, m_);
                return pattern::halving_doubling;
            }
            sum_.add(kind::one_way, p_ - 1, m_ / p_);
            return pattern::scatter_ring;
        }
        if (words_.has("split_binary", "two_tree")) {
            sum_.add(kind::one_way, log_ + 1, sharing * m_ / 2);
            return pattern::split;
        }
        if (words_.has("binary", "in_order")) {
            sum_.add(kind::one_way, 1.2 * log_, sharing * 0.8 * m_);
            return pattern::binary;
        }
        if (words_.has("linear")) {
            sum_.add(kind::one_way, 1, m_ * (p_ - 1));
            sum_.amount(kind::fan) = p_ - 1;
            return pattern::linear;
        }
        if (words_.has("chain", "pipeline")) {
            sum_.add(kind::one_way, std::max(p_ - 1, 1.0), 2 * m_ / std::max(p_ - 1, 1.0));
            return pattern::chain;
        }
        const double rounds = words_.has("knomial", "k_nomial") ? 1.5 * std::ceil(log_ / 2) : log_;  // of radix 4
        sum_.add(kind::one_way, rounds, sharing * m_ * log_ / rounds);
        return pattern::tree;
    }

    pattern add_root_blocks() {
        if (words_.has("linear", "simple") && words_.has("sync")) {
            sum_.add(kind::one_way, 2 * (p_ - 1), m_ / p_ / 2);
            return pattern::synchronized;
        }
        if (words_.has("linear", "simple")) {
            sum_.add(kind::one_way, 1, m_ * part_);
            sum_.amount(kind::fan) = p_ - 1;
            if (!words_.has("nb")) sum_.add_small(p_ - 1, m_ / p_);
            return pattern::linear;
        }
        sum_.add_halving(kind::one_way, depth_, m_);
        sum_.amount(kind::copy) = m_ * part_;
        return pattern::tree;
    }

    pattern add_exchange() {
        if (words_.has("pairwise", "ring")) {
            sum_.add(kind::one_way, p_ - 1, m_ / p_);
            return pattern::pairwise;
        }
        if (words_.has("linear", "spread")) {
            sum_.add(kind::one_way, 1, m_ * part_);
            sum_.amount(kind::fan) = p_ - 1;
            return pattern::linear;
        }
        sum_.add(kind::one_way, log_, m_ / 2);
        sum_.amount(kind::copy) = 2 * m_ * log_;
        return pattern::bruck;
    }

    const measured_case& where_;
    const algorithm_words& words_;
    work_sum sum_;
    double p_ = static_cast<double>(where_.ranks), m_ = static_cast<double>(where_.bytes), part_ = (p_ - 1) / p_;
    int depth_ = std::max(ceil_log2(where_.ranks), 1);
    double log_ = depth_;
    bool is_power_of_two_ = is_power_of_two(where_.ranks);
};

}  // namespace collsched::measured
