#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "collsched/execute/shared_memory/detail/places.hpp"

namespace collsched { inline namespace COLLSCHED_ABI { namespace detail {

/// The small messages to a rank that it may not have matched, each with an id that no other one of this rank has had.
template <class Send>
class small_slots {
  public:
    struct slot {
        std::uint64_t id = 0;
        const void* owner = nullptr;
        std::uint64_t since = 0;  ///< number of ends of owners before it was complete
        Send* send = nullptr;     ///< as long as the send is not complete
    };

    /// @param most  number of slots, 1 .. 256
    explicit small_slots(int most) : taken_(most), slots_(static_cast<std::size_t>(most)) {}

    /// Returns whether an id is one of a slot: no id of a message_pool has this bit.
    static bool is_id(std::uint64_t id) { return (id & of_slots) != 0; }

    bool is_full() const { return taken_.is_full(); }
    /// Returns a new id, of a free slot. @pre not is_full()
    std::uint64_t new_id() {
        serial_ = (serial_ + apart) % of_slots;
        return of_slots | serial_ | static_cast<std::uint64_t>(taken_.lowest_free());
    }
    /// Fills the slot of an id, which it takes if it was free.
    void fill(std::uint64_t id, const void* owner, std::uint64_t since, Send* send) {
        taken_.take(place_of(id));
        at(place_of(id)) = {id, owner, since, send};
    }
    /// The slot of this id, or null if it is free or another message's.
    slot* find(std::uint64_t id) {
        const int place = place_of(id);
        return place < taken_.count() && taken_.is_taken(place) && at(place).id == id ? &at(place) : nullptr;
    }
    /// @pre find(id)
    void free(std::uint64_t id) { taken_.free(place_of(id)); }
    void free_all() { taken_.free_all(); }
    /// Calls f for each slot; f may free it.
    void for_each(auto f) {
        taken_.for_each([&](int place) { f(at(place)); });
    }

  private:
    static constexpr std::uint64_t of_slots = std::uint64_t{1} << 62, apart = 256;

    static int place_of(std::uint64_t id) { return static_cast<int>(id % apart); }
    slot& at(int place) { return slots_[static_cast<std::size_t>(place)]; }

    places taken_;
    std::uint64_t serial_ = 0;
    std::vector<slot> slots_;
};

}}}  // namespace collsched::COLLSCHED_ABI::detail
