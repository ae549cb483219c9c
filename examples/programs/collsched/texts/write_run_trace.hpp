#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "collsched/execute/recording.hpp"
#include "collsched/execute/thread_fabric.hpp"
#include "collsched/format/text.hpp"

namespace collsched::texts {

/// A message of a run between threads.
using run_message = recording<thread_fabric::endpoint>::entry;

/// Writes a measured execution in the Trace Event format of Perfetto and chrome://tracing: one process per rank, and
/// the interval from post to completion of each send and each receive. Times are in microseconds since the first post.
/// @param out       output iterator for the text
/// @param messages  logs of `recording`, of all ranks
/// @return the iterator behind the text
template <std::output_iterator<char> Out>
Out write_run_trace(Out out, std::span<const run_message> messages) {
    run_message::time first = messages.empty() ? run_message::time{} : messages.front().posted;
    rank_t ranks = 0;
    for (const run_message& message : messages) {
        first = std::min(first, message.posted);
        ranks = std::max(ranks, message.rank + 1);
    }
    const auto us = [&](run_message::time t) {
        const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(t - first).count();
        return fmt::format(FMT_COMPILE("{}.{:03}"), ns / 1000, ns % 1000);
    };
    const auto put = [&](const auto& format, const auto&... values) {
        out = fmt::format_to(std::move(out), format, values...);
    };
    put(FMT_COMPILE("{}"), "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    std::string_view between = "\n";
    const auto event = [&](const std::string& fields) {
        put(FMT_COMPILE("{}{{{}}}"), between, fields);
        between = ",\n";
    };
    for (rank_t r = 0; r < ranks; ++r) {
        event(fmt::format(FMT_COMPILE(R"("name":"process_name","ph":"M","pid":{},"args":{{"name":"rank {}"}})"), r, r));
        event(fmt::format(FMT_COMPILE(R"("name":"process_sort_index","ph":"M","pid":{},"args":{{"sort_index":{}}})"), r,
                          r));
    }
    std::int64_t id = 0;
    for (const run_message& message : messages) {
        const std::string name =
            message.sends ? fmt::format(FMT_COMPILE("send {} to {}"), bytes_text(message.bytes), message.key.peer)
                          : fmt::format(FMT_COMPILE("receive {} from {}"), bytes_text(message.bytes), message.key.peer);
        const auto end = [&](char phase, run_message::time when, const std::string& more) {
            event(fmt::format(FMT_COMPILE(R"("name":"{}","cat":"{}","ph":"{}","id":{},"pid":{},"tid":0,"ts":{}{})"),
                              name, message.sends ? "send" : "receive", phase, id, message.rank, us(when), more));
        };
        end('b', message.posted,
            fmt::format(FMT_COMPILE(R"(,"args":{{"bytes":{},"start":{},"number":{},"error":{}}})"), message.bytes,
                        message.key.epoch, message.key.sequence, message.error));
        end('e', message.complete, "");
        ++id;
    }
    put(FMT_COMPILE("{}"), "\n]}\n");
    return out;
}

}  // namespace collsched::texts
