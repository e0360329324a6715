#include <holdfast/core/input.h>
#include <holdfast/core/json_text.h>
#include <holdfast/core/mask.h>

#include "support/catch.h"

#include <string>

using namespace holdfast;
using core::mask_credentials;

namespace {

struct Case {
  const char* text;
  const char* masked;
};

std::string repeated(const std::string& part, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += part;
  return text;
}

JsonObject object(const std::string& text) { return JsonObject::parse("details", text); }

}  // namespace

TEST_CASE("of an Authorization header the scheme stays, and what follows goes", "[core]") {
  const auto c = GENERATE(values<Case>({
      {"Authorization: Bearer abc", "Authorization: Bearer [masked]"},
      {"Authorization: Bearer abc failed", "Authorization: Bearer [masked] failed"},
      {"authorization: ApiKey k3y-9f8e", "authorization: ApiKey [masked]"},
      {"Proxy-Authorization: token s3cr3t", "Proxy-Authorization: token [masked]"},
      {"Authorization: Digest username=\"a\", response=\"6629\"\nHost: b",
       "Authorization: [masked]\nHost: b"},
      {"-H 'Authorization: Custom a b' https://c", "-H 'Authorization: [masked]' https://c"},
      {R"({"Authorization":"Bearer a b","c":1})", R"({"Authorization":"Bearer [masked]","c":1})"},
      {"Authorization: denied for bob", "Authorization: [masked]"},
      {"Cookie: a=b; c=d", "Cookie: [masked]"},
      {R"(GET /\r\nSet-Cookie: a=b; c=d\r\nHost: e)",
       R"(GET /\r\nSet-Cookie: [masked]\r\nHost: e)"},
  }));
  CHECK(mask_credentials(c.text) == c.masked);
}

TEST_CASE("a scheme outside a header is believed when a credential follows", "[core]") {
  const auto c = GENERATE(values<Case>({
      {"sent Basic YW5uOmh1bnRlcjI= to", "sent Basic [masked] to"},
      {"sent bearer ab12 to", "sent bearer [masked] to"},
      {"sent Bearer abcdefghijklmnopqrstuvw", "sent Bearer [masked]"},
      {"Basic authentication failed", "Basic authentication failed"},
      {"bearer channel closed", "bearer channel closed"},
  }));
  CHECK(mask_credentials(c.text) == c.masked);
}

TEST_CASE("a value is hidden when its name ends like a secret's", "[core]") {
  const auto c = GENERATE(values<Case>({
      {"secret_key=ab", "secret_key=[masked]"},
      {"secretKey: ab", "secretKey: [masked]"},
      {"AccountKey=ab==;EndpointSuffix=c", "AccountKey=[masked];EndpointSuffix=c"},
      {"passphrase=ab", "passphrase=[masked]"},
      {"X-Api-Key: ab", "X-Api-Key: [masked]"},
      {"db_password = ab, port = 1", "db_password = [masked], port = 1"},
      {"password => 'a b', c", "password => '[masked]', c"},
      {"?a=1&token=ab&c=2", "?a=1&token=[masked]&c=2"},
      {"token: Bearer ab", "token: Bearer [masked]"},
      {"params[\"password\"] = \"ab\"", "params[\"password\"] = \"[masked]\""},
      {"--password ab --port 1", "--password [masked] --port 1"},
      {R"(["--api-key","a b","c"])", R"(["--api-key","[masked]","c"])"},
  }));
  CHECK(mask_credentials(c.text) == c.masked);
}

TEST_CASE("a value's separators and quotes are hidden with it", "[core]") {
  const auto c = GENERATE(values<Case>({
      {"password=ab,rest", "password=[masked]"},
      {"password=a;b&c", "password=[masked]"},
      {"password=it's", "password=[masked]"},
      {R"(password="a\"b" c)", R"(password="[masked]" c)"},
      {R"(password="a\\" c)", R"(password="[masked]" c)"},
      {R"(-d "password=ab" c)", R"(-d "password=[masked]" c)"},
      {R"({"e":"password=ab","c":1})", R"({"e":"password=[masked]","c":1})"},
      {"password=\"never closed", "password=\"[masked]"},
  }));
  CHECK(mask_credentials(c.text) == c.masked);
}

TEST_CASE("JSON within strings is masked, and JSON stays JSON", "[core]") {
  const auto c = GENERATE(values<Case>({
      {R"({"e":"{\"password\":\"ab\"}"})", R"({"e":"{\"password\":\"[masked]\"}"})"},
      {R"({"e":"{\"password\":\"a\\\"b\",\"c\":1}"})",
       R"({"e":"{\"password\":\"[masked]\",\"c\":1}"})"},
      {R"({"password" : "ab"})", R"({"password" : "[masked]"})"},
      {R"({"password":1234,"c":1})", R"({"password":"[masked]","c":1})"},
      {R"({"password":null})", R"({"password":null})"},
      {R"({"token":{"secret":"ab"}})", R"({"token":{"secret":"[masked]"}})"},
      {R"({"password":""})", R"({"password":""})"},
  }));
  CHECK(mask_credentials(c.text) == c.masked);
  CHECK_NOTHROW(object(mask_credentials(c.text)));
}

TEST_CASE("tokens are known by their form, whatever stands before them", "[core]") {
  const auto c = GENERATE(values<Case>({
      {"x-ghp_0123456789abcdef0123.", "x-[masked]."},
      {"(sk-abcDEF123456ghi)", "([masked])"},
      {"xoxb-1234-abcd", "[masked]"},
      {"AKIAIOSFODNN7EXAMPLE", "[masked]"},
      {"at eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln end", "at [masked] end"},
      {"postgres://u:ab@h/d", "postgres://u:[masked]@h/d"},
      {"-----BEGIN RSA PRIVATE KEY-----\nab\n-----END RSA PRIVATE KEY-----.", "[masked]."},
      {"-----BEGIN PRIVATE KEY-----\nab", "[masked]"},
  }));
  CHECK(mask_credentials(c.text) == c.masked);
}

TEST_CASE("text that merely speaks of credentials stays byte for byte", "[core]") {
  const std::string text = GENERATE(as<std::string>(), "xoxo-hugs and kisses",
                                    "unexpected token: }", "sk-learn-compatible-estimators",
                                    "pwd=/home/ann", "max_tokens=4096", "password: null",
                                    "Token::parse failed", "no password given", "task-12 is late",
                                    "-----BEGIN CERTIFICATE-----\nab", "https://h:80/a@b",
                                    "Z\xC3\xBCrich = 1: \xF0\x9F\x98\x80", "password=[masked]", "");
  CHECK(mask_credentials(text) == text);
}

TEST_CASE("only bytes that are not UTF-8, and NUL, are replaced", "[core]") {
  CHECK(mask_credentials("Z\xC3\xBCrich \xFF down") == "Z\xC3\xBCrich ? down");
  CHECK(mask_credentials(std::string("a\0b", 3)) == "a?b");
  CHECK(mask_credentials("a\xC3") == "a?");
  CHECK(mask_credentials(repeated("\x80", 5000)) == repeated("?", core::kMaskedBytesMax));
}

TEST_CASE("a masked text is cut to its limit where a character ends", "[core]") {
  CHECK(mask_credentials(repeated("a", 5000)) == repeated("a", core::kMaskedBytesMax));
  const std::string cut = mask_credentials("a" + repeated("\xC3\xBC", 5000));
  CHECK(cut.size() == core::kMaskedBytesMax - 1);
  CHECK(core::is_text(cut));
}

TEST_CASE("a credential far into a long text is hidden, or not kept", "[core]") {
  const std::size_t at = GENERATE(4000u, 4090u, 12'280u, 16'380u);
  const std::string key =
      "-----BEGIN PRIVATE KEY-----" + repeated("a", at) + "-----END PRIVATE KEY-----";
  for (const std::string& before : {repeated(". ", at), key}) {
    const std::string masked = mask_credentials(before + " postgres://u:hunter2@h/d");
    CHECK(masked.find("hunter2") == std::string::npos);
    CHECK(masked.find(":h") == std::string::npos);
  }
}

TEST_CASE("an object's strings are masked one by one, and secrets by their keys", "[core]") {
  const auto c = GENERATE(values<Case>({
      {R"({"url":"https://u:ab@h","n":1.50})", R"({"url":"https://u:[masked]@h","n":1.50})"},
      {R"({"a":[{"password":"a b"},"c"]})", R"({"a":[{"password":"[masked]"},"c"]})"},
      {R"({"token":["ab","cd"],"pin":12})", R"({"token":["[masked]","[masked]"],"pin":12})"},
      {R"({"secret":12,"apiKey":null})", R"({"secret":"[masked]","apiKey":null})"},
      {R"({"a":"password=a","b":"c"})", R"({"a":"password=[masked]","b":"c"})"},
      {R"({"a":"\u00fc\/","b":{},"c":[]})", R"({"a":"\u00fc\/","b":{},"c":[]})"},
      {R"({"a":"say \"password\": \"ab\""})", R"({"a":"say \"password\": \"[masked]\""})"},
  }));
  CHECK(mask_credentials(object(c.text)) == object(c.masked));
}
