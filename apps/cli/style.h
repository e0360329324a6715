#pragma once

#include <string>
#include <string_view>

/// Colours. Text carries marks until it is written; there they become a terminal's colours or
/// nothing. Nothing stored can be taken for a mark: printable() spells control characters out.
namespace holdfast::cli {

enum class Style { heading, error, conflict };

/// The text between marks.
std::string styled(Style style, std::string_view text);

/// Whether the stream (1 or 2) is a terminal that wants colours: not with NO_COLOR, nor with
/// TERM=dumb.
bool takes_colours(int stream);
/// The text as it is to be written there.
std::string painted(std::string_view text, int stream);

}  // namespace holdfast::cli
