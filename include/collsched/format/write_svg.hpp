#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "collsched/format/hue_circle.hpp"
#include "collsched/format/message_trace.hpp"
#include "collsched/format/pen.hpp"
#include "collsched/format/svg_layout.hpp"
#include "collsched/format/write_text.hpp"
#include "collsched/schedule/metrics.hpp"

namespace collsched {

namespace detail {

/// Draws one schedule; each function puts one part of the picture.
template <class Out>
class svg_picture {
  public:
    svg_picture(Out out, const stored_schedule& s, std::string_view name)
        : put_(std::move(out)), s_(s), name_(name), counted_(metrics(s)), messages_(trace_messages(s)) {
        std::size_t longest = 0;
        for (const traced_message& m : messages_) {
            if (m.is_local()) continue;
            most_ = std::max(most_, m.bytes);
            longest = std::max(longest, std::min(label(m).size(), longest_label));
        }
        at_ = lay_out(s, messages_, longest);
        held_.assign(static_cast<std::size_t>(at_.bars ? s.ranks * s.ranks : 0), false);
        if (at_.bars)
            for (rank_t r = 0; r < s.ranks; ++r) held(r, r) = s.promise().blocks.count(r) > 0;
    }

    Out draw() {
        open();
        style();
        heading();
        rows();
        std::size_t next = 0;
        for (step_t k = 0; k < s_.steps(); ++k) {
            std::size_t last = next;
            while (last < messages_.size() && messages_[last].step == k) ++last;
            column(k, std::span(messages_).subspan(next, last - next));
            next = last;
        }
        cards(s_.steps(), {});
        legend();
        put_.text("</svg>\n");
        return put_.done();
    }

  private:
    static constexpr int hues = 72;
    static constexpr std::size_t longest_label = 12;

    std::vector<bool>::reference held(rank_t r, rank_t block) {
        return held_[static_cast<std::size_t>(r * s_.ranks + block)];
    }

    /// Tenths are fine enough, and short.
    static double tenths(double x) { return std::round(x * 10) / 10; }

    std::string label(const traced_message& m) const {
        std::string text = block_label(s_.promise().blocks, s_.ranks, m.parts);
        if (text.empty() && m.bytes > 0)
            text = fmt::format(FMT_COMPILE("{}-{}"), m.edges[0].from_offset, m.edges[0].source().end() - 1);
        return text;
    }

    double turns(double block) const { return 0.07 + block / static_cast<double>(s_.ranks); }

    /// The hue of the middle of what a message carries.
    int hue_of(const traced_message& m) const {
        double block = static_cast<double>(m.src);
        if (const auto runs = intervals_of(s_.promise().blocks, s_.ranks, m.whole_blocks); !runs.empty())
            block = static_cast<double>(runs.front().first) + static_cast<double>(runs.front().count - 1) / 2;
        const double part = turns(block) - std::floor(turns(block));
        return static_cast<int>(part * hues + 0.5) % hues;
    }

    void open() {
        put_(FMT_COMPILE(R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" )"),
             std::ceil(at_.width), std::ceil(at_.height));
        put_(FMT_COMPILE("role=\"img\" font-family=\"system-ui,'DejaVu Sans',Helvetica,Arial,sans-serif\">\n<title>{}, {} "
                         "ranks</title>\n"),
             xml_text(name_), s_.ranks);
    }

    void style() {
        put_(FMT_COMPILE("<style>\n{}{}</style>\n<defs><linearGradient id=\"blocks\" gradientUnits=\"userSpaceOnUse\" "
                         "x1=\"0\" x2=\"{}\" y1=\"0\" y2=\"0\">"),
             rules, hue_rules(), tenths(at_.card));
        const rank_t stops = std::min<rank_t>(s_.ranks, 64);
        for (rank_t i = 0; i < stops; ++i) {
            const double from = static_cast<double>(i) / static_cast<double>(stops);
            const double to = static_cast<double>(i + 1) / static_cast<double>(stops);
            const double middle = (from + to) / 2 * static_cast<double>(s_.ranks) - 0.5;
            const std::string colour = hex_text(hue_circle(turns(middle)));
            put_(FMT_COMPILE("<stop offset=\"{:.5f}\" stop-color=\"{}\"/>"), from, colour);
            put_(FMT_COMPILE("<stop offset=\"{:.5f}\" stop-color=\"{}\"/>"), to, colour);
        }
        put_.text("</linearGradient></defs>\n<rect class=\"paper\" width=\"100%\" height=\"100%\" rx=\"8\"/>\n");
    }

    static constexpr std::string_view rules =
        ".paper{fill:#fff}.ink{fill:#20252b}.note{fill:#68717c}.band{fill:#f4f6f8}.line{stroke:#d3d9df;fill:none}\n"
        ".track{stroke:#e2e6ea;fill:none}.copy{fill:none;stroke:#8a939d;stroke-width:1.1}text{font-size:11px}\n"
        ".title{font-size:19px;font-weight:600}.fact{font-size:12.5px}.block{font-size:10px}.small{font-size:9px}\n"
        ".mid{text-anchor:middle}.end{text-anchor:end}.a{stroke-linejoin:round}.a:hover{stroke-width:4}\n"
        "@media (prefers-color-scheme:dark){.paper{fill:#15191e}.ink{fill:#e8ebee}.note{fill:#98a2ad}\n"
        ".band{fill:#1b2026}.line{stroke:#39414a}.track{stroke:#2b323a}.copy{stroke:#7f8994}}\n";

    std::string hue_rules() const {
        std::vector<bool> used(hues);
        for (const traced_message& m : messages_)
            if (!m.is_local()) used[static_cast<std::size_t>(hue_of(m))] = true;
        std::string text;
        for (int i = 0; i < hues; ++i)
            if (used[static_cast<std::size_t>(i)])
                fmt::format_to(std::back_inserter(text), FMT_COMPILE(".h{0}{{stroke:{1};fill:{1}}}"), i,
                               hex_text(hue_circle(static_cast<double>(i) / hues)));
        return text += '\n';
    }

    void heading() {
        put_(FMT_COMPILE("<text class=\"ink title\" x=\"28\" y=\"38\">{}</text>\n"), xml_text(name_));
        put_(FMT_COMPILE("<text class=\"note fact\" x=\"28\" y=\"60\">p = {} \u00b7 {} \u00b7 {} step{} \u00b7 {} round{} \u00b7 "),
             s_.ranks, payload_text(s_.promise()), counted_.steps, counted_.steps == 1 ? "" : "s", counted_.rounds,
             counted_.rounds == 1 ? "" : "s");
        put_(FMT_COMPILE("{} messages \u00b7 {} bytes sent</text>\n"), counted_.messages, total_text(counted_.bytes_sent));
    }

    /// The ranks' names and life lines.
    void rows() {
        const double end = at_.right();
        const rank_t every = at_.row >= 14 ? 1 : 8;
        put_.text("<path class=\"line\" d=\"");
        for (rank_t r = 0; r < s_.ranks; ++r)
            put_(FMT_COMPILE("M{} {}H{}"), tenths(at_.left - 6), tenths(at_.y(r)), tenths(end));
        put_.text("\"/>\n");
        for (rank_t r = 0; r < s_.ranks; r += every) {
            put_(FMT_COMPILE("<text class=\"ink end\" x=\"{}\" y=\"{}\">{}</text>"), tenths(at_.left - 11),
                 tenths(at_.y(r) + 4), r);
            put_(FMT_COMPILE("<text class=\"ink\" x=\"{}\" y=\"{}\">{}</text>\n"), tenths(end + 8), tenths(at_.y(r) + 4), r);
        }
    }

    void column(step_t k, std::span<const traced_message> messages) {
        const double begin = at_.x(k), end = at_.x(k + 1);
        put_(FMT_COMPILE("<g><text class=\"ink mid\" x=\"{}\" y=\"{}\">{}{}</text>\n"), tenths((begin + end) / 2),
             tenths(at_.top - 18), end - begin > 60 ? "step " : "", k);
        if (end - begin > 66)
            put_(FMT_COMPILE("<text class=\"note small mid\" x=\"{}\" y=\"{}\">{}</text>\n"), tenths((begin + end) / 2),
                 tenths(at_.top - 5), volume(messages));
        std::vector<const traced_message*> far_first;
        for (const traced_message& m : messages) {
            if (m.is_local()) copy(m);
            else far_first.push_back(&m);
        }
        std::stable_sort(far_first.begin(), far_first.end(), [](const traced_message* a, const traced_message* b) {
            return std::abs(a->src - a->dst) > std::abs(b->src - b->dst);
        });
        for (const traced_message* m : far_first) arrow(*m);
        cards(k, messages);
        if (at_.labels) labels(messages);
        put_.text("</g>\n");
        if (!at_.bars) return;
        for (const traced_message& m : messages)
            for (const rank_t block : m.whole_blocks) held(m.dst, block) = true;
    }

    /// "16 x 2 B", "15 x 1 to 9 B"
    static std::string volume(std::span<const traced_message> messages) {
        bytes_t least = 0, most = 0;
        std::int64_t n = 0;
        for (const traced_message& m : messages) {
            if (m.is_local()) continue;
            least = n == 0 ? m.bytes : std::min(least, m.bytes);
            most = std::max(most, m.bytes);
            ++n;
        }
        if (n == 0) return "copies";
        return fmt::format(FMT_COMPILE("{} \u00d7 {}{}"), n, least == most ? "" : "\u2264 ", short_bytes_text(most));
    }

    void arrow(const traced_message& m) {
        const double x0 = at_.tail(m.step), y0 = at_.y(m.src), x1 = at_.head(m.step), y1 = at_.y(m.dst);
        const double length = std::hypot(x1 - x0, y1 - y0), ux = (x1 - x0) / length, uy = (y1 - y0) / length;
        const double size = at_.labels ? 7 : 5, half = size * 0.38;
        const double bx = x1 - size * ux, by = y1 - size * uy;
        const double share = most_ > 0 ? static_cast<double>(m.bytes) / static_cast<double>(most_) : 0;
        const double weight = at_.labels ? 1 + 1.4 * std::sqrt(share) : 0.7 + 0.8 * std::sqrt(share);
        const bool far = 2 * std::abs(m.src - m.dst) > s_.ranks && s_.ranks > 4;
        put_(FMT_COMPILE("<path class=\"a h{}\" stroke-width=\"{:.2g}\"{}{} d=\"M{} {}L{} {}"), hue_of(m),
             weight, far ? " opacity=\"0.55\"" : "", m.bytes == 0 ? " stroke-dasharray=\"3 3\"" : "", tenths(x0), tenths(y0),
             tenths(bx), tenths(by));
        put_(FMT_COMPILE("L{} {}L{} {}L{} {}L{} {}\"><title>"), tenths(bx - half * uy), tenths(by + half * ux), tenths(x1),
             tenths(y1), tenths(bx + half * uy), tenths(by - half * ux), tenths(bx), tenths(by));
        told(m);
        put_.text("</title></path>\n");
    }

    /// A ring under the card.
    void copy(const traced_message& m) {
        put_(FMT_COMPILE("<circle class=\"copy\" cx=\"{}\" cy=\"{}\" r=\"{}\"><title>"), tenths(at_.x(m.step) + at_.card / 2),
             tenths(at_.y(m.src) + at_.row * 0.32), at_.labels ? 2.2 : 1.2);
        told(m);
        put_.text("</title></circle>\n");
    }

    /// What hovering tells of a message.
    void told(const traced_message& m) {
        put_(FMT_COMPILE("step {}: {} "), m.step, m.src);
        if (m.is_local()) put_.text("copies");
        else put_(FMT_COMPILE("\u2192 {}"), m.dst);
        if (!m.parts.empty())
            put_(FMT_COMPILE(", block {}"), block_label(s_.promise().blocks, s_.ranks, m.parts));
        put_(FMT_COMPILE(", {}"), bytes_text(m.bytes));
        for (const edge& e : m.edges.first(std::min<std::size_t>(m.edges.size(), 3)))
            put_(FMT_COMPILE("; {}[{},{}) \u2192 {}[{},{})"), name_of(e.from), e.from_offset, e.source().end(),
                 name_of(e.into), e.into_offset, e.target().end());
        if (m.edges.size() > 3) put_.text("; ...");
    }

    /// What every rank holds before step k, and in bolder strokes what it sends then.
    void cards(step_t k, std::span<const traced_message> messages) {
        if (!at_.bars) return;
        put_(FMT_COMPILE("<g transform=\"translate({})\"><path class=\"track\" stroke-width=\"{}\" d=\""), tenths(at_.x(k)),
             at_.labels ? 4 : 3);
        for (rank_t r = 0; r < s_.ranks; ++r) put_(FMT_COMPILE("M0 {}h{}"), tenths(at_.y(r)), tenths(at_.card));
        put_(FMT_COMPILE("\"/><path stroke=\"url(#blocks)\" fill=\"none\" stroke-width=\"{}\" d=\""), at_.labels ? 4 : 3);
        for (rank_t r = 0; r < s_.ranks; ++r)
            bar(r, [&](rank_t block) { return static_cast<bool>(held(r, block)); });
        put_(FMT_COMPILE("\"/><path stroke=\"url(#blocks)\" fill=\"none\" stroke-width=\"{}\" d=\""), at_.labels ? 10 : 7);
        for (const traced_message& m : messages)
            if (!m.is_local())
                bar(m.src, [&, next = m.whole_blocks.begin()](rank_t block) mutable {
                    if (next == m.whole_blocks.end() || *next != block) return false;
                    ++next;
                    return true;
                });
        put_.text("\"/></g>\n");
    }

    /// Strokes over the blocks for which has(block), asked in ascending order.
    template <class Has>
    void bar(rank_t r, Has has) {
        const double cell = at_.card / static_cast<double>(s_.ranks);
        for (rank_t block = 0, first = -1; block <= s_.ranks; ++block) {
            const bool on = block < s_.ranks && has(block);
            if (on && first < 0) first = block;
            if (on || first < 0) continue;
            put_(FMT_COMPILE("M{:.2f} {}h{:.2f}"), cell * static_cast<double>(first), tenths(at_.y(r)),
                 cell * static_cast<double>(block - first));
            first = -1;
        }
    }

    /// Over the card of each sender, what it sends.
    void labels(std::span<const traced_message> messages) {
        std::string texts;
        const auto sends = [&](const traced_message& m) { return !m.is_local() && m.bytes > 0; };
        for (std::size_t i = 0; i < messages.size();) {
            const traced_message& first = messages[i];
            texts.clear();
            for (; i < messages.size() && messages[i].src == first.src; ++i)
                if (sends(messages[i]) && texts.find(label(messages[i])) == texts.npos)
                    texts += (texts.empty() ? "" : " ") + label(messages[i]);
            if (texts.size() > longest_label) texts = texts.substr(0, longest_label - 1) + "\u2026";
            put_(FMT_COMPILE("<text class=\"ink block mid\" x=\"{}\" y=\"{}\">{}</text>\n"),
                 tenths(at_.x(first.step) + at_.card / 2), tenths(at_.y(first.src) - 8), texts);
        }
    }

    void legend() {
        const double y = at_.height - 44;
        put_(FMT_COMPILE("<g transform=\"translate(28 {})\"><path stroke=\"url(#blocks)\" stroke-width=\"8\" d=\"M0 0h{}\"/>"),
             tenths(y), tenths(at_.card));
        put_(FMT_COMPILE("<text class=\"note\" x=\"{}\" y=\"4\">blocks 0 to {}, coloured by the rank they come from</text>"),
             tenths(at_.card + 8), s_.ranks - 1);
        put_.text("</g>\n");
    }

    pen<Out> put_;
    const stored_schedule& s_;
    std::string_view name_;
    metrics_report counted_;
    std::vector<traced_message> messages_;
    svg_layout at_;
    bytes_t most_ = 0;
    std::vector<bool> held_;
};

}  // namespace detail

/// A picture of a schedule: ranks down, steps across, an arrow a message. Every rank's bar shows which blocks it holds,
/// in the colours of the ranks they come from, and over it which it sends. Readable on light and on dark pages; small
/// schedules are labelled, in large ones hovering tells. O(edges) text, O(messages + ranks^2) memory.
template <std::output_iterator<char> Out>
Out write_svg(Out out, const stored_schedule& s, std::string_view name) {
    return detail::svg_picture<Out>(std::move(out), s, name).draw();
}

}  // namespace collsched
