#include <holdfast/core/input.h>
#include <holdfast/core/mask.h>
#include <holdfast/core/random.h>

#include "support/catch.h"

#include <map>
#include <string>
#include <vector>

using namespace holdfast;
using namespace holdfast::core;

namespace {

const std::string kJwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";

/// What is masked, and as what.
const std::map<std::string, std::string> kCredentials = {
    {"key sk-proj-abc123def456ghi789 failed", "key [masked] failed"},
    {"sk_live_0123456789", "[masked]"},
    {"ghp_0123456789abcdefghij", "[masked]"},
    {"(github_pat_0123456789abcdefghij)", "([masked])"},
    {"glpat-0123456789abcdef,", "[masked],"},
    {"AKIAIOSFODNN7EXAMPLE", "[masked]"},
    {"AIzaSyA0123456789abcdefghij", "[masked]"},
    {"xoxb-123456789012-abcdef", "[masked]"},
    {"hf_abcdefghijklmnopqrstuvwx", "[masked]"},
    {"got " + kJwt + ".", "got [masked]"},
    {"Authorization: Bearer abcdef123456", "Authorization: Bearer [masked]"},
    {"authorization: bearer abcdefgh failed", "authorization: bearer [masked] failed"},
    {"Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [masked]"},
    {"Authorization: Basic abc", "Authorization: [masked]"},
    {"Authorization: ApiKey abc, v=1\r\nHost: a", "Authorization: [masked]\r\nHost: a"},
    {"Proxy-Authorization: Digest username=\"bob\", response=\"1\"",
     "Proxy-Authorization: [masked]"},
    {R"({"Authorization":"Bearer abc","n":1})", R"({"Authorization":"Bearer [masked]","n":1})"},
    {"sent Bearer abc123def", "sent Bearer [masked]"},
    {"BASIC dXNlcjpwYXNz", "BASIC [masked]"},
    {"postgres://bob:s3cret@db/x", "postgres://bob:[masked]@db/x"},
    {"https://bob:p@ss:w@host?x", "https://bob:[masked]@host?x"},
    {"redis://:pw@host:6379", "redis://:[masked]@host:6379"},
    {"password=hunter2", "password=[masked]"},
    {"PASSWORD: hunter2 wrong", "PASSWORD: [masked] wrong"},
    {"db_password = \"a b\" ok", "db_password = \"[masked]\" ok"},
    {R"('token': 'it\'s', 'a': 1)", R"('token': '[masked]', 'a': 1)"},
    {R"("api_key":"abc","b":1)", R"("api_key":"[masked]","b":1)"},
    {R"("{\"secret\":\"abc\",\"b\":1}")", R"("{\"secret\":\"[masked]\",\"b\":1}")"},
    {R"("password":"basic instinct 1992")", R"("password":"basic [masked]")"},
    {"GET /?api_key=abc&x=1", "GET /?api_key=[masked]&x=1"},
    {"X-Api-Key: abc", "X-Api-Key: [masked]"},
    {"aws_secret_access_key=a/b+c; d", "aws_secret_access_key=[masked]; d"},
    {"token=Bearer abc123def x", "token=Bearer [masked] x"},
    {"a -----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY----- b", "a [masked] b"},
    {"-----BEGIN PRIVATE KEY-----\nMII", "[masked]"},
};

/// What stays byte for byte.
const std::vector<std::string> kOrdinary = {
    "",
    "connection refused",
    "HTTP 401: the password was wrong",
    "basic authentication failed",
    "Basic Authentication required.",
    "a bearer certificate",
    "bearer [masked]",
    "task-1234567890123 sk-short AKIA1 xoxo-hugs",
    "tokens: 500, secretary: Ann",
    "the token is missing",
    "password:",
    "password=",
    "http://host:8080/a@b",
    "bob@example.org: no such user",
    "ssh://git@host/x",
    "eyJ.a.b and eyJhbGciOiJIUzI1NiJ9",
    "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----",
    "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80\t\n\x01",
    "at 0x7fff1234: 12:30:00, a=b, c: d",
};

std::string mutated(Random& random) {
  static const std::string alphabet = "aA0 =:\"'\\/@.-_&\n?[]%\xC3\xA9\xFF";
  auto from = kCredentials.begin();
  std::advance(from, static_cast<std::ptrdiff_t>(random.below(kCredentials.size())));
  std::string text = from->first + kOrdinary[random.below(kOrdinary.size())];
  for (std::uint64_t i = random.below(12); i > 0; --i) {
    const std::size_t at = random.below(text.size() + 1);
    switch (random.below(3)) {
      case 0:
        text.insert(at, 1, alphabet[random.below(alphabet.size())]);
        break;
      case 1:
        text.insert(at, text.substr(random.below(text.size() + 1), 30));
        break;
      default:
        text.erase(at, random.below(4));
    }
  }
  return text;
}

}  // namespace

TEST_CASE("what looks like a credential is masked, and nothing around it", "[mask]") {
  for (const auto& [text, masked] : kCredentials) {
    INFO(text);
    CHECK(mask_credentials(text) == masked);
  }
}

TEST_CASE("ordinary texts stay byte for byte", "[mask]") {
  for (const std::string& text : kOrdinary) CHECK(mask_credentials(text) == text);
}

TEST_CASE("masking a masked text changes nothing", "[mask]") {
  for (const auto& [text, masked] : kCredentials) {
    INFO(text);
    CHECK(mask_credentials(masked) == masked);
  }
}

TEST_CASE("bytes that are not UTF-8, and NUL, become question marks one by one", "[mask]") {
  CHECK(mask_credentials("caf\xC3\xA9 \xFF\xC3 ok") == "caf\xC3\xA9 ?? ok");
  CHECK(mask_credentials(std::string("a\0b", 3)) == "a?b");
  CHECK(mask_credentials("\xED\xA0\x80") == "???");
  CHECK(mask_credentials("password=a\xFF"
                         "b c") == "password=[masked] c");
}

TEST_CASE("a text is cut to 4 KiB where a character ends", "[mask]") {
  const std::string full(kMaskedBytesMax, 'x');
  CHECK(mask_credentials(full) == full);
  CHECK(mask_credentials(full + "x") == full);
  const std::string most = full.substr(2);
  CHECK(mask_credentials(most + "\xC3\xA9") == most + "\xC3\xA9");
  CHECK(mask_credentials(most + "x\xC3\xA9") == most + "x");
  CHECK(mask_credentials(most + "\xE2\x82\xAC"
                                "y") == most);
  CHECK(mask_credentials("\xC3\xA9" + full) == "\xC3\xA9" + most);
}

TEST_CASE("the cut leaves no part of a credential", "[mask]") {
  for (std::size_t before = kMaskedBytesMax - 40; before <= kMaskedBytesMax; ++before) {
    const std::string masked =
        mask_credentials(std::string(before, ' ') + "password=hunter2 sk-abcdef0123456789abcdef");
    CHECK(masked.size() <= kMaskedBytesMax);
    CHECK(masked.find("hunter") == std::string::npos);
    CHECK(masked.find("abcdef") == std::string::npos);
    CHECK(mask_credentials(masked) == masked);
  }
}

TEST_CASE("any bytes become a text that masking again leaves alone", "[mask]") {
  Random random(21);
  for (int round = 0; round < 400'000; ++round) {
    const std::string text = mutated(random);
    const std::string masked = mask_credentials(text);
    INFO(text);
    REQUIRE(is_text(masked));
    REQUIRE(masked.size() <= kMaskedBytesMax);
    REQUIRE(mask_credentials(masked) == masked);
  }
}

TEST_CASE("long texts take time in proportion to their length", "[mask]") {
  // Looked at anew from each place, some of these would take hours.
  for (const std::string part : {"x",
                                 " ",
                                 "eyJ/",
                                 "eyJa.",
                                 "://",
                                 "://a:b",
                                 "a:b@",
                                 "bearer ",
                                 "password=",
                                 "password:\"",
                                 "token=[masked]token=",
                                 "pwd:[masked]",
                                 "-----BEGIN ",
                                 "-----BEGIN PRIVATE KEY",
                                 "sk-",
                                 "sk-a.",
                                 "\"",
                                 "\\\"",
                                 "authorization: ",
                                 "\xC3",
                                 "-"}) {
    std::string text;
    while (text.size() < 16'000'000) text += part;
    INFO(part);
    const std::string masked = mask_credentials(text);
    CHECK(masked.size() <= kMaskedBytesMax);
    CHECK(is_text(masked));
  }
}
