"""What the convolutional models were published with: counts of parameters, and where they are said."""

from __future__ import annotations

from dataclasses import dataclass

TORCHVISION = "documentation of torchvision, num_params of the pretrained weights"
CHECKED_BY_OSMR = "the count that the test in https://github.com/osmr/imgclsmob asserts"
TIMM = "param_count in results/benchmark-infer-*.csv of https://github.com/huggingface/pytorch-image-models, in millions"
SLIM = "table of checkpoints in TensorFlow's slim/nets/mobilenet, in millions, which leaves the parameters of normalizations out"
ULTRALYTICS = "model summary that https://github.com/ultralytics/yolov5 release 6 prints"
CAFFE = "size in bytes, over four, of the weights that https://github.com/Hzzone/pytorch-openpose converted, which have names in them too"


@dataclass(frozen=True)
class Published:
    """A count of trainable parameters: as said, rounded to a multiple of unit or within a part of it."""

    model: str
    config: str
    count: int
    source: str
    unit: int = 1
    within: float = 0.0
    normalizations: bool = True


PUBLISHED = [
    Published("resnet", "resnet18", 11_689_512, TORCHVISION),
    Published("resnet", "resnet50", 25_557_032, TORCHVISION),
    Published("mobilenet_v1", "192", 2_590_000, SLIM, unit=10_000),
    Published("mobilenet_v1", "224", 4_231_976, "Keras, trainable parameters of applications.MobileNet"),
    Published("mobilenet_v2", "224", 3_504_872, TORCHVISION),
    Published("mobilenet_v2", "160", 2_610_000, SLIM, unit=10_000, normalizations=False),
    Published("mobilenet_v2", "96", 1_660_000, SLIM, unit=10_000, normalizations=False),
    Published("mobilenet_v3", "small", 2_542_856, TORCHVISION),
    Published("mobilenet_v3", "large", 5_483_032, TORCHVISION),
    Published("mobilenet_v3_timm", "small", 2_540_000, TIMM, unit=10_000),
    Published("mobilenet_v3_timm", "large", 5_480_000, TIMM, unit=10_000),
    Published("unet", "256", 7_763_041, "the definition in https://github.com/mateuszbuda/brain-segmentation-pytorch, counted by torch"),
    Published("yolo_v3", "default", 61_949_149, "summary of https://github.com/qqwweee/keras-yolo3, which holds the weights of the authors"),
    Published("yolo_v3", "tiny", 8_852_366, "8,858,734 numbers in the authors' yolov3-tiny.weights, less 6,368 statistics of normalizations"),
    Published("yolo_v5", "s", 7_235_389, ULTRALYTICS),
    Published("yolo_v5", "m", 21_190_557, ULTRALYTICS),
    Published("inception_v4", "224", 42_680_000, TIMM, unit=10_000),
    Published("vovnet_v2", "19", 6_540_000, TIMM, unit=10_000),
    Published("vovnet_v2", "39", 24_570_000, TIMM, unit=10_000),
    Published("vovnet_v2", "99", 63_200_000, TIMM, unit=10_000),
    Published("hrnet", "w18", 15_597_464, CHECKED_BY_OSMR),
    Published("hrnet", "v2_w18", 21_299_004, CHECKED_BY_OSMR),
    Published("hrnet", "v2_w30", 37_712_220, CHECKED_BY_OSMR),
    Published("hrnet", "v2_w32", 41_232_680, CHECKED_BY_OSMR),
    Published("hrnet", "v2_w40", 57_557_160, CHECKED_BY_OSMR),
    Published("hrnet", "v2_w44", 67_064_984, CHECKED_BY_OSMR),
    Published("hrnet", "v2_w48", 77_469_864, CHECKED_BY_OSMR),
    Published("hrnet", "v2_w64", 128_059_944, CHECKED_BY_OSMR),
    Published("openpose", "body", 52_316_898, CAFFE, within=5e-4),
    Published("openpose", "hand", 36_835_262, CAFFE, within=5e-4),
    Published("openpose_hand", "basic", 36_835_262, CAFFE, within=5e-4),
    Published("openpose_osmr_body", "2d", 4_091_698, CHECKED_BY_OSMR),
    Published("openpose_osmr_body", "3d", 5_085_983, CHECKED_BY_OSMR),
]
