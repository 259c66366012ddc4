// The arithmetic on lanes as ordinary functions, compiled twice: for every x86-64 processor and for
// those with AVX2 and FMA; and which of the two this processor runs.
//
// What is compiled for AVX2 must share no inline function with the rest of the program: the linker
// keeps one copy of it, which may be the one that older processors cannot run. So code on lanes
// uses raw pointers, structs and templates of its own lane type and no others; results go out
// through memory of the caller, with the lane as last axis.
#pragma once

#include <cstddef>

#include "model.h"
#include "task.h"
#include "training.h"

namespace refran::referent {
namespace kernel {
struct KernelTask;
}

// Seeds side by side, one per lane, and the sentences they are measured on.
template <class Element>
struct SeedGroup {
  const ModelShape* shape;
  AttentionKind attention;
  std::size_t it;  // the position that asks
  const Sentence* sentences;
  std::size_t sentence_count;
  const Element* parameters;  // [parameter, lane], as ParameterLayout says
};

// What a sentence's answer is worth. `named` is 0 where the target is the most likely word, 1 where
// the distractor is, else 2; `difference` is target - distractor, of the logits.
template <class Element>
struct Answers {
  Element* loss;  // in nat
  Element* difference;
  Element* named;
};

template <class Element>
struct LookResults {
  Element* attention1;  // [sentence, head, query, key, lane]
  Element* attention2;  // [sentence, head, key, lane]
  // [sentence, component, lane]: contribution to `difference` of the embedding, layer 1's heads,
  // layer 2's heads. Null: only attention is wanted.
  Element* direct;
  Answers<Element> answers;  // [sentence, lane]
};

template <class Element>
struct AblationResults {
  Answers<Element> answers;  // [mode, subset, sentence, lane]
};

// The programs for one element type on one kind of processor.
template <class Element>
struct LanePrograms {
  std::size_t width;  // seeds side by side
  void (*look)(const SeedGroup<Element>& group, const LookResults<Element>& results);
  // `resampled` [sentence, lane]: whose head outputs stand in, in mode resample.
  void (*ablate)(const SeedGroup<Element>& group, const std::size_t* resampled,
                 const AblationResults<Element>& results);
  void (*score)(const SeedGroup<Element>& group,
                const Answers<Element>& answers);  // [sentence, lane]
  // The caller owns what is made; the task must outlive it.
  LaneTraining* (*make_training)(const kernel::KernelTask& task, const TrainingSpec& spec);
};

struct ProcessorPrograms {
  LanePrograms<float> float32;
  LanePrograms<double> float64;
};

extern const ProcessorPrograms kPlainPrograms;  // plain_lanes.cc
extern const ProcessorPrograms kAvx2Programs;   // avx2_lanes.cc

bool has_avx2();

// Throws std::runtime_error where `avx2` is asked of a processor without it.
const ProcessorPrograms& programs_for(Processor processor);

// use(programs) with the LanePrograms for a processor and a precision; both return the same type.
template <class Use>
auto with_programs(Processor processor, Precision precision, Use use) {
  const ProcessorPrograms& programs = programs_for(processor);
  return precision == Precision::float32 ? use(programs.float32) : use(programs.float64);
}

}  // namespace refran::referent
