#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "collsched/format/text.hpp"
#include "collsched/simulate/trace.hpp"

namespace collsched::texts {

/// Returns the description of a vertex: "send 12 bytes to 3", "combine 4 bytes".
/// @param graph  graph of the schedule
/// @param node   index of the vertex
inline std::string activity_text(const execution_graph& graph, std::int64_t node) {
    using kind = execution_graph::kind;
    const execution_graph::node& n = graph[node];
    const bool message = n.kind == kind::send || n.kind == kind::receive;
    const std::string size = message && n.bytes == 0 ? "a signal" : bytes_text(n.bytes);
    switch (n.kind) {
        case kind::send: return fmt::format(FMT_COMPILE("send {} to {}"), size, graph[n.peer].rank);
        case kind::receive: return fmt::format(FMT_COMPILE("receive {} from {}"), size, graph[n.peer].rank);
        case kind::copy: return fmt::format(FMT_COMPILE("copy {}"), size);
        case kind::combine: return fmt::format(FMT_COMPILE("combine {}"), size);
        case kind::join: break;
    }
    return "join";
}

/// Calls put(text) with the fields of each event of a process after those of the ranks: a thread per link that transfers
/// occupied, and a bar per transfer. They follow each other on a link, while sends of a rank may overlap.
template <class Put>
void for_each_link_event(const execution_graph& graph, const simulation& run, std::span<const std::string> links,
                         Put put) {
    const rank_t process = graph.ranks();
    put(fmt::format(FMT_COMPILE(R"("name":"process_name","ph":"M","pid":{},"args":{{"name":"links"}})"), process));
    put(fmt::format(FMT_COMPILE(R"("name":"process_sort_index","ph":"M","pid":{0},"args":{{"sort_index":{0}}})"),
                    process));
    std::set<std::int64_t> used;
    for (const simulation::link_use& use : run.link_uses) {
        if (used.insert(use.link).second) {
            const std::string name = use.link < std::ssize(links) ? links[static_cast<std::size_t>(use.link)]
                                                                  : fmt::format(FMT_COMPILE("link {}"), use.link);
            put(fmt::format(FMT_COMPILE(R"("name":"thread_name","ph":"M","pid":{},"tid":{},"args":{{"name":{}}})"),
                            process, use.link, json_text(name)));
        }
        put(fmt::format(
            FMT_COMPILE(
                R"("name":"{} from {} to {}","ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"args":{{"bytes":{}}})"),
            use.bytes == 0 ? "a signal" : bytes_text(use.bytes), graph[use.send].rank, graph[graph[use.send].peer].rank,
            process, use.link, microseconds(use.begin), microseconds(use.end - use.begin), use.bytes));
    }
}

/// Writes a simulated run in the Trace Event format of Perfetto and chrome://tracing: one process per rank with the
/// activities of its processor and of its network interface, an arrow per message, and the critical path in another
/// color. If transfers occupied links, one more process has a track per link. Times are in microseconds, exact to the
/// picosecond.
/// @param out    output iterator for the text
/// @param graph  graph of the schedule
/// @param run    result of trace() for the graph
/// @param path   result of critical_path(), or empty
/// @param links  names of the links that transfers occupied, by index; empty: "link 0" and so on
/// @return the iterator behind the text
template <std::output_iterator<char> Out>
Out write_trace(Out out, const execution_graph& graph, const simulation& run,
                std::span<const simulation::critical_step> path = {}, std::span<const std::string> links = {}) {
    using kind = execution_graph::kind;
    std::vector<bool> critical(graph.nodes().size());
    for (const simulation::critical_step& step : path) critical[static_cast<std::size_t>(step.node)] = true;
    const auto put = [&](const auto& format, const auto&... values) {
        out = fmt::format_to(std::move(out), format, values...);
    };
    put(FMT_COMPILE("{}"), "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    std::string_view between = "\n";
    const auto event = [&](std::string_view fields) {
        put(FMT_COMPILE("{}{{{}}}"), between, fields);
        between = ",\n";
    };
    for (rank_t r = 0; r < graph.ranks(); ++r) {
        event(fmt::format(FMT_COMPILE(R"("name":"process_name","ph":"M","pid":{},"args":{{"name":"rank {}"}})"), r, r));
        event(fmt::format(FMT_COMPILE(R"("name":"process_sort_index","ph":"M","pid":{},"args":{{"sort_index":{}}})"), r,
                          r));
        for (const int thread : {0, 1})
            if (thread == 0 || run.link_uses.empty())
                event(fmt::format(
                    FMT_COMPILE(R"("name":"thread_name","ph":"M","pid":{},"tid":{},"args":{{"name":"{}"}})"), r, thread,
                    thread == 0 ? "processor" : "sending"));
    }
    for (std::int64_t i = 0; i < std::ssize(graph.nodes()); ++i) {
        const execution_graph::node& n = graph[i];
        if (n.kind == kind::join) continue;
        const simulation::activity& when = run.activities[i];
        const bool on_path = critical[static_cast<std::size_t>(i)];
        const auto bar = [&](int thread, picoseconds begin, picoseconds end) {
            event(fmt::format(
                FMT_COMPILE(
                    R"("name":"{}","ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"args":{{"bytes":{},"critical":{}}}{})"),
                activity_text(graph, i), n.rank, thread, microseconds(begin), microseconds(end - begin), n.bytes,
                on_path, on_path ? R"(,"cname":"terrible")" : ""));
        };
        bar(0, when.begin, when.busy_until);
        if (when.end > when.busy_until && run.link_uses.empty()) bar(1, when.busy_until, when.end);
        const auto arrow = [&](char phase, std::int64_t message, const char* ends) {
            event(fmt::format(
                FMT_COMPILE(R"("name":"message","cat":"message","ph":"{}","id":{},"pid":{},"tid":0,"ts":{}{})"), phase,
                message, n.rank, microseconds(when.begin), ends));
        };
        if (n.kind == kind::send) arrow('s', i, "");
        if (n.kind == kind::receive) arrow('f', n.peer, R"(,"bp":"e")");
    }
    if (!run.link_uses.empty())
        for_each_link_event(graph, run, links, [&](const std::string& fields) { event(fields); });
    put(FMT_COMPILE("{}"), "\n]}\n");
    return out;
}

/// Writes the critical path, one line per step: "rank 0 send 12 bytes to 2 begin_us=0.000000 end_us=3.500000
/// after=start". A receive whose message only delayed the next one at the interface has its arrival instead: "rank 6
/// receive 1 byte from 1 arrival_us=0.100000 after=message". A receive that only let its message depart has the time of
/// its post, `posted_us`. A message that shared links has the time that it lost, and the link that limited it for the
/// longest time: "contention_us=3.000000 link=\"to B\"".
/// @param out    output iterator for the text
/// @param graph  graph of the schedule
/// @param run    result of trace() for the graph
/// @param path   result of critical_path()
/// @param intervals  result of path_intervals()
/// @param links      names of the links, by index; empty: numbers
/// @return the iterator behind the text
template <std::output_iterator<char> Out>
Out write_path(Out out, const execution_graph& graph, const simulation& run,
               std::span<const simulation::critical_step> path,
               std::span<const simulation::path_interval> intervals = {}, std::span<const std::string> links = {}) {
    const auto put = [&](const auto& format, const auto&... values) {
        out = fmt::format_to(std::move(out), format, values...);
    };
    auto interval = intervals.begin();
    for (std::size_t k = 0; k < path.size(); ++k) {
        const simulation::activity& when = run.activities[path[k].node];
        put(FMT_COMPILE("rank {} {} "), graph[path[k].node].rank, activity_text(graph, path[k].node));
        const auto next = k + 1 < path.size() ? path[k + 1].cause : simulation::critical_step::delay::start;
        if (next == simulation::critical_step::delay::receiving)
            put(FMT_COMPILE("arrival_us={}"), microseconds(when.arrival));
        else if (next == simulation::critical_step::delay::post)
            put(FMT_COMPILE("posted_us={}"), microseconds(when.posted));
        else put(FMT_COMPILE("begin_us={} end_us={}"), microseconds(when.begin), microseconds(when.end));
        for (; interval != intervals.end() && interval->step <= static_cast<std::int64_t>(k); ++interval)
            if (interval->step >= 0 && interval->use == simulation::path_interval::part::contention)
                put(FMT_COMPILE(" contention_us={} link={}"), microseconds(interval->end - interval->begin),
                    interval->link < std::ssize(links) && interval->link >= 0
                        ? json_text(links[static_cast<std::size_t>(interval->link)])
                        : fmt::format(FMT_COMPILE("{}"), interval->link));
        put(FMT_COMPILE(" after={}\n"), name_of(path[k].cause));
    }
    return out;
}

}  // namespace collsched::texts
