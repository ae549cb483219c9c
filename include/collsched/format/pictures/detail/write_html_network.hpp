#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "collsched/core/argument_error.hpp"
#include "collsched/format/schedules/detail/message_trace.hpp"
#include "collsched/format/detail/pen.hpp"
#include "collsched/format/pictures/detail/write_html_data.hpp"
#include "collsched/format/pictures/write_network_svg.hpp"
#include "collsched/simulate/detail/network_paths.hpp"
#include "collsched/simulate/link_queue_model.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The routes of the messages of a schedule, over the lines of the picture of a network.
class network_routes {
  public:
    /// Bytes of a message that take the same route: indices of lines.
    using route = std::pair<bytes_t, std::vector<std::size_t>>;

    /// @param lines  merged_lines() of the network
    /// @pre no error in s and model, and equal numbers of ranks
    network_routes(const stored_schedule& s, const link_queue_model& model, binding binding,
                   const std::vector<network_line>& lines)
        : shortest_(model.net) {
        for (std::size_t i = 0; i < lines.size(); ++i) by_ends_.emplace(std::pair(lines[i].from, lines[i].to), i);
        for (const traced_message& m : trace_messages(s, binding)) {
            std::map<std::vector<std::size_t>, bytes_t> bytes;
            for (const edge& e : m.edges)
                if (!m.is_local()) bytes[route_of(e, model)] += e.size;
            of_message_.emplace_back();
            for (const auto& [lines_of, size] : bytes) of_message_.back().emplace_back(size, lines_of);
        }
    }

    /// Returns an error if a message has no path over links of the network.
    argument_error check() const { return error_; }
    /// Returns the routes of each message, as trace_messages() orders them.
    const std::vector<std::vector<route>>& of_messages() const { return of_message_; }

  private:
    std::vector<std::size_t> route_of(const edge& e, const link_queue_model& model) {
        std::vector<rank_t> path;
        if (model.paths) model.paths(e, path);
        if (path.empty()) shortest_.append_shortest(e.src, e.dst, path);
        std::vector<std::size_t> lines;
        for (std::size_t i = 1; i < path.size(); ++i) {
            const auto found = by_ends_.find({path[i - 1], path[i]});
            if (found != by_ends_.end()) lines.push_back(found->second);
        }
        if (path.size() < 2 || lines.size() + 1 < path.size() || path.front() != e.src || path.back() != e.dst)
            error_ = {"path", e.dst, "a path over links of the network, from source to target", e.dst};
        return lines;
    }

    network_paths shortest_;
    std::map<std::pair<rank_t, rank_t>, std::size_t> by_ends_;
    std::vector<std::vector<route>> of_message_;
    argument_error error_;
};

/// Writes the section of a page with the network, and its data for html_network_script: `places` of the vertices in the
/// picture, `lines` [from, to, bytes per second], and `routes` of each message, [bytes, [line, ...]].
template <std::output_iterator<char> Out>
Out write_html_network(Out out, const stored_schedule& s, const link_queue_model& model, binding binding) {
    pen put(std::move(out));
    put.text(
        "<section aria-labelledby=\"network-title\">\n<h2 id=\"network-title\">Network</h2>\n<p class=\"hint\">"
        "Lines: the time for which the bytes of the step occupy a link. Blue: up to 0.9 of the largest one of the "
        "step, orange: below it, red: the largest. Dots: messages on their paths, in the colors of the picture "
        "below.</p>\n<div id=\"links\">\n");
    network_picture<Out> picture(put.done(), model.net, {.title = "Network", .links = {}}, svg_use::page);
    put = pen(picture.draw());
    put.text("</div>\n<p id=\"load\" data-hint=\"No messages on links.\"></p>\n</section>\n");
    put.text("<script type=\"application/json\" id=\"network\">\n{\"names\":[");
    for (rank_t v = 0; v < model.net.vertices(); ++v)
        put(FMT_COMPILE("{}{}"), v == 0 ? "" : ",", script_text(vertex_name(model.net, v)));
    put.text("],\n\"places\":[");
    const char* comma = "";
    for (const network_layout::point& one : picture.places()) {
        put(FMT_COMPILE("{}[{:.1f},{:.1f}]"), comma, one.x, one.y);
        comma = ",";
    }
    put.text("],\n\"lines\":[");
    const std::vector<network_line> lines = merged_lines(model.net);
    for (std::size_t i = 0; i < lines.size(); ++i)
        put(FMT_COMPILE("{}[{},{},{:.0f}]"), i == 0 ? "" : ",", lines[i].from, lines[i].to, lines[i].bandwidth);
    bytes_t most = 0;
    const network_routes routes(s, model, binding, lines);
    put.text("],\n\"routes\":[");
    comma = "";
    for (const auto& of_message : routes.of_messages()) {
        put(FMT_COMPILE("{}["), comma);
        const char* between = "";
        for (const auto& [bytes, over] : of_message) {
            put(FMT_COMPILE("{}[{},[{}]]"), between, bytes, fmt::join(over, ","));
            most = std::max(most, bytes);
            between = ",";
        }
        put.text("]");
        comma = ",\n";
    }
    put(FMT_COMPILE("],\n\"most\":{}}}\n</script>\n"), most);
    return put.done();
}

}}}  // namespace collsched::COLLSCHED_ABI::detail
