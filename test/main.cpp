#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <sys/resource.h>
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

/// Ends a test program whose case does not end, and names the case. A fault in a header can make a loop of its test endless.
/// Outside Bazel a case may take `case_seconds`. Under Bazel a program may take nine tenths of its timeout, so that the
/// message comes before Bazel's signal. Memory is bounded too: an endless list fails its case with std::bad_alloc.
class watchdog : public doctest::IReporter {
  public:
    explicit watchdog(const doctest::ContextOptions&) {
        if (const char* const seconds = std::getenv("TEST_TIMEOUT")) program_seconds_ = std::atol(seconds) * 9 / 10;
    }

    void test_run_start() override {
        std::signal(SIGALRM, end_program);
        rlimit data{};
        if (shadow_memory || ::getrlimit(RLIMIT_DATA, &data) != 0) return;
        data.rlim_cur = std::min(data.rlim_cur, data_bytes);
        ::setrlimit(RLIMIT_DATA, &data);
    }
    void test_case_start(const doctest::TestCaseData& one) override {
        long seconds = case_seconds;
        if (program_seconds_ > 0) seconds = program_seconds_ - static_cast<long>(std::time(nullptr) - begin_);
        std::snprintf(message, sizeof message, "\n%s:%u: the case did not end in time: %s\n", one.m_file.c_str(),
                      one.m_line, one.m_name);
        ::alarm(static_cast<unsigned>(std::max(seconds, 1L)));
    }
    void test_case_end(const doctest::CurrentTestCaseStats&) override { ::alarm(0); }

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

    /// The case may have been interrupted anywhere, also in malloc: nothing but system calls is safe here.
    static void end_program(int) {
        if (::write(STDERR_FILENO, message, std::strlen(message)) < 0) ::_exit(3);
        ::_exit(2);
    }

    static inline char message[1000] = "";
    const std::time_t begin_ = std::time(nullptr);
    long program_seconds_ = 0;
};

}  // namespace

DOCTEST_REGISTER_LISTENER("watchdog", 0, watchdog);
