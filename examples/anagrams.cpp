// C++23, with a file of the request: cove run examples/anagrams.cpp --file examples/data.txt
#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

int main() {
  std::ifstream in("data.txt");
  std::map<std::string, std::vector<std::string>> groups;
  for (std::string word; in >> word;) {
    std::string key = word;
    std::ranges::sort(key);
    groups[key].push_back(word);
  }
  std::cout << groups.size() << " different sets of letters\n";
}
