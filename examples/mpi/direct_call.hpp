#pragma once

#include <array>
#include <cstdint>

#include "collsched/execute/engine.hpp"
#include "node.hpp"

namespace collsched::preload {

/// A blocking call over shared memory whose plan has one step without scratch: at most one message in each direction, and
/// copies within the rank. A result that is combined in scratch only to be copied is combined where it is copied to. No
/// executor is needed, whose lists and states take longer than a short message.
class direct_call {
  public:
    /// Fills it in if the plan permits. @param op  outlives it, as does the memory
    void prepare(const plan& steps, const plan::buffers& memory, const reduction& op);
    void forget() { ready_ = false; }
    bool is_ready() const { return ready_; }

    /// Carries out the call. @param number  of the start @param wait  called between polls @return MPI_SUCCESS or the error of a message
    template <class Wait>
    int run(call_transport& over, std::uint64_t number, Wait wait) {
        number_ = number;
        begin(over);
        while (in_flight_ > 0 && error_ == MPI_SUCCESS) {
            if (const completion c = over.poll(); !c.empty()) deliver(c);
            else if (!copied_) copy();
            else wait();
        }
        if (!copied_) copy();
        if (error_ != MPI_SUCCESS) over.cancel(this);
        return error_;
    }

  private:
    static constexpr std::size_t most_nodes = 4;

    struct message_end {
        bool exists = false, has_bytes = false;
        rank_t peer = 0;
        std::int64_t sequence = 0;
    };
    struct local_copy {
        message::receive_part into;
        message::send_part from;
    };

    bool add(const plan& steps, const plan::node& node, const plan::buffers& memory, const reduction& op);
    bool combine_into(const local_copy& result);
    bool uses_scratch() const;
    void begin(call_transport& over);
    void copy();
    void receive(call_transport& over);
    message::key key_of(const message_end& one) {
        return {.peer = one.peer,
                .epoch = number_,
                .sequence = one.sequence,
                .request = {this, ++requests_,
                            [](void* self, const completion& c) { static_cast<direct_call*>(self)->end(c.error); }}};
    }
    void note(int result) {
        if (result == 0) ++in_flight_;
        else if (result != already_complete) error_ = result;
    }
    void end(int error) {
        --in_flight_;
        if (error != 0) error_ = error;
    }

    bool ready_ = false;
    message_end out_, in_;
    message::send_part sent_;
    message::receive_part received_;
    message::combined_part combined_;  ///< without op: the message is not combined
    std::array<local_copy, most_nodes> copies_;
    std::size_t copies_used_ = 0;
    bytes_t copied_bytes_ = 0;
    bool copied_ = false;
    std::int64_t requests_ = 0;
    std::uint64_t number_ = 0;  // of the start
    int in_flight_ = 0, error_ = 0;
};

}  // namespace collsched::preload
