"""Public sizes of models, as their published configurations give them."""


def _bert(width, layers, heads=None, rows=30522, **more):
    return {"hidden_size": width, "num_hidden_layers": layers, "vocab_size": rows,
            "num_attention_heads": heads or width // 64, "intermediate_size": 4 * width, **more}


def _roberta(width, layers, rows=50265):
    return _bert(width, layers, rows=rows, max_position_embeddings=514, type_vocab_size=1)


def _llama(width, inner, layers, heads, groups, rows, tied=False, **more):
    return {"hidden_size": width, "intermediate_size": inner, "num_hidden_layers": layers,
            "num_attention_heads": heads, "num_key_value_heads": groups, "vocab_size": rows,
            "head_dim": width // heads, "tie_word_embeddings": tied, **more}


def _gpt2(width, layers, heads):
    return {"n_embd": width, "n_layer": layers, "n_head": heads}


def _whisper(width, layers, heads, decoder=None, bins=80, rows=51865):
    return {"d_model": width, "encoder_layers": layers, "decoder_layers": decoder or layers,
            "encoder_attention_heads": heads, "decoder_attention_heads": heads,
            "encoder_ffn_dim": 4 * width, "decoder_ffn_dim": 4 * width, "num_mel_bins": bins,
            "vocab_size": rows}


def _t5(width, inner, layers, heads, key=64, rows=32128, **more):
    return {"d_model": width, "d_ff": inner, "num_layers": layers, "num_heads": heads, "d_kv": key,
            "vocab_size": rows, **more}


REFERENCE = {
    "BERT-tiny": ("BertModel", _bert(128, 2)),
    "BERT-mini": ("BertModel", _bert(256, 4)),
    "BERT-small": ("BertModel", _bert(512, 4)),
    "BERT-medium": ("BertModel", _bert(512, 8)),
    "BERT-base": ("BertModel", _bert(768, 12)),
    "BERT-large": ("BertModel", _bert(1024, 24)),
    "MiniLM-L3": ("BertModel", _bert(384, 3, 12)),
    "MiniLM-L6": ("BertModel", _bert(384, 6, 12)),
    "MiniLM-L12": ("BertModel", _bert(384, 12, 12)),
    "BERT-base-multilingual": ("BertModel", _bert(768, 12, rows=119547)),
    "BERT-base-chinese": ("BertModel", _bert(768, 12, rows=21128)),
    "XLM-R-base": ("XLMRobertaModel", _roberta(768, 12, 250002)),
    "XLM-R-large": ("XLMRobertaModel", _roberta(1024, 24, 250002)),
    "RoBERTa-base": ("RobertaModel", _roberta(768, 12)),
    "RoBERTa-large": ("RobertaModel", _roberta(1024, 24)),
    "GPT-2": ("GPT2Model", _gpt2(768, 12, 12)),
    "DistilGPT-2": ("GPT2Model", _gpt2(768, 6, 12)),
    "GPT-2-medium": ("GPT2Model", _gpt2(1024, 24, 16)),
    "GPT-2-large": ("GPT2Model", _gpt2(1280, 36, 20)),
    "GPT-2-XL": ("GPT2Model", _gpt2(1600, 48, 25)),
    "Llama-2-7B": ("LlamaModel", _llama(4096, 11008, 32, 32, 32, 32000)),
    "Llama-2-13B": ("LlamaModel", _llama(5120, 13824, 40, 40, 40, 32000)),
    "Llama-2-70B": ("LlamaModel", _llama(8192, 28672, 80, 64, 8, 32000)),
    "Llama-3-8B": ("LlamaModel", _llama(4096, 14336, 32, 32, 8, 128256)),
    "Llama-3-70B": ("LlamaModel", _llama(8192, 28672, 80, 64, 8, 128256)),
    "Llama-3.2-1B": ("LlamaModel", _llama(2048, 8192, 16, 32, 8, 128256, True)),
    "Llama-3.2-3B": ("LlamaModel", _llama(3072, 8192, 28, 24, 8, 128256, True)),
    "TinyLlama-1.1B": ("LlamaModel", _llama(2048, 5632, 22, 32, 4, 32000)),
    "SmolLM2-135M": ("LlamaModel", _llama(576, 1536, 30, 9, 3, 49152, True)),
    "SmolLM2-360M": ("LlamaModel", _llama(960, 2560, 32, 15, 5, 49152, True)),
    "SmolLM2-1.7B": ("LlamaModel", _llama(2048, 8192, 24, 32, 32, 49152, True)),
    "Mistral-7B": ("MistralModel", _llama(4096, 14336, 32, 32, 8, 32000)),
    "Qwen2.5-0.5B": ("Qwen2Model", _llama(896, 4864, 24, 14, 2, 151936, True)),
    "Qwen2.5-1.5B": ("Qwen2Model", _llama(1536, 8960, 28, 12, 2, 151936, True)),
    "Qwen2.5-3B": ("Qwen2Model", _llama(2048, 11008, 36, 16, 2, 151936, True)),
    "Qwen2.5-7B": ("Qwen2Model", _llama(3584, 18944, 28, 28, 4, 152064)),
    "Whisper-tiny": ("WhisperModel", _whisper(384, 4, 6)),
    "Whisper-base": ("WhisperModel", _whisper(512, 6, 8)),
    "Whisper-small": ("WhisperModel", _whisper(768, 12, 12)),
    "Whisper-medium": ("WhisperModel", _whisper(1024, 24, 16)),
    "Whisper-large": ("WhisperModel", _whisper(1280, 32, 20)),
    "T5-small": ("T5Model", _t5(512, 2048, 6, 8)),
    "T5-base": ("T5Model", _t5(768, 3072, 12, 12)),
    "T5-large": ("T5Model", _t5(1024, 4096, 24, 16)),
}
