"""Trains the tiny model in JAX (jit, vmap over seeds, scan over steps) and prints seeds per second as a line of JSON.

    referent_jax.py [--batch 32] [--seeds-each 32] [--processes 2] [--steps 500]

Processes run side by side. What compiling takes is not counted. See README.md.
"""

import os

import numpy as np

import referent_task as task

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jax.numpy as jnp


def logits_of(p, words, it):
    """[sentence, word] of one seed. In the einsums: s sentence, h head, q query position, p key position, m model, k key,
    v value."""

    def attention(layer, asking, asked):
        query = jnp.einsum("sqm,hmk->shqk", asking, p["query"][layer])
        key = jnp.einsum("spm,hmk->shpk", asked, p["key"][layer])
        value = jnp.einsum("spm,hmv->shpv", asked, p["value"][layer])
        weight = jax.nn.softmax(jnp.einsum("shqk,shpk->shqp", query, key) / task.KEY_DIM**0.5)
        return jnp.einsum("shqv,hvm->sqm", jnp.einsum("shqp,shpv->shqv", weight, value), p["output"][layer])

    x = p["word_embedding"][words] + p["position_embedding"]
    hidden = x + attention(0, x, x)
    asking = hidden[:, it : it + 1]
    answer = asking + attention(1, asking, hidden)
    return answer[:, 0] @ p["unembedding"]


def adam_step(parameters, mean, square, gradient, step):
    mean = jax.tree.map(lambda m, g: task.BETA1 * m + (1 - task.BETA1) * g, mean, gradient)
    square = jax.tree.map(lambda s, g: task.BETA2 * s + (1 - task.BETA2) * g * g, square, gradient)
    rate = task.LEARNING_RATE / (1 - task.BETA1**step)
    root = jnp.sqrt(1 - task.BETA2**step)
    parameters = jax.tree.map(lambda p, m, s: p - rate * m / (jnp.sqrt(s) / root + task.EPSILON), parameters, mean, square)
    return parameters, mean, square


def prepare(options):
    words, targets, vocabulary, it = task.sentences()

    def loss_of(parameters):
        log_share = jax.nn.log_softmax(logits_of(parameters, words, it))
        return -jnp.take_along_axis(log_share, targets[:, None], 1).mean()

    def train_seed(parameters):
        def one_step(state, step):
            return adam_step(*state, jax.grad(loss_of)(state[0]), step), None

        zeros = jax.tree.map(jnp.zeros_like, parameters)
        steps = jnp.arange(1, options.steps + 1, dtype=jnp.float32)
        (parameters, _, _), _ = jax.lax.scan(one_step, (parameters, zeros, zeros), steps)
        accuracy = (logits_of(parameters, words, it).argmax(1) == targets).mean()
        return loss_of(parameters), accuracy

    example = task.random_starts(range(options.batch), vocabulary, words.shape[1])
    train_group = jax.jit(jax.vmap(train_seed)).lower(example).compile()

    def train(seeds):
        groups = [seeds[i : i + options.batch] for i in range(0, len(seeds), options.batch)]
        results = [train_group(task.random_starts(group, vocabulary, words.shape[1])) for group in groups]
        losses, accuracies = zip(*results)
        return np.concatenate(losses), np.concatenate(accuracies)

    return train


if __name__ == "__main__":
    options = task.arguments(__doc__, batch=32, seeds_each=32)
    task.measure(f"JAX, {options.batch} at a time", prepare, options, options.seeds_each)
