// What attention-query refuses, and the range its field takes by itself.
#include <string>
#include <vector>

#include <attention_query/config.h>
#include <gtest/gtest.h>

namespace refran::attention_query {
namespace {

using Texts = std::vector<std::string>;

// The page's numbers.
Config page_config() {
  Config config;
  config.source = {{"tía", {1, 0}, {4, 1}}, {"miña", {0, 1}, {1, 3}}};
  config.queries = {{"aunt", {3, 0}}, {"my", {0, 3}}};
  return config;
}

Texts problems_of(const Config& config) {
  Problems problems;
  config.check(problems);
  Texts texts;
  for (const auto& [field, problem] : problems.problems()) texts.push_back(field + ": " + problem);
  return texts;
}

TEST(AttentionQueryConfigTest, AcceptsThePagesNumbers) {
  EXPECT_EQ(problems_of(page_config()), Texts{});
}

TEST(AttentionQueryConfigTest, RefusesVectorsOfAnotherDimension) {
  Config config = page_config();
  config.source[1].key = {0, 1, 2};
  config.source[1].value = {1};
  config.queries[0].query = {3};
  config.value_dims = {"family"};
  EXPECT_EQ(problems_of(config),
            (Texts{"source[1].key: found 3 numbers, allowed: 2, as in source[0].key",
                   "source[1].value: found 1 numbers, allowed: 2, as in source[0].value",
                   "queries[0].query: found 1 numbers, allowed: 2, as in source[0].key",
                   "value_dims: found 1 names, allowed: 2, one per number of a value, or none"}));
}

TEST(AttentionQueryConfigTest, RefusesAListOfRatesThatDoesNotFitTheSource) {
  Config config = page_config();
  config.encoder.rate.is_list = true;
  config.encoder.rate.values = {0.5};
  EXPECT_EQ(problems_of(config),
            Texts{"encoder.rate: found 1 rate for 2 words (in source), allowed: one number, or one "
                  "per word"});
}

TEST(AttentionQueryConfigTest, RefusesAFieldThatIsNoGrid) {
  Config config = page_config();
  config.field.resolution = 1;
  config.field.x_max = -2;
  EXPECT_EQ(problems_of(config),
            (Texts{"field.resolution: found 1, allowed: 0 for no field, or at least 2",
                   "field.x_min: found -1, allowed: less than x_max, which is -2"}));
}

TEST(AttentionQueryConfigTest, TheFieldCoversKeysAndQueriesWithAThirdAround) {
  Config config = page_config();
  EXPECT_EQ(config.x_range().low, -1);
  EXPECT_EQ(config.x_range().high, 4);
  config.field.y_min = -2;
  EXPECT_EQ(config.y_range().low, -2);
  EXPECT_EQ(config.y_range().high, 4);
}

TEST(AttentionQueryConfigTest, APointAloneHasARoomOfOneAround) {
  Config config = page_config();
  config.source.resize(1);
  config.queries = {{"aunt", {1, 5}}};
  EXPECT_EQ(config.x_range().low, 0);
  EXPECT_EQ(config.x_range().high, 2);
}

TEST(AttentionQueryConfigTest, HasAFieldInThePlaneOnly) {
  Config config = page_config();
  EXPECT_TRUE(config.has_field());
  config.field.resolution = 0;
  EXPECT_FALSE(config.has_field());
  config = page_config();
  for (SourceWord& word : config.source) word.key.push_back(0);
  EXPECT_FALSE(config.has_field());
}

}  // namespace
}  // namespace refran::attention_query
