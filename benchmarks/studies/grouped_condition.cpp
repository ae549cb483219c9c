#include "benchmarks/studies/grouped_condition.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "collsched/format/text.hpp"
#include "examples/programs/collsched/model_option.hpp"
#include "examples/programs/collsched/usage_error.hpp"

using namespace collsched;
using namespace grouped_study;

namespace {

constexpr rank_t most_grouped_ranks = 64;
constexpr std::int64_t most_packets = std::int64_t{1} << 22;

picoseconds read_us(const text_option& option, double otherwise, picoseconds least) {
    if (!option.given()) return ps_of_us(otherwise);
    const picoseconds time = read_decimal(option.name(), option.text());
    constexpr picoseconds hour = 3'600'000'000'000'000;
    if (time < least || time > hour)
        throw usage_error(option.name(), option.text(), fmt::format("{} to 3600000000 us", microseconds(least)));
    return time;
}

}  // namespace

condition read_condition(const text_option& ranks, const text_option& seed, const grouped_options& options) {
    condition c;
    c.ranks = ranks.number(2, c.ranks);
    if (c.ranks > most_grouped_ranks)
        throw usage_error(ranks.name(), ranks.text(), fmt::format("2 to {}", most_grouped_ranks));
    c.seed = static_cast<std::uint64_t>(seed.number(0, 1));
    c.bytes = options.bytes.number(64 * tuple, c.bytes);
    double rate = 12.5;
    if (options.bandwidth.given()) {
        rate = static_cast<double>(read_decimal(options.bandwidth.name(), options.bandwidth.text())) / 1e6;
        if (rate < 0.001 || rate > 1e6)
            throw usage_error(options.bandwidth.name(), options.bandwidth.text(), "0.001 to 1000000 MB/s");
    }
    switch_network& n = c.network;
    n.send_byte_fs = n.receive_byte_fs = byte_fs_of(rate);
    n.latency_ps = read_us(options.latency, 50, 0);
    n.packet = options.packet.number(1, n.packet);
    constexpr bytes_t most_bytes = bytes_t{1} << 30;
    if (n.packet > most_bytes) throw usage_error(options.packet.name(), options.packet.text(), "1 to 2^30");
    n.buffer = options.buffer.number(n.packet, std::max(n.packet, n.buffer));
    if (n.buffer > most_bytes) throw usage_error(options.buffer.name(), options.buffer.text(), "a packet to 2^30 B");
    n.window = options.window.number(1, n.window);
    n.timeout_ps = n.timeout_limit_ps = read_us(options.timeout, 200'000, std::max<picoseconds>(1, n.latency_ps));
    c.master_ps = read_us(options.master, 200, 0);
    c.delay_ps = read_us(options.delay, 1'000, 1);
    if (c.bytes > most_bytes || 4 * c.ranks * c.ranks * (c.bytes / n.packet + 1) > most_packets)
        throw usage_error(options.bytes.name(), std::to_string(c.bytes),
                          fmt::format("{} to 2^22 packets among twice as many nodes", 64 * tuple));
    return c;
}
