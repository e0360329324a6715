#include <holdfast/core/faults.h>
#include <holdfast/core/log.h>

#include "support/catch.h"

#include <spdlog/sinks/null_sink.h>
#include <spdlog/spdlog.h>

#include <string>

using namespace holdfast;

TEST_CASE("without a host's logger, only warnings and worse are logged", "[core]") {
  spdlog::drop("holdfast");
  CHECK(core::log()->level() == spdlog::level::warn);
  CHECK(core::log() == core::log());
  spdlog::drop("holdfast");
}

TEST_CASE("a logger that the host registered first is the one used", "[core]") {
  spdlog::drop("holdfast");
  const auto own = spdlog::null_logger_mt("holdfast");
  CHECK(core::log() == own);
  spdlog::drop("holdfast");
}

TEST_CASE("an armed fault point hears its name, an unarmed one does nothing", "[core]") {
  core::Faults faults;
  faults.at("commit");
  std::string heard;
  faults.arm([&](std::string_view point) { heard = point; });
  faults.at("commit");
  CHECK(heard == "commit");
}
