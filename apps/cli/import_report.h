#pragma once

#include <string>

#include <holdfast/exchange/go.h>
#include <holdfast/exchange/jsonl.h>
#include <holdfast/exchange/mcp_memory.h>
#include <holdfast/exchange/wordnet.h>

/// What an import did, for programs and for people.
namespace holdfast::cli {

std::string to_json(const exchange::WordNetReport& report);
std::string to_json(const exchange::GoReport& report);
std::string to_json(const exchange::JsonlReport& report);
std::string to_json(const exchange::McpMemoryReport& report);

std::string describe(const exchange::WordNetReport& report);
std::string describe(const exchange::GoReport& report);
std::string describe(const exchange::JsonlReport& report);
std::string describe(const exchange::McpMemoryReport& report);

}  // namespace holdfast::cli
