"""opus-mt-probe's work in CTranslate2, float32, as far as it can do it: translations, and the attention it returns.

    marian_ctranslate2.py convert FOLDER                      # FOLDER/model to FOLDER/ctranslate2, once
    marian_ctranslate2.py serve FOLDER                        # answers tests/bench/marian; see marian_task.py
    marian_ctranslate2.py sentence FOLDER OUT [--beam 4] [--threads 2]
                                                              # long.txt from the start of the process to attention in OUT

FOLDER is made by marian_model.py. Attention is that of one cross-attention head of the last layer: CTranslate2 has no other.
"""

import argparse
import sys
from pathlib import Path

import marian_task as task


def import_ctranslate2():
    """Without the torch and transformers of the same environment: only its converters use them, and a user who translates has
    none installed."""
    for name in ("torch", "transformers", "huggingface_hub"):
        sys.modules[name] = None  # `import` of it fails
    import ctranslate2

    return ctranslate2


def length_of(tokens):
    return {"min_decoding_length": tokens, "max_decoding_length": tokens}


class Translator:
    def __init__(self, folder):
        import sentencepiece

        self.ctranslate2 = import_ctranslate2()
        self.folder = folder
        self.pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "model/source.spm"))
        self.loaded = {}

    def model(self, workers, threads):
        """`workers` translate batches side by side, on so many threads each."""
        if (workers, threads) not in self.loaded:
            self.loaded[workers, threads] = self.ctranslate2.Translator(
                str(self.folder / "ctranslate2"), compute_type="float32", inter_threads=workers, intra_threads=threads)
        return self.loaded[workers, threads]

    def tokens_of(self, text):
        return self.pieces.encode(text, out_type=str) + ["</s>"]

    def translate(self, batch, beam, tokens, sentences, workers, threads):
        sources = [self.tokens_of(text) for text in task.lines(self.folder / "sources.txt")[:sentences]]
        # With one worker batches follow each other; several are given all at once and share them.
        groups = task.batches(sources, batch) if workers == 1 else [sources]
        model = self.model(workers, threads)
        options = length_of(tokens) | {"beam_size": beam, "max_batch_size": batch}
        out, took = task.timed(lambda: [model.translate_batch(group, **options) for group in groups])
        chosen = [result.hypotheses[0] for results in out for result in results]
        return {"tokens": sum(map(len, chosen)), "pieces": chosen, **took}


def sentence(folder, file, beam, tokens, threads):
    import h5py
    import numpy as np

    translator = Translator(folder)
    sources = [translator.tokens_of(text) for text in task.lines(folder / "long.txt")]
    out = translator.model(1, threads).translate_batch(sources, beam_size=beam, return_attention=True, **length_of(tokens))
    with h5py.File(file, "w") as result:
        result["cross_attention"] = np.array(out[0].attention[0], np.float32)  # [query, key]
        result["predicted"] = out[0].hypotheses[0]


def convert(folder):
    import ctranslate2

    converter = ctranslate2.converters.TransformersConverter(str(folder / "model"))
    converter.convert(str(folder / "ctranslate2"), quantization="float32")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["convert", "serve", "sentence"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--beam", type=int, default=4)
    parser.add_argument("--tokens", type=int, default=35)
    parser.add_argument("--threads", type=int, default=task.THREADS)
    options = parser.parse_args()
    if options.what == "convert":
        convert(options.folder)
    elif options.what == "sentence":
        sentence(options.folder, options.out, options.beam, options.tokens, options.threads)
    else:
        task.serve(translate=Translator(options.folder).translate)


if __name__ == "__main__":
    main()
