#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/fixture.h"

namespace holdfast::test {

/// How one run of the program ended.
struct Run {
  int exit_code = -1;  ///< 128 plus the signal's number when one ended it
  std::string out;
  std::string err;

  /// The one document on stdout; fails the test when there is anything else.
  nlohmann::json json() const;
  /// The member `error` of the one document on stderr.
  nlohmann::json error() const;
};

/// The program, run as a process in a home of its own.
class Cli {
 public:
  using Words = std::vector<std::string>;

  Cli();

  /// Runs the command to its end.
  Run run(const Words& words, const std::string& input = "") const;
  /// The same with --json in front.
  Run json(const Words& words, const std::string& input = "") const;

  /// Starts the command, sends it the signal once it has written `text`, and waits for its end.
  Run interrupt(const Words& words, const std::string& text, int signal) const;

  /// Starts the command, calls `then` once it has written `text`, and waits for its end.
  Run while_running(const Words& words, const std::string& text,
                    const std::function<void()>& then) const;

  /// Every command that --help tells of, from the one without a name: {}, {"entity"}, ...
  std::vector<Words> commands() const;

  /// Creates an entity and returns its id.
  std::string entity(const std::string& name, const std::string& kind = "person") const;
  std::string edge(const std::string& source, const std::string& relation,
                   const std::string& target) const;

  std::filesystem::path home() const { return dir_.path(); }
  std::filesystem::path database() const;
  void write(const std::string& name, const std::string& text) const;

  Words program;                                 ///< what is run, with what runs it before it
  std::map<std::string, std::string> variables;  ///< besides HOME
  std::filesystem::path folder;                  ///< where commands run; home() at first
  std::optional<std::string> stdout_path;        ///< a file in place of the one that is read

 private:
  /// Where the standard streams of one run are.
  struct Streams {
    TempDir folder;
    std::string out;
  };
  int start(const Words& words, const std::string& input, Streams& streams) const;
  Run finish(int process, const Streams& streams) const;
  void wait_for(int process, const std::string& text, const Streams& streams) const;

  TempDir dir_;
};

/// The same with a database and the space "default".
class ReadyCli : public Cli {
 public:
  ReadyCli();
};

/// Words as one list.
Cli::Words operator+(Cli::Words words, const Cli::Words& more);

/// An id that no row has.
inline constexpr const char* kNobody = "0197b0a2-7c1e-7d7f-b4f1-6f4a5f3c2d10";

}  // namespace holdfast::test
