"""The kinds of result files that the figures are tried on."""

from __future__ import annotations

import results_of
from results_of import SENTENCE

# Names of result files, and how each is made.
KINDS = {
    "long sentence": lambda path: results_of.toy_encoder(path, SENTENCE),
    "short sentence": lambda path: results_of.toy_encoder(path, SENTENCE[:3]),
    "one word": lambda path: results_of.toy_encoder(path, SENTENCE[:1]),
    "five dimensions": lambda path: results_of.toy_encoder(path, SENTENCE[:8], 5, 0.3),
    "one dimension": lambda path: results_of.toy_encoder(path, SENTENCE[:4], 1),
    "greedy": results_of.greedy_decoder,
    "beam": lambda path: results_of.greedy_decoder(path, "beam"),
    "samples": results_of.sample_sweep,
    "attention": results_of.attention_query,
    "five keys": lambda path: results_of.attention_query(path, 5, 6),
    "many keys": lambda path: results_of.attention_query(path, 20, 15, 0),
    "unknown plugin": results_of.unknown,
    "unknown sweep": results_of.seed_sweep,
    "few seeds": lambda path: results_of.one_axis_of_seeds(path, 8),
    "many seeds": lambda path: results_of.one_axis_of_seeds(path, 60),
    "scorings": results_of.scoring_sweep,
    "rates": results_of.rate_sweep,
}
