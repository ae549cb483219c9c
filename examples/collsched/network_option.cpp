#include "network_option.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "collsched/format/readers/read_network.hpp"

using namespace collsched;

std::string read_network_file::name() const { return std::filesystem::path(path).stem().string(); }

std::string read_network_file::vertex(rank_t v) const {
    if (*net.name(v) != '\0') return net.name(v);
    return net.is_switch(v) ? fmt::format("s{}", v - net.ranks()) : fmt::format("r{}", v);
}

usage_error read_network_file::mistake(const argument_error& error) const {
    input_error::mistake found = input_error::mistake::of(error, path);
    const bool names = found.argument == "vertex" && error.value >= 0 && error.value < net.vertices();
    if (names) found.value = vertex(error.value);
    return usage_error("--network", found);
}

network_option::network_option(CLI::App& command)
    : file_(command, option_group::cluster, "--network", "FILE", "JSON file with ranks, switches and links") {}

read_network_file network_option::read() const {
    if (!file_.given() || file_.text().empty()) throw usage_error::missing("--network", "the file of a network");
    const std::string path = file_.text();
    return {read_or_refuse("--network", [&] { return read_network(std::filesystem::path(path)); }), path};
}
