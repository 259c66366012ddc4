"""What the peers share: the task and the model's extents (the page's), its random start, and how they are timed."""

import argparse
import itertools
import json
import multiprocessing
import os
import time

# These read them when they are imported, in the processes that are started below.
os.environ.update(OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np

TEMPLATE = "the {animal} didn't cross the {place} because it was {adjective}".split()
ANIMALS = ["animal", "dog", "cat", "horse"]
PLACES = ["street", "road", "field", "bridge"]
ADJECTIVES = {"animal": ["tired", "hungry", "scared"], "place": ["wide", "flooded", "icy"]}

LAYERS, HEADS, MODEL_DIM, KEY_DIM, VALUE_DIM = 2, 2, 16, 2, 8
LEARNING_RATE, BETA1, BETA2, EPSILON = 0.03, 0.9, 0.999, 1e-8
SCALE = 0.5


def sentences():
    """words [sentence, position], targets [sentence], how many words there are, and the position of "it"."""
    constant = list(dict.fromkeys(w for w in TEMPLATE if not w.startswith("{")))
    vocabulary = constant + ANIMALS + PLACES + ADJECTIVES["animal"] + ADJECTIVES["place"]
    words, targets = [], []
    for animal, place, referent in itertools.product(ANIMALS, PLACES, ADJECTIVES):
        for adjective in ADJECTIVES[referent]:
            filler = {"{animal}": animal, "{place}": place, "{adjective}": adjective}
            words.append([vocabulary.index(filler.get(w, w)) for w in TEMPLATE])
            targets.append(vocabulary.index(animal if referent == "animal" else place))
    return np.array(words), np.array(targets), len(vocabulary), TEMPLATE.index("it")


def random_start(seed, words, positions):
    """Parameters of one seed, by name."""
    random = np.random.default_rng(seed)

    def normal(deviation, *shape):
        return (deviation * random.standard_normal(shape)).astype(np.float32)

    per_input = SCALE / MODEL_DIM**0.5
    return {
        "word_embedding": normal(SCALE, words, MODEL_DIM),
        "position_embedding": normal(SCALE, positions, MODEL_DIM),
        "query": normal(per_input, LAYERS, HEADS, MODEL_DIM, KEY_DIM),
        "key": normal(per_input, LAYERS, HEADS, MODEL_DIM, KEY_DIM),
        "value": normal(per_input, LAYERS, HEADS, MODEL_DIM, VALUE_DIM),
        "output": normal(SCALE / (HEADS * VALUE_DIM) ** 0.5, LAYERS, HEADS, VALUE_DIM, MODEL_DIM),
        "unembedding": normal(per_input, MODEL_DIM, words),
    }


def random_starts(seeds, words, positions):
    """The same of several seeds, stacked: every array has a leading axis seed."""
    starts = [random_start(seed, words, positions) for seed in seeds]
    return {name: np.stack([start[name] for start in starts]) for name in starts[0]}


def arguments(doc, **defaults):
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="side by side")
    parser.add_argument("--steps", type=int, default=500)
    for name, default in defaults.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=default)
    return parser.parse_args()


def work(index, prepare, options, seeds, ready, done):
    train = prepare(options)  # imports and compiles
    ready.wait()
    start, cpu = time.perf_counter(), time.process_time()
    loss, accuracy = train(seeds)
    done.put((start, time.perf_counter(), time.process_time() - cpu, loss, accuracy))


def measure(name, prepare, options, seeds_each):
    """Trains on all processes at once and prints one line of JSON. `prepare(options)` gives what trains a list of seeds and
    returns their final losses and accuracies; what it does itself is not timed."""
    context = multiprocessing.get_context("spawn")
    ready, done = context.Barrier(options.processes), context.Queue()
    jobs = [
        context.Process(target=work, args=(i, prepare, options, list(range(i * seeds_each, (i + 1) * seeds_each)), ready, done))
        for i in range(options.processes)
    ]
    for job in jobs:
        job.start()
    starts, ends, cpus, losses, accuracies = zip(*[done.get() for _ in jobs])
    for job in jobs:
        job.join()
    seeds = seeds_each * options.processes
    print(json.dumps({
        "program": name,
        "seeds": seeds,
        "steps": options.steps,
        "processes": options.processes,
        "seeds_per_second": seeds / (max(ends) - min(starts)),
        "seeds_per_cpu_second": seeds / sum(cpus),
        "median_loss": float(np.median(np.concatenate(losses))),
        "share_learned": float(np.mean(np.concatenate(accuracies) == 1)),
    }), flush=True)
