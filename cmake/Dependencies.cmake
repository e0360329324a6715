# What Debian ships; see docs/architecture.md for which module uses what.
find_package(PkgConfig REQUIRED)
find_package(nlohmann_json CONFIG REQUIRED)
find_package(spdlog CONFIG REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(Threads REQUIRED)
# FAISS's targets name OpenMP's without looking for it.
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(faiss CONFIG REQUIRED)
# utf8proc 2.8 announces itself as 2.6.0, so no version is asked for.
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET libutf8proc)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
if(HOLDFAST_TESTING)
  find_package(Catch2 REQUIRED)
  include(Catch)
endif()
