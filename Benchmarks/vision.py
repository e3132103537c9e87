"""Networks for pictures, with the layers and sizes of the papers that they name."""


def convolution(inputs, outputs, kernel=1, stride=1, groups=1, activation=None, dilation=1):
    """Returns a convolution without bias, a batch norm, and an activation if one is given."""
    from torch import nn

    layers = [
        nn.Conv2d(
            inputs, outputs, kernel, stride, kernel // 2 * dilation, dilation=dilation, groups=groups, bias=False),
        nn.BatchNorm2d(outputs)]
    return nn.Sequential(*layers, *([activation] if activation else []))


def residual(branch, shortcut=None, activation=None):
    """Returns a module that adds a branch to its input, or to a shortcut, and applies an activation."""
    from torch import nn

    class Residual(nn.Module):
        def __init__(self):
            super().__init__()
            self.branch, self.shortcut = branch, shortcut or nn.Identity()
            self.activation = activation or nn.Identity()

        def forward(self, x):
            return self.activation(self.shortcut(x) + self.branch(x))

    return Residual()


def excitation(width, hidden, activation, gate):
    """Returns a squeeze-and-excitation block (Hu et al., arXiv:1709.01507)."""
    from torch import nn

    class Excitation(nn.Module):
        def __init__(self):
            super().__init__()
            self.factors = nn.Sequential(
                nn.AdaptiveAvgPool2d(1), nn.Conv2d(width, hidden, 1), activation, nn.Conv2d(hidden, width, 1), gate)

        def forward(self, x):
            return x * self.factors(x)

    return Excitation()


def joined(*branches):
    """Returns a module that concatenates the channels of its branches' results."""
    import torch
    from torch import nn

    class Joined(nn.Module):
        def __init__(self):
            super().__init__()
            self.branches = nn.ModuleList(branches)

        def forward(self, x):
            return torch.cat([branch(x) for branch in self.branches], 1)

    return Joined()


def head(features, classes=1000):
    """Returns the end of a classifier: the mean over the pixels, and a linear layer."""
    from torch import nn

    return [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(features, classes)]


# MARK: Classifiers


def mobilenet_v2_layers(dilated=False):
    """Returns the convolutions of MobileNetV2. If `dilated`, the last stage has dilation 2 instead of stride 2."""
    from torch import nn

    layers, inputs = [convolution(3, 32, 3, 2, activation=nn.ReLU6())], 32
    for factor, outputs, count, stride in [
            (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]:
        dilation = 2 if dilated and outputs >= 160 else 1
        for position in range(count):
            own, hidden = stride if position == 0 and dilation == 1 else 1, inputs * factor
            expand = [convolution(inputs, hidden, activation=nn.ReLU6())] if factor > 1 else []
            block = nn.Sequential(
                *expand, convolution(hidden, hidden, 3, own, hidden, nn.ReLU6(), dilation),
                convolution(hidden, outputs))
            layers.append(residual(block) if own == 1 and inputs == outputs else block)
            inputs = outputs
    return layers


def mobilenet_v2():
    """MobileNetV2 (Sandler et al., arXiv:1801.04381) of width 1."""
    from torch import nn

    return nn.Sequential(*mobilenet_v2_layers(), convolution(320, 1280, activation=nn.ReLU6()), *head(1280))


def mobilenet_v3():
    """MobileNetV3-large (Howard et al., arXiv:1905.02244)."""
    from torch import nn

    layers, inputs = [convolution(3, 16, 3, 2, activation=nn.Hardswish())], 16
    for kernel, hidden, outputs, excites, activation, stride in [
            (3, 16, 16, 0, nn.ReLU, 1), (3, 64, 24, 0, nn.ReLU, 2), (3, 72, 24, 0, nn.ReLU, 1),
            (5, 72, 40, 1, nn.ReLU, 2), (5, 120, 40, 1, nn.ReLU, 1), (5, 120, 40, 1, nn.ReLU, 1),
            (3, 240, 80, 0, nn.Hardswish, 2), (3, 200, 80, 0, nn.Hardswish, 1), (3, 184, 80, 0, nn.Hardswish, 1),
            (3, 184, 80, 0, nn.Hardswish, 1), (3, 480, 112, 1, nn.Hardswish, 1), (3, 672, 112, 1, nn.Hardswish, 1),
            (5, 672, 160, 1, nn.Hardswish, 2), (5, 960, 160, 1, nn.Hardswish, 1), (5, 960, 160, 1, nn.Hardswish, 1)]:
        expand = [convolution(inputs, hidden, activation=activation())] if hidden != inputs else []
        squeeze = [excitation(hidden, (hidden // 4 + 4) // 8 * 8, nn.ReLU(), nn.Hardsigmoid())] if excites else []
        block = nn.Sequential(
            *expand, convolution(hidden, hidden, kernel, stride, hidden, activation()), *squeeze,
            convolution(hidden, outputs))
        layers.append(residual(block) if stride == 1 and inputs == outputs else block)
        inputs = outputs
    return nn.Sequential(
        *layers, convolution(160, 960, activation=nn.Hardswish()), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(960, 1280), nn.Hardswish(), nn.Linear(1280, 1000))


def efficientnet():
    """EfficientNet-B0 (Tan and Le, arXiv:1905.11946)."""
    from torch import nn

    layers, inputs = [convolution(3, 32, 3, 2, activation=nn.SiLU())], 32
    for factor, kernel, outputs, count, stride in [
            (1, 3, 16, 1, 1), (6, 3, 24, 2, 2), (6, 5, 40, 2, 2), (6, 3, 80, 3, 2), (6, 5, 112, 3, 1),
            (6, 5, 192, 4, 2), (6, 3, 320, 1, 1)]:
        for position in range(count):
            own, hidden = stride if position == 0 else 1, inputs * factor
            expand = [convolution(inputs, hidden, activation=nn.SiLU())] if factor > 1 else []
            block = nn.Sequential(
                *expand, convolution(hidden, hidden, kernel, own, hidden, nn.SiLU()),
                excitation(hidden, inputs // 4, nn.SiLU(), nn.Sigmoid()), convolution(hidden, outputs))
            layers.append(residual(block) if own == 1 and inputs == outputs else block)
            inputs = outputs
    return nn.Sequential(*layers, convolution(320, 1280, activation=nn.SiLU()), *head(1280))


def resnet_50():
    """ResNet-50 (He et al., arXiv:1512.03385), with the stride in the 3 × 3 convolution."""
    from torch import nn

    layers = [convolution(3, 64, 7, 2, activation=nn.ReLU()), nn.MaxPool2d(3, 2, 1)]
    inputs = 64
    for width, count, stride in [(64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)]:
        for position in range(count):
            own, outputs = stride if position == 0 else 1, width * 4
            block = nn.Sequential(
                convolution(inputs, width, activation=nn.ReLU()),
                convolution(width, width, 3, own, activation=nn.ReLU()), convolution(width, outputs))
            shortcut = convolution(inputs, outputs, stride=own) if position == 0 else None
            layers.append(residual(block, shortcut, nn.ReLU()))
            inputs = outputs
    return nn.Sequential(*layers, *head(inputs))


# MARK: Detection and segmentation


def detector(classes=80):
    """A one-stage detector with the layers of YOLOv8n (Jocher et al., 2023). Its results are boxes and class scores."""
    import torch
    from torch import nn

    def unit(inputs, outputs, kernel=1, stride=1):
        return convolution(inputs, outputs, kernel, stride, activation=nn.SiLU())

    class Split(nn.Module):
        """A stage that splits the channels, and concatenates the results of all its bottlenecks."""

        def __init__(self, inputs, outputs, count, adds):
            super().__init__()
            half = outputs // 2
            self.first, self.last = unit(inputs, outputs), unit((2 + count) * half, outputs)
            pairs = [nn.Sequential(unit(half, half, 3), unit(half, half, 3)) for _ in range(count)]
            self.parts = nn.ModuleList(residual(pair) if adds else pair for pair in pairs)

        def forward(self, x):
            found = list(self.first(x).chunk(2, 1))
            for part in self.parts:
                found.append(part(found[-1]))
            return self.last(torch.cat(found, 1))

    class Pyramid(nn.Module):
        """Three poolings of 5 × 5, one after the other, and their input."""

        def __init__(self):
            super().__init__()
            self.first, self.last, self.pool = unit(256, 128), unit(512, 256), nn.MaxPool2d(5, 1, 2)

        def forward(self, x):
            found = [self.first(x)]
            for _ in range(3):
                found.append(self.pool(found[-1]))
            return self.last(torch.cat(found, 1))

    class Detector(nn.Module):
        def __init__(self):
            super().__init__()
            self.eighth = nn.Sequential(
                unit(3, 16, 3, 2), unit(16, 32, 3, 2), Split(32, 32, 1, True), unit(32, 64, 3, 2),
                Split(64, 64, 2, True))
            self.sixteenth = nn.Sequential(unit(64, 128, 3, 2), Split(128, 128, 2, True))
            self.last = nn.Sequential(unit(128, 256, 3, 2), Split(256, 256, 1, True), Pyramid())
            self.larger = nn.Upsample(scale_factor=2)
            self.up = nn.ModuleList([Split(384, 128, 1, False), Split(192, 64, 1, False)])
            self.reduce = nn.ModuleList([unit(64, 64, 3, 2), unit(128, 128, 3, 2)])
            self.down = nn.ModuleList([Split(192, 128, 1, False), Split(384, 256, 1, False)])
            self.boxes, self.scores = (
                nn.ModuleList(
                    nn.Sequential(unit(inputs, width, 3), unit(width, width, 3), nn.Conv2d(width, outputs, 1))
                    for inputs in (64, 128, 256))
                for width, outputs in ((64, 64), (80, classes)))
            self.register_buffer("steps", torch.arange(16.0).view(1, 1, 16, 1))
            grids = [torch.meshgrid(*[torch.arange(side) + 0.5] * 2, indexing="ij") for side in (80, 40, 20)]
            self.register_buffer(
                "centres", torch.cat([torch.stack([x, y]).flatten(1) for y, x in grids], 1)[None])
            self.register_buffer(
                "strides", torch.cat([torch.full((side * side,), 640.0 / side) for side in (80, 40, 20)]))

        def forward(self, x):
            eighth = self.eighth(x)
            sixteenth = self.sixteenth(eighth)
            last = self.last(sixteenth)
            middle = self.up[0](torch.cat([self.larger(last), sixteenth], 1))
            large = self.up[1](torch.cat([self.larger(middle), eighth], 1))
            middle = self.down[0](torch.cat([self.reduce[0](large), middle], 1))
            small = self.down[1](torch.cat([self.reduce[1](middle), last], 1))
            maps = (large, middle, small)
            boxes, scores = (
                torch.cat([part(map).flatten(2) for part, map in zip(parts, maps)], 2)
                for parts in (self.boxes, self.scores))
            # A side's distance from the centre is the mean of 16 steps, weighted by softmax.
            sides = (boxes.view(1, 4, 16, 8400).softmax(2) * self.steps).sum(2)
            first, second = self.centres - sides[:, :2], self.centres + sides[:, 2:]
            corners = torch.cat([(first + second) / 2, second - first], 1) * self.strides
            return torch.cat([corners, scores.sigmoid()], 1)

    return Detector()


def segmentation(classes=21, width=256):
    """DeepLabv3 (Chen et al., arXiv:1706.05587) with MobileNetV2: dilated convolutions, and pooling at four rates."""
    import torch
    from torch import nn

    class Segmentation(nn.Module):
        def __init__(self):
            super().__init__()
            relu = nn.ReLU()
            self.layers = nn.Sequential(*mobilenet_v2_layers(dilated=True))
            self.branches = joined(
                convolution(320, width, activation=relu),
                *(convolution(320, width, 3, activation=relu, dilation=rate) for rate in (6, 12, 18)))
            self.whole = nn.Sequential(
                nn.AdaptiveAvgPool2d(1), nn.Conv2d(320, width, 1), nn.ReLU())
            self.last = nn.Sequential(
                convolution(5 * width, width, activation=relu), convolution(width, width, 3, activation=relu),
                nn.Conv2d(width, classes, 1))

        def forward(self, x):
            found = self.layers(x)
            whole = self.whole(found).expand(-1, -1, 32, 32)
            small = self.last(torch.cat([self.branches(found), whole], 1))
            return nn.functional.interpolate(small, size=(512, 512), mode="bilinear", align_corners=False)

    return Segmentation()


def u_net(width=32, depth=4):
    """U-Net (Ronneberger et al., arXiv:1505.04597) with padding, batch norms and a quarter of its multiply-adds."""
    import torch
    from torch import nn

    def pair(inputs, outputs):
        return nn.Sequential(
            convolution(inputs, outputs, 3, activation=nn.ReLU()), convolution(outputs, outputs, 3, activation=nn.ReLU()))

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            widths = [width << level for level in range(depth + 1)]
            self.down = nn.ModuleList(pair(inputs, outputs) for inputs, outputs in zip([3, *widths], widths))
            self.larger = nn.ModuleList(nn.ConvTranspose2d(2 * own, own, 2, 2) for own in widths[:-1])
            self.up = nn.ModuleList(pair(2 * own, own) for own in widths[:-1])
            self.pool, self.last = nn.MaxPool2d(2), nn.Conv2d(width, 2, 1)

        def forward(self, x):
            found = []
            for part in self.down[:-1]:
                x = part(x)
                found.append(x)
                x = self.pool(x)
            x = self.down[-1](x)
            for larger, part, own in reversed(list(zip(self.larger, self.up, found))):
                x = part(torch.cat([own, larger(x)], 1))
            return self.last(x)

    return Network()


# MARK: Diffusion


def diffusion(width=96, factors=(1, 2, 3), inputs=4):
    """A step of a latent diffusion network (Rombach et al., arXiv:2112.10752), without text: residual blocks with group
    norms and an embedding of the time, and attention in the smaller two of three sizes."""
    import math

    import torch
    from torch import nn

    class Block(nn.Module):
        def __init__(self, before, after):
            super().__init__()
            self.first = nn.Sequential(nn.GroupNorm(32, before), nn.SiLU(), nn.Conv2d(before, after, 3, padding=1))
            self.time = nn.Sequential(nn.SiLU(), nn.Linear(4 * width, after))
            self.second = nn.Sequential(nn.GroupNorm(32, after), nn.SiLU(), nn.Conv2d(after, after, 3, padding=1))
            self.shortcut = nn.Conv2d(before, after, 1) if before != after else nn.Identity()

        def forward(self, x, time):
            return self.shortcut(x) + self.second(self.first(x) + self.time(time)[:, :, None, None])

    class Attention(nn.Module):
        def __init__(self, channels):
            super().__init__()
            self.norm, self.heads = nn.GroupNorm(32, channels), channels // 48
            self.parts, self.out = nn.Linear(channels, 3 * channels), nn.Linear(channels, channels)

        def forward(self, x):
            batch, channels, rows, columns = x.shape
            tokens = self.norm(x).flatten(2).transpose(1, 2)
            parts = [
                part.view(batch, rows * columns, self.heads, 48).transpose(1, 2)
                for part in self.parts(tokens).chunk(3, 2)]
            found = nn.functional.scaled_dot_product_attention(*parts).transpose(1, 2).reshape(tokens.shape)
            return x + self.out(found).transpose(1, 2).view(x.shape)

    class Level(nn.Module):
        def __init__(self, before, after, attends):
            super().__init__()
            self.block = Block(before, after)
            self.attention = Attention(after) if attends else nn.Identity()

        def forward(self, x, time):
            return self.attention(self.block(x, time))

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Sequential(nn.Linear(width, 4 * width), nn.SiLU(), nn.Linear(4 * width, 4 * width))
            self.register_buffer("rates", torch.exp(torch.arange(width // 2) * (-math.log(1e4) / (width // 2))))
            self.start = nn.Conv2d(inputs, width, 3, padding=1)
            self.down, self.up, self.smaller, self.larger = (nn.ModuleList() for _ in range(4))
            before, left = width, [width]
            for level, factor in enumerate(factors):
                for _ in range(2):
                    self.down.append(Level(before, width * factor, level > 0))
                    before = width * factor
                    left.append(before)
                if level < len(factors) - 1:
                    self.smaller.append(nn.Conv2d(before, before, 3, 2, 1))
                    left.append(before)
            self.middle = nn.ModuleList([Level(before, before, True), Level(before, before, False)])
            for level, factor in reversed(list(enumerate(factors))):
                for _ in range(3):
                    self.up.append(Level(before + left.pop(), width * factor, level > 0))
                    before = width * factor
                if level > 0:
                    self.larger.append(
                        nn.Sequential(nn.Upsample(scale_factor=2), nn.Conv2d(before, before, 3, padding=1)))
            self.last = nn.Sequential(nn.GroupNorm(32, width), nn.SiLU(), nn.Conv2d(width, inputs, 3, padding=1))

        def forward(self, x, time):
            angles = time * self.rates[None]
            time = self.embedding(torch.cat([angles.cos(), angles.sin()], 1))
            x = self.start(x)
            found = [x]
            for position, part in enumerate(self.down):
                x = part(x, time)
                found.append(x)
                if position % 2 == 1 and position // 2 < len(self.smaller):
                    x = self.smaller[position // 2](x)
                    found.append(x)
            for part in self.middle:
                x = part(x, time)
            for position, part in enumerate(self.up):
                x = part(torch.cat([x, found.pop()], 1), time)
                if position % 3 == 2 and position // 3 < len(self.larger):
                    x = self.larger[position // 3](x)
            return self.last(x)

    return Network()
