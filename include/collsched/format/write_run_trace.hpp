#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "collsched/execute/recording.hpp"
#include "collsched/format/pen.hpp"

namespace collsched::inline v0_1 {

/// A real run in the Trace Event format, which Perfetto and chrome://tracing show: a process a rank, and for each of its
/// messages how long it was under way from its post to its completion, sends and receives apart. Microseconds since the first
/// post.
template <std::output_iterator<char> Out>
Out write_run_trace(Out out, std::span<const recorded_message> messages) {
    recorded_message::time first = messages.empty() ? recorded_message::time{} : messages.front().posted;
    rank_t ranks = 0;
    for (const recorded_message& one : messages) {
        first = std::min(first, one.posted);
        ranks = std::max(ranks, one.rank + 1);
    }
    const auto us = [&](recorded_message::time t) {
        const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(t - first).count();
        return fmt::format(FMT_COMPILE("{}.{:03}"), ns / 1000, ns % 1000);
    };
    pen put(std::move(out));
    put.text("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
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
    for (const recorded_message& one : messages) {
        const std::string name =
            one.sends ? fmt::format(FMT_COMPILE("send {} to {}"), bytes_text(one.bytes), one.key.peer)
                      : fmt::format(FMT_COMPILE("receive {} from {}"), bytes_text(one.bytes), one.key.peer);
        const auto end = [&](char phase, recorded_message::time when, const std::string& more) {
            event(fmt::format(FMT_COMPILE(R"("name":"{}","cat":"{}","ph":"{}","id":{},"pid":{},"tid":0,"ts":{}{})"),
                              name, one.sends ? "send" : "receive", phase, id, one.rank, us(when), more));
        };
        end('b', one.posted,
            fmt::format(FMT_COMPILE(R"(,"args":{{"bytes":{},"start":{},"number":{},"error":{}}})"), one.bytes,
                        one.key.generation, one.key.sequence, one.error));
        end('e', one.complete, "");
        ++id;
    }
    put.text("\n]}\n");
    return put.done();
}

}  // namespace collsched::inline v0_1
