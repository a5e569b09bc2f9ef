#pragma once
#include <string>
#include <vector>

namespace cove {

// Rows of columns for people: each as wide as its widest cell, two spaces apart, nothing behind the
// last. Cells are made safe for a terminal; the first row is the heading.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

// "3 s", "12 min", "5 h", "2 d" since an RFC 3339 time; "-" if there is none or it cannot be read.
std::string age_of(const std::string& time);

}  // namespace cove
