// The job of a head: every branch of the rule, and its edges.
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <referent_model/jobs.h>

namespace refran::referent {
namespace {

// 10 positions: four roles of one position each, six other words.
Task two_sentence_task() {
  TaskSpec spec;
  spec.sentence_template = "the {animal} didn't cross the {place} because it was {adjective}";
  spec.nouns = {{{"animal", {"dog"}}, {"place", {"road"}}}};
  spec.adjectives = {{{"tired"}, {"wide"}}};
  return make_task(spec);
}

using Weights = std::vector<double>;  // [role]

// All of the weight on one role.
Weights on(std::size_t role) {
  Weights weights(kRoles);
  weights[role] = 1;
  return weights;
}

std::string job(const Weights& first, const Weights& second, double threshold = 0.4) {
  return job_of({first, second}, two_sentence_task(), {.threshold = threshold});
}

const Weights kUniform = {0.1, 0.1, 0.1, 0.1, 0.6};

TEST(JobsTest, RolesAreNamedAfterTheTasksSlots) {
  EXPECT_THAT(role_names(two_sentence_task()),
              testing::ElementsAre("animal", "place", "adjective", "self", "other words"));
  EXPECT_THAT(part_names(),
              testing::ElementsAre("referent", "distractor", "adjective", "self", "other words"));
}

TEST(JobsTest, UniformAttentionGivesEachRoleItsShareOfThePositions) {
  EXPECT_THAT(uniform_roles(two_sentence_task()), testing::ElementsAre(0.1, 0.1, 0.1, 0.1, 0.6));
}

TEST(JobsTest, ExcessIsZeroForUniformAttentionAndOneForAllOfIt) {
  EXPECT_EQ(excess_over_uniform(0.6, 0.6), 0);
  EXPECT_EQ(excess_over_uniform(1, 0.6), 1);
  EXPECT_NEAR(excess_over_uniform(0.55, 0.1), 0.5, 1e-15);
  EXPECT_LT(excess_over_uniform(0, 0.1), 0);
}

TEST(JobsTest, OneRoleForBothReferentsIsItsJob) {
  EXPECT_EQ(job(on(kFirstNounRole), on(kFirstNounRole)), "animal");
  EXPECT_EQ(job(on(kSecondNounRole), on(kSecondNounRole)), "place");
  EXPECT_EQ(job(on(kAdjectiveRole), on(kAdjectiveRole)), "adjective");
  EXPECT_EQ(job(on(kSelf), on(kSelf)), "self");
  EXPECT_EQ(job(on(kOther), on(kOther)), "other words");
}

TEST(JobsTest, TheNounThatIsMeantIsTheReferent) {
  EXPECT_EQ(job(on(kFirstNounRole), on(kSecondNounRole)), "referent");
}

TEST(JobsTest, TwoOtherRolesAreASwitch) {
  EXPECT_EQ(job(on(kSecondNounRole), on(kFirstNounRole)), "switches with the adjective");
  EXPECT_EQ(job(on(kFirstNounRole), on(kAdjectiveRole)), "switches with the adjective");
  EXPECT_EQ(job(on(kSelf), on(kOther)), "switches with the adjective");
}

TEST(JobsTest, NoRoleForOneReferentIsMixed) {
  EXPECT_EQ(job(kUniform, kUniform), "mixed");
  EXPECT_EQ(job(on(kFirstNounRole), kUniform), "mixed");
  EXPECT_EQ(job(kUniform, on(kSecondNounRole)), "mixed");
}

TEST(JobsTest, TheThresholdItselfCounts) {
  // Excess of "it" itself: exactly (w - u) / (1 - u).
  Weights weights = kUniform;
  weights[kSelf] = 0.55;
  weights[kOther] = 0.15;
  const double excess =
      excess_over_uniform(weights[kSelf], uniform_roles(two_sentence_task())[kSelf]);
  EXPECT_EQ(job(weights, weights, excess), "self");
  EXPECT_EQ(job(weights, weights, std::nextafter(excess, 1)), "mixed");
  EXPECT_EQ(job(weights, weights, std::nextafter(excess, 0)), "self");
}

TEST(JobsTest, OtherWordsNeedMoreWeightThanOnePosition) {
  // 0.7 on six of ten positions is an excess of 0.25; on one it would be 0.67.
  EXPECT_EQ(job({0.1, 0.1, 0.1, 0, 0.7}, {0.1, 0.1, 0.1, 0, 0.7}), "mixed");
  EXPECT_EQ(job({0.7, 0.1, 0.1, 0, 0.1}, {0.7, 0.1, 0.1, 0, 0.1}), "animal");
  EXPECT_EQ(job({0.1, 0, 0, 0, 0.9}, {0, 0, 0, 0.1, 0.9}), "other words");
}

TEST(JobsTest, TheLargestExcessDecidesAndOfEqualOnesTheFirst) {
  EXPECT_EQ(job({0.45, 0.55, 0, 0, 0}, {0.45, 0.55, 0, 0, 0}, 0.2), "place");
  EXPECT_EQ(job({0, 0.5, 0.5, 0, 0}, {0, 0.5, 0.5, 0, 0}), "place");
  // 0.66 of the other words is an excess of 0.15, less than the 0.27 of a noun's 0.34.
  EXPECT_EQ(job({0.34, 0, 0, 0, 0.66}, {0.34, 0, 0, 0, 0.66}, 0.1), "animal");
}

TEST(JobsTest, WeightsThatAreNoNumbersAreMixed) {
  const Weights diverged(kRoles, std::nan(""));
  EXPECT_EQ(job(diverged, diverged), "mixed");
  EXPECT_EQ(job(on(kSelf), diverged), "mixed");
}

TEST(JobsTest, JobsOfAllHeadsAreReadFromTheQueryIt) {
  Array<double, 5> weights({2, kLayers, 2, kRoles, kRoles}, 0.2);
  const auto look = [&](std::size_t layer, std::size_t head, std::size_t first,
                        std::size_t second) {
    for (std::size_t role = 0; role < kRoles; ++role) {
      weights(0, layer, head, kSelf, role) = role == first ? 1 : 0;
      weights(1, layer, head, kSelf, role) = role == second ? 1 : 0;
    }
  };
  look(0, 0, kAdjectiveRole, kAdjectiveRole);
  look(0, 1, kFirstNounRole, kFirstNounRole);
  look(1, 0, kFirstNounRole, kSecondNounRole);
  look(1, 1, kSelf, kOther);
  const Array<std::string, 2> jobs = jobs_of(weights, two_sentence_task(), {});
  EXPECT_THAT(jobs.values(), testing::ElementsAre("adjective", "animal", "referent",
                                                  "switches with the adjective"));
}

}  // namespace
}  // namespace refran::referent
