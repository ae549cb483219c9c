#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

/// The calls of the benchmark same_bits, their operands, and the canonical trees of docs/association.md.
namespace same_bits {

enum class function { allreduce, reduce, reduce_scatter_block, reduce_scatter, scan, exscan };
enum class form { blocking, nonblocking, persistent };
inline constexpr int functions = 6;
inline constexpr const char* names[functions] = {"allreduce",      "reduce", "reduce_scatter_block",
                                                 "reduce_scatter", "scan",   "exscan"};

inline int rank = 0, ranks = 1;  ///< of MPI_COMM_WORLD

/// A random number that depends on both arguments alone: SplitMix64 by Steele, Lea, Flood 2014.
inline std::uint64_t mixed(std::uint64_t key, std::uint64_t counter) {
    std::uint64_t z = key + (counter + 1) * 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

/// Random choices, the same on all ranks.
class choices {
  public:
    explicit choices(std::uint64_t key) : key_(key) {}
    std::uint64_t any() { return mixed(key_, counter_++); }
    int below(int limit) { return static_cast<int>(any() % static_cast<std::uint64_t>(limit)); }
    /// 1 .. longest, each power of two as likely as the others.
    int length(int longest) {
        const int power = 1 << below(static_cast<int>(std::bit_width(static_cast<unsigned>(longest))));
        return std::min(longest, power + below(power));
    }

  private:
    std::uint64_t key_, counter_ = 0;
};

/// A call of a function: its operand has `length` elements, and element i is number (i + shift) % length of the run.
struct call {
    function what = function::allreduce;
    form how = form::blocking;
    bool in_place = false, product = false;
    int root = 0, length = 1, shift = 0;
    std::vector<int> counts{};  ///< of the reduce_scatters: elements of the block of each rank

    bool scatters() const { return !counts.empty(); }
    /// The first element of the operand that this rank has the result of, and the number of these.
    int first() const {
        int sum = 0;
        for (std::size_t r = 0; scatters() && r < static_cast<std::size_t>(rank); ++r) sum += counts[r];
        return sum;
    }
    int results() const {
        if (what == function::reduce && rank != root) return 0;
        if (what == function::exscan && rank == 0) return 0;
        return scatters() ? counts[static_cast<std::size_t>(rank)] : length;
    }
};

/// The operands of a run.
template <class Number>
struct operands {
    std::uint64_t key = 0;
    bool product = false;

    Number element(int of, int index) const {
        const std::uint64_t place = static_cast<std::uint64_t>(index), own = static_cast<std::uint64_t>(of) + 1;
        const std::uint64_t bits = mixed(mixed(key, own), place);
        const Number fraction = sizeof(Number) == 8 ? static_cast<Number>(bits >> 12) / Number(std::uint64_t{1} << 52)
                                                    : static_cast<Number>(bits >> 41) / Number(1 << 23);
        const Number magnitude = (1 + fraction) * (product ? Number(1) / Number(1 + bits % 2) : scale(bits, place));
        return (bits & 8) != 0 ? -magnitude : magnitude;
    }
    /// The result of element `index` on this rank by the canonical tree of the function. `all` is memory for p numbers.
    Number canonical(function what, int index, std::vector<Number>& all) const {
        for (int r = 0; r < ranks; ++r) all[static_cast<std::size_t>(r)] = element(r, index);
        if (what == function::scan) return tree(all.data(), rank + 1, power_below);
        if (what == function::exscan)
            return rank == 0 ? Number() : tree(all.data(), rank, power_below);  // none on rank 0
        return tree(all.data(), ranks, half);
    }

  private:
    /// Magnitudes of one element of all ranks differ by up to 2^7, or by up to 2^28.
    static Number scale(std::uint64_t bits, std::uint64_t place) {
        return Number(1 << (bits % 8 * (place % 2 == 0 ? 1 : 4)));
    }
    static int half(int n) { return (n + 1) / 2; }
    static int power_below(int n) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(n - 1))); }
    /// The operands of n ranks in brackets: those of the first left(n) ranks, and the others.
    Number tree(const Number* first, int n, int (*left)(int)) const {
        if (n == 1) return *first;
        const int part = left(n);
        const Number a = tree(first, part, left), b = tree(first + part, n - part, left);
        return product ? a * b : a + b;
    }
};

/// Elements that were compared, and those that differ.
struct difference {
    std::int64_t differing = 0, compared = 0;
    std::string text() const { return std::to_string(differing) + " of " + std::to_string(compared); }
};

/// All of a function, on this rank, or on all ranks.
struct tally {
    std::int64_t calls = 0;
    difference canonical, forms, lengths, places;
};
inline constexpr int tally_size = sizeof(tally) / sizeof(std::int64_t);
static_assert(std::is_trivially_copyable_v<tally>);

}  // namespace same_bits
