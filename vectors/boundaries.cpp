#include "boundaries.h"

#include <utf8proc.h>

namespace holdfast::vectors {
namespace {

struct Character {
  utf8proc_int32_t code;
  std::size_t bytes;
};

Character first_character(std::string_view text) {
  utf8proc_int32_t code = 0;
  const auto bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                      static_cast<utf8proc_ssize_t>(text.size()), &code);
  return {code, bytes < 1 ? 1 : static_cast<std::size_t>(bytes)};
}

bool is_space(utf8proc_int32_t code) {
  if (code >= '\t' && code <= '\r') return true;
  if (code < 0x80) return code == ' ';
  if (code == 0x85) return true;
  switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP: return true;
    default: return false;
  }
}

bool ends_line(utf8proc_int32_t code) {
  return code == '\n' || code == '\r' || code == 0x85 || code == 0x2028;
}

bool ends_sentence(utf8proc_int32_t code) {
  return code == '.' || code == '!' || code == '?' || code == 0x2026;
}

/// Behind these, the next sentence begins without white space.
bool ends_sentence_alone(utf8proc_int32_t code) {
  return code == 0x3002 || code == 0xFF01 || code == 0xFF0E || code == 0xFF1F;
}

/// Quotes and brackets that go with the sentence before them.
bool closes(utf8proc_int32_t code) {
  if (code == '"' || code == '\'') return true;
  const auto category = utf8proc_category(code);
  return category == UTF8PROC_CATEGORY_PE || category == UTF8PROC_CATEGORY_PF;
}

/// What the text before a place says about a cut there.
class Context {
 public:
  Boundary boundary_before(utf8proc_int32_t code) const {
    // A closing quote belongs to the sentence that has just ended.
    if (!space_ && closes(code)) return Boundary::character;
    if (lines_ >= 2 || paragraph_) return Boundary::paragraph;
    if (lines_ == 1 || (ended_ && (space_ || alone_))) return Boundary::sentence;
    return space_ ? Boundary::word : Boundary::character;
  }

  /// Takes in a character by its first code point; "\r\n" is one.
  void pass(utf8proc_int32_t code) {
    if (is_space(code)) {
      space_ = true;
      if (ends_line(code)) ++lines_;
      paragraph_ = paragraph_ || code == 0x2029;
      return;
    }
    const bool stays = !space_ && ended_ && closes(code);
    alone_ = ends_sentence_alone(code) || (stays && alone_);
    ended_ = alone_ || ends_sentence(code) || stays;
    space_ = false;
    paragraph_ = false;
    lines_ = 0;
  }

 private:
  int lines_ = 0;  ///< ended by the white space just passed
  bool paragraph_ = false;
  bool space_ = false;
  bool ended_ = false;  ///< a sentence, before that white space
  bool alone_ = false;
};

}  // namespace

std::vector<CharacterStart> find_boundaries(std::string_view text) {
  std::vector<CharacterStart> found;
  Context context;
  utf8proc_int32_t last = 0;
  utf8proc_int32_t state = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Character next = first_character(text.substr(at));
    if (at == 0 || utf8proc_grapheme_break_stateful(last, next.code, &state) != 0) {
      const bool space = is_space(next.code);
      // White space is passed over as a whole: the place to cut is where it ends.
      const Boundary kind = space ? Boundary::character : context.boundary_before(next.code);
      found.push_back({at, kind, space});
      context.pass(next.code);
    }
    last = next.code;
    at += next.bytes;
  }
  found.push_back({text.size(), Boundary::paragraph, false});
  return found;
}

}  // namespace holdfast::vectors
