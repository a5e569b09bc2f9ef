// The part of fmt that is not templates, compiled once and statically. Debian has fmt as a shared
// library, which would bring libstdc++.so and half a millisecond of dynamic linking to every
// `cove run`, or header-only, which would compile these functions again in each of our files.
// From fmt 10 on (which divides itself differently) it is used header-only.
#include <fmt/core.h>

#if FMT_VERSION < 100000

#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl(locale_ref) -> char;
template auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template void buffer<char>::append(const char*, const char*);
template void vformat_to(buffer<char>&, string_view, basic_format_args<FMT_BUFFER_CONTEXT(char)>,
                         locale_ref);

}  // namespace detail
FMT_END_NAMESPACE

#endif
