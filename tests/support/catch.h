#pragma once

// Catch2 3 and Catch2 2 differ in the name of their header.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
