"""YOLO generations and RT-DETR, as the model descriptions of ultralytics define them."""

import cache
import torch
from recorder import on_meta, weights_of
from ultralytics.nn import tasks

GENERATIONS = {"yolov3": [""], "yolov3-spp": [""], "yolov3-tiny": [""], "yolov5": "nsmlx", "yolov6": "nsmlx",
               "yolov8": "nsmlx", "yolov9": "tsmce", "yolov10": "nsmblx", "yolo11": "nsmlx",
               "yolo12": "nsmlx", "yolo26": "nsmlx", "rtdetr": ["-l", "-x", "-resnet50", "-resnet101"]}
_TASKS = ["-cls", "-seg", "-pose", "-obb"]
HEADS = {"yolov5": ["-p6"], "yolov8": [*_TASKS, "-p2", "-p6", "-pose-p6", "-seg-p6", "-worldv2"],
         "yolov9": ["-seg"], "yolo11": _TASKS, "yolo12": _TASKS, "yolo26": [*_TASKS, "-p2", "-p6"]}
CLASSES = {"-worldv2": "WorldModel", "-cls": "ClassificationModel", "-seg": "SegmentationModel",
           "-pose": "PoseModel", "-obb": "OBBModel"}
FAMILY = {"yolov3-spp": "yolov3", "yolov3-tiny": "yolov3", "rtdetr": "rt-detr"}


def _build(generation, scale, head):
    name = f"{generation}{scale}{head}"
    task = CLASSES.get(head.replace("-p6", ""), "DetectionModel")
    cls = getattr(tasks, "RTDETRDetectionModel" if generation == "rtdetr" else task)
    with on_meta(assume=True):
        model = cls(f"{name}.yaml", verbose=False)
    strides = getattr(model.model[-1], "stride", None)
    if isinstance(strides, torch.Tensor):  # Anchors need values, which meta tensors lack.
        model.model[-1].stride = torch.tensor([8.0 * 2 ** level for level in range(len(strides))])
    side = 224 if head == "-cls" else 640
    result = weights_of(model, lambda network: network(torch.zeros(1, 3, side, side, device="meta")),
                        keep=_inference_only(model.model[-1]))
    return (type(model).__name__, *result)


def _inference_only(head):
    """Returns a filter without the branches that only training uses, where a head has both."""
    if not hasattr(head, "one2one_cv2"):
        return None
    training = {id(p) for name in ("cv2", "cv3", "cv4", "cv5") for p in _parameters(getattr(head, name, None))
                if hasattr(head, f"one2one_{name}")}
    return lambda parameter: id(parameter) not in training


def _parameters(module):
    return module.parameters() if module is not None else ()


def jobs():
    """Yields (name, function) of each variant."""
    for generation, scales in GENERATIONS.items():
        for head in ["", *(h for h in HEADS.get(generation, []) if h)]:
            for scale in scales:
                if (generation, head) == ("yolov9", "-seg") and scale not in "ce":
                    continue
                yield f"{generation}{scale}{head}", lambda g=generation, s=scale, h=head: _build(g, s, h)


def names(name):
    """Returns (family, variant) of a variant."""
    base = name.split("-")[0] if not name.startswith("rtdetr") else "rtdetr"
    if base == "rtdetr":
        part = name[len("rtdetr-"):]
        return "rt-detr", "RT-DETR-" + (part.upper() if len(part) == 1 else part.replace("resnet", "ResNet-"))
    generation = next(g for g in sorted(GENERATIONS, key=len, reverse=True) if base.startswith(g))
    text = name.replace("yolo", "YOLO")
    if generation == "yolov5":  # The descriptions pair older bodies with the head of YOLOv8.
        text = text.replace("-", "u-") if "-" in text else text + "u"
    if generation.startswith("yolov3"):
        text += "u"
    if generation == "yolov6":
        text += " (Ultralytics)"
    return FAMILY.get(generation, generation), text


def collect():
    """Returns the entries of every variant."""
    return cache.collect("ultralytics", jobs(), names)


if __name__ == "__main__":
    collect()
