#pragma once

#include <string>
#include <vector>

#include <holdfast/journal/event.h>

/// Events of the journal, for programs and for people.
namespace holdfast::cli {

std::string to_json(const Event& event);
/// One line: when, what, by whom.
std::string line(const Event& event);
/// The row as the event left it, a field a line.
std::string fields_text(const Event& event);
/// The changes of one row, each with the fields that differ from the event before it.
std::string history_text(const std::vector<Event>& events);

}  // namespace holdfast::cli
