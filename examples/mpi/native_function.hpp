#pragma once

#include <mpi.h>
#if defined(OPEN_MPI) && MPI_VERSION < 4
#include <mpi-ext.h>
#endif

#include <atomic>
#include <cstddef>

#include "interception.hpp"

namespace collsched::preload {

/// The name of a function, as a template argument.
template <std::size_t Size>
struct function_name {
    constexpr function_name(const char (&text)[Size]) {
        for (std::size_t i = 0; i < Size; ++i) letters[i] = text[i];
    }
    char letters[Size] = {};
};

/// The MPI library's own function of a name, searched at its first call: a library of the program may call MPI before
/// the constructors of this one run.
template <function_name Name, class Signature>
class native_function;

template <function_name Name, class Result, class... Arguments>
class native_function<Name, Result(Arguments...)> {
  public:
    static Result call(Arguments... given) { return address_.load(std::memory_order_relaxed)(given...); }

  private:
    static Result call_first(Arguments... given) {
        address_.store(reinterpret_cast<Result (*)(Arguments...)>(find_native(Name.letters)),
                       std::memory_order_relaxed);
        return call(given...);
    }

    static inline constinit std::atomic<Result (*)(Arguments...)> address_ = &call_first;
};

/// In its argument, the macro of the same name is not expanded again.
#define COLLSCHED_NATIVE(name) ::collsched::preload::native_function<#name, decltype(::name)>::call

/// Exports functions prefix NAME suffix, which the file defines, as P prefix NAME suffix too.
#define COLLSCHED_ALSO_PMPI(prefix, suffix, ...)                                                                    \
    asm(".irp name," #__VA_ARGS__ "\n.globl P" #prefix "\\name\\()" #suffix "\n.set P" #prefix "\\name\\()" #suffix \
        "," #prefix "\\name\\()" #suffix "\n.endr")

}  // namespace collsched::preload
