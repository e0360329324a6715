#include "cli.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include <holdfast/core/clock.h>

namespace holdfast::test {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Pointers to the words' characters, ended by a null, as exec wants them.
std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

nlohmann::json parse_line(const std::string& text) {
  if (text.empty() || text.find('\n') != text.size() - 1) {
    throw std::runtime_error("not one line: " + text);
  }
  return nlohmann::json::parse(text);
}

}  // namespace

nlohmann::json Run::json() const { return parse_line(out); }

nlohmann::json Run::error() const {
  const auto document = parse_line(err);
  if (document.size() != 1) throw std::runtime_error("more than an error: " + err);
  return document.at("error");
}

Cli::Cli() : program{HOLDFAST_CLI_BINARY} { folder = dir_.path(); }

int Cli::start(const Words& words, const std::string& input, Streams& streams) const {
  std::ofstream(streams.folder / "in", std::ios::binary) << input;
  Words arguments = program + words;
  std::vector<std::string> environment = {"HOME=" + home().string(), "USER=tester"};
  for (const auto& [name, value] : variables) environment.push_back(name + "=" + value);

  const std::string in = streams.folder / "in";
  const std::string err = streams.folder / "err";
  streams.out = stdout_path.value_or((streams.folder / "out").string());
  constexpr int kWrite = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, streams.out.c_str(), kWrite, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), kWrite, 0600);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  pid_t process = 0;
  const int code = posix_spawnp(&process, program.front().c_str(), &actions, nullptr,
                                pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) throw std::runtime_error("cannot start " + program.front());
  return process;
}

Run Cli::finish(int process, const Streams& streams) const {
  int status = 0;
  if (waitpid(process, &status, 0) != process) throw std::runtime_error("waitpid failed");
  return {.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .out = stdout_path ? "" : read_file(streams.out),
          .err = read_file(streams.folder / "err")};
}

Run Cli::run(const Words& words, const std::string& input) const {
  Streams streams;
  const int process = start(words, input, streams);
  return finish(process, streams);
}

Run Cli::json(const Words& words, const std::string& input) const {
  return run(Words{"--json"} + words, input);
}

void Cli::wait_for(int process, const std::string& text, const Streams& streams) const {
  core::SystemClock clock;
  while ((read_file(streams.out) + read_file(streams.folder / "err")).find(text) ==
         std::string::npos) {
    siginfo_t ended{};
    waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOHANG | WNOWAIT);
    if (ended.si_pid == process) return;
    clock.sleep_for(std::chrono::milliseconds(10));
  }
}

Run Cli::interrupt(const Words& words, const std::string& text, int signal) const {
  Streams streams;
  const int process = start(words, "", streams);
  wait_for(process, text, streams);
  kill(process, signal);
  return finish(process, streams);
}

Run Cli::while_running(const Words& words, const std::string& text,
                       const std::function<void()>& then) const {
  Streams streams;
  const int process = start(words, "", streams);
  wait_for(process, text, streams);
  then();
  return finish(process, streams);
}

std::vector<Cli::Words> Cli::commands() const {
  std::vector<Words> found = {{}};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Words group = found[i];
    std::istringstream help(run(group + Words{"--help"}).out);
    bool is_listed = false;
    for (std::string line; std::getline(help, line);) {
      if (line == "Subcommands:") {
        is_listed = true;
      } else if (line.empty()) {
        is_listed = false;
      } else if (is_listed && line.size() > 2 && line[2] != ' ') {
        found.push_back(group + Words{line.substr(2, line.find(' ', 2) - 2)});
      }
    }
  }
  return found;
}

Cli::Words operator+(Cli::Words words, const Cli::Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

ReadyCli::ReadyCli() {
  if (const Run made = run({"init"}); made.exit_code != 0) throw std::runtime_error(made.err);
}

std::string Cli::entity(const std::string& name, const std::string& kind) const {
  return json({"entity", "create", "--kind", kind, "--name", name}).json()["current"]["id"];
}

std::string Cli::edge(const std::string& source, const std::string& relation,
                      const std::string& target) const {
  return json({"edge", "create", "--source", source, "--relation", relation, "--target", target})
      .json()["current"]["id"];
}

std::filesystem::path Cli::database() const {
  return home() / ".local" / "share" / "holdfast" / "memory.db";
}

void Cli::write(const std::string& name, const std::string& text) const {
  std::ofstream(home() / name, std::ios::binary) << text;
}

}  // namespace holdfast::test
