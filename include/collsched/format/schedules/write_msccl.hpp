#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "collsched/format/schedules/msccl_program.hpp"
#include "collsched/format/detail/pen.hpp"
#include "collsched/format/text.hpp"

namespace collsched { inline namespace COLLSCHED_ABI {

namespace detail {

/// Returns the prefix of a name, escaped for XML, that fits into an attribute. The loaders do not check the length.
inline std::string msccl_name(std::string_view name) {
    auto end = std::min(name.size(), static_cast<std::size_t>(msccl_limits::name));
    const auto splits_character = [&] {
        return end < name.size() && (static_cast<unsigned char>(name[end]) >> 6) == 2;
    };
    while (end > 0 && (splits_character() || xml_text(name.substr(0, end)).size() > msccl_limits::name)) --end;
    return xml_text(name.substr(0, end));
}

}  // namespace detail

/// Writes an MSCCL program as XML in the form that the parsers of MSCCL and RCCL accept: no prolog, and one blank
/// between attributes. A name of more than 255 bytes is truncated.
/// @pre !program.check()
/// @param out      output iterator for the text
/// @param program  a program without error
/// @param name     such as "allgather/ring"
/// @param binding  binding of the program
/// @return the iterator behind the text
template <std::output_iterator<char> Out>
Out write_msccl(Out out, const msccl_program& program, std::string_view name, binding binding = binding::separate) {
    constexpr char letter[] = {'i', 'o', 's'};
    detail::pen put(std::move(out));
    const bool in_place = binding == binding::in_place;
    const bool joined =
        program.collective() == collective::reduce_scatter && program.loaded_by() == msccl_program::loader::rccl;
    put(FMT_COMPILE(R"(<algo name="{}" proto="Simple" nchannels="{}" nchunksperloop="{}" ngpus="{}" coll="{}" )"),
        detail::msccl_name(name), program.channels(), program.chunks(), program.gpus().size(),
        joined ? "reducescatter" : name_of(program.collective()));
    put(FMT_COMPILE(R"(inplace="{}" outofplace="{}" minBytes="0" maxBytes="{}">)"
                    "\n"),
        in_place ? 1 : 0, in_place ? 0 : 1, program.limits().most_bytes);
    for (std::size_t r = 0; r < program.gpus().size(); ++r) {
        const msccl_program::gpu& gpu = program.gpus()[r];
        put(FMT_COMPILE(R"(<gpu id="{}" i_chunks="{}" o_chunks="{}" s_chunks="{}">)"
                        "\n"),
            r, gpu.input, gpu.output, gpu.scratch);
        for (std::size_t b = 0; b < gpu.blocks.size(); ++b) {
            const msccl_program::thread_block& block = gpu.blocks[b];
            put(FMT_COMPILE(R"(<tb id="{}" send="{}" recv="{}" chan="{}">)"
                            "\n"),
                b, block.sends_to, block.hears_from, block.channel);
            for (std::size_t k = 0; k < block.steps.size(); ++k) {
                const msccl_program::step& step = block.steps[k];
                put(FMT_COMPILE(R"(<step s="{}" type="{}" srcbuf="{}" srcoff="{}" dstbuf="{}" dstoff="{}" cnt="{}" )"),
                    k, step.type, letter[static_cast<int>(step.from)], step.from_chunk,
                    letter[static_cast<int>(step.into)], step.into_chunk, step.chunks);
                put(FMT_COMPILE(R"(depid="{}" deps="{}" hasdep="{}"/>)"
                                "\n"),
                    step.waits_for_block, step.waits_for_step, step.waited_for ? 1 : 0);
            }
            put.text("</tb>\n");
        }
        put.text("</gpu>\n");
    }
    put.text("</algo>\n");
    return put.done();
}

}}  // namespace collsched::COLLSCHED_ABI
