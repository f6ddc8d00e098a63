"""The types of a report and of a comparison. Written by `scripts/regenerate python` from the JSON Schema."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Union

from calipers._record import ComparisonRecord, Decoder, Record, ReportRecord

__all__ = [
    "Activation",
    "AddedNode",
    "Architecture",
    "ArchitectureFacts",
    "Arrow",
    "Assumption",
    "AttentionKind",
    "AttributeChange",
    "Binding",
    "Block",
    "BlockCount",
    "BlockKind",
    "Bottleneck",
    "BoxKind",
    "ByteRange",
    "ChangeGroup",
    "ChangeKind",
    "ChangedNode",
    "ComparedBytes",
    "ComparedModel",
    "Comparison",
    "ComputeCeiling",
    "Confidence",
    "Cost",
    "DType",
    "DataFile",
    "DataStatus",
    "DepthChange",
    "DepthSegment",
    "DeviceClass",
    "DeviceFacts",
    "DeviceRow",
    "Diagram",
    "DiagramBox",
    "Difference",
    "DifferentValue",
    "Dimension",
    "Direction",
    "Evidence",
    "Execution",
    "ExecutionMode",
    "Family",
    "FigureChange",
    "FigureKind",
    "Finding",
    "FindingChanges",
    "FindingCount",
    "Format",
    "Free",
    "FunctionFacts",
    "GateResult",
    "Generation",
    "Generator",
    "Granularity",
    "GraphChanges",
    "GraphFacts",
    "GraphOrigin",
    "GroupedChange",
    "Hardware",
    "Interface",
    "InterfaceChange",
    "InterfacePart",
    "KernelKind",
    "KvCache",
    "LargeGroup",
    "LargeValue",
    "Measure",
    "Memory",
    "MemoryNeed",
    "ModelFacts",
    "ModelKind",
    "ModelSource",
    "NodeCounts",
    "NormPosition",
    "OperatorCost",
    "OperatorCount",
    "OperatorMemory",
    "Parameters",
    "PartKind",
    "Port",
    "Precision",
    "Producer",
    "Quantity",
    "Quantization",
    "Range",
    "RemovedNode",
    "Repeat",
    "Report",
    "Requirement",
    "Requirements",
    "Roofline",
    "RooflineKernel",
    "Runtime",
    "ScalingRow",
    "Scheme",
    "Severity",
    "ShapeFacts",
    "Skip",
    "SkipKind",
    "SkippedValue",
    "Style",
    "Summary",
    "SummaryCheck",
    "Task",
    "TaskKind",
    "TensorChange",
    "TensorDifference",
    "TensorMatch",
    "TensorRange",
    "TimeShares",
    "TopGroup",
    "TopKernel",
    "TopNode",
    "TrainingFacts",
    "UncomparedTensor",
    "UncostedNode",
    "Unknown",
    "UnknownField",
    "UnknownShape",
    "UnreadTensor",
    "ValueKind",
    "Verdict",
    "Verification",
    "WeightChanges",
    "WeightRelation",
    "Weights",
]

Activation = Literal[
    "celu",
    "celu-glu",
    "elu",
    "elu-glu",
    "geglu",
    "gelu",
    "glu",
    "hardsigmoid",
    "hardsigmoid-glu",
    "hardswish",
    "hardswish-glu",
    "leakyrelu",
    "leakyrelu-glu",
    "mish",
    "mish-glu",
    "prelu",
    "prelu-glu",
    "reglu",
    "relu",
    "relu-squared",
    "relu-squared-glu",
    "relu6",
    "relu6-glu",
    "selu",
    "selu-glu",
    "sigmoid",
    "silu",
    "softplus",
    "softplus-glu",
    "softsign",
    "softsign-glu",
    "swiglu",
    "tanh",
    "tanh-glu",
    "thresholdedrelu",
    "thresholdedrelu-glu",
]
"""An activation function, or a gated linear unit with one on its gate."""

AttentionKind = Literal["grouped-query", "multi-head", "multi-query", "windowed"]
"""How the heads of an attention layer share keys and values, or what they attend to."""

Binding = Union[int, "Free"]
"""What a free dimension represents in this report."""

BlockKind = Literal[
    "Attention",
    "BasicBlock",
    "BatchNorm",
    "Bottleneck",
    "CELU",
    "ClassifierHead",
    "ConcatSkip",
    "ConvNeXtBlock",
    "ConvNormAct",
    "Convolution",
    "CSP",
    "DenseLayer",
    "DepthwiseSeparable",
    "DetectionHead",
    "ELU",
    "Embedding",
    "FeaturePyramid",
    "FeedForward",
    "Fire",
    "GatedSkip",
    "GELU",
    "GroupNorm",
    "HardSigmoid",
    "HardSwish",
    "Inception",
    "InstanceNorm",
    "InvertedResidual",
    "L2Norm",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LRN",
    "Mish",
    "MixtureOfExperts",
    "PReLU",
    "PatchEmbedding",
    "Recurrent",
    "ReLU",
    "ReLU6",
    "Residual",
    "ResidualAdd",
    "RMSNorm",
    "Rotary",
    "SELU",
    "ShuffleBlock",
    "SiLU",
    "SPP",
    "SqueezeExcite",
    "SubtractedSkip",
    "UNetSkip",
]
"""The kind of a recognized block."""

Bottleneck = Literal["compute", "launch-overhead", "memory-bandwidth"]
"""What takes most of the time of a run."""

BoxKind = str
"""What a box is: `input`, `output`, `operator`, `other`, or the kind of a part."""

ChangeKind = Literal["attribute", "operator", "shape", "type", "weights", "wiring"]
"""What differs between two nodes that are the same."""

Confidence = Literal["low", "medium", "high"]
"""How certain a statement is, from the least certain up."""

DType = str
"""A data type: `float32`, `int64`, `bfloat16` and so on; `unknown(N)` for a number that names none."""

DataStatus = Literal["present", "missing", "refused", "unchecked"]
"""Whether a data file can be used."""

DeviceClass = Literal[
    "gpu-datacenter",
    "gpu-consumer",
    "edge-module",
    "soc",
    "npu",
    "tpu",
    "cpu",
]
"""The class of a device. The order is that of listings."""

Difference = Union[int, float]
"""A difference of two numbers."""

Dimension = Union[int, str, None]
"""One dimension of a shape."""

Direction = Literal["better", "same", "worse"]
"""Which way a figure changed."""

Evidence = Literal[
    "datasheet-cited",
    "database-derived",
    "web-page",
    "derived",
    "estimated",
    "measured",
    "detected",
]
"""What the figures of a device rest on. The order is that of the head of the device table."""

ExecutionMode = Literal["eager", "graph"]
"""How kernels are issued to the device."""

Family = Literal[
    "adaboost",
    "afmoe",
    "aimv2",
    "albert",
    "alexnet",
    "align",
    "altclip",
    "apertus",
    "arcee",
    "aria",
    "attacut",
    "audio-spectrogram-transformer",
    "audioflamingo3",
    "axk1",
    "axk2",
    "bagging",
    "bailing-hybrid",
    "bamba",
    "bark",
    "bart",
    "basic-pitch",
    "bat-resnext",
    "beam",
    "beit",
    "beit3",
    "bert",
    "bert-generation",
    "big-bird",
    "biogpt",
    "bit",
    "bitnet",
    "blazeface",
    "blenderbot",
    "blip",
    "blip-2",
    "bloom",
    "blt",
    "botnet",
    "bridgetower",
    "bros",
    "caformer",
    "cait",
    "canary",
    "canine",
    "centerface",
    "centernet",
    "chinese-clip",
    "clap",
    "clip",
    "clipseg",
    "clvp",
    "coat",
    "coatnet",
    "coatnext",
    "codegen",
    "cohere",
    "cohere-asr",
    "cohere-compass",
    "cohere2",
    "cohere2-moe",
    "conditional-detr",
    "conformer",
    "controlnet",
    "conv-tasnet",
    "convbert",
    "convformer",
    "convit",
    "convmixer",
    "convnext",
    "convnextv2",
    "cosmos3-edge",
    "cosmos3-omni",
    "cpmant",
    "cpubone",
    "crepe",
    "crnn",
    "crossvit",
    "csatv2",
    "csm",
    "csp-darknet",
    "cspresnet",
    "cspresnext",
    "ctrl",
    "cvt",
    "cwm",
    "d-fine",
    "dab-detr",
    "dac",
    "darknet",
    "data2vec",
    "davit",
    "dbnet",
    "deberta",
    "decision-transformer",
    "decision-tree",
    "deepcut",
    "deepfilternet",
    "deeplab",
    "deepseek-v2",
    "deepseek-v3",
    "deepseek-v32",
    "deepseek-v4",
    "deepseek-vit",
    "deepseek-vl",
    "deepseek-vl-hybrid",
    "deformable-detr",
    "deimv2",
    "deit",
    "densenet",
    "depth-anything",
    "depth-pro",
    "detr",
    "dia",
    "diffllama",
    "dinov2",
    "dinov3",
    "dinov3-convnext",
    "distilbert",
    "dit",
    "dla",
    "dnsmos",
    "doge",
    "dpn",
    "dpr",
    "dpt",
    "dtln",
    "eca-nfnet",
    "eca-resnet",
    "eca-resnext",
    "edgeface",
    "edgenext",
    "edgetam",
    "edsr",
    "efficientformer",
    "efficientformerv2",
    "efficientloftr",
    "efficientnet",
    "efficientnet-edgetpu",
    "efficientnet-lite",
    "efficientnet-x",
    "efficientnetv2",
    "efficientvim",
    "efficientvit",
    "electra",
    "embedding-gemma2",
    "encodec",
    "ernie",
    "ernie4-5",
    "ernie4-5-moe",
    "ernie4-5-vl-moe",
    "esmc",
    "espcn",
    "esrgan",
    "eurobert",
    "eva",
    "eva02",
    "exaone-moe",
    "exaone4",
    "exaone4-5",
    "faceboxes",
    "falcon",
    "falcon-h1",
    "falcon-mamba",
    "fast-vlm",
    "faster-rcnn",
    "fasternet",
    "fastspeech2-conformer",
    "fastvit",
    "fbnet",
    "fbnetv3",
    "fcn",
    "fcos",
    "flaubert",
    "flava",
    "flex-olmo",
    "flexivit",
    "flint",
    "florence2",
    "flux",
    "fnet",
    "focalnet",
    "fsa-net",
    "fsmn",
    "fsmt",
    "fsrcnn",
    "fun-asr-nano",
    "fuyu",
    "gaussian-mixture",
    "gc-resnet",
    "gc-resnext",
    "gcvit",
    "gemma",
    "gemma2",
    "gemma3",
    "gemma3n",
    "gemma4",
    "gemma4-unified",
    "gemma4-vit",
    "gernet",
    "ghostnet",
    "ghostnetv2",
    "ghostnetv3",
    "git",
    "glm",
    "glm-image",
    "glm-moe-dsa",
    "glm-ocr",
    "glm4",
    "glm4-moe",
    "glm4-moe-lite",
    "glm4v",
    "glm4v-moe",
    "glm5-next",
    "glmasr",
    "glpn",
    "gmixer",
    "gmlp",
    "got-ocr2",
    "gpt-bigcode",
    "gpt-neo",
    "gpt-neox",
    "gpt-oss",
    "gpt-sovits",
    "gpt2",
    "gptj",
    "gradient-boosting",
    "gradium-phonon-tts",
    "granite",
    "granite-speech",
    "granite-speech-plus",
    "granite-speech5",
    "granite-swa",
    "granitemoe",
    "granitemoe-swa",
    "granitemoehybrid",
    "granitemoeshared",
    "grounding-dino",
    "groupvit",
    "gru",
    "gte",
    "halonet",
    "haloregnet",
    "hardcorenas",
    "helium",
    "hiera",
    "hifi-gan",
    "higgs-audio-v2",
    "hrm",
    "hrnet",
    "hubert",
    "hunyuan-vl",
    "hy-v3",
    "hy-v4",
    "hyperclovax",
    "hyperclovax-vision-v2",
    "ibert",
    "idefics",
    "idefics2",
    "idefics3",
    "iformer",
    "ijepa",
    "imagegpt",
    "inception",
    "inception-next",
    "inception-resnet",
    "inkling",
    "inkling-mm-model",
    "instructblip",
    "instructblipvideo",
    "internvit",
    "internvl",
    "iresnet",
    "isnet",
    "isolation-forest",
    "jais2",
    "jamba",
    "janus",
    "jetmoe",
    "jina-embeddings-v3",
    "k-means",
    "k-nearest-neighbors",
    "keypoint-rcnn",
    "kimi-k25",
    "kimi-linear",
    "kokoro",
    "kolibri1",
    "kosmos-2",
    "kosmos-2-5",
    "kyutai-stt",
    "laguna",
    "lambda-resnet",
    "lasr",
    "layoutlm",
    "layoutlmv3",
    "led",
    "lenet",
    "levit",
    "lfm2",
    "lfm2-vl",
    "libtashkeel",
    "lightglue",
    "lighton-ocr",
    "lilt",
    "linear-classifier",
    "linear-regression",
    "lingbot-vit",
    "llama",
    "llama4",
    "llava",
    "llava-next",
    "llava-onevision",
    "logistic-regression",
    "longcat-flash",
    "longformer",
    "longt5",
    "lore",
    "lowformer",
    "lraspp",
    "lstm",
    "luke",
    "lw-detr",
    "lxmert",
    "m2m100",
    "madmom",
    "magika",
    "mamba",
    "mamba2",
    "mambaout",
    "marblenet",
    "marian",
    "markuplm",
    "mask-rcnn",
    "mask2former",
    "maskformer",
    "matchboxnet",
    "maxvit",
    "maxxvit",
    "mbart",
    "mc3",
    "megatron-bert",
    "mellum",
    "metaclip-2",
    "mgp-str",
    "migan",
    "mimi",
    "mimo-v2-flash",
    "minicpm-ocr",
    "minicpm3",
    "minicpmv4-6",
    "minicpmv4-7",
    "minifasnet",
    "minimax",
    "minimax-m2",
    "minimax-m3-vl",
    "ministral3",
    "mistral",
    "mistral-large4",
    "mistral3",
    "mistral4",
    "mixnet",
    "mixtral",
    "mlcd",
    "mllama",
    "mlp",
    "mlp-mixer",
    "mnasnet",
    "mobilebert",
    "mobileclip",
    "mobilefacenet",
    "mobilenet-edgetpu",
    "mobilenetv1",
    "mobilenetv2",
    "mobilenetv3",
    "mobilenetv4",
    "mobilenetv4-hybrid",
    "mobilenetv5",
    "mobileone",
    "mobilevit",
    "mobilevitv2",
    "modernbert",
    "modernvbert",
    "modnet",
    "molmo2",
    "moonshine",
    "moshi",
    "moss-transcribe-diarize",
    "mpnet",
    "mpt",
    "mra",
    "mt5",
    "mtcnn",
    "muse-glimmer",
    "muse-glimmer-assistant",
    "muse-spark",
    "musicflamingo",
    "mvit",
    "mvitv2",
    "mvp",
    "naflexvit",
    "naive-bayes",
    "nanochat",
    "nasnet",
    "nemo-speechlm",
    "nemotron-asr-streaming",
    "nemotron-h",
    "nemotron3-5-asr",
    "nemotron3-5-transcribe",
    "nemotron3-5-transcribe-asr",
    "nemotron3-5-transcribe-word-timestamp",
    "nemotron3-diarization",
    "neomme",
    "nest",
    "neucodec",
    "nextvit",
    "nf-regnet",
    "nf-resnet",
    "nfnet",
    "nllb-moe",
    "nomic-bert",
    "nystromformer",
    "olmo",
    "olmo-hybrid",
    "olmo2",
    "olmo3",
    "olmoe",
    "omdet-turbo",
    "oneformer",
    "openai-gpt",
    "openai-privacy-filter",
    "openpose",
    "opt",
    "oskut",
    "ovis2",
    "owlv2",
    "owlvit",
    "paddleocr-vl",
    "paligemma",
    "parakeet",
    "patchtsmixer",
    "patchtst",
    "pe-av",
    "pe-vit",
    "pegasus",
    "pegasus-x",
    "perceiver",
    "persimmon",
    "phi",
    "phi3",
    "phi4-multimodal",
    "phimoe",
    "pi0",
    "picodet",
    "pit",
    "pixart",
    "pixio",
    "pixtral",
    "plbart",
    "pnasnet",
    "pocket-tts",
    "poolformer",
    "poolformerv2",
    "pp-doclayout",
    "pp-doclayout-v4",
    "pp-hgnet",
    "pp-hgnetv2",
    "pp-lcnet",
    "pp-lcnetv2",
    "pp-lcnetv3",
    "pp-ocr",
    "prophetnet",
    "pulsevad",
    "pvt",
    "pvtv2",
    "qianfan-ocr",
    "qwen2",
    "qwen2-5-omni",
    "qwen2-5-vl",
    "qwen2-audio",
    "qwen2-moe",
    "qwen2-vl",
    "qwen3",
    "qwen3-5",
    "qwen3-5-moe",
    "qwen3-asr",
    "qwen3-moe",
    "qwen3-next",
    "qwen3-omni-moe",
    "qwen3-vit",
    "qwen3-vl",
    "qwen3-vl-moe",
    "qwen4-exp",
    "r2plus1d",
    "r3d",
    "radio",
    "raft",
    "random-forest",
    "rdnet",
    "recurrent-gemma",
    "reformer",
    "regnet",
    "rembert",
    "repghostnet",
    "repvgg",
    "repvit",
    "res2net",
    "resmlp",
    "resnest",
    "resnet",
    "resnet-rs",
    "resnetv2",
    "resnext",
    "retinaface",
    "retinanet",
    "rexnet",
    "rf-detr",
    "rivagan",
    "rnn",
    "roberta",
    "roc-bert",
    "roformer",
    "rt-detr",
    "rt-detrv2",
    "rwkv",
    "s3d",
    "sam",
    "sam2",
    "sam3",
    "sam3-lite",
    "sapiens2",
    "scrfd",
    "sd-unet",
    "sd3",
    "se-resnet",
    "se-resnext",
    "seamless-m4t",
    "seamless-m4t-v2",
    "seed-oss",
    "segformer",
    "seggpt",
    "selecsls",
    "senet",
    "sequencer",
    "sew",
    "sew-d",
    "shufflenet",
    "shufflenetv2",
    "shvit",
    "siglip",
    "siglip2",
    "silero-vad",
    "sk-resnet",
    "sk-resnext",
    "slanet",
    "slanext",
    "smollm3",
    "smolvlm",
    "solar-open",
    "speech-embedding",
    "speech-to-text",
    "speecht5",
    "splinter",
    "spnasnet",
    "squeezebert",
    "squeezenet",
    "srcnn",
    "ssd",
    "ssr-net",
    "stablelm",
    "starcoder2",
    "starnet",
    "step3p7",
    "svm",
    "svtr",
    "swiftformer",
    "swin",
    "swin2sr",
    "swin3d",
    "swinv2",
    "swinv2-cr",
    "switch-transformers",
    "t5",
    "t5gemma",
    "t5gemma2",
    "table-transformer",
    "tapas",
    "tcn",
    "tesseranet",
    "textnet",
    "timesfm",
    "timesfm2-5",
    "timesformer",
    "timm-wrapper",
    "tiny-vit",
    "tiny-yolo",
    "tinynet",
    "tipsv2",
    "tnt",
    "tresnet",
    "tvp",
    "twins",
    "u2net",
    "udop",
    "ultrabert",
    "ultraface",
    "ultravbert",
    "umt5",
    "unet",
    "unispeech",
    "unispeech-sat",
    "univnet",
    "unlimited-ocr",
    "use",
    "uvdoc",
    "vae",
    "vaultgemma",
    "vgg",
    "vibevoice",
    "vibevoice-asr",
    "video-llama-3",
    "video-llava",
    "videomae",
    "videoprism",
    "vilt",
    "vipllava",
    "visformer",
    "vision-text-dual-encoder",
    "visual-bert",
    "vit",
    "vit-hybrid",
    "vit-relpos",
    "vit-rope",
    "vitamin",
    "vitdet",
    "vits",
    "vivit",
    "vjepa2",
    "volo",
    "vovnet",
    "voxtral",
    "voxtral-realtime",
    "wakehubert",
    "wale-net",
    "wav2vec2",
    "wav2vec2-bert",
    "wav2vec2-conformer",
    "wavlm",
    "whisper",
    "xception",
    "xcit",
    "xclip",
    "xcodec",
    "xcodec2",
    "xglm",
    "xlm",
    "xlnet",
    "xlstm",
    "xmod",
    "yolo11",
    "yolo12",
    "yolo26",
    "yolos",
    "yolov10",
    "yolov3",
    "yolov4",
    "yolov5",
    "yolov6",
    "yolov8",
    "yolov9",
    "yolox",
    "yoso",
    "youtu",
    "yunet",
    "zamba",
    "zamba2",
    "zaya",
    "zfnet",
]
"""A family of models that are built alike, such as `bert` or `resnet`."""

FigureKind = Literal[
    "bytes",
    "quantized-weights",
    "depth",
    "family",
    "file-size",
    "kv-cache",
    "kv-cache-per-token",
    "latency",
    "macs",
    "memory",
    "metric",
    "bytes-moved",
    "nodes",
    "other-flops",
    "parameters",
    "peak-activation",
    "precision",
    "quantization",
    "task",
    "weights",
]
"""What a figure measures. Gates name it by its id."""

Format = Literal[
    "onnx",
    "onnx-text",
    "onnx-json",
    "ort",
    "tflite",
    "openvino",
    "coreml",
    "savedmodel",
    "tensorflow-graph",
    "keras",
    "torch-export",
    "torchscript",
    "pytorch",
    "safetensors",
    "gguf",
    "numpy",
]
"""A format of model files."""

Free = Literal["symbolic"]
"""The word `symbolic`."""

Granularity = Literal["mixed", "per-block", "per-channel", "per-tensor"]
"""What shares a scale."""

GraphOrigin = Literal["stored", "built", "absent"]
"""Where the graph of a model comes from."""

GroupedChange = Literal[
    "attributes",
    "conversion",
    "fusion",
    "insertion",
    "layer",
    "operator",
    "other",
    "quantization",
    "removal",
    "shapes",
    "weights",
    "wiring",
]
"""Why changes belong together."""

InterfacePart = Literal["data-files", "domain", "input", "ir-version", "opset", "output"]
"""A part of the interface that changed."""

KernelKind = Literal[
    "attention",
    "batch-norm",
    "conv",
    "copy",
    "depthwise",
    "elementwise",
    "gather",
    "gemm",
    "gemv",
    "grouped",
    "layer-norm",
    "pointwise",
    "pool",
    "recurrent",
    "reduce",
    "softmax",
    "stem",
    "other",
]
"""What kind of work a kernel does, as far as its speed goes."""

Measure = Literal["bytes", "count", "ms", "number", "operations", "percent", "words"]
"""The unit of a figure."""

ModelKind = Literal[
    "clustering",
    "cnn",
    "gnn",
    "hybrid",
    "linear",
    "mixer",
    "mlp",
    "naive-bayes",
    "nearest-neighbors",
    "pipeline",
    "rnn",
    "svm",
    "transformer",
    "tree-ensemble",
]
"""The kind of a model, by what does its work."""

ModelSource = Literal["model", "report"]
"""Where what is known of a model comes from."""

NormPosition = Literal["post", "pre"]
"""Where the norms of a residual layer are: before its computation or after the addition."""

PartKind = str
"""What a part of a network is: a kind of block or composite, or an operator."""

Precision = Literal["fp32", "tf32", "fp16", "bf16", "fp8", "int8", "int4", "fp4"]
"""What the inputs of a product are held in. The order is widest first."""

Quantity = Union[int, float, str]
"""A value of a figure: a whole number, a number, or words."""

Runtime = Literal["onnxruntime", "pytorch", "tensorrt"]
"""The software that runs the model. It decides which operators are fused into one kernel."""

Scheme = str
"""How numbers are held in few bits, with the bits of a weight."""

Severity = Literal["error", "warning", "info"]
"""How much a finding matters."""

SkipKind = Literal["concatenation", "gate", "subtraction"]
"""A connection around computation that joins by something other than addition."""

Style = Literal["decoder", "dual-encoder", "encoder", "encoder-decoder", "vision"]
"""How a network that attends is used."""

TaskKind = Literal[
    "anomaly-detection",
    "audio-classification",
    "audio-embedding",
    "audio-to-audio",
    "clustering",
    "depth-estimation",
    "document-unwarping",
    "feature-extraction",
    "file-type-classification",
    "fill-mask",
    "graph-classification",
    "image-classification",
    "image-embedding",
    "image-features",
    "image-segmentation",
    "image-text-similarity",
    "image-to-image",
    "image-to-text",
    "instance-segmentation",
    "keypoint-detection",
    "keyword-spotting",
    "node-classification",
    "object-detection",
    "pose-estimation",
    "question-answering",
    "speech-features",
    "speech-recognition",
    "super-resolution",
    "table-structure",
    "tabular-classification",
    "tabular-regression",
    "text-classification",
    "text-detection",
    "text-embedding",
    "text-generation",
    "text-recognition",
    "text-regression",
    "text-to-speech",
    "token-classification",
    "translation",
    "voice-activity-detection",
    "watermark-decoding",
    "unknown",
]
"""What a model does."""

ValueKind = Literal[
    "map",
    "opaque",
    "optional",
    "sequence",
    "sparse_tensor",
    "tensor",
    "unknown",
]
"""What a value of a graph is."""

WeightRelation = Literal[
    "fine-tuned",
    "identical",
    "partly-changed",
    "quantized",
    "rounded",
    "unknown",
    "unrelated",
]
"""How the weights of one model come from those of another."""


@dataclass(frozen=True, slots=True)
class AddedNode(Record):
    """A node of the second model alone."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    b: str
    """Its name in the second model."""
    op: str
    """Its operator."""


@dataclass(frozen=True, slots=True)
class Architecture(Record):
    """The architecture of the network."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    block_diagram: Diagram
    """The architecture diagram as boxes and arrows."""
    blocks: list[BlockCount]
    """Recognized blocks, the most frequent first."""
    confidence: Confidence
    """Confidence in the family, or in the kind where there is no family."""
    diagram: str
    """The same as a Mermaid flowchart."""
    evidence: list[str]
    """The evidence for kind, style and family, one statement each."""
    facts: ArchitectureFacts
    """Figures of the network."""
    flow: str
    """The same as a Mermaid flowchart."""
    flow_diagram: Diagram
    """The operator flow as boxes and arrows."""
    repeats: list[Repeat]
    """Parts that repeat, nested."""
    skips: list[Skip]
    """Skip connections that are not residual additions."""
    tree: list[Block]
    """The network as a tree of blocks, in order of execution."""
    words: str
    """One sentence that describes the network."""
    backbone: str | None = None
    """The public network that this one is built on."""
    family: Family | None = None
    """The family; `null` when it is not recognized."""
    kind: ModelKind | None = None
    """The kind of model; `null` when it is not recognized."""
    references: list[str] | None = None
    """Public networks with the same weight shapes, as `source:name`, the best first. Where
    `backbone` is given, the networks that are part of this one.
    """
    similarity: float | None = None
    """Weight shapes that equal those of the references, out of those of the larger network, from
    0 to 1.
    """
    style: Style | None = None
    """The style of a network with attention, such as `encoder`."""
    variant: str | None = None
    """The variant, as people call it: `ResNet-50`; `null` when no public network matches."""


@dataclass(frozen=True, slots=True)
class ArchitectureFacts(Record):
    """Figures of the network. A figure that does not apply or is unknown is absent."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    activation: Activation | None = None
    """The most frequent activation function."""
    attention: AttentionKind | None = None
    """How heads share keys and values."""
    batchnorm_folded: bool | None = None
    """Whether batch norms were folded into convolutions."""
    bidirectional: bool | None = None
    """Whether recurrence is bidirectional."""
    classes: int | None = None
    """Output classes."""
    convs: int | None = None
    """Convolutions."""
    cross_attention: bool | None = None
    """Whether it has cross-attention."""
    depthwise: int | None = None
    """Depthwise convolutions."""
    experts: int | None = None
    """Experts per mixture-of-experts layer."""
    experts_per_token: int | None = None
    """Experts that process each token."""
    ffn: int | None = None
    """Inner size of the feed-forward layers."""
    head_dim: int | None = None
    """Dimension of a head."""
    heads: int | None = None
    """Attention heads per layer."""
    hidden: int | None = None
    """Hidden size: the width of the residual stream."""
    kv_bytes_per_token: int | None = None
    """Bytes of the KV cache per token."""
    kv_cache: bool | None = None
    """Whether there is a KV cache."""
    kv_heads: int | None = None
    """Key-value heads per layer."""
    layers: int | None = None
    """Attention layers or recurrent layers."""
    norm: dict[str, Any] | None = None
    """Normalization layers by kind, written as one node or as several."""
    norm_position: NormPosition | None = None
    """Whether layers are pre-norm or post-norm."""
    positions: int | None = None
    """Positions that the detection head scores."""
    precision: str | None = None
    """Type that most weights are computed in: `fp32`, `fp16`, `bf16`."""
    residuals: int | None = None
    """Residual additions."""
    resolutions: int | None = None
    """Resolutions that convolutions reduce an image to."""
    rope: bool | None = None
    """Whether queries and keys have rotary position embedding."""
    silu: int | None = None
    """SiLU activations."""
    skip_concats: bool | None = None
    """Whether skip connections concatenate early features with late ones."""
    squeeze_excite: int | None = None
    """Squeeze-and-excitation blocks."""
    strides: list[int] | None = None
    """Strides of the detection scales, in pixels."""
    total_stride: int | None = None
    """Pixels of the image per step of the feature map with the lowest resolution."""
    trees: int | None = None
    """Trees of an ensemble."""
    vocab: int | None = None
    """Vocabulary size: rows of the token embedding."""


@dataclass(frozen=True, slots=True)
class Arrow(Record):
    """An arrow of a diagram."""
    _keys: ClassVar[dict[str, str]] = {"from_": "from"}
    _decoders: ClassVar[dict[str, Decoder]] = {}
    from_: int
    """Index of the box it starts at."""
    to: int
    """Index of the box it ends at."""
    label: str | None = None
    """Its label: a shape or a count."""


@dataclass(frozen=True, slots=True)
class Assumption(Record):
    """A value that was taken as given so that a figure could be stated."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    value: str
    """The value it was given."""
    what: str
    """What is assumed, such as a dimension's name."""
    why: str
    """Where that value comes from."""


@dataclass(frozen=True, slots=True)
class AttributeChange(Record):
    """An attribute that differs."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    name: str
    """Its name."""
    a: str | None = None
    """Its value in the first model; null where it has none and no default."""
    b: str | None = None
    """Its value in the second model."""


@dataclass(frozen=True, slots=True)
class Block(Record):
    """A block of the tree."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    kind: PartKind
    """Its kind."""
    name: str
    """Its display name."""
    nodes: int
    """Nodes of the file that belong to one of it, including constants and shape computations that
    only it needs.
    """
    facts: dict[str, str] | None = None
    """Its figures, such as `heads`."""
    macs: int | None = None
    """Multiply-accumulates of one of it, where they are known."""
    parts: list[Block] | None = None
    """Its parts; of repeats, those of the first one."""
    times: int | None = None
    """How many times it repeats in a row."""


@dataclass(frozen=True, slots=True)
class BlockCount(Record):
    """The blocks of one kind."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    count: int
    """How many there are."""
    kind: BlockKind
    """Its kind."""
    nodes: list[str]
    """The last nodes of the first few."""
    what: str
    """A one-sentence explanation."""


@dataclass(frozen=True, slots=True)
class ByteRange(Record):
    """An estimate of a size in bytes, with its uncertainty."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    expected: int
    """Most likely."""
    high: int
    """At worst, with common settings."""
    low: int
    """At best."""


@dataclass(frozen=True, slots=True)
class ChangeGroup(Record):
    """Changes that belong together, in words."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    kind: GroupedChange
    """Why they belong together."""
    text: str
    """What they are together: `Encoder layer 3 removed (50 nodes)`."""
    added: list[int] | None = None
    """Places in `added`."""
    changed: list[int] | None = None
    """Places in `changed`."""
    removed: list[int] | None = None
    """Places in `removed`."""


@dataclass(frozen=True, slots=True)
class ChangedNode(Record):
    """A node of both models that differs."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    a: str
    """Its name in the first model."""
    b: str
    """Its name in the second model."""
    op: str
    """Its operator in the first model."""
    what: list[ChangeKind]
    """What differs."""
    attributes: list[AttributeChange] | None = None
    """Attributes that differ."""
    moved: bool | None = None
    """Whether it moved to another place in the order of execution."""
    op_b: str | None = None
    """Its operator in the second model, where that is another one."""
    tensors: list[str] | None = None
    """What differs in stored tensors, a phrase each: `weight float32[64, 3] → float32[64, 4]`."""


@dataclass(frozen=True, slots=True)
class ComparedBytes(Record):
    """Bytes as inferred and as observed."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    inferred: int
    """As inferred."""
    observed: int
    """From the sizes of the values that were computed."""


@dataclass(frozen=True, slots=True)
class ComparedModel(Record):
    """One of the models."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    bytes: int
    """Bytes of the model file."""
    file: str
    """File name, without its folder."""
    format: Format
    """File format."""
    label: str
    """What it is called here: its file name, with folders where the names of models are equal."""
    nodes: int
    """Nodes of the main graph, the subgraphs and the functions."""
    producer: Producer
    """What exported it."""
    quantization: Scheme
    """Scheme of quantization."""
    source: ModelSource
    """Whether it was read from the model file or from a saved report."""
    task: TaskKind
    """Task."""
    title: str
    """The summary's title, such as `BERT encoder`."""
    family: Family | None = None
    """Family."""
    sha256: str | None = None
    """SHA-256 of the model file, where it was asked for."""


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(ComparisonRecord):
    """What changed from one model to another."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    a: ComparedModel
    """The first model: the baseline."""
    b: ComparedModel
    """The second model."""
    comparison_version: str
    """Version of this layout, see [`COMPARISON_VERSION`]."""
    figures: list[FigureChange]
    """Figures side by side."""
    findings: FindingChanges
    """Findings that only one of the models has."""
    gates: list[GateResult]
    """The gates that were set."""
    generator: Generator
    """The program that made the comparison."""
    interface: Interface
    """What a caller sees: inputs, outputs, opsets, domains."""
    verdict: Verdict
    """Whether the second can replace the first, and what got better and worse."""
    graph: GraphChanges | None = None
    """The nodes; null when one side is a saved report, or a file that stores no graph."""
    notes: list[str] | None = None
    """What the comparison could not look at, a sentence each."""
    tensors: TensorMatch | None = None
    """Learned tensors matched by name and shape, where the files are of different formats or one
    stores no graph.
    """
    weights: WeightChanges | None = None
    """The stored weights; only there when they were read."""


@dataclass(frozen=True, slots=True)
class ComputeCeiling(Record):
    """A peak of the device."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    per_s: float
    """Operations per second."""
    precision: Precision
    """The precision."""


@dataclass(frozen=True, slots=True)
class Cost(Record):
    """What one run of the model costs.

    A figure holds under the report's `bindings` and `assumptions`; the formula keeps the symbols. A
    total that lacks nodes is a lower bound: `unknown` names them.
    """
    _decoders: ClassVar[dict[str, Decoder]] = {}
    coverage: float
    """Share of nodes whose cost is known, in percent, to two decimals."""
    formula: dict[str, str]
    """The same as formulas in the free dimensions, by field: `macs`, `other_flops`, `bytes_moved`."""
    lower_bound: bool
    """Whether nodes are missing from the totals, so that they are lower bounds."""
    notes: list[str]
    """Choices that the totals rest on, such as the more expensive branch of an `If`."""
    top_nodes: list[TopNode]
    """The most expensive nodes of the main graph, most expensive first."""
    unknown: list[UncostedNode]
    """Nodes whose cost is not known, with the reason; the first ones where there are many."""
    unknown_count: int
    """Nodes whose cost is not known."""
    by_depth: list[DepthSegment] = field(default_factory=list)
    """The main graph in order of execution, cut into at most 64 segments of as many nodes each,
    but for the last one.
    """
    by_op: list[OperatorCost] = field(default_factory=list)
    """What each operator of the main graph costs, most arithmetic first. A node that holds a
    subgraph or calls a function counts with what is inside. Operators without arithmetic are
    left out; the figures sum to the totals.
    """
    bytes_moved: int | None = None
    """Bytes read and written by all nodes, each on its own."""
    flops: int | None = None
    """Twice that: the figure to compare with other tools."""
    macs: int | None = None
    """Multiply-accumulates of contractions."""
    other_flops: int | None = None
    """Arithmetic outside contractions: element-wise, normalization, softmax, reduction."""
    top_groups: list[TopGroup] | None = None
    """Nodes of the main graph with the same operator and the same multiply-accumulates, each group
    once, most expensive group first.
    """
    total_flops: int | None = None
    """All arithmetic: `flops` and `other_flops` together."""


@dataclass(frozen=True, slots=True)
class DataFile(Record):
    """A file next to the model that holds tensors."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    location: str
    """Where the model says it is, relative to the model's folder."""
    status: DataStatus
    """Whether it can be used."""
    tensor_bytes: int
    """Bytes of those tensors."""
    tensors: int
    """Tensors that the model keeps in it."""
    bytes: int | None = None
    """Its size in bytes, when it is there."""
    reason: str | None = None
    """Why not, when it cannot."""
    sha256: str | None = None
    """SHA-256 of the whole file in hexadecimal, when it was asked for."""


@dataclass(frozen=True, slots=True)
class DepthChange(Record):
    """The difference in one part of the depth."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    from_percent: float
    """Where it begins, in percent of the depth."""
    tensors: int
    """Tensors in it."""
    relative_norm: float | None = None
    """The norm of the difference over the norm of the first; null without compared weights."""


@dataclass(frozen=True, slots=True)
class DepthSegment(Record):
    """A segment of the main graph in order of execution.

    Shares are in percent, to two decimals, of all segments together; null where the total is not
    known or nothing.
    """
    _decoders: ClassVar[dict[str, Decoder]] = {}
    first: int
    """The first node's place, from 0."""
    nodes: int
    """Nodes."""
    bytes_moved: int | None = None
    """Bytes read and written by all nodes, each on its own."""
    bytes_percent: float | None = None
    """Share of all bytes."""
    flops: int | None = None
    """Twice that: the figure to compare with other tools."""
    macs: int | None = None
    """Multiply-accumulates of contractions."""
    macs_percent: float | None = None
    """Share of all multiply-accumulates."""
    other_flops: int | None = None
    """Arithmetic outside contractions: element-wise, normalization, softmax, reduction."""
    parameters: int | None = None
    """Learned elements that these nodes use first."""
    parameters_percent: float | None = None
    """Share of all that nodes of the main graph use."""


@dataclass(frozen=True, slots=True)
class DeviceFacts(Record):
    """The figures of a device that the estimate uses."""
    _keys: ClassVar[dict[str, str]] = {"class_": "class"}
    _decoders: ClassVar[dict[str, Decoder]] = {}
    class_: DeviceClass
    """Its class."""
    evidence: Evidence
    """What its figures rest on."""
    id: str
    """The id that `--device` takes: `rtx-4090`."""
    name: str
    """The name in use."""
    source: str
    """Their source."""
    bandwidth_bytes_per_s: float | None = None
    """Memory bandwidth, in bytes per second."""
    computes_in: Precision | None = None
    """The precision that it computes in."""
    computes_in_why: str | None = None
    """Why that precision."""
    found: list[str] | None = None
    """What was detected on this machine, a sentence each; empty for a device that was named."""
    memory_bytes: int | None = None
    """Memory that a model can use."""
    peak_per_s: float | None = None
    """Dense peak of the precision that it computes in, in operations per second."""
    peaks_per_s: dict[str, Any] | None = None
    """Every dense peak that is known, widest precision first, in operations per second."""
    power_w: float | None = None
    """Board or module power."""


@dataclass(frozen=True, slots=True)
class DeviceRow(Record):
    """The model on one device."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    id: str
    """The id that `--device` takes: `rtx-4090`."""
    name: str
    """The name in use."""
    bottleneck: Bottleneck | None = None
    """What takes most of the time."""
    computes_in: Precision | None = None
    """Precision that it computes in, where it lacks the one asked for."""
    device_memory_bytes: int | None = None
    """Its memory."""
    fits: bool | None = None
    """Whether that fits."""
    largest_batch: int | None = None
    """The largest batch that fits."""
    latency_ms: Range | None = None
    """Time of one run; `null` when it does not fit or is not known."""
    memory_bytes: int | None = None
    """Memory needed, the runtime overhead at its expected size."""
    peak_percent: float | None = None
    """Compute utilization: share of the device's dense peak over the whole run, in percent."""
    reason: str | None = None
    """Why there is no time."""
    saturation_batch: int | None = None
    """The smallest batch with nine tenths of the best throughput; `null` where throughput grows
    up to batch 256, or the batch cannot be chosen.
    """
    throughput: float | None = None
    """Samples per second."""
    tight: bool | None = None
    """Whether it fits only if the runtime overhead stays below its high end."""


@dataclass(frozen=True, slots=True)
class Diagram(Record):
    """A diagram of boxes and arrows."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    arrows: list[Arrow]
    """The arrows."""
    boxes: list[DiagramBox]
    """The boxes, in order of execution."""


@dataclass(frozen=True, slots=True)
class DiagramBox(Record):
    """A box of a diagram."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    kind: BoxKind
    """What it is."""
    label: str
    """Its first line."""
    detail: str | None = None
    """A second line: figures."""
    times: int | None = None
    """How many times it repeats in a row."""


@dataclass(frozen=True, slots=True)
class DifferentValue(Record):
    """A value whose type or shape was not as inferred."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    execution: int
    """The execution, as an index into `executions`."""
    inferred: str
    """The inferred type and shape, e.g. `float32 [1, 8]`."""
    node: str
    """The node that computes it."""
    observed: str
    """The type and shape in the execution."""
    op: str
    """The operator of the node."""
    value: str
    """The value."""


@dataclass(frozen=True, slots=True)
class Execution(Record):
    """One execution of the model."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    sizes: dict[str, int]
    """The sizes of the free dimensions."""
    values: int
    """Values that were compared."""
    error: str | None = None
    """Why the model could not run at these sizes."""
    kv_cache_bytes: ComparedBytes | None = None
    """Bytes of the KV cache after the run; null where the model has none."""
    peak_activation_bytes: ComparedBytes | None = None
    """The peak of live activation bytes; null where an activation has no known size."""


@dataclass(frozen=True, slots=True)
class FigureChange(Record):
    """One figure of both models."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    kind: FigureKind
    """What is measured, which gates and formats go by."""
    label: str
    """Its name for people: `MACs`, `Latency on L4`."""
    measure: Measure
    """Its unit."""
    name: str
    """Its id, as gates name it: `macs`, `latency@l4`, `bytes:float32`."""
    a: Quantity | None = None
    """Its value in the first model; null when it is not known or does not apply."""
    b: Quantity | None = None
    """Its value in the second model."""
    delta: Difference | None = None
    """The second less the first; null for words, and where the two cannot be compared."""
    direction: Direction | None = None
    """Whether it got better or worse; null where neither applies."""
    note: str | None = None
    """What qualifies it: why it is not known, or what it rests on."""
    percent: float | None = None
    """The difference in percent of the first; null where the first is 0 or not known."""
    range_a: Range | None = None
    """The range of the estimate in the first model."""
    range_b: Range | None = None
    """The range of the estimate in the second model."""
    within_error: bool | None = None
    """Whether the difference is smaller than the error of the estimates."""


@dataclass(frozen=True, slots=True)
class Finding(Record):
    """One thing that is risky or odd about the model."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    detail: str
    """What was found, with the figures."""
    id: str
    """Stable name of the check, such as `graph-cycle`."""
    nodes: list[str]
    """Names of nodes or tensors concerned; the first few where there are many."""
    recommendation: str
    """What to do about it."""
    severity: Severity
    """How much it matters."""
    title: str
    """One line."""


@dataclass(frozen=True, slots=True)
class FindingChanges(Record):
    """Findings that only one of the models has."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    new: list[Finding]
    """Findings of the second model that the first does not have."""
    resolved: list[Finding]
    """Findings of the first model that the second does not have."""
    unchanged: int
    """Findings of both."""
    unchanged_by_id: list[FindingCount] | None = None
    """The findings of both by id, the most severe first. Their counts add up to `unchanged`."""


@dataclass(frozen=True, slots=True)
class FindingCount(Record):
    """How many findings have an id."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    count: int
    """The findings."""
    id: str
    """Stable name of the check, such as `graph-cycle`."""
    severity: Severity
    """How much it matters."""


@dataclass(frozen=True, slots=True)
class FunctionFacts(Record):
    """A function that the model defines."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    calls: int
    """Nodes of the whole model that call it."""
    domain: str
    """Its domain."""
    name: str
    """Its name."""
    nodes: int
    """Nodes in its body, subgraphs included."""
    overload: str | None = None
    """Which overload of the name it is, if it has several."""


@dataclass(frozen=True, slots=True)
class GateResult(Record):
    """What became of one gate."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    detail: str
    """What the figure is, and what it may be: `MACs are 4.50 G, at most 4.30 G (+5 %) are allowed`."""
    expression: str
    """The gate as it was written: `macs <= +5%`."""
    passed: bool
    """Whether the model passes. A figure that is not known fails."""
    source: str
    """Where the gate was set: `command line`, or a file and line."""


@dataclass(frozen=True, slots=True)
class Generation(Record):
    """Times of a generative model: the prompt, and each token after it."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    cached: bool
    """Whether there is a KV cache, so that a step computes one token."""
    context: int
    """Tokens in the sequence when one more is generated, including that one."""
    notes: list[str]
    """Why a figure is missing, and what the others assume."""
    prompt: int
    """Tokens of the prompt."""
    first_token_ms: Range | None = None
    """Time to the first token: the whole prompt."""
    token_ms: Range | None = None
    """Time per output token, for all sequences of the batch at once."""
    tokens_per_s: float | None = None
    """Tokens per second of one sequence."""
    tokens_per_s_all: float | None = None
    """Tokens per second of the whole batch."""


@dataclass(frozen=True, slots=True)
class Generator(Record):
    """The program that made a report."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    name: str
    """Always `calipers`."""
    version: str
    """Its version."""


@dataclass(frozen=True, slots=True)
class GraphChanges(Record):
    """The smallest edit that makes the second graph of the first."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    added: list[AddedNode]
    """Nodes that only the second model has, in its order of execution."""
    changed: list[ChangedNode]
    """Nodes of both that differ, in the first model's order of execution."""
    groups: list[ChangeGroup]
    """The changes in words, the largest first."""
    moved: int
    """Changed nodes that moved to another place in the order of execution."""
    removed: list[RemovedNode]
    """Nodes that only the first model has, in its order of execution."""
    renamed: int
    """Nodes of both that have other names."""
    unchanged: int
    """Nodes of both that do not differ but for their names."""
    rewired_outputs: list[str] | None = None
    """Outputs of the model that another node computes, by their names in the second model."""


@dataclass(frozen=True, slots=True)
class GraphFacts(Record):
    """Facts of the main graph, and of the subgraphs and functions that belong to it."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    functions: int
    """Functions that the model defines."""
    initializer_elements: dict[str, int]
    """Elements of those initializers by data type, whatever they are for."""
    initializers: int
    """Initializers of the main graph, sparse ones included."""
    inputs: list[Port]
    """What a caller must feed: graph inputs that no initializer fills."""
    local_functions: list[FunctionFacts]
    """Those functions."""
    name: str
    """The graph's own name."""
    nodes: int
    """Nodes of the main graph."""
    nodes_total: int
    """Nodes of the main graph, of every subgraph, and of every function body (each body once)."""
    operators: list[OperatorCount]
    """Operators of the main graph, commonest first."""
    operators_total: list[OperatorCount]
    """Operators of the main graph, the subgraphs and the function bodies, commonest first."""
    outputs: list[Port]
    """What the model gives back."""
    overridable_inputs: int
    """Graph inputs that an initializer fills, which a caller may override."""
    subgraphs: int
    """Subgraphs of control flow, at every depth."""
    depth: int | None = None
    """Nodes on the longest path through the main graph."""


@dataclass(frozen=True, slots=True)
class Hardware(Record):
    """Where the model will run, and how fast.

    `runtime`, `mode`, `precision`, `batch`, `context`, `devices`, `requirements`, `method` and
    `assumptions` are always filled. All other fields describe the one device that was asked for,
    and are empty when none was.
    """
    _decoders: ClassVar[dict[str, Decoder]] = {}
    assumptions: list[Assumption] = field(default_factory=list)
    """What was assumed."""
    bandwidth_percent: float | None = None
    """Bandwidth utilization over the whole run, in percent; above 100 where caches serve."""
    batch: int = 0
    """Samples, or sequences, per run."""
    batch_dimension: bool = False
    """Whether the inputs have a batch dimension. Where they do not, one run is one sample."""
    batch_scaling: list[ScalingRow] | None = None
    """The model at growing batches."""
    bottleneck: Bottleneck | None = None
    """What takes most of the time."""
    confidence: Confidence | None = None
    """Confidence in the time: `high` where runtime and device were measured, `medium` where one
    of the two was, `low` where neither was.
    """
    context: int | None = None
    """Tokens of a sequence, including those before this run; only for sequence models."""
    device: DeviceFacts | None = None
    """The device that was asked for."""
    devices: list[DeviceRow] = field(default_factory=list)
    """The model on each of several devices."""
    eager_ms: Range | None = None
    """Time of one run in eager mode, where the host issues every operation; `null` where the
    host overhead of the runtime was not measured.
    """
    energy_joules_at_most: float | None = None
    """Upper bound of the energy per sample: the device's power times the high end of the range."""
    extrapolated: bool | None = None
    """Whether the timing constants were measured on another device, which widens the range."""
    fits: bool | None = None
    """Whether it fits the device's memory; `null` when that cannot be determined."""
    generation: Generation | None = None
    """Time to the first token and per token, for generative models."""
    graph_ms: Range | None = None
    """Time of one run when a CUDA graph is replayed, or a compiled engine runs."""
    host_bound: bool | None = None
    """Whether, in eager mode, the host issues operations more slowly than the device runs them."""
    kernels: int | None = None
    """Kernels of one run."""
    largest_batch: int | None = None
    """The largest batch that fits."""
    largest_context: int | None = None
    """The longest context that fits at this batch."""
    latency_ms: Range | None = None
    """The headline: time of one run, in the mode of `mode`."""
    memory: MemoryNeed | None = None
    """Its parts."""
    memory_bytes: int | None = None
    """Memory needed on the device, with the runtime overhead at its expected size."""
    method: list[str] = field(default_factory=list)
    """How the figures were estimated, a sentence each."""
    mode: ExecutionMode = 'graph'
    """How kernels are issued in `latency_ms` and in every other time but `eager_ms`."""
    no_latency: str | None = None
    """Why there is no time."""
    no_peak_percent: str | None = None
    """Why the compute utilization is not known."""
    peak_percent: float | None = None
    """Compute utilization: share of the device's dense peak over the whole run, in percent."""
    precision: Precision = 'fp32'
    """What the model computes in."""
    precision_why: str = ''
    """Why that precision."""
    range_factor: float | None = None
    """Low and high are about the expected time divided and multiplied by this."""
    requirements: Requirements | None = None
    """The devices that a target requires."""
    resolution_scaling: list[ScalingRow] | None = None
    """The model at growing image sides."""
    roofline: Roofline | None = None
    """The slowest kernels under the ceilings of the device."""
    runtime: Runtime = 'onnxruntime'
    """The software that runs the model."""
    saturation_batch: int | None = None
    """The optimal batch: the smallest one with nine tenths of the best throughput in
    `batch_scaling`; `null` where throughput grows up to the last row.
    """
    sequence_scaling: list[ScalingRow] | None = None
    """The model at growing sequence lengths."""
    shares: TimeShares | None = None
    """The time by cause."""
    threads: int | None = None
    """Intra-op threads of the processor; only for processors."""
    throughput: float | None = None
    """Samples per second at this batch."""
    top_kernels: list[TopKernel] | None = None
    """The slowest kernels, slowest first."""
    weight_read_floor_ms: float | None = None
    """Time to read the weights once at the device's full bandwidth: no run is shorter."""


@dataclass(frozen=True, slots=True)
class Interface(Record):
    """What changed for a caller."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    changes: list[InterfaceChange]
    """Every change, those that break a caller first."""
    compatible: bool
    """Whether code that calls the first model can call the second one unchanged. False where the
    interfaces could not be compared.
    """
    not_compared: str | None = None
    """Why the interfaces were not compared, as a sentence; absent where they were."""


@dataclass(frozen=True, slots=True)
class InterfaceChange(Record):
    """One change."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    breaking: bool
    """Whether it can break a caller."""
    detail: str
    """What changed, as a sentence that quotes names between backticks."""
    name: str
    """The input, output or domain, by its name in the first model where it has one."""
    what: InterfacePart
    """What changed."""
    a: str | None = None
    """What it was; null for what was added."""
    b: str | None = None
    """What it is; null for what was removed."""


@dataclass(frozen=True, slots=True)
class KvCache(Record):
    """A decoder's cache of keys and values."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    dtype: str
    """Element type."""
    evidence: list[str]
    """What shows that there is one."""
    layers: int
    """Layers that keep one."""
    bytes_at_context: int | None = None
    """Bytes of one sequence at that context, the fixed ones included."""
    bytes_in_window: int | None = None
    """Bytes of one sequence at that context if those layers kept no more than they look at."""
    bytes_per_token: int | None = None
    """Bytes that one more token adds, for one sequence."""
    context: int | None = None
    """Tokens that it holds after the run, under the report's bindings and assumptions; all that it
    has capacity for, where it does not grow.
    """
    fixed_bytes: int | None = None
    """Bytes that do not grow with the tokens, for one sequence: what was computed from an encoder's
    output.
    """
    head_dim: int | None = None
    """Size of a head."""
    kv_heads: int | None = None
    """Heads of keys and values in each."""
    sequences: int | None = None
    """Sequences of the run, each with this many bytes of its own."""
    window: int | None = None
    """Tokens that the newest token looks back to, itself included, in layers whose attention is
    limited. The graph may keep more.
    """
    windowed_layers: int = 0
    """Layers whose attention is limited so."""


@dataclass(frozen=True, slots=True)
class LargeGroup(Record):
    """Large activations of one type and shape."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    bytes: int
    """Bytes of each."""
    count: int
    """How many there are."""
    names: list[str]
    """The first activations, in order of execution; at most 32."""
    type: str
    """Their type and shape."""


@dataclass(frozen=True, slots=True)
class LargeValue(Record):
    """A large activation."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    bytes: int
    """Its bytes."""
    name: str
    """The value."""
    type: str
    """Its type and shape."""


@dataclass(frozen=True, slots=True)
class Memory(Record):
    """What one run of the model keeps in memory."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    largest: list[LargeValue]
    """The largest activations, largest first."""
    timeline: list[int]
    """Bytes alive at each node of the main graph, in order of execution. Empty when the peak is not
    known.
    """
    formula: str | None = None
    """Bytes alive at that node in the dimensions that are free. The node is the one that leads at
    the sizes that `assumptions` names; at others another may.
    """
    kv_cache: KvCache | None = None
    """Cache of keys and values that a decoder carries from step to step."""
    kv_cache_absent: str | None = None
    """Why there is no such cache, in a few words: `encoder`, `not a sequence model`. Absent when
    there is one.
    """
    largest_groups: list[LargeGroup] | None = None
    """Activations of one type and shape, each group once, largest activation first."""
    peak_activation_bytes: int | None = None
    """Most bytes of activations alive at once, in order of execution, each value in a place of its
    own. Inputs and outputs count; what is computed from constants alone does not.
    """
    peak_activation_in_place_bytes: int | None = None
    """The same when a result may take the place of an input that nothing needs any more."""
    peak_activation_lower_bound_bytes: int | None = None
    """At least this many bytes of activations are alive at once: the peak of those whose size is
    known. Only where `peak_activation_bytes` is unknown.
    """
    peak_activation_upper_bound_bytes: int | None = None
    """At most this many bytes of activations are alive at once, in a mixture of experts whose
    router decides the sizes: the peak if every expert got every token. Only where
    `peak_activation_bytes` is unknown.
    """
    peak_at: str | None = None
    """The node at which the peak is."""
    weights_bytes: int | None = None
    """Bytes of all stored tensors, learned or not."""


@dataclass(frozen=True, slots=True)
class MemoryNeed(Record):
    """Memory that a run needs, by purpose."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    workspace_bytes: ByteRange
    """Runtime overhead: driver contexts, libraries, scratch space, allocator slack."""
    activations_bytes: int | None = None
    """Peak activations in the precision, without the KV cache."""
    kv_cache_bytes: int | None = None
    """The KV cache of all sequences at the context."""
    unknown: str | None = None
    """Why a part is not known."""
    weights_bytes: int | None = None
    """Weights and other stored tensors, in the precision."""


@dataclass(frozen=True, slots=True)
class ModelFacts(Record):
    """The file and its header."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    bytes: int
    """Size of the model file in bytes."""
    data_files: list[DataFile]
    """Files that hold tensors outside the model file."""
    external_bytes: int
    """Bytes of tensors kept in those files."""
    file: str
    """File name, without its folder."""
    format: Format
    """File format."""
    metadata: dict[str, str]
    """Free metadata of the author."""
    opsets: dict[str, int]
    """Operator sets in use: domain to version. The standard domain is spelled `ai.onnx`."""
    producer: Producer
    """The tool that wrote the file."""
    device_configurations: list[str] | None = None
    """Names of device configurations (multi-device execution)."""
    doc: str | None = None
    """What the author wrote about the model."""
    domain: str | None = None
    """Namespace of the model, as its author wrote it."""
    graph_origin: GraphOrigin | None = None
    """Where the graph comes from. Absent where the file stores it."""
    ir_version: int | None = None
    """Version of the format's own representation (ONNX: `ir_version`)."""
    model_version: int | None = None
    """Version of the model, as its author numbered it."""
    precision: DType | None = None
    """Data type in which most parameters are stored, such as `float32` or `int8`, integers of one
    width taken together; null when the model has none.
    """
    sha256: str | None = None
    """SHA-256 of the model file in hexadecimal, when it was asked for: it costs reading every byte."""
    sha256_all: str | None = None
    """SHA-256 over the digests and names of the model file and all its data files, as
    `sha256sum MODEL DATA… | sha256sum` makes it, when it was asked for and all can be read.
    """
    training: TrainingFacts | None = None
    """Graphs for training, when the file carries any."""
    unknown_fields: list[UnknownField] | None = None
    """Fields that this reader does not know: skipped, and counted here."""


@dataclass(frozen=True, slots=True)
class NodeCounts(Record):
    """Nodes of the main graph and those that a runtime executed, operator by operator."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    added_by_runtime: int
    """Nodes that ran and are not in the file: casts that the runtime inserts, or parts of operators
    that it has no kernel for.
    """
    executed: int
    """Of those, the ones that ran."""
    expected: int
    """Nodes of the file, without constants."""


@dataclass(frozen=True, slots=True)
class OperatorCost(Record):
    """What all nodes of one operator cost together.

    A figure is null when that of one of the nodes depends on a dimension without a size, or does
    not fit 64 bits. Nodes whose cost is not known at all are left out, as in the totals.
    """
    _decoders: ClassVar[dict[str, Decoder]] = {}
    nodes: int
    """Its nodes in the main graph whose cost is known."""
    op: str
    """The operator."""
    bytes_moved: int | None = None
    """Bytes read and written by all nodes, each on its own."""
    flops: int | None = None
    """Twice that: the figure to compare with other tools."""
    macs: int | None = None
    """Multiply-accumulates of contractions."""
    other_flops: int | None = None
    """Arithmetic outside contractions: element-wise, normalization, softmax, reduction."""
    percent: float | None = None
    """Share of all arithmetic of the main graph, `flops` and `other_flops` together, in percent, to
    two decimals.
    """


@dataclass(frozen=True, slots=True)
class OperatorCount(Record):
    """How often an operator occurs."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    count: int
    """Nodes of this operator."""
    domain: str
    """Its domain; the standard one is spelled `ai.onnx`."""
    op: str
    """The operator, such as `Conv`."""
    percent: float
    """Share of all nodes, in percent, to two decimals."""


@dataclass(frozen=True, slots=True)
class OperatorMemory(Record):
    """Learned elements used by one kind of operator."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    elements: int
    """Elements."""
    op: str
    """The operator."""
    bytes: int | None = None
    """Bytes as stored."""


@dataclass(frozen=True, slots=True)
class Parameters(Record):
    """Learned weights, each stored tensor once, wherever it is stored.

    Elements are logical: eight 4-bit weights in four bytes are eight elements. A count is null
    when it does not fit 64 bits or a tensor's size is not known; `unknown` then says why.
    """
    _decoders: ClassVar[dict[str, Decoder]] = {}
    by_dtype: dict[str, int]
    """Learned elements by the data type they are stored in."""
    by_op: list[OperatorMemory]
    """Learned elements by the operator that uses them first, most bytes first. Sums to the total.
    Bytes are null where an element's size is not known; `unknown` then says why.
    """
    generated: int
    """Learned elements that the file does not store but fills at load time (`ConstantOfShape`);
    part of `total`, not of `bytes`.
    """
    tensors: int
    """Tensors that hold learned elements."""
    bytes: int | None = None
    """Bytes that the learned elements take as stored."""
    constants: int | None = None
    """Elements that are not parameters: shapes, indices, tables, scalars of the arithmetic."""
    non_trainable: int | None = None
    """The others: running statistics of batch normalization and fitted statistics."""
    quantization: int | None = None
    """Elements that are scales and zero points."""
    stored_bytes: int | None = None
    """Bytes of all stored tensors: learned, constants, scales and zero points together."""
    total: int | None = None
    """Learned elements: weights, biases, embeddings, normalization scales and statistics."""
    trainable: int | None = None
    """Of those, the ones that training changes by gradient."""


@dataclass(frozen=True, slots=True)
class Port(Record):
    """One input or output of the model."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    kind: ValueKind
    """What it is."""
    name: str
    """The name by which a caller feeds or fetches it."""
    type: str
    """The whole type in one line, such as `float32[batch, 3, 224, 224]` or `sequence(float32[?])`."""
    doc: str | None = None
    """What the author wrote about it."""
    dtype: DType | None = None
    """Element type; null when the file does not say, and for maps, which have two."""
    inferred: list[Dimension] | None = None
    """Dimensions of an output as inference finds them, where the file says less or otherwise."""
    shape: list[Dimension] | None = None
    """Dimensions as the file writes them; null when even their number is not stated."""


@dataclass(frozen=True, slots=True)
class Producer(Record):
    """The tool that wrote the file."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    name: str
    """Its name, empty when the file does not say."""
    version: str
    """Its version, empty when the file does not say."""


@dataclass(frozen=True, slots=True)
class Quantization(Record):
    """How the model is quantized."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    contractions: int
    """All contractions with weights."""
    contractions_quantized: int
    """Contractions (matrix products and convolutions with weights) that are quantized, or whose
    weights are.
    """
    evidence: list[str]
    """The evidence for the scheme, one statement each."""
    scheme: Scheme
    """The scheme that the operators with weights share."""
    bits: int | None = None
    """Bits per quantized weight."""
    block: int | None = None
    """Block size: weights that share a scale in block-wise schemes."""
    granularity: Granularity | None = None
    """The granularity of the scales."""
    symmetric: bool | None = None
    """Whether all zero points of weights are zero."""
    unquantized: dict[str, int] | None = None
    """Operators with weights in floating point, and how many of each."""
    weights_percent: float | None = None
    """Share of the weights that are quantized, in percent of their elements."""


@dataclass(frozen=True, slots=True)
class Range(Record):
    """An estimate with its uncertainty."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    expected: float
    """Most likely."""
    high: float
    """At worst, with common settings."""
    low: float
    """At best."""


@dataclass(frozen=True, slots=True)
class RemovedNode(Record):
    """A node of the first model alone."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    a: str
    """Its name in the first model."""
    op: str
    """Its operator."""


@dataclass(frozen=True, slots=True)
class Repeat(Record):
    """A part of the network that repeats."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    differs: list[str]
    """Differences between them."""
    inside: list[Repeat]
    """Repeats inside one of them."""
    name: str
    """The name of what repeats."""
    nodes: int
    """Nodes of the file that belong to the first one, including constants and shape computations
    that only it needs.
    """
    times: int
    """How many times in a row."""


@dataclass(frozen=True, slots=True, repr=False)
class Report(ReportRecord):
    """Everything Calipers found out about one model."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    architecture: Architecture
    """How the network is built."""
    assumptions: list[Assumption]
    """What had to be assumed for the figures above."""
    bindings: dict[str, Binding]
    """What each free dimension was bound to: a number, or the word `symbolic`."""
    cost: Cost
    """What one run costs."""
    findings: list[Finding]
    """What is risky about the model, most severe first."""
    generator: Generator
    """The program that made the report."""
    graph: GraphFacts
    """The graph: inputs, outputs, nodes, operators."""
    memory: Memory
    """What one run keeps in memory."""
    model: ModelFacts
    """The file and what it says of itself."""
    parameters: Parameters
    """Learned weights, and what is stored next to them."""
    quantization: Quantization
    """How numbers are held in few bits."""
    schema_version: str
    """Version of this layout, see [`SCHEMA_VERSION`]."""
    shapes: ShapeFacts
    """How much is known of the shapes inside the graph."""
    task: Task
    """What the model does."""
    unknown: list[Unknown]
    """Figures that could not be established, each with the reason."""
    hardware: Hardware | None = None
    """Where the model will run, and how fast."""
    summary: Summary | None = None
    """All of it in a few sentences."""
    verified: Verification | None = None
    """What an execution showed of the inferred shapes, where it was asked for."""
    weights: Weights | None = None
    """What the weights hold; only there when they were read."""


@dataclass(frozen=True, slots=True)
class Requirement(Record):
    """A device that meets a target."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    batch: int
    """The batch at which it does."""
    id: str
    """The device."""
    margin: float
    """Target divided by expected time, or expected throughput divided by target."""
    name: str
    """The name in use."""
    first_token_ms: Range | None = None
    """Time to the first token, where the target has one."""
    fits: bool | None = None
    """Whether that fits."""
    latency_ms: Range | None = None
    """Time of one run; `null` when it does not fit or is not known."""
    memory_bytes: int | None = None
    """Memory needed, the runtime overhead at its expected size."""
    memory_margin: float | None = None
    """The device's memory divided by the memory needed."""
    reason: str | None = None
    """Why there is no time."""
    throughput: float | None = None
    """Samples per second."""


@dataclass(frozen=True, slots=True)
class Requirements(Record):
    """The devices that a target requires."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    devices_considered: int
    """Devices that were considered."""
    notes: list[str]
    """Why a level is empty, or the nearest device."""
    unknown: int
    """Devices that cannot be judged, because a figure is missing."""
    minimum: Requirement | None = None
    """The slowest device whose expected time meets the target."""
    optimal: Requirement | None = None
    """The slowest device that meets the target twice over at the high end of its range, with
    twice the memory.
    """
    recommended: Requirement | None = None
    """The slowest device that meets the target at the high end of its range, with enough memory
    for the highest runtime overhead.
    """
    target: str = ''
    """The target in words: `30 images/s`."""
    target_first_token_ms: float | None = None
    """Longest time to the first token."""
    target_is_default: bool = False
    """Whether the target is the default for this kind of model, because none was stated."""
    target_latency_ms: float | None = None
    """Longest time of one run."""
    target_met: bool | None = None
    """Whether the device that was asked for meets the target; `null` when none was, or that
    cannot be determined.
    """
    target_throughput: float | None = None
    """Lowest throughput, in samples per second."""
    target_tokens_per_s: float | None = None
    """Lowest rate of one sequence, in tokens per second."""
    why: str | None = None
    """Why, or why not."""


@dataclass(frozen=True, slots=True)
class Roofline(Record):
    """Kernels under the ceilings of the device.

    The figures are those of the estimate in `latency_ms`; they are not measured.
    """
    _decoders: ClassVar[dict[str, Decoder]] = {}
    bandwidth_bytes_per_s: float
    """Memory bandwidth, in bytes per second."""
    compute: list[ComputeCeiling]
    """Dense peaks that bound the kernels below, highest first."""
    kernels: list[RooflineKernel]
    """Kernels by their share of the run, at most 40; kernels with the same kind, arithmetic and
    bytes are one entry.
    """
    left_out: int
    """Kernels left out because they take too little time."""
    percent: float
    """Share of the run that those take, in percent."""
    without_arithmetic: int
    """Kernels left out because they do no arithmetic."""


@dataclass(frozen=True, slots=True)
class RooflineKernel(Record):
    """Identical kernels."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    count: int
    """Their number."""
    intensity: float
    """Arithmetic intensity: operations of any kind per byte read or written."""
    kind: KernelKind
    """Their kind."""
    node: str
    """The node of the first of them."""
    per_s: float
    """Operations per second that they reach."""
    percent: float
    """Share of the run that all of them take, in percent."""
    precision: Precision
    """The precision that they compute in."""


@dataclass(frozen=True, slots=True)
class ScalingRow(Record):
    """The model at one size."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    size: int
    """The batch, the length or the side."""
    fits: bool | None = None
    """Whether that fits."""
    latency_ms: Range | None = None
    """Time of one run; `null` when it does not fit or is not known."""
    memory_bytes: int | None = None
    """Memory needed, the runtime overhead at its expected size."""
    reason: str | None = None
    """Why there is no time."""
    throughput: float | None = None
    """Samples per second."""


@dataclass(frozen=True, slots=True)
class ShapeFacts(Record):
    """How much is known of the values of the main graph."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    data_dependent: dict[str, str]
    """Dimensions that the data decides: their names in the shapes, and what decides them."""
    fixed: int
    """Of those, the ones whose every dimension is a number."""
    symbolic: int
    """Of those, the ones with a dimension that is an expression in named dimensions."""
    typed: int
    """Of those, the ones whose data type is known."""
    unknown: list[UnknownShape]
    """Those, with the reason; the first ones where there are many."""
    unshaped: int
    """Of all, the ones whose number of dimensions is not known."""
    values: int
    """Values that nodes of the main graph give."""


@dataclass(frozen=True, slots=True)
class Skip(Record):
    """Skip connections of one kind other than residual additions."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    count: int
    """How many there are."""
    kind: SkipKind
    """How the paths join."""
    nodes: list[str]
    """Nodes at which the first few join."""


@dataclass(frozen=True, slots=True)
class SkippedValue(Record):
    """A value that was not compared."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    reason: str
    """Why."""
    value: str
    """The value."""


@dataclass(frozen=True, slots=True)
class Summary(Record):
    """The report in prose. Every figure in it is a field of the report."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    source: str
    """Who wrote it: `built-in`, or the name of the language model."""
    text: str
    """The paragraphs, with an empty line between them. Plain text, no markup."""
    title: str
    """One line."""
    check: SummaryCheck | None = None
    """The result of checking it; of a language model's text."""
    notes: list[str] | None = None
    """What the reader should know: why a language model's text was not used, say."""


@dataclass(frozen=True, slots=True)
class SummaryCheck(Record):
    """The result of checking a language model's text."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    claims: int
    """Facts in the text, each filled in from the report."""
    struck: int
    """Sentences that were removed because they held more than facts and connecting words."""


@dataclass(frozen=True, slots=True)
class Task(Record):
    """The task of the model."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    confidence: Confidence
    """Confidence in the task."""
    evidence: list[str]
    """The evidence for it, one statement each."""
    kind: TaskKind
    """The task; `unknown` when the graph does not show one."""
    classes: int | None = None
    """Output classes."""


@dataclass(frozen=True, slots=True)
class TensorChange(Record):
    """A pair of tensors that differs."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    a: str
    """The tensor of the first model."""
    b: str
    """The tensor of the second model."""
    different: int
    """Elements that differ."""
    dtype_a: DType
    """Its type in the first model."""
    dtype_b: DType
    """Its type in the second model."""
    elements: int
    """Elements compared."""
    node: str
    """The node that reads it, by its name in the first model."""
    not_finite: int
    """Elements that are not finite in one of the two."""
    shape: list[int]
    """Its dimensions, as they were compared."""
    sign_flips: int
    """Elements whose sign is the opposite one."""
    cosine: float | None = None
    """The cosine of the angle between them; null where one is all zeros."""
    max_abs: float | None = None
    """The largest absolute difference; null where no element is finite in both."""
    mean_abs: float | None = None
    """The mean absolute difference; null where no element is finite in both, or beyond the range of
    doubles.
    """
    relative_norm: float | None = None
    """The norm of the difference over the norm of the first; null where the first is all zeros."""
    snr_db: float | None = None
    """Signal to noise in dB: the first over the difference; null where they are the same or the
    first is all zeros.
    """
    through: str | None = None
    """What was done to compare them: `dequantized per channel`, `unpacked int4`; empty for nothing."""


@dataclass(frozen=True, slots=True)
class TensorDifference(Record):
    """How far two tensors are apart. Elements that are not finite on either side are left
    out and counted.
    """
    _decoders: ClassVar[dict[str, Decoder]] = {}
    different: int
    """Elements that differ."""
    elements: int
    """Elements compared."""
    not_finite: int
    """Elements that are not finite in one of the two."""
    sign_flips: int
    """Elements whose sign is the opposite one."""
    cosine: float | None = None
    """The cosine of the angle between them; null where one is all zeros."""
    max_abs: float | None = None
    """The largest absolute difference; null where no element is finite in both."""
    mean_abs: float | None = None
    """The mean absolute difference; null where no element is finite in both, or beyond the range of
    doubles.
    """
    relative_norm: float | None = None
    """The norm of the difference over the norm of the first; null where the first is all zeros."""
    snr_db: float | None = None
    """Signal to noise in dB: the first over the difference; null where they are the same or the
    first is all zeros.
    """


@dataclass(frozen=True, slots=True)
class TensorMatch(Record):
    """Learned tensors of two files, matched by shape. The order of the dimensions, and those of size 1, are left
    out: formats store one weight in different layouts.
    """
    _decoders: ClassVar[dict[str, Decoder]] = {}
    matched: int
    """Tensors of the first file that have one of the same shape in the second; each is matched once."""
    only_a: list[str]
    """Names of tensors of the first file without a match; the first ones."""
    only_b: list[str]
    """Names of tensors of the second file without a match; the first ones."""
    same_name: int
    """Matched tensors that also have the same name."""
    tensors_a: int
    """Learned tensors of the first file."""
    tensors_b: int
    """Learned tensors of the second file."""


@dataclass(frozen=True, slots=True)
class TensorRange(Record):
    """What the elements of one tensor are like. Figures are of its finite elements."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    dtype: DType
    """Type of its elements."""
    max: float
    """The greatest."""
    max_abs_z_score: float
    """Standard deviations from the mean to the farthest element."""
    mean: float
    """The mean."""
    min: float
    """The least element."""
    name: str
    """The tensor."""
    shape: list[int]
    """Its dimensions."""
    sparsity_percent: float
    """Share of zeros, in percent, to two decimals."""
    std: float
    """The standard deviation."""
    dead_channels: int | None = None
    """Output channels that are zero throughout."""


@dataclass(frozen=True, slots=True)
class TimeShares(Record):
    """The time of a run by cause, in percent."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    compute_percent: float
    """In compute-bound kernels."""
    launch_overhead_percent: float
    """In launching kernels."""
    memory_percent: float
    """In memory-bound kernels."""


@dataclass(frozen=True, slots=True)
class TopGroup(Record):
    """Nodes with the same operator and the same cost."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    count: int
    """How many nodes there are."""
    macs: int
    """Multiply-accumulates of each node."""
    nodes: list[str]
    """The first nodes, in order of execution; at most 32."""
    op: str
    """Their operator."""
    percent: float | None = None
    """Share of all multiply-accumulates that the group has, in percent, to two decimals."""


@dataclass(frozen=True, slots=True)
class TopKernel(Record):
    """A slow kernel."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    kind: KernelKind
    """Its kind."""
    ms: float
    """Its time."""
    node: str
    """The node that it computes; the main one where several are fused."""
    percent: float
    """Share of the run, in percent."""


@dataclass(frozen=True, slots=True)
class TopNode(Record):
    """A node and what it costs."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    node: str
    """The node."""
    op: str
    """Its operator."""
    bytes_moved: int | None = None
    """Bytes read and written by all nodes, each on its own."""
    flops: int | None = None
    """Twice that: the figure to compare with other tools."""
    macs: int | None = None
    """Multiply-accumulates of contractions."""
    other_flops: int | None = None
    """Arithmetic outside contractions: element-wise, normalization, softmax, reduction."""
    percent: float | None = None
    """Share of all multiply-accumulates, in percent, to two decimals."""


@dataclass(frozen=True, slots=True)
class TrainingFacts(Record):
    """Training graphs that the file carries."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    nodes: int
    """Nodes in their graphs; they are in no other figure of the report."""
    steps: int
    """Training steps described (ONNX: `training_info` entries)."""


@dataclass(frozen=True, slots=True)
class UncomparedTensor(Record):
    """A pair of tensors that could not be compared."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    a: str
    """The tensor of the first model."""
    b: str
    """The tensor of the second model."""
    reason: str
    """Why."""


@dataclass(frozen=True, slots=True)
class UncostedNode(Record):
    """A node whose cost is not known."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    node: str
    """The node."""
    op: str
    """Its operator."""
    reason: str
    """Why."""


@dataclass(frozen=True, slots=True)
class Unknown(Record):
    """A figure that could not be established."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    reason: str
    """Why it is not known."""
    what: str
    """Path of the field in the report, such as `graph.depth`."""


@dataclass(frozen=True, slots=True)
class UnknownField(Record):
    """A field of the file that this reader does not know."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    count: int
    """How often it occurs."""
    field: int
    """Its number."""
    message: str
    """The message it is in, such as `NodeProto`."""


@dataclass(frozen=True, slots=True)
class UnknownShape(Record):
    """A value whose shape is not known."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    reason: str
    """Why."""
    value: str
    """The value."""


@dataclass(frozen=True, slots=True)
class UnreadTensor(Record):
    """A tensor that could not be read."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    name: str
    """The tensor."""
    reason: str
    """Why."""


@dataclass(frozen=True, slots=True)
class Verdict(Record):
    """The answer in two sentences."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    compatibility: str
    """The first sentence: drop-in or not, and why."""
    drop_in: bool
    """Whether callers of the first model can load the second one in its place, unchanged."""
    identical: bool
    """Whether the two models are the same but for names."""
    trade: str
    """The second sentence: what got better and what got worse."""


@dataclass(frozen=True, slots=True)
class Verification(Record):
    """A model's inferred types and shapes, compared with those of executions: what `calipers verify`
    prints.
    """
    _decoders: ClassVar[dict[str, Decoder]] = {}
    data_dependent: int
    """Of the equal ones, those with a dimension that the data decides: its size was not compared."""
    different: list[DifferentValue]
    """Those that were different."""
    equal: int
    """Of those, the ones whose type and shape were as inferred in every execution."""
    executions: list[Execution]
    """The executions."""
    inner_nodes: int
    """Nodes whose values cannot be read, since they are inside subgraphs or functions."""
    model: str
    """The file name of the model."""
    not_inferred: list[SkippedValue]
    """Those that were computed and whose type or shape was not inferred."""
    not_run: list[SkippedValue]
    """Those that were not computed or could not be read."""
    runtime: str
    """The runtime and its version, e.g. `ONNX Runtime 1.31.1`."""
    synthesized_weights: bool
    """Whether missing weights were synthesized."""
    values: int
    """Values that nodes of the main graph compute."""
    nodes: NodeCounts | None = None
    """Nodes of the file and nodes that ran; missing where the runtime does not report them."""


@dataclass(frozen=True, slots=True)
class WeightChanges(Record):
    """How the weights of two models differ."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    by_depth: list[DepthChange]
    """The difference along the depth of the network, from input to output."""
    bytes: int
    """Bytes that were read."""
    compared: int
    """Pairs of tensors that were compared."""
    different: int
    """Pairs that differ."""
    identical: int
    """Pairs whose every element is the same."""
    not_compared: int
    """Pairs that could not be compared."""
    relation: WeightRelation
    """How the weights of the second model come from those of the first."""
    tensors: list[TensorChange]
    """Pairs that differ, the largest relative difference first; the first ones where there are
    many.
    """
    uncompared_tensors: list[UncomparedTensor]
    """The first of those, each with the reason."""
    unmatched: tuple[int, int]
    """Learned tensors that only one model has: first model, second model."""
    why: str
    """Why, as a sentence."""
    total: TensorDifference | None = None
    """The compared elements of learned tensors as one tensor; null where nothing was compared."""


@dataclass(frozen=True, slots=True)
class Weights(Record):
    """What the stored tensors hold."""
    _decoders: ClassVar[dict[str, Decoder]] = {}
    bytes: int
    """Bytes that were read."""
    dead_channels: int
    """Output channels of layers that are zero throughout."""
    duplicate_bytes: int
    """Bytes that are stored a second time."""
    elements: int
    """Learned elements that were read; the counts below are among these."""
    fits_bfloat16_bytes: int
    """The same for bfloat16."""
    fits_float16_bytes: int
    """Bytes of float32 tensors whose every element is the same in half precision."""
    infinite: int
    """Infinities."""
    nan: int
    """NaN elements."""
    ranges: list[TensorRange]
    """The range of each learned tensor, in the file's order; the first ones where there are many."""
    sparsity_percent: float
    """Share of zeros, in percent, to two decimals."""
    subnormal: int
    """Elements too small for a full mantissa in their type."""
    tensors: int
    """Tensors that were read."""
    unread: int
    """Tensors that could not be read."""
    unread_tensors: list[UnreadTensor]
    """The first of those, each with the reason."""
    zeros: int
    """Zeros."""

Architecture._decoders = {
    "block_diagram": Diagram,
    "blocks": ("list", BlockCount),
    "facts": ArchitectureFacts,
    "flow_diagram": Diagram,
    "repeats": ("list", Repeat),
    "skips": ("list", Skip),
    "tree": ("list", Block),
}

Block._decoders = {
    "parts": ("list", Block),
}

ChangedNode._decoders = {
    "attributes": ("list", AttributeChange),
}

ComparedModel._decoders = {
    "producer": Producer,
}

Comparison._decoders = {
    "a": ComparedModel,
    "b": ComparedModel,
    "figures": ("list", FigureChange),
    "findings": FindingChanges,
    "gates": ("list", GateResult),
    "generator": Generator,
    "graph": GraphChanges,
    "interface": Interface,
    "tensors": TensorMatch,
    "verdict": Verdict,
    "weights": WeightChanges,
}

Cost._decoders = {
    "by_depth": ("list", DepthSegment),
    "by_op": ("list", OperatorCost),
    "top_groups": ("list", TopGroup),
    "top_nodes": ("list", TopNode),
    "unknown": ("list", UncostedNode),
}

DeviceRow._decoders = {
    "latency_ms": Range,
}

Diagram._decoders = {
    "arrows": ("list", Arrow),
    "boxes": ("list", DiagramBox),
}

Execution._decoders = {
    "kv_cache_bytes": ComparedBytes,
    "peak_activation_bytes": ComparedBytes,
}

FigureChange._decoders = {
    "range_a": Range,
    "range_b": Range,
}

FindingChanges._decoders = {
    "new": ("list", Finding),
    "resolved": ("list", Finding),
    "unchanged_by_id": ("list", FindingCount),
}

Generation._decoders = {
    "first_token_ms": Range,
    "token_ms": Range,
}

GraphChanges._decoders = {
    "added": ("list", AddedNode),
    "changed": ("list", ChangedNode),
    "groups": ("list", ChangeGroup),
    "removed": ("list", RemovedNode),
}

GraphFacts._decoders = {
    "inputs": ("list", Port),
    "local_functions": ("list", FunctionFacts),
    "operators": ("list", OperatorCount),
    "operators_total": ("list", OperatorCount),
    "outputs": ("list", Port),
}

Hardware._decoders = {
    "assumptions": ("list", Assumption),
    "batch_scaling": ("list", ScalingRow),
    "device": DeviceFacts,
    "devices": ("list", DeviceRow),
    "eager_ms": Range,
    "generation": Generation,
    "graph_ms": Range,
    "latency_ms": Range,
    "memory": MemoryNeed,
    "requirements": Requirements,
    "resolution_scaling": ("list", ScalingRow),
    "roofline": Roofline,
    "sequence_scaling": ("list", ScalingRow),
    "shares": TimeShares,
    "top_kernels": ("list", TopKernel),
}

Interface._decoders = {
    "changes": ("list", InterfaceChange),
}

Memory._decoders = {
    "kv_cache": KvCache,
    "largest": ("list", LargeValue),
    "largest_groups": ("list", LargeGroup),
}

MemoryNeed._decoders = {
    "workspace_bytes": ByteRange,
}

ModelFacts._decoders = {
    "data_files": ("list", DataFile),
    "producer": Producer,
    "training": TrainingFacts,
    "unknown_fields": ("list", UnknownField),
}

Parameters._decoders = {
    "by_op": ("list", OperatorMemory),
}

Repeat._decoders = {
    "inside": ("list", Repeat),
}

Report._decoders = {
    "architecture": Architecture,
    "assumptions": ("list", Assumption),
    "cost": Cost,
    "findings": ("list", Finding),
    "generator": Generator,
    "graph": GraphFacts,
    "hardware": Hardware,
    "memory": Memory,
    "model": ModelFacts,
    "parameters": Parameters,
    "quantization": Quantization,
    "shapes": ShapeFacts,
    "summary": Summary,
    "task": Task,
    "unknown": ("list", Unknown),
    "verified": Verification,
    "weights": Weights,
}

Requirement._decoders = {
    "first_token_ms": Range,
    "latency_ms": Range,
}

Requirements._decoders = {
    "minimum": Requirement,
    "optimal": Requirement,
    "recommended": Requirement,
}

Roofline._decoders = {
    "compute": ("list", ComputeCeiling),
    "kernels": ("list", RooflineKernel),
}

ScalingRow._decoders = {
    "latency_ms": Range,
}

ShapeFacts._decoders = {
    "unknown": ("list", UnknownShape),
}

Summary._decoders = {
    "check": SummaryCheck,
}

Verification._decoders = {
    "different": ("list", DifferentValue),
    "executions": ("list", Execution),
    "nodes": NodeCounts,
    "not_inferred": ("list", SkippedValue),
    "not_run": ("list", SkippedValue),
}

WeightChanges._decoders = {
    "by_depth": ("list", DepthChange),
    "tensors": ("list", TensorChange),
    "total": TensorDifference,
    "uncompared_tensors": ("list", UncomparedTensor),
    "unmatched": ("tuple",),
}

Weights._decoders = {
    "ranges": ("list", TensorRange),
    "unread_tensors": ("list", UnreadTensor),
}
