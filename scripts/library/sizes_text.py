"""Public sizes of text models, as their published configurations give them.

Each entry is name: (family, variant, class of transformers, settings).
"""

from hf_sizes import _bert, _llama, _roberta

PUBLISHED = {}


def _add(name, family, cls, settings, variant=None):
    PUBLISHED[name] = (family, variant or name, cls, settings)


def _decoder(name, family, cls, *sizes, **more):
    _add(name, family, cls, _llama(*sizes, **more))


_LLAMA = ("llama", "LlamaForCausalLM")
for _name, _sizes in {
    "Llama-30B": (6656, 17920, 60, 52, 52, 32000), "Llama-65B": (8192, 22016, 80, 64, 64, 32000),
    "Llama-3.1-405B": (16384, 53248, 126, 128, 8, 128256), "CodeLlama-7B": (4096, 11008, 32, 32, 32, 32016),
    "CodeLlama-34B": (8192, 22016, 48, 64, 8, 32000), "DeepSeek-LLM-7B": (4096, 11008, 30, 32, 32, 102400),
    "DeepSeek-Coder-1.3B": (2048, 5504, 24, 16, 16, 32256), "DeepSeek-Coder-6.7B": (4096, 11008, 32, 32, 32, 32256),
    "Yi-6B": (4096, 11008, 32, 32, 4, 64000), "Yi-9B": (4096, 11008, 48, 32, 4, 64000),
    "Yi-34B": (7168, 20480, 60, 56, 8, 64000),
}.items():
    _decoder(_name, *_LLAMA, *_sizes)

for _name, _sizes in {
    "Qwen1.5-1.8B": (2048, 5504, 24, 16, 16, 151936), "Qwen1.5-4B": (2560, 6912, 40, 20, 20, 151936),
    "Qwen1.5-7B": (4096, 11008, 32, 32, 32, 151936), "Qwen1.5-14B": (5120, 13696, 40, 40, 40, 152064),
    "Qwen2.5-14B": (5120, 13824, 48, 40, 8, 152064), "Qwen2.5-32B": (5120, 27648, 64, 40, 8, 152064),
    "Qwen2.5-72B": (8192, 29568, 80, 64, 8, 152064),
}.items():
    _decoder(_name, "qwen2", "Qwen2ForCausalLM", *_sizes)
_decoder("Qwen1.5-0.5B", "qwen2", "Qwen2ForCausalLM", 1024, 2816, 24, 16, 16, 151936, True)

for _name, _sizes, _tied in [
    ("Qwen3-0.6B", (1024, 3072, 28, 16, 8, 151936), True), ("Qwen3-1.7B", (2048, 6144, 28, 16, 8, 151936), True),
    ("Qwen3-4B", (2560, 9728, 36, 32, 8, 151936), True), ("Qwen3-8B", (4096, 12288, 36, 32, 8, 151936), False),
    ("Qwen3-14B", (5120, 17408, 40, 40, 8, 151936), False), ("Qwen3-32B", (5120, 25600, 64, 64, 8, 151936), False),
]:
    _add(_name, "qwen3", "Qwen3ForCausalLM", {**_llama(*_sizes, _tied), "head_dim": 128})

for _name, _sizes in {
    "Mistral-7B-v0.3": (4096, 14336, 32, 32, 8, 32768), "Mistral-Nemo-12B": (5120, 14336, 40, 32, 8, 131072),
    "Mistral-Small-24B": (5120, 32768, 40, 32, 8, 131072), "Ministral-8B": (4096, 12288, 36, 32, 8, 131072),
    "Mistral-Large-123B": (12288, 28672, 88, 96, 8, 32768),
}.items():
    _add(_name, "mistral", "MistralForCausalLM", {**_llama(*_sizes), "head_dim": 128})

for _name, _cls, _family, _sizes, _head in [
    ("Gemma-2B", "Gemma", "gemma", (2048, 16384, 18, 8, 1, 256000), 256),
    ("Gemma-7B", "Gemma", "gemma", (3072, 24576, 28, 16, 16, 256000), 256),
    ("Gemma-2-2B", "Gemma2", "gemma2", (2304, 9216, 26, 8, 4, 256000), 256),
    ("Gemma-2-9B", "Gemma2", "gemma2", (3584, 14336, 42, 16, 8, 256000), 256),
    ("Gemma-2-27B", "Gemma2", "gemma2", (4608, 36864, 46, 32, 16, 256000), 128),
    ("Gemma-3-270M", "Gemma3", "gemma3", (640, 2048, 18, 4, 1, 262144), 256),
    ("Gemma-3-1B", "Gemma3", "gemma3", (1152, 6912, 26, 4, 1, 262144), 256),
    ("Gemma-3-4B text decoder", "Gemma3", "gemma3", (2560, 10240, 34, 8, 4, 262208), 256),
    ("Gemma-3-12B text decoder", "Gemma3", "gemma3", (3840, 15360, 48, 16, 8, 262208), 256),
    ("Gemma-3-27B text decoder", "Gemma3", "gemma3", (5376, 21504, 62, 32, 16, 262208), 128),
]:
    _add(_name, _family, _cls + "ForCausalLM", {**_llama(*_sizes, True), "head_dim": _head})
_add("EmbeddingGemma-300M", "gemma3", "Gemma3TextModel",
     {**_llama(768, 1152, 24, 3, 1, 262144, True), "head_dim": 256})

for _name, _sizes in {"Phi-1.5": (2048, 8192, 24, 32, 32, 51200), "Phi-2": (2560, 10240, 32, 32, 32, 51200)}.items():
    _decoder(_name, "phi", "PhiForCausalLM", *_sizes)
for _name, _sizes in {"Phi-3-mini": (3072, 8192, 32, 32, 32, 32064), "Phi-3-medium": (5120, 17920, 40, 40, 10, 32064),
                      "Phi-4": (5120, 17920, 40, 40, 10, 100352)}.items():
    _decoder(_name, "phi3", "Phi3ForCausalLM", *_sizes, pad_token_id=0)
_decoder("Phi-4-mini", "phi3", "Phi3ForCausalLM", 3072, 8192, 32, 24, 8, 200064, True, pad_token_id=0)

for _name, _sizes in {"StarCoder2-3B": (3072, 12288, 30, 24, 2, 49152),
                      "StarCoder2-7B": (4608, 18432, 32, 36, 4, 49152),
                      "StarCoder2-15B": (6144, 24576, 40, 48, 4, 49152)}.items():
    _decoder(_name, "starcoder2", "Starcoder2ForCausalLM", *_sizes, "15B" not in _name)
_decoder("StableLM-2-1.6B", "stablelm", "StableLmForCausalLM", 2048, 5632, 24, 32, 32, 100352)
_decoder("StableLM-3B-4E1T", "stablelm", "StableLmForCausalLM", 2560, 6912, 32, 32, 32, 50304)
_decoder("OLMo-1B", "olmo", "OlmoForCausalLM", 2048, 8192, 16, 16, 16, 50304, True)
_decoder("OLMo-7B", "olmo", "OlmoForCausalLM", 4096, 11008, 32, 32, 32, 50304)
_decoder("OLMo-2-1B", "olmo2", "Olmo2ForCausalLM", 2048, 8192, 16, 16, 16, 100352)
_decoder("OLMo-2-7B", "olmo2", "Olmo2ForCausalLM", 4096, 11008, 32, 32, 32, 100352)
_decoder("OLMo-2-13B", "olmo2", "Olmo2ForCausalLM", 5120, 13824, 40, 40, 40, 100352)
_decoder("Granite-3.1-2B", "granite", "GraniteForCausalLM", 2048, 8192, 40, 32, 8, 49155, True)
_decoder("Granite-3.1-8B", "granite", "GraniteForCausalLM", 4096, 12800, 40, 32, 8, 49155, True)
_decoder("Mixtral-8x22B", "mixtral", "MixtralForCausalLM", 6144, 16384, 56, 48, 8, 32000)


def _opt(width, layers, heads, **more):
    return {"hidden_size": width, "ffn_dim": 4 * width, "num_hidden_layers": layers, "vocab_size": 50272,
            "num_attention_heads": heads, "word_embed_proj_dim": width, **more}


for _name, _sizes in {"OPT-125M": (768, 12, 12), "OPT-1.3B": (2048, 24, 32), "OPT-2.7B": (2560, 32, 32),
                      "OPT-6.7B": (4096, 32, 32), "OPT-13B": (5120, 40, 40), "OPT-30B": (7168, 48, 56),
                      "OPT-66B": (9216, 64, 72)}.items():
    _add(_name, "opt", "OPTForCausalLM", _opt(*_sizes))
_add("OPT-350M", "opt", "OPTForCausalLM",
     {**_opt(1024, 24, 16), "word_embed_proj_dim": 512, "do_layer_norm_before": False})

for _name, _width, _layers, _heads, _rows in [
    ("Pythia-14M", 128, 6, 4, 50304), ("Pythia-31M", 256, 6, 8, 50304), ("Pythia-70M", 512, 6, 8, 50304),
    ("Pythia-160M", 768, 12, 12, 50304), ("Pythia-410M", 1024, 24, 16, 50304), ("Pythia-1B", 2048, 16, 8, 50304),
    ("Pythia-1.4B", 2048, 24, 16, 50304), ("Pythia-2.8B", 2560, 32, 32, 50304), ("Pythia-6.9B", 4096, 32, 32, 50432),
    ("Pythia-12B", 5120, 36, 40, 50688),
]:
    _add(_name, "gpt-neox", "GPTNeoXForCausalLM", _bert(_width, _layers, _heads, _rows))

for _name, _width, _layers, _heads in [
    ("BLOOM-560M", 1024, 24, 16), ("BLOOM-1.1B", 1536, 24, 16), ("BLOOM-1.7B", 2048, 24, 16),
    ("BLOOM-3B", 2560, 30, 32),
    ("BLOOM-7.1B", 4096, 30, 32), ("BLOOM-176B", 14336, 70, 112),
]:
    _add(_name, "bloom", "BloomForCausalLM",
         {"hidden_size": _width, "n_layer": _layers, "n_head": _heads, "vocab_size": 250880})

_add("Falcon-7B", "falcon", "FalconForCausalLM", {})
_add("Falcon-40B", "falcon", "FalconForCausalLM", {
    "hidden_size": 8192, "num_hidden_layers": 60, "num_attention_heads": 128, "num_kv_heads": 8,
    "new_decoder_architecture": True})
for _name, _width, _layers, _heads in [("GPT-Neo-125M", 768, 12, 12), ("GPT-Neo-1.3B", 2048, 24, 16),
                                       ("GPT-Neo-2.7B", 2560, 32, 20)]:
    _add(_name, "gpt-neo", "GPTNeoForCausalLM", {
        "hidden_size": _width, "num_layers": _layers, "num_heads": _heads,
        "attention_types": [[["global", "local"], _layers // 2]]})
_add("GPT-J-6B", "gptj", "GPTJForCausalLM", {})
for _name, _width, _layers, _heads in [("CodeGen-350M", 1024, 20, 16), ("CodeGen-2B", 2560, 32, 32),
                                       ("CodeGen-6B", 4096, 33, 16), ("CodeGen-16B", 6144, 34, 24)]:
    _add(_name, "codegen", "CodeGenForCausalLM",
         {"vocab_size": 51200, "n_embd": _width, "n_layer": _layers, "n_head": _heads})
for _name, _width, _layers, _heads in [("StarCoderBase-1B", 2048, 24, 16), ("StarCoderBase-3B", 2816, 36, 22),
                                       ("StarCoderBase-7B", 4096, 42, 32), ("StarCoderBase-15B", 6144, 40, 48)]:
    _add(_name, "gpt-bigcode", "GPTBigCodeForCausalLM",
         {"vocab_size": 49152, "n_embd": _width, "n_layer": _layers, "n_head": _heads, "n_positions": 8192,
          "n_inner": 4 * _width})
_add("MPT-7B", "mpt", "MptForCausalLM", {"d_model": 4096, "n_heads": 32, "n_layers": 32, "vocab_size": 50432})
for _name, _width, _layers in [("Mamba-130M", 768, 24), ("Mamba-370M", 1024, 48), ("Mamba-790M", 1536, 48),
                               ("Mamba-1.4B", 2048, 48), ("Mamba-2.8B", 2560, 64)]:
    _add(_name, "mamba", "MambaForCausalLM", {"hidden_size": _width, "num_hidden_layers": _layers, "vocab_size": 50280,
                                              "intermediate_size": 2 * _width, "time_step_rank": _width // 16})

# Encoders.
for _width in (128, 256, 512, 768):
    for _layers in (2, 4, 6, 8, 10, 12):
        _name = f"bert_uncased_L-{_layers}_H-{_width}_A-{_width // 64}"
        _known = {(128, 2): "BERT-tiny", (256, 4): "BERT-mini", (512, 4): "BERT-small", (512, 8): "BERT-medium",
                  (768, 12): "BERT-base"}
        _add(_name, "bert", "BertModel", _bert(_width, _layers),
             _known.get((_width, _layers), f"BERT L{_layers}-H{_width}"))
for _name, _variant, _sizes, _rows in [
    ("bert-base-cased", "BERT-base cased", (768, 12), 28996),
    ("bert-large-cased", "BERT-large cased", (1024, 24), 28996),
    ("bert-base-multilingual-uncased", "BERT-base multilingual uncased", (768, 12), 105879),
    ("LaBSE", "LaBSE", (768, 12), 501153),
    ("paraphrase-multilingual-MiniLM-L12-v2", "MiniLM-L12-H384 multilingual", (384, 12, 12), 250037),
    ("multilingual-e5-small", "MiniLM-L12-H384 multilingual", (384, 12, 12), 250037),
    ("bge-small-zh-v1.5", "BGE-small-zh", (512, 4), 21128), ("bge-base-zh-v1.5", "BERT-base-chinese", (768, 12), 21128),
    ("bge-large-zh-v1.5", "BERT-large-chinese", (1024, 24), 21128),
    ("TinyBERT-L4-H312", "TinyBERT-L4-H312", (312, 4, 12), 30522),
    ("TinyBERT-L6-H768", "TinyBERT-L6-H768", (768, 6), 30522),
]:
    _settings = _bert(*_sizes, rows=_rows)
    if "L4-H312" in _name:
        _settings["intermediate_size"] = 1200
    _add(_name, "bert", "BertModel", _settings, _variant)
for _layers, _names in {
    3: ["paraphrase-MiniLM-L3-v2"],
    6: ["all-MiniLM-L6-v2", "multi-qa-MiniLM-L6-cos-v1", "ms-marco-MiniLM-L-6-v2", "snowflake-arctic-embed-xs"],
    12: ["all-MiniLM-L12-v2", "ms-marco-MiniLM-L-12-v2", "bge-small-en-v1.5", "gte-small", "e5-small-v2",
         "snowflake-arctic-embed-s"],
}.items():
    for _name in _names:
        _add(_name, "bert", "BertModel", _bert(384, _layers, 12), f"MiniLM-L{_layers}-H384")
for _name in ("bge-base-en-v1.5", "gte-base", "e5-base-v2", "snowflake-arctic-embed-m"):
    _add(_name, "bert", "BertModel", _bert(768, 12), "BERT-base")
for _name in ("bge-large-en-v1.5", "gte-large", "e5-large-v2", "snowflake-arctic-embed-l"):
    _add(_name, "bert", "BertModel", _bert(1024, 24), "BERT-large")
_add("all-mpnet-base-v2", "mpnet", "MPNetModel", {}, "MPNet-base")
_add("DistilRoBERTa-base", "roberta", "RobertaModel", _roberta(768, 6))
_add("all-distilroberta-v1", "roberta", "RobertaModel", _roberta(768, 6), "DistilRoBERTa-base")
for _name in ("multilingual-e5-base", "paraphrase-multilingual-mpnet-base-v2", "bge-reranker-base"):
    _add(_name, "roberta", "XLMRobertaModel", _roberta(768, 12, 250002), "XLM-R-base")
_add("multilingual-e5-large", "roberta", "XLMRobertaModel", _roberta(1024, 24, 250002), "XLM-R-large")
_add("bge-m3", "roberta", "XLMRobertaModel",
     {**_roberta(1024, 24, 250002), "max_position_embeddings": 8194}, "XLM-R-large 8192 positions")
_add("CamemBERT-base", "roberta", "CamembertModel", _roberta(768, 12, 32005))
_add("DistilBERT-base", "distilbert", "DistilBertModel", {})
_add("DistilBERT-base cased", "distilbert", "DistilBertModel", {"vocab_size": 28996})
_add("DistilBERT-base multilingual", "distilbert", "DistilBertModel", {"vocab_size": 119547})
for _name, _width, _layers, _heads in [("ALBERT-base", 768, 12, 12), ("ALBERT-large", 1024, 24, 16),
                                       ("ALBERT-xlarge", 2048, 24, 16), ("ALBERT-xxlarge", 4096, 12, 64)]:
    _add(_name, "albert", "AlbertModel", _bert(_width, _layers, _heads, 30000, embedding_size=128))
_add("ELECTRA-small", "electra", "ElectraModel", _bert(256, 12, 4, embedding_size=128))
_add("ELECTRA-base", "electra", "ElectraModel", _bert(768, 12, embedding_size=768))
_add("ELECTRA-large", "electra", "ElectraModel", _bert(1024, 24, embedding_size=1024))
_V3 = {"relative_attention": True, "position_buckets": 256, "norm_rel_ebd": "layer_norm", "share_att_key": True,
       "pos_att_type": ["p2c", "c2p"], "type_vocab_size": 0, "position_biased_input": False,
       "max_relative_positions": -1}
for _name, _width, _layers, _heads, _rows in [
    ("DeBERTa-v3-xsmall", 384, 12, 6, 128100), ("DeBERTa-v3-small", 768, 6, 12, 128100),
    ("DeBERTa-v3-base", 768, 12, 12, 128100), ("DeBERTa-v3-large", 1024, 24, 16, 128100),
    ("mDeBERTa-v3-base", 768, 12, 12, 251000),
]:
    _add(_name, "deberta", "DebertaV2Model", {**_bert(_width, _layers, _heads, _rows), **_V3})
_V1 = {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "type_vocab_size": 0,
       "position_biased_input": False, "max_relative_positions": -1}
_add("DeBERTa-base", "deberta", "DebertaModel", {**_bert(768, 12, rows=50265), **_V1})
_add("DeBERTa-large", "deberta", "DebertaModel", {**_bert(1024, 24, rows=50265), **_V1})
_add("ModernBERT-base", "modernbert", "ModernBertModel", {})
_add("ModernBERT-large", "modernbert", "ModernBertModel", {
    "hidden_size": 1024, "intermediate_size": 2624, "num_hidden_layers": 28, "num_attention_heads": 16})
_add("Longformer-large", "longformer", "LongformerModel", {
    **_roberta(1024, 24), "max_position_embeddings": 4098, "attention_window": 512})
