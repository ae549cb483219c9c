#include "starts_option.hpp"

#include <filesystem>
#include <variant>

#include <fmt/format.h>

#include "texts/read_start_times.hpp"
#include "usage_error.hpp"

using namespace collsched;

starts_option::starts_option(CLI::App& command)
    : file_(command, option_group::model, "--starts", "FILE",
            "start time of each rank, one per line, in microseconds (default: all 0)") {}

std::vector<picoseconds> starts_option::read(const rank_range& ranks, const any_model& model) const {
    if (!file_.given()) return {};
    if (std::holds_alternative<loggops_model>(model)) throw usage_error::conflict("--starts", "the model loggops");
    std::vector<picoseconds> times =
        read_or_refuse("--starts", [&] { return texts::read_start_times(std::filesystem::path(file_.text())); });
    for (const rank_t p : {ranks.first, ranks.last})
        if (std::ssize(times) != p)
            throw usage_error("--starts", fmt::format("{} start times", times.size()),
                              fmt::format("{}, one for each rank", p));
    return times;
}
