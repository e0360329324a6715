#include "support.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace holdfast::bench {
namespace {

[[noreturn]] void print_usage(const std::map<std::string, std::size_t>& defaults) {
  std::fputs("each takes a number above 0:", stderr);
  for (const auto& [name, value] : defaults) {
    std::fprintf(stderr, " --%s (%zu)", name.c_str(), value);
  }
  std::fputs("\n", stderr);
  std::exit(2);
}

}  // namespace

Arguments::Arguments(int argc, char** argv, std::map<std::string, std::size_t> defaults)
    : values_(defaults) {
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::string_view text = i + 1 < argc ? argv[i + 1] : "";
    std::size_t value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_number = parsed.ec == std::errc{} && parsed.ptr == text.data() + text.size();
    const auto known = values_.find(std::string(name.substr(name.starts_with("--") ? 2 : 0)));
    if (known == values_.end() || !is_number || value == 0) print_usage(defaults);
    known->second = value;
  }
}

}  // namespace holdfast::bench
