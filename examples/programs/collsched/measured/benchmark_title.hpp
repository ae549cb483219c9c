#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measured_fields.hpp"

namespace collsched::measured {

/// The title of a benchmark in its output.
struct benchmark_title {
    std::string text{};                ///< as shown in messages; empty: no title yet
    std::optional<collective> kind{};  ///< the collective, or nothing for any other operation
    bool counts_one_block = false;     ///< whether the bytes of a row are those of one rank's block
    std::string gpu{};                 ///< the kind of GPU whose memory has the buffers, or empty
};

/// Returns whether a comment is the title of a benchmark: "# OSU ..." or "# Benchmarking ...".
inline bool is_title(const std::vector<std::string_view>& words) {
    return words.size() > 1 && words[0] == "#" && (words[1] == "OSU" || words[1] == "Benchmarking");
}

/// Returns the words from `first` on, separated by blanks.
inline std::string joined_words(const std::vector<std::string_view>& words, std::size_t first) {
    std::string text;
    for (std::size_t i = first; i < words.size(); ++i) {
        if (!text.empty()) text += ' ';
        text += words[i];
    }
    return text;
}

/// Returns whether a line has a title among other text, or a title without its beginning. Where several programs print
/// to one file, a title may follow a row or a warning on its line.
inline bool has_misplaced_title(const std::vector<std::string_view>& words) {
    constexpr std::string_view beginnings[] = {"# OSU",         "#OSU",    "OSU MPI",        "OSU NCCL",
                                               "OSU OpenSHMEM", "OSU UPC", "# Benchmarking", "#Benchmarking"};
    const std::string text = joined_words(words, is_title(words) ? 2 : 0);
    return std::any_of(std::begin(beginnings), std::end(beginnings),
                       [&](std::string_view one) { return text.find(one) != text.npos; });
}

/// Returns whether a word is a version such as "v7.5" or "v5.3.2".
inline bool is_version(std::string_view word) {
    return word.size() > 1 && word[0] == 'v' && word.find_first_not_of("0123456789", 1) != 1;
}

/// Reads a title of the OSU micro-benchmarks, whose form is the same in versions 3 to 7:
/// "# OSU MPI-CUDA All-to-All Personalized Exchange Latency Test v7.5". NCCL's programs have NCCL in place of MPI.
inline benchmark_title osu_title(const std::vector<std::string_view>& words) {
    struct measured {
        std::string_view name;
        collective kind;
        bool counts_one_block;
    };
    constexpr measured names[] = {{"Allgather", collective::allgather, true},
                                  {"Allreduce", collective::allreduce, false},
                                  {"All-to-All Personalized Exchange", collective::alltoall, true},
                                  {"Broadcast", collective::broadcast, false},
                                  {"Gather", collective::gather, true},
                                  {"Reduce", collective::reduce, false},
                                  {"Reduce_scatter", collective::reduce_scatter, false},
                                  {"Reduce_scatter_block", collective::reduce_scatter, false},
                                  {"Scatter", collective::scatter, true}};
    std::vector<std::string_view> title = words;
    if (is_version(title.back())) title.pop_back();
    benchmark_title result{.text = joined_words(title, 1)};
    if (title.size() < 3) return result;
    const std::string_view api = title[2].substr(0, title[2].find('-'));
    if (api != "MPI" && api != "NCCL") return result;
    if (api.size() < title[2].size()) result.gpu = title[2].substr(api.size() + 1);
    const std::string operation = joined_words(title, 3);
    for (const measured& one : names)
        if (operation == std::string(one.name) + " Latency Test") {
            result.kind = one.kind;
            result.counts_one_block = one.counts_one_block;
        }
    return result;
}

/// Reads a title of IMB: "# Benchmarking Allreduce". Reduce_scatter_block has the bytes of one block.
inline benchmark_title imb_title(const std::vector<std::string_view>& words) {
    benchmark_title result{.text = joined_words(words, 1)};
    if (words.size() != 3) return result;
    const bool is_block = words[2] == "Reduce_scatter_block";
    result.kind = is_block ? collective::reduce_scatter : collective_of(words[2]);
    if (result.kind) result.counts_one_block = is_block || counts_one_block(*result.kind);
    return result;
}

}  // namespace collsched::measured
