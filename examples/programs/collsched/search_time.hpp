#pragma once

#include <chrono>
#include <functional>
#include <memory>

/// The time that a search may take: processor time of this program, in all its threads. The first interrupt (SIGINT) ends
/// the search as if its time were over; the second one ends the program.
class search_time {
  public:
    /// Begins the time.
    explicit search_time(std::chrono::microseconds budget);

    /// Returns whether no more schedules are to be tried, callable concurrently: three quarters of the time are over. The rest
    /// is for the exact prices of the best ones.
    std::function<bool()> is_over() const;
    /// Returns whether the time is over, callable concurrently. After an interrupt a second is left.
    std::function<bool()> is_late() const;
    /// Returns the time since the beginning.
    std::chrono::microseconds used() const;
    /// Returns whether the program was interrupted.
    static bool is_interrupted();

  private:
    struct clock;

    std::shared_ptr<clock> clock_;
};
