"""Makes the folder of tests/bench/marian: a full-size Marian model of random weights, a tiny one, and texts for them.

    marian_model.py FOLDER

FOLDER/model has the extents of an opus-mt model (6 + 6 layers, 8 heads, model 512, feed-forward 2048, 21,000 tokens, tied
embeddings, swish) in Hugging Face's layout; FOLDER/tiny has 1 + 1 layers of 8 dimensions a head and the same vocabulary. The
vocabulary is that of a SentencePiece model trained here on words of random syllables: all of its pieces are used. Sources are
200 lines of 24 pieces, references 200 of 24, long.txt one of 35; `</s>` follows in each case.

Weights are drawn as Marian draws them before training (uniform, by fan-in and fan-out). With these alone a translation is one
token over and over; so attention is made sharper, the decoder's attention adds less, and the last feed-forward block is a large
random linear map, which takes what was read to some other token. (Larger gains everywhere make translations vary too, but they
multiply rounding errors by thousands, so that no two programs would agree.)
"""

import argparse
import io
import json
import shutil
from pathlib import Path

import numpy as np
import sentencepiece
from safetensors.numpy import save_file

SEED = 20200223
VOCABULARY = 21_000
EOS, UNKNOWN, PAD = 0, 1, VOCABULARY - 1
PAIRS, SOURCE_PIECES, REFERENCE_PIECES, LONG_PIECES = 200, 24, 24, 35

FULL = {"layers": 6, "heads": 8, "model": 512, "feed_forward": 2048}
TINY = {"layers": 1, "heads": 8, "model": 64, "feed_forward": 128}


def invented_words(random, count):
    """Different words of one to four syllables."""
    onsets = [*"bcdfglmnpqrstvxz", "ch", "ll", "nh", "br", "tr", "pl", "gr"]
    codas = ["", "", "", "n", "s", "r", "l"]
    words = {}
    while len(words) < count:
        syllables = random.integers(1, 5)
        word = "".join(random.choice(onsets) + random.choice([*"aeiou"]) + random.choice(codas) for _ in range(syllables))
        words[word] = None
    return np.array(list(words))


def train_pieces(random, words):
    """A SentencePiece model (unigram), from sentences of those words with Zipf's frequencies."""
    shares = 1 / np.arange(1, len(words) + 1)
    drawn = random.choice(words, size=(30_000, 12), p=shares / shares.sum())
    text = [" ".join(sentence) for sentence in drawn]
    # Every word at least once, so that there is enough for as many pieces.
    text += [" ".join(words[i : i + 12]) for i in range(0, len(words), 12)]
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(text), model_writer=model, vocab_size=VOCABULARY, model_type="unigram",
        character_coverage=1.0, num_threads=1, minloglevel=2,
    )
    return model.getvalue()


def sentence_of(random, words, pieces, length):
    """Words that make exactly so many pieces together; no piece reaches over a space."""
    chosen, count = [], 0
    while count < length:
        word = str(random.choice(words))
        size = len(pieces.encode(word))
        if count + size <= length:
            chosen.append(word)
            count += size
    text = " ".join(chosen)
    assert len(pieces.encode(text)) == length
    return text


QUERY_KEY_GAIN, DECODER_ATTENTION_GAIN, LAST_MAP_GAIN = 2, 0.15, 40
BIAS = 0.02  # largest


class Weights:
    """Tensors by their names in a checkpoint of MarianMTModel. Matrices are [out, in]."""

    def __init__(self, random, extents):
        self.random = random
        self.extents = extents
        self.tensors = {}

    def uniform(self, limit, *shape):
        return self.random.uniform(-limit, limit, shape).astype(np.float32)

    def linear(self, name, outputs, inputs, gain=1):
        self.tensors[f"{name}.weight"] = self.uniform(gain * (6 / (inputs + outputs)) ** 0.5, outputs, inputs)
        self.tensors[f"{name}.bias"] = self.uniform(BIAS, outputs)

    def norm(self, name):
        self.tensors[f"{name}.weight"] = np.ones(self.extents["model"], np.float32)
        self.tensors[f"{name}.bias"] = np.zeros(self.extents["model"], np.float32)

    def attention(self, name, kind, out_gain):
        for part, gain in {"q": QUERY_KEY_GAIN, "k": QUERY_KEY_GAIN, "v": 1, "out": out_gain}.items():
            self.linear(f"{name}.{kind}.{part}_proj", self.extents["model"], self.extents["model"], gain)
        self.norm(f"{name}.{kind}_layer_norm")

    def layer(self, name, kinds, out_gain):
        for kind in kinds:
            self.attention(name, kind, out_gain)
        self.linear(f"{name}.fc1", self.extents["feed_forward"], self.extents["model"])
        self.linear(f"{name}.fc2", self.extents["model"], self.extents["feed_forward"])
        self.norm(f"{name}.final_layer_norm")

    def make_linear(self, name):
        """Turns a feed-forward block into a large linear map: its units come in pairs with swish(z) - swish(-z) = z."""
        half = self.extents["feed_forward"] // 2
        into, bias, out = (self.tensors[f"{name}.{n}"] for n in ("fc1.weight", "fc1.bias", "fc2.weight"))
        out *= LAST_MAP_GAIN
        into[half:], bias[half:], out[:, half:] = -into[:half], -bias[:half], -out[:, :half]

    def all(self):
        shared = self.uniform((3 / self.extents["model"]) ** 0.5, VOCABULARY, self.extents["model"])
        bias = self.uniform(0.1, 1, VOCABULARY)
        shared[PAD], bias[:, PAD] = 0, 0
        self.tensors |= {"model.shared.weight": shared, "final_logits_bias": bias}
        for number in range(self.extents["layers"]):
            self.layer(f"model.encoder.layers.{number}", ["self_attn"], 1)
            self.layer(f"model.decoder.layers.{number}", ["self_attn", "encoder_attn"], DECODER_ATTENTION_GAIN)
        self.make_linear(f"model.decoder.layers.{self.extents['layers'] - 1}")
        return self.tensors


def configs(extents):
    ids = {"eos_token_id": EOS, "pad_token_id": PAD, "decoder_start_token_id": PAD, "forced_eos_token_id": EOS}
    sides = {
        f"{side}_{name}": value
        for side in ("encoder", "decoder")
        for name, value in {
            "layers": extents["layers"], "attention_heads": extents["heads"], "ffn_dim": extents["feed_forward"],
        }.items()
    }
    return {
        "config.json": {
            "architectures": ["MarianMTModel"], "model_type": "marian", "vocab_size": VOCABULARY, "d_model": extents["model"],
            "activation_function": "swish", "scale_embedding": True, "max_position_embeddings": 512,
            "share_encoder_decoder_embeddings": True, "tie_word_embeddings": True, "is_encoder_decoder": True,
            "dtype": "float32", **sides, **ids,
        },
        "generation_config.json": {
            "num_beams": 4, "max_length": 512, "bad_words_ids": [[PAD]], "renormalize_logits": True, **ids,
        },
        "tokenizer_config.json": {
            "tokenizer_class": "MarianTokenizer", "source_lang": "x", "target_lang": "y", "separate_vocabs": False,
            "model_max_length": 512,
        },
    }


def write_model(folder, extents, spm, pieces):
    folder.mkdir()
    for name, content in configs(extents).items():
        (folder / name).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    ordinary = [i for i in range(pieces.get_piece_size()) if not (pieces.is_control(i) or pieces.is_unknown(i))]
    own = [pieces.id_to_piece(i) for i in ordinary]
    vocabulary = ["</s>", "<unk>", *own, "<pad>"]
    assert len(vocabulary) == VOCABULARY
    ids = {piece: i for i, piece in enumerate(vocabulary)}
    (folder / "vocab.json").write_text(json.dumps(ids, ensure_ascii=False), encoding="utf-8")
    (folder / "source.spm").write_bytes(spm)
    (folder / "target.spm").write_bytes(spm)
    save_file(Weights(np.random.default_rng(SEED), extents).all(), folder / "model.safetensors", metadata={"format": "pt"})


def write_texts(folder, random, words, pieces):
    for name, count, length in (
        ("sources.txt", PAIRS, SOURCE_PIECES), ("references.txt", PAIRS, REFERENCE_PIECES), ("long.txt", 1, LONG_PIECES),
    ):
        text = "".join(sentence_of(random, words, pieces, length) + "\n" for _ in range(count))
        (folder / name).write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    random = np.random.default_rng(SEED)
    words = invented_words(random, 40_000)
    spm = train_pieces(random, words)
    pieces = sentencepiece.SentencePieceProcessor(model_proto=spm)
    unfinished = folder.with_name(folder.name + ".partial")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    write_model(unfinished / "model", FULL, spm, pieces)
    write_model(unfinished / "tiny", TINY, spm, pieces)
    write_texts(unfinished, random, words, pieces)
    unfinished.rename(folder)


if __name__ == "__main__":
    main()
