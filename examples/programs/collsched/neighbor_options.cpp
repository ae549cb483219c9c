#include "neighbor_options.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "collsched/core/checked.hpp"
#include "texts/read_neighbors.hpp"
#include "usage_error.hpp"

using namespace collsched;

neighbor_options::neighbor_options(CLI::App& command)
    : dims_(command, option_group::shape, "--dims", "A,B,...",
            "sizes of the grid of ranks of a neighborhood collective, with two slots per dimension: down, up"),
      periodic_(command, option_group::shape, "--periodic", "0,1,...",
                "1 for each dimension of --dims that closes to a ring (default: none)"),
      file_(command, option_group::shape, "--neighbors", "FILE",
            "targets of each rank of a neighborhood collective, as JSON: [[1,2],[0],[]]") {}

std::optional<given_neighbors> neighbor_options::read() const {
    at_most_one({&dims_, &file_});
    if (periodic_.given() && !dims_.given()) throw usage_error::alone("--periodic", "--dims");
    if (file_.given())
        return read_or_refuse("--neighbors", [&] {
            return given_neighbors{texts::read_neighbors(std::filesystem::path(file_.text())), "--neighbors",
                                   file_.text()};
        });
    if (!dims_.given()) return {};
    constexpr std::int64_t most_slots = std::int64_t{1} << 22;
    const std::vector<std::int64_t> dims = read_list("--dims", dims_.text(), 1);
    std::vector<std::int64_t> periodic(dims.size());
    if (periodic_.given()) periodic = read_list("--periodic", periodic_.text(), 0);
    for (const std::int64_t flag : periodic)
        if (flag > 1 || periodic.size() != dims.size())
            throw usage_error("--periodic", periodic_.text(), "0 or 1 for each dimension");
    checked slots = 2 * std::ssize(dims);
    for (const std::int64_t size : dims) slots = slots * size;
    if (!slots.ok() || slots.value() > most_slots)
        throw usage_error("--dims", dims_.text(), fmt::format("at most {} slots in all", most_slots));
    return given_neighbors{neighborhood::cartesian(dims, periodic), "--dims", dims_.text()};
}
