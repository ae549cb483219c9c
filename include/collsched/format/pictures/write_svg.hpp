#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "collsched/format/detail/block_trace.hpp"
#include "collsched/format/text.hpp"
#include "collsched/format/pictures/detail/svg_layout.hpp"
#include "collsched/format/pictures/svg_canvas.hpp"
#include "collsched/format/schedules/write_text.hpp"
#include "collsched/schedule/metrics.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

/// Returns the summary of a schedule: "p = 8 · blocks of 2 bytes · 4 steps · 4 rounds · 32 messages · 112 bytes sent".
/// @param s  schedule without error
inline std::string facts_text(const stored_schedule& s) {
    const metrics_report counted = metrics(s);
    const auto plural = [](std::int64_t n) { return n == 1 ? "" : "s"; };
    return fmt::format(FMT_COMPILE("p = {} · {} · {} step{} · {} round{} · {} message{} · {} bytes sent"), s.ranks,
                       detail::payload_text(s.contract()), counted.steps, plural(counted.steps), counted.rounds,
                       plural(counted.rounds), counted.messages, plural(counted.messages),
                       detail::total_text(counted.bytes_sent));
}

namespace detail {

/// Draws one schedule. Each function draws one part of the picture.
template <class Out>
class svg_picture {
  public:
    svg_picture(Out out, const stored_schedule& s, std::string_view name, binding binding, detail::svg_use use)
        : put_(std::move(out)),
          s_(s),
          name_(name),
          use_(use),
          style_{s.ranks},
          blocks_(s.contract()),
          messages_(trace_messages(s, binding)),
          bars_(s) {
        std::size_t longest = 0;
        for (const traced_message& m : messages_) {
            if (m.is_local()) continue;
            most_ = std::max(most_, m.bytes);
            longest = std::max(longest, std::min(label(m).size(), longest_label));
        }
        at_ = use == detail::svg_use::file ? lay_out(s, messages_, longest) : lay_out(s, messages_, longest, 46);
    }

    Out draw() {
        open();
        if (use_ == detail::svg_use::file) heading();
        rows();
        std::size_t next = 0;
        for (step_t k = 0; k < s_.steps(); ++k) {
            std::size_t last = next;
            while (last < messages_.size() && messages_[last].step == k) ++last;
            column(k, std::span(messages_).subspan(next, last - next));
            next = last;
        }
        if (at_.bars) bars_.put_column(put_, at_, s_.steps(), {});
        legend();
        put_.text("</svg>\n");
        return put_.done();
    }

  private:
    using message_span = std::span<const traced_message>;
    static constexpr std::size_t longest_label = 12;

    static double tenths(double x) { return svg_canvas<Out>::tenths(x); }

    std::string label(const traced_message& m) const {
        std::string text = block_label(blocks_, m.parts);
        if (text.empty() && m.bytes > 0)
            text = fmt::format(FMT_COMPILE("[{},{})"), m.edges[0].from_offset, m.edges[0].source().end());
        return text;
    }

    /// Returns the hue of the middle of the blocks that a message carries.
    int hue_of(const traced_message& m) const {
        const auto runs = intervals_of(blocks_, m.whole_blocks);
        if (runs.empty()) return style_.hue_class(static_cast<double>(m.src));
        const double middle = blocks_.cyclic() ? static_cast<double>(runs.front().count - 1) / 2 : 0;
        return style_.hue_class(static_cast<double>(blocks_.owner(runs.front().first)) + middle);
    }

    void open() {
        put_.open(at_.width, at_.height, fmt::format(FMT_COMPILE("{}, {} ranks"), name_, s_.ranks));
        std::vector<bool> used(svg_style::hues);
        for (const traced_message& m : messages_)
            if (!m.is_local()) used[static_cast<std::size_t>(hue_of(m))] = true;
        put_(FMT_COMPILE("<style>\n{}"), svg_style::rules);
        style_.put_hues(put_, used);
        put_.text("</style>\n<defs>");
        style_.put_gradient(put_, tenths(at_.card));
        put_.text("</defs>\n<rect class=\"paper\" width=\"100%\" height=\"100%\" rx=\"8\"/>\n");
    }

    void heading() {
        put_.words("ink title", 28, 38, name_);
        put_.words("note fact", 28, 60, facts_text(s_));
    }

    /// Draws the names and life lines of the ranks.
    void rows() {
        put_.text("<path class=\"line\" d=\"");
        for (rank_t r = 0; r < s_.ranks; ++r)
            put_(FMT_COMPILE("M{} {}H{}"), tenths(at_.left - 6), tenths(at_.y(r)), tenths(at_.right()));
        put_.text("\"/>\n");
        for (rank_t r = 0; r < s_.ranks; r += at_.row >= 13 ? 1 : 8) {
            const std::string name = std::to_string(r);
            put_.words("ink end", at_.left - 11, at_.y(r) + 4, name);
            put_.words("ink", at_.right() + 9, at_.y(r) + 4, name);
        }
    }

    void column(step_t k, message_span messages) {
        const double width = at_.x(k + 1) - at_.x(k), middle = at_.x(k) + (width + at_.card) / 2;
        if (use_ == detail::svg_use::page) put_(FMT_COMPILE("<g data-step=\"{}\">"), k);
        else put_.text("<g>");
        put_.words("ink mid", middle, at_.top - 20, fmt::format(FMT_COMPILE("{}{}"), width > 62 ? "step " : "", k));
        if (width > 66) put_.words("note small mid", middle, at_.top - 7, volume(messages));
        std::vector<const traced_message*> far_first;
        for (const traced_message& m : messages) {
            if (m.is_local()) ring(m);
            else far_first.push_back(&m);
        }
        std::sort(far_first.begin(), far_first.end(), [](const traced_message* a, const traced_message* b) {
            const rank_t far_a = std::abs(a->src - a->dst), far_b = std::abs(b->src - b->dst);
            return far_a != far_b ? far_a > far_b : a < b;
        });
        for (const traced_message* m : far_first) arrow(*m);
        if (at_.bars) bars_.put_column(put_, at_, k, messages);
        if (at_.labels) labels(messages);
        put_.text("</g>\n");
        if (at_.bars) bars_.deliver(messages);
    }

    /// Returns the number and size of messages: "16 × 2 B", "15 × ≤ 9 B".
    static std::string volume(message_span messages) {
        bytes_t least = 0, most = 0;
        std::int64_t n = 0;
        for (const traced_message& m : messages) {
            if (m.is_local()) continue;
            least = n == 0 ? m.bytes : std::min(least, m.bytes);
            most = std::max(most, m.bytes);
            ++n;
        }
        if (n == 0) return messages.empty() ? "" : "copies";
        return fmt::format(FMT_COMPILE("{} × {}{}"), n, least == most ? "" : "≤ ", short_bytes_text(most));
    }

    /// Returns the attribute by which the script of a page finds a message.
    std::string number(const traced_message& m) const {
        return use_ == detail::svg_use::file ? ""
                                             : fmt::format(FMT_COMPILE(" data-message=\"{}\""), &m - messages_.data());
    }

    void arrow(const traced_message& m) {
        const double share = most_ > 0 ? static_cast<double>(m.bytes) / static_cast<double>(most_) : 0;
        const double weight = at_.labels ? 1 + 1.4 * std::sqrt(share) : 0.7 + 0.8 * std::sqrt(share);
        const bool far = 2 * std::abs(m.src - m.dst) > s_.ranks && s_.ranks > 4;
        put_(FMT_COMPILE("<path class=\"a h{}\"{} stroke-width=\"{:.2g}\"{}{} d=\""), hue_of(m), number(m), weight,
             far ? " opacity=\"0.55\"" : "", m.bytes == 0 ? " stroke-dasharray=\"3 3\"" : "");
        put_.arrow(at_.tail(m.step), at_.y(m.src), at_.head(m.step), at_.y(m.dst), at_.labels ? 7 : 5);
        put_.text("\"><title>");
        put_tooltip(m);
        put_.text("</title></path>\n");
    }

    /// Draws a copy within a rank as a ring.
    void ring(const traced_message& m) {
        put_(FMT_COMPILE("<circle class=\"copy\"{} cx=\"{}\" cy=\"{}\" r=\"{}\"><title>"), number(m),
             tenths(at_.ring(m.step)), tenths(at_.y(m.src)), at_.labels ? 2.4 : 1.4);
        put_tooltip(m);
        put_.text("</title></circle>\n");
    }

    /// Writes the tooltip of a message.
    void put_tooltip(const traced_message& m) {
        put_(FMT_COMPILE("step {}: {} "), m.step, m.src);
        if (m.is_local()) put_.text("copies");
        else put_(FMT_COMPILE("→ {}"), m.dst);
        if (!m.parts.empty()) put_(FMT_COMPILE(", block {}"), block_label(blocks_, m.parts));
        put_(FMT_COMPILE(", {}"), bytes_text(m.bytes));
        for (const edge& e : m.edges.first(std::min<std::size_t>(m.edges.size(), 3)))
            put_(FMT_COMPILE("; {}[{},{}) → {}[{},{})"), name_of(e.from), e.from_offset, e.source().end(),
                 name_of(e.into), e.into_offset, e.target().end());
        if (m.edges.size() > 3) put_.text("; ...");
    }

    /// Writes the blocks that each sender sends, over its card.
    void labels(message_span messages) {
        for (std::size_t i = 0; i < messages.size();) {
            const traced_message& first = messages[i];
            std::string words;
            for (; i < messages.size() && messages[i].src == first.src; ++i) {
                if (messages[i].is_local() || words.size() > longest_label) continue;
                const std::string text = label(messages[i]);
                if (words.find(text) == words.npos) words += (words.empty() ? "" : " ") + text;
            }
            if (words.size() > longest_label) words = words.substr(0, longest_label - 1) + "…";
            if (!words.empty())
                put_.words("ink block mid", at_.x(first.step) + at_.card / 2, at_.y(first.src) - 8, words);
        }
    }

    void legend() {
        double y = at_.height - (at_.bars ? 58 : 20);
        const double next = 28 + at_.card + 10;
        const auto line = [&](std::string_view sample, std::string_view words) {
            put_(FMT_COMPILE("<g transform=\"translate(28 {})\">{}</g>"), tenths(y), sample);
            put_.words("note", next, y + 4, words);
            y += 19;
        };
        const double card = tenths(at_.card), half = tenths(at_.card / 2), fifth = tenths(at_.card / 5);
        if (at_.bars) {
            line(fmt::format(FMT_COMPILE("<path stroke=\"url(#blocks)\" stroke-width=\"4\" d=\"M0 0h{}\"/>"), card),
                 fmt::format(FMT_COMPILE("the blocks 0 to {} that a rank holds, colored by the rank they {}"),
                             s_.ranks - 1, s_.contract().collective == collective::scatter ? "go to" : "come from"));
            line(fmt::format(FMT_COMPILE("<path class=\"track\" stroke-width=\"4\" d=\"M0 0h{}\"/><path "
                                         "stroke=\"url(#blocks)\" stroke-width=\"10\" d=\"M{} 0h{}\"/>"),
                             card, fifth, half),
                 at_.labels ? "raised: the blocks that it sends, named above (p-1 goes on at 0)"
                            : "raised: the blocks that it sends");
        }
        line(
            fmt::format(FMT_COMPILE("<path class=\"line\" d=\"M0 0h{}\"/><circle class=\"copy\" cx=\"{}\" r=\"2.4\"/>"),
                        card, half),
            "ring: a copy within the rank; arrows are wider for more bytes; hover for buffers and offsets");
    }

    svg_canvas<Out> put_;
    const stored_schedule& s_;
    std::string_view name_;
    detail::svg_use use_;
    svg_style style_;
    traced_blocks blocks_;
    std::vector<traced_message> messages_;
    svg_layout at_;
    bytes_t most_ = 0;
    svg_bars bars_;
};

}  // namespace detail

/// Writes a picture of a schedule: ranks are rows, steps are columns, and each message is an arrow. The bar of each
/// rank shows the blocks that it holds, in the colors of their source ranks, and above it the blocks that it sends. The
/// colors suit light and dark pages. Small schedules are labeled; large ones have tooltips. `binding` is the binding of
/// an in-place schedule. O(edges) text, O(messages + ranks^2) memory.
/// @param out      output iterator for the text
/// @param s        schedule without error
/// @param name     such as "allgather/ring"
/// @param binding  how input and output overlap
/// @param use      a file of its own, or a part of an HTML page
/// @return the iterator behind the text
template <std::output_iterator<char> Out>
Out write_svg(Out out, const stored_schedule& s, std::string_view name, binding binding = binding::separate,
              detail::svg_use use = detail::svg_use::file) {
    return detail::svg_picture<Out>(std::move(out), s, name, binding, use).draw();
}

}}  // namespace collsched::COLLSCHED_ABI
