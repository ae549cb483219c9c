#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collsched/core/byte_range.hpp"

namespace collsched::measured {

/// The parts of the name of a measured algorithm, such as "bine_bdw_remap_segmented_over_16384" or
/// "RING-B_CONT-UTOFU-65536-6": the words without those of the implementation, the segment and the ports.
struct algorithm_words {
    std::string base{};            ///< words in lower case with _ between them, such as "bine_bdw_remap_segmented"
    std::string implementation{};  ///< such as "ompi" or "utofu", or empty
    bytes_t segment = 0;           ///< in bytes; 0: none
    std::int64_t ports = 1;        ///< number of network ports that a rank uses at once

    explicit algorithm_words(std::string_view name) {
        std::vector<std::string> words = split(name);
        std::vector<std::int64_t> numbers;  // at the end: the segment, or the segment and the ports
        while (words.size() > 1 && numbers.size() < 2 && is_number(words.back())) {
            numbers.insert(numbers.begin(), number(words.back()));
            words.pop_back();
        }
        if (!numbers.empty()) segment = numbers.front();
        if (numbers.size() == 2 && numbers.back() > 0) ports = numbers.back();
        for (std::string& word : words) {
            if (is_implementation(word)) implementation = word;
            else base += (base.empty() ? "" : "_") + word;
        }
    }

    /// Returns whether the base contains one of these texts.
    template <class... Texts>
    bool has(Texts... texts) const {
        return (... || (base.find(texts) != base.npos));
    }

  private:
    static bool is_implementation(std::string_view word) {
        constexpr std::array<std::string_view, 6> words = {"ompi", "mpich", "over", "mpi", "utofu", "ucx"};
        for (const std::string_view one : words)
            if (one == word) return true;
        return false;
    }
    static bool is_number(std::string_view word) {
        return word.size() <= 15 && word.find_first_not_of("0123456789") == word.npos;
    }
    static std::int64_t number(std::string_view word) {
        std::int64_t value = 0;
        for (const char digit : word) value = 10 * value + (digit - '0');
        return value;
    }
    /// Returns the words between - and _, in lower case.
    static std::vector<std::string> split(std::string_view name) {
        std::vector<std::string> words(1);
        for (const char c : name) {
            if (c != '-' && c != '_') words.back() += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
            else if (!words.back().empty()) words.emplace_back();
        }
        if (words.back().empty()) words.pop_back();
        return words;
    }
};

}  // namespace collsched::measured
