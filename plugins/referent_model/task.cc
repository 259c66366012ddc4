#include "task.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace refran::referent {
namespace {

using Found = std::vector<std::pair<std::string, std::string>>;

// A word of the template, or a slot of it.
struct Piece {
  std::string text;  // the slot's name where it is one
  bool is_slot = false;
};

std::vector<Piece> pieces_of(const std::string& sentence_template) {
  std::vector<Piece> pieces;
  std::size_t at = 0;
  while ((at = sentence_template.find_first_not_of(' ', at)) != std::string::npos) {
    const std::size_t end = std::min(sentence_template.find(' ', at), sentence_template.size());
    std::string text = sentence_template.substr(at, end - at);
    const bool is_slot = text.size() > 2 && text.front() == '{' && text.back() == '}';
    if (is_slot) text = text.substr(1, text.size() - 2);
    pieces.push_back({std::move(text), is_slot});
    at = end;
  }
  return pieces;
}

constexpr const char* kIt = "it";
constexpr const char* kAdjectiveSlot = "adjective";

// Where a slot is in the template; its size where it is not there once.
std::size_t position_of(const std::vector<Piece>& pieces, const std::string& slot) {
  std::size_t found = pieces.size();
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    if (!pieces[p].is_slot || pieces[p].text != slot) continue;
    if (found != pieces.size()) return pieces.size();
    found = p;
  }
  return found;
}

void check_template(const TaskSpec& spec, Found& found) {
  const std::vector<Piece> pieces = pieces_of(spec.sentence_template);
  const auto its = std::ranges::count_if(
      pieces, [](const Piece& piece) { return !piece.is_slot && piece.text == kIt; });
  if (its != 1) {
    found.emplace_back("template",
                       fmt::format("found the word 'it' {} times in '{}', allowed: once", its,
                                   spec.sentence_template));
  }
  for (const Piece& piece : pieces) {
    if (!piece.is_slot || piece.text == kAdjectiveSlot || piece.text == spec.nouns[0].first ||
        piece.text == spec.nouns[1].first) {
      continue;
    }
    found.emplace_back("template", fmt::format("found the slot '{{{}}}' without a list of words, "
                                               "allowed: '{{{}}}', '{{{}}}' and '{{{}}}'",
                                               piece.text, spec.nouns[0].first, spec.nouns[1].first,
                                               kAdjectiveSlot));
  }
  for (const std::string& slot :
       {spec.nouns[0].first, spec.nouns[1].first, std::string(kAdjectiveSlot)}) {
    if (position_of(pieces, slot) == pieces.size()) {
      found.emplace_back("template", fmt::format("found no '{{{}}}', or more than one, in '{}', "
                                                 "allowed: every slot once",
                                                 slot, spec.sentence_template));
    }
  }
}

// What a template alone cannot show: slots of one name, nouns that come in the other order.
void check_slots(const TaskSpec& spec, Found& found) {
  const std::string& first = spec.nouns[0].first;
  const std::string& second = spec.nouns[1].first;
  if (first == second || first == kAdjectiveSlot || second == kAdjectiveSlot) {
    found.emplace_back("nouns",
                       fmt::format("found the slots '{}' and '{}', allowed: two names that "
                                   "differ from each other and from '{}'",
                                   first, second, kAdjectiveSlot));
    return;
  }
  const std::vector<Piece> pieces = pieces_of(spec.sentence_template);
  const std::size_t place = position_of(pieces, first);
  if (place < pieces.size() && position_of(pieces, second) < place) {
    found.emplace_back(
        "nouns",
        fmt::format("found '{}' before '{}', allowed: the order of the template", first, second));
  }
}

void check_words(const std::string& field, const std::vector<std::string>& words, Found& found) {
  if (words.empty()) found.emplace_back(field, "found no words, allowed: at least one");
  std::set<std::string> seen;
  for (const std::string& word : words) {
    if (word.empty() || word.find(' ') != std::string::npos) {
      found.emplace_back(field, fmt::format("found '{}', allowed: one word without blanks", word));
    } else if (!seen.insert(word).second) {
      found.emplace_back(field,
                         fmt::format("found '{}' a second time, allowed: every word once", word));
    }
  }
}

void check_adjectives(const TaskSpec& spec, Found& found) {
  for (std::size_t noun = 0; noun < 2; ++noun)
    check_words("adjectives." + spec.nouns[noun].first, spec.adjectives[noun], found);
  for (const std::string& word : spec.adjectives[1]) {
    if (std::ranges::find(spec.adjectives[0], word) == spec.adjectives[0].end()) continue;
    found.emplace_back("adjectives." + spec.nouns[1].first,
                       fmt::format("found '{}', which means '{}' too, allowed: one referent per "
                                   "adjective",
                                   word, spec.nouns[0].first));
  }
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::ranges::find(words, word) != words.end();
}

void check_held_out(const TaskSpec& spec, Found& found) {
  for (std::size_t i = 0; i < spec.held_out.size(); ++i) {
    const auto& [first, second, adjective] = spec.held_out[i];
    const std::string field = fmt::format("held_out[{}]", i);
    const auto refuse = [&](const std::string& word, const std::string& slot) {
      found.emplace_back(field, fmt::format("found '{}', allowed: a word of '{}'", word, slot));
    };
    if (!has(spec.nouns[0].second, first)) refuse(first, spec.nouns[0].first);
    if (!has(spec.nouns[1].second, second)) refuse(second, spec.nouns[1].first);
    if (!has(spec.adjectives[0], adjective) && !has(spec.adjectives[1], adjective))
      refuse(adjective, kAdjectiveSlot);
  }
}

void check_training(const TaskSpec& spec, Found& found) {
  const Task task = make_task(spec);
  if (task.training.empty()) {
    const bool has_any = !task.held_out.empty();
    found.emplace_back(has_any ? "held_out" : "nouns",
                       has_any ? "found all sentences held out, allowed: some left to train on"
                               : "found no sentence of two different nouns, allowed: at least one");
    return;
  }
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    for (std::size_t filler = 0; filler < task.slot_words[slot].size(); ++filler) {
      const bool is_trained = std::ranges::any_of(
          task.training, [&](const Sentence& sentence) { return sentence.filler[slot] == filler; });
      if (is_trained) continue;
      found.emplace_back(
          spec.held_out.empty() ? "nouns" : "held_out",
          fmt::format("found no training sentence with '{}' as '{}', allowed: every word trained "
                      "on at least once",
                      task.vocabulary[task.slot_words[slot][filler]], task.slot_name[slot]));
    }
  }
}

// The index of a word in the vocabulary, added where it is new.
std::size_t index_of(const std::string& word, std::vector<std::string>& vocabulary) {
  const auto place = std::ranges::find(vocabulary, word);
  const auto index = static_cast<std::size_t>(place - vocabulary.begin());
  if (place == vocabulary.end()) vocabulary.push_back(word);
  return index;
}

// The task without its sentences.
Task frame_of(const TaskSpec& spec) {
  const std::vector<Piece> pieces = pieces_of(spec.sentence_template);
  Task task;
  task.positions = pieces.size();
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    if (!pieces[p].is_slot && pieces[p].text == kIt) task.it = p;
    task.constant_word.push_back(pieces[p].is_slot ? Task::kNoWord
                                                   : index_of(pieces[p].text, task.vocabulary));
  }
  task.slot_name = {spec.nouns[0].first, spec.nouns[1].first, kAdjectiveSlot};
  const auto add_words = [&task](Slot slot, const std::vector<std::string>& words) {
    for (const std::string& word : words)
      task.slot_words[slot].push_back(index_of(word, task.vocabulary));
  };
  add_words(kFirstNoun, spec.nouns[0].second);
  add_words(kSecondNoun, spec.nouns[1].second);
  add_words(kAdjective, spec.adjectives[0]);
  add_words(kAdjective, spec.adjectives[1]);
  for (std::size_t slot = 0; slot < kSlots; ++slot)
    task.slot_position[slot] = position_of(pieces, task.slot_name[slot]);
  return task;
}

Sentence make_sentence(const Task& task, std::array<std::size_t, kSlots> filler,
                       std::size_t first_adjectives) {
  Sentence sentence;
  sentence.word = task.constant_word;
  sentence.filler = filler;
  for (std::size_t slot = 0; slot < kSlots; ++slot)
    sentence.word[task.slot_position[slot]] = task.slot_words[slot][filler[slot]];
  sentence.referent = filler[kAdjective] < first_adjectives ? 0 : 1;
  sentence.target = sentence.word[task.slot_position[sentence.referent]];
  sentence.distractor = sentence.word[task.slot_position[1 - sentence.referent]];
  return sentence;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> problems_of(const TaskSpec& spec) {
  Found found;
  check_template(spec, found);
  check_slots(spec, found);
  for (const auto& [slot, words] : spec.nouns) check_words("nouns." + slot, words, found);
  check_adjectives(spec, found);
  check_held_out(spec, found);
  if (found.empty()) check_training(spec, found);
  return found;
}

Task make_task(const TaskSpec& spec) {
  Task task = frame_of(spec);
  std::array<std::size_t, kSlots> filler{};
  for (filler[0] = 0; filler[0] < task.slot_words[0].size(); ++filler[0]) {
    for (filler[1] = 0; filler[1] < task.slot_words[1].size(); ++filler[1]) {
      if (task.slot_words[0][filler[0]] == task.slot_words[1][filler[1]]) continue;
      for (filler[2] = 0; filler[2] < task.slot_words[2].size(); ++filler[2]) {
        Sentence sentence = make_sentence(task, filler, spec.adjectives[0].size());
        std::array<std::string, kSlots> words;
        for (std::size_t slot = 0; slot < kSlots; ++slot)
          words[slot] = task.vocabulary[task.slot_words[slot][filler[slot]]];
        const bool is_held_out = std::ranges::find(spec.held_out, words) != spec.held_out.end();
        (is_held_out ? task.held_out : task.training).push_back(std::move(sentence));
      }
    }
  }
  return task;
}

std::string Task::text(const Sentence& sentence) const {
  std::string text;
  for (const std::size_t word : sentence.word) {
    if (!text.empty()) text += ' ';
    text += vocabulary[word];
  }
  return text;
}

Sentence Task::swapped(const Sentence& sentence) const {
  Sentence result = sentence;
  std::swap(result.word[slot_position[kFirstNoun]], result.word[slot_position[kSecondNoun]]);
  return result;
}

}  // namespace refran::referent
