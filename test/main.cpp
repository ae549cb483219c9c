#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

#if defined(__has_feature)
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || HAS_FEATURE(address_sanitizer) || \
    HAS_FEATURE(thread_sanitizer) || HAS_FEATURE(memory_sanitizer)
constexpr bool shadow_memory = true;  // the data limit would count it
#else
constexpr bool shadow_memory = false;
#endif

/// Ends a test program whose case does not end, and names the case. A fault in a header can make a loop of its test endless, or
/// ranks wait for each other. A case may compute for `case_seconds`, and be idle for `idle_seconds`; under Bazel both are at most
/// nine tenths of the test's timeout, so that the message comes before Bazel's signal. Both count processor time, so that other
/// work on the machine ends no case. Memory is bounded too: an endless list fails its case with std::bad_alloc.
class watchdog : public doctest::IReporter {
  public:
    explicit watchdog(const doctest::ContextOptions&) {
        const char* const timeout = std::getenv("TEST_TIMEOUT");
        if (timeout == nullptr) return;
        busy_seconds_ = std::max(std::atol(timeout) * 9 / 10, 1L);
        idle_seconds_ = std::min(idle_seconds_, busy_seconds_);
    }

    void test_run_start() override {
        std::signal(SIGPROF, end_busy);
        std::signal(SIGALRM, end_idle);
        rlimit data{};
        if (shadow_memory || ::getrlimit(RLIMIT_DATA, &data) != 0) return;
        data.rlim_cur = std::min(data.rlim_cur, data_bytes);
        ::setrlimit(RLIMIT_DATA, &data);
    }
    void test_case_start(const doctest::TestCaseData& one) override {
        std::snprintf(message, sizeof message, "\n%s:%u: the case did not end in time: %s\n", one.m_file.c_str(),
                      one.m_line, one.m_name);
        limit(busy_seconds_);
        used_ = tenths_used();
        ::alarm(static_cast<unsigned>(idle_seconds_));
    }
    void test_case_end(const doctest::CurrentTestCaseStats&) override {
        limit(0);
        ::alarm(0);
    }

    void report_query(const doctest::QueryData&) override {}
    void test_run_end(const doctest::TestRunStats&) override {}
    void test_case_reenter(const doctest::TestCaseData&) override {}
    void test_case_exception(const doctest::TestCaseException&) override {}
    void subcase_start(const doctest::SubcaseSignature&) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData&) override {}
    void log_message(const doctest::MessageData&) override {}
    void test_case_skipped(const doctest::TestCaseData&) override {}

  private:
    static constexpr long case_seconds = 600;
    static constexpr rlim_t data_bytes = rlim_t{8} << 30;

    /// Returns the processor time of all threads, in tenths of a second.
    static long tenths_used() {
        timespec now{};
        ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        return static_cast<long>(now.tv_sec * 10 + now.tv_nsec / 100'000'000);
    }
    static void limit(long seconds) {
        const itimerval once{{}, {seconds, 0}};
        ::setitimer(ITIMER_PROF, &once, nullptr);
    }

    /// The case may have been interrupted anywhere, also in malloc: nothing but system calls is safe here.
    static void end_busy(int) { end("it computed too long\n"); }
    static void end(const char* reason) {
        if (::write(STDERR_FILENO, message, std::strlen(message)) < 0) ::_exit(3);
        if (::write(STDERR_FILENO, reason, std::strlen(reason)) < 0) ::_exit(3);
        ::_exit(2);
    }
    static void end_idle(int) {
        const long used = tenths_used();
        if (used == used_) end("its threads wait for each other\n");
        used_ = used;
        ::alarm(static_cast<unsigned>(idle_seconds_));
    }

    static inline char message[1000] = "";
    static inline long used_ = 0;
    static inline long idle_seconds_ = 300;
    long busy_seconds_ = case_seconds;
};

}  // namespace

DOCTEST_REGISTER_LISTENER("watchdog", 0, watchdog);
