"""Trains the tiny model in PyTorch, a few seeds at a time, and prints seeds per second as a line of JSON.

    referent_torch.py [--batch 1] [--seeds-each 2] [--processes 2] [--steps 500]

--batch 1 trains one seed after the other; more of them train as a batch dimension. Processes run side by side, with one
thread each (threads of one process lose time over tensors this small). See README.md.
"""

import numpy as np
import torch
from torch.nn.functional import cross_entropy

import referent_task as task


def logits_of(p, words, it):
    """[…, sentence, word] for parameters with or without a leading axis seed. In the einsums: s sentence, h head, q query
    position, p key position, m model, k key, v value."""

    def attention(layer, asking, asked):
        query = torch.einsum("...sqm,...hmk->...shqk", asking, p["query"][..., layer, :, :, :])
        key = torch.einsum("...spm,...hmk->...shpk", asked, p["key"][..., layer, :, :, :])
        value = torch.einsum("...spm,...hmv->...shpv", asked, p["value"][..., layer, :, :, :])
        weight = torch.softmax(query @ key.transpose(-1, -2) / task.KEY_DIM**0.5, -1)
        return torch.einsum("...shqv,...hvm->...sqm", weight @ value, p["output"][..., layer, :, :, :])

    x = p["word_embedding"][..., words, :] + p["position_embedding"].unsqueeze(-3)
    hidden = x + attention(0, x, x)
    asking = hidden[..., it : it + 1, :]
    answer = asking + attention(1, asking, hidden)
    return torch.einsum("...sm,...mw->...sw", answer.squeeze(-2), p["unembedding"])


def prepare(options):
    torch.set_num_threads(1)
    word_array, target_array, vocabulary, it = task.sentences()
    words, targets = torch.from_numpy(word_array), torch.from_numpy(target_array)

    def losses_of(logits):  # [seed]
        every = targets.expand(logits.shape[:-1])
        return cross_entropy(logits.flatten(0, -2), every.flatten(), reduction="none").view(every.shape).mean(-1)

    def train_group(seeds, steps):
        if len(seeds) == 1:
            arrays = task.random_start(seeds[0], vocabulary, words.shape[1])
        else:
            arrays = task.random_starts(seeds, vocabulary, words.shape[1])
        parameters = {name: torch.from_numpy(array).requires_grad_() for name, array in arrays.items()}
        adam = torch.optim.Adam(parameters.values(), task.LEARNING_RATE, (task.BETA1, task.BETA2), task.EPSILON, fused=True)
        for _ in range(steps):
            adam.zero_grad()
            losses_of(logits_of(parameters, words, it)).sum().backward()
            adam.step()
        with torch.no_grad():
            logits = logits_of(parameters, words, it)
            accuracy = (logits.argmax(-1) == targets).double().mean(-1)
            return losses_of(logits).reshape(-1).numpy(), accuracy.reshape(-1).numpy()

    def train(seeds, steps=options.steps):
        groups = [seeds[i : i + options.batch] for i in range(0, len(seeds), options.batch)]
        losses, accuracies = zip(*[train_group(group, steps) for group in groups])
        return np.concatenate(losses), np.concatenate(accuracies)

    train(list(range(options.batch)), steps=3)
    return train


if __name__ == "__main__":
    options = task.arguments(__doc__, batch=1, seeds_each=2)
    task.measure(f"PyTorch, {options.batch} at a time", prepare, options, options.seeds_each)
