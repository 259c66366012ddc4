"""opus-mt-probe's work in transformers, as its users write it: eager attention, every weight kept.

    marian_transformers.py serve FOLDER                           # answers tests/bench/marian; see marian_task.py
    marian_transformers.py sentence FOLDER OUT [--beam 4]         # long.txt from the start of the process to attention in OUT

FOLDER is made by marian_model.py.
"""

import argparse
from pathlib import Path

import marian_task as task

import torch
from transformers import MarianMTModel, MarianTokenizer


class Translator:
    def __init__(self, folder):
        torch.set_num_threads(task.THREADS)
        torch.set_grad_enabled(False)
        self.folder = folder
        self.tokenizer = MarianTokenizer.from_pretrained(folder / "model")
        self.model = MarianMTModel.from_pretrained(folder / "model", dtype=torch.float32, attn_implementation="eager").eval()

    def generate(self, texts, beam, tokens, keep):
        """`tokens` of them for every text, the last of them the forced end of the sentence."""
        inputs = self.tokenizer(texts, return_tensors="pt", padding=True)
        return self.model.generate(**inputs, num_beams=beam, min_length=tokens, max_length=tokens + 1, do_sample=False,
                                   output_attentions=keep, return_dict_in_generate=True)

    def translate(self, batch, beam, tokens, sentences, keep):
        texts = task.lines(self.folder / "sources.txt")[:sentences]
        groups = task.batches(texts, batch)
        out, took = task.timed(lambda: [self.generate(group, beam, tokens, keep) for group in groups])
        ids = [row[1:] for o in out for row in o.sequences.tolist()]  # without the start token
        return {"tokens": sum(map(len, ids)), "ids": ids, **took}

    def head_output(self, kind, layer):
        side = self.model.model.encoder if kind == "encoder_self" else self.model.model.decoder
        block = side.layers[layer]
        return (block.encoder_attn if kind == "cross" else block.self_attn).out_proj

    def switch_off(self, kind, layer, head):
        projection = self.head_output(kind, layer)
        width = self.model.config.d_model // self.model.config.encoder_attention_heads

        def hook(_, inputs):
            gated = inputs[0].clone()
            gated[..., head * width : (head + 1) * width] = 0
            return (gated,)

        return projection.register_forward_pre_hook(hook)

    def log_probabilities(self, groups):
        """Sums over the references' tokens, teacher-forced, [pair] in the order of `groups`."""
        sums = []
        for inputs, labels in groups:
            logits = self.model(**inputs, labels=labels).logits
            each = torch.log_softmax(logits, -1).gather(-1, labels.unsqueeze(-1)).squeeze(-1)
            sums.append((each * (labels != self.model.config.pad_token_id)).sum(-1))
        return torch.cat(sums)

    def ablate(self, heads, pairs, batch=32):
        sources, references = (task.lines(self.folder / name)[:pairs] for name in ("sources.txt", "references.txt"))
        length = [len(self.tokenizer(source).input_ids) for source in sources]
        order = sorted(range(len(sources)), key=lambda pair: length[pair])
        groups = [
            (self.tokenizer([sources[p] for p in chosen], return_tensors="pt", padding=True),
             self.tokenizer(text_target=[references[p] for p in chosen], return_tensors="pt", padding=True).input_ids)
            for chosen in task.batches(order, batch)
        ]

        def scores(head):
            hook = self.switch_off(*head)
            sums = self.log_probabilities(groups)
            hook.remove()
            return sums

        out, took = task.timed(lambda: [scores(head) for head in heads])
        back = torch.tensor(order).argsort()
        return {"log_probability": [sums[back].tolist() for sums in out], **took}


def attention_of_hypothesis(out):
    """[layer, head, query, key] of each kind for the translation of one sentence. Rows of a step are open hypotheses; the
    translation's row is told by beam_indices."""
    steps = out.sequences.shape[1] - 1
    beam = getattr(out, "beam_indices", None)
    row = [0] * steps if beam is None else beam[0, :steps].tolist()
    layers = range(len(out.cross_attentions[0]))
    self_attention = torch.zeros(len(layers), out.decoder_attentions[0][0].shape[1], steps, steps)
    for step in range(steps):
        for layer in layers:
            self_attention[layer, :, step, : step + 1] = out.decoder_attentions[step][layer][row[step], :, -1]
    cross = [torch.stack([out.cross_attentions[s][layer][row[s], :, -1] for s in range(steps)], 1) for layer in layers]
    return {
        "encoder_self_attention": torch.stack([layer[0] for layer in out.encoder_attentions]),
        "decoder_self_attention": self_attention,
        "cross_attention": torch.stack(cross),
    }


def sentence(folder, file, beam, tokens):
    import h5py

    out = Translator(folder).generate(task.lines(folder / "long.txt"), beam, tokens, True)
    with h5py.File(file, "w") as result:
        for name, weights in attention_of_hypothesis(out).items():
            result[name] = weights.numpy()
        result["predicted_id"] = out.sequences[0, 1:].numpy()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["serve", "sentence"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--beam", type=int, default=4)
    parser.add_argument("--tokens", type=int, default=35)
    options = parser.parse_args()
    if options.what == "sentence":
        sentence(options.folder, options.out, options.beam, options.tokens)
    else:
        translator = Translator(options.folder)
        task.serve(translate=translator.translate, ablate=translator.ablate)


if __name__ == "__main__":
    main()
