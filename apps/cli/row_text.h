#pragma once

#include <string>
#include <vector>

#include <holdfast/space/space.h>

/// Rows as people read them. Every line ends; nothing stored can disturb a terminal.
namespace holdfast::cli {

/// One line: what the row is, without its id.
std::string title(const Entity& entity);
std::string title(const Edge& edge);
std::string title(const Note& note);
std::string title(const ScheduledEvent& event);

/// The whole row, a field a line.
std::string describe(const Entity& entity);
std::string describe(const Edge& edge);
std::string describe(const Note& note);
std::string describe(const ScheduledEvent& event);

std::string table(const std::vector<Entity>& entities);
std::string table(const std::vector<Edge>& edges);
std::string table(const std::vector<Note>& notes);
std::string table(const std::vector<ScheduledEvent>& events);
std::string table(const std::vector<Neighbor>& neighbors);
std::string table(const std::vector<Relation>& relations);

}  // namespace holdfast::cli
