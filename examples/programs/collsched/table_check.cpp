#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "algorithms/algorithms.hpp"
#include "collsched/collective/make_numbered.hpp"
#include "collsched/format/rules/read_decisions.hpp"
#include "decision_output.hpp"
#include "model_price.hpp"
#include "table_request.hpp"
#include "terminal.hpp"
#include "text_output.hpp"
#include "usage_error.hpp"

using namespace collsched;

namespace {

/// Returns the FNV-1a hash of a text.
std::uint64_t content_hash(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
    return hash;
}

/// Returns the text between two others, or nothing. Without `end` it reaches to the end.
std::string_view between(std::string_view text, std::string_view begin, std::string_view end) {
    const std::size_t found = text.find(begin);
    if (found == text.npos) return {};
    const std::string_view after = text.substr(found + begin.size());
    return after.substr(0, after.find(end));
}

/// Returns the number behind an option of a description, or `otherwise`.
std::int64_t number_of(const std::string& description, const std::string& option, std::int64_t otherwise) {
    const std::string value(between(description, " " + option + " ", " "));
    return value.empty() || value.front() < '0' || value.front() > '9' ? otherwise
                                                                       : std::strtoll(value.c_str(), nullptr, 10);
}

/// Returns rows with a simulated time, at equal distances in the table, at most `most`.
std::vector<decision> sampled_rows(const std::vector<decision>& rows, std::int64_t most) {
    std::vector<decision> timed;
    for (const decision& row : rows)
        if (row.origin == decision::source::simulated && row.time > 0) timed.push_back(row);
    const auto count = static_cast<std::int64_t>(timed.size());
    if (count <= most) return timed;
    std::vector<decision> sample;
    for (std::int64_t i = 0; i < most; ++i) sample.push_back(timed[static_cast<std::size_t>(i * count / most)]);
    return sample;
}

/// Returns the price of a row's choice at its ranks and a size, or `unpriced`.
picoseconds price_of_row(const table_request& table, const decision& row, bytes_t bytes) {
    const choice::request request = table.request_of({row.collective, row.ranks, bytes, row.association});
    const algorithm_entry* const entry = find_algorithm(table.list, row.collective, row.algorithm);
    if (entry == nullptr || (entry->takes(&shape::cluster) && !request.has_cluster)) return unpriced;
    const any_schedule s = make_numbered(*entry, decided(row, request.parameters));
    if (s.check()) return unpriced;
    return price_of(table.model, table.cluster, table.network, row.ranks, {})(s, unpriced);
}

}  // namespace

std::string read_files_text() {
    std::vector<std::string> names;
    for (const std::filesystem::path& path : std::vector(read_files())) {  // a file that is read again is added
        const text_file file = read_or_refuse("file", [&] { return read_text_file(path); });
        std::string name = path.filename().string();
        std::ranges::replace(name, ';', '_');
        name += fmt::format(" {:016x}", content_hash(file.text));
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

int check_table(table_request table, const checked_table& wanted) {
    const text_file file =
        read_or_refuse("--check", [&] { return read_text_file(std::filesystem::path(wanted.file)); });
    const std::vector<decision> rows =
        read_or_refuse("--check", [&] { return read_decisions(file, compiled::whole_registry()); });
    const std::string description = description_of(file);
    std::int64_t differences = 0;
    const auto report = [&](const std::string& argument, std::string_view found, std::string_view expected) {
        ++differences;
        put_line(styled(fmt::format("{}: {}: got {}, expected {}", file.name, argument, found, expected),
                        text_style::failure));
    };
    if (const auto model = between(description, " --model ", "; version "); model != wanted.conditions)
        report("model", model.empty() ? "none" : model, wanted.conditions);
    if (const auto files = between(description, "; files ", ";"); files != wanted.files)
        report("files", files.empty() ? "none" : files, wanted.files.empty() ? "none" : wanted.files);
    table.element = std::max<std::int64_t>(1, number_of(description, "--element", 1));
    const std::vector<decision> sample = sampled_rows(rows, wanted.sample);
    progress_line progress;
    std::vector<picoseconds> prices;
    for (const decision& row : sample) {
        const bytes_t bytes =
            row.bytes > 0 || row.collective == collective::barrier ? row.bytes : number_of(description, "--sizes", -1);
        if (bytes < 0) throw usage_error("--check", wanted.file, "a table whose description has --sizes");
        if (bytes % table.element != 0 || row.ranks > 4096)
            throw usage_error("--check", text_of(row), "up to 4096 ranks, and a size that --element divides");
        progress.show(fmt::format("row {} of {}", &row - sample.data() + 1, sample.size()));
        prices.push_back(price_of_row(table, row, bytes));
    }
    progress.erase();
    for (std::size_t i = 0; i < sample.size(); ++i)
        if (prices[i] != sample[i].time)
            report(fmt::format("{}/{} {}: time_us", name_of(sample[i].collective), sample[i].algorithm,
                               text_of(sample[i])),
                   microseconds(sample[i].time),
                   prices[i] == unpriced ? "no price" : fmt::format("{}", microseconds(prices[i])));
    put_line(fmt::format("{} of {} rows priced, differences: {}", sample.size(), rows.size(), differences));
    return differences == 0 ? success : refused;
}
