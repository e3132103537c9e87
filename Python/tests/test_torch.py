"""Networks of PyTorch, converted to ML Programs: predictions are compared with PyTorch's results.

A difference may be at most the tolerance times the largest number, or the tolerance itself if that is larger. The
tolerance is 1e-4 in float32 mode. In float16 mode, each network states its own. Skipped without PyTorch.
"""

import warnings

import numpy as np
import pytest

torch = pytest.importorskip("torch")
warnings.filterwarnings("ignore")

import coremltools as ct
import coremltools.optimize.coreml as shrinking

nn = torch.nn
functional = torch.nn.functional
FLOAT32, FLOAT16 = ct.precision.FLOAT32, ct.precision.FLOAT16


class StyleNetwork(nn.Module):
    """A small style transfer network: strides, residual blocks, instance norms, upsampling."""

    def __init__(self, width=16):
        super().__init__()
        self.first = nn.Conv2d(3, width, 9, padding=4)
        self.down = nn.Conv2d(width, 2 * width, 3, stride=2, padding=1)
        self.left, self.right = (nn.Conv2d(2 * width, 2 * width, 3, padding=1) for _ in range(2))
        self.up = nn.Conv2d(2 * width, width, 3, padding=1)
        self.last = nn.Conv2d(width, 3, 9, padding=4)
        self.norms = nn.ModuleList(
            nn.InstanceNorm2d(n * width, affine=True) for n in (1, 2, 2, 2, 1))

    def forward(self, x):
        x = functional.relu(self.norms[0](self.first(x)))
        x = functional.relu(self.norms[1](self.down(x)))
        y = functional.relu(self.norms[2](self.left(x)))
        x = x + self.norms[3](self.right(y))
        x = functional.interpolate(x, scale_factor=2, mode="nearest")
        x = functional.relu(self.norms[4](self.up(x)))
        return torch.tanh(self.last(x))


class Residual(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.second = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.norms = nn.ModuleList(nn.BatchNorm2d(outputs) for _ in range(3))
        self.shortcut = nn.Conv2d(inputs, outputs, 1, stride, bias=False)

    def forward(self, x):
        y = functional.relu(self.norms[0](self.first(x)))
        return functional.relu(self.norms[1](self.second(y)) + self.norms[2](self.shortcut(x)))


def residual_network():
    return nn.Sequential(
        nn.Conv2d(3, 16, 7, 2, 3), nn.ReLU(), nn.MaxPool2d(3, 2, 1), Residual(16, 16, 1),
        Residual(16, 32, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10),
        nn.Softmax(1))


class Inverted(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        wide = 6 * inputs
        self.layers = nn.Sequential(
            nn.Conv2d(inputs, wide, 1, bias=False), nn.BatchNorm2d(wide), nn.ReLU6(),
            nn.Conv2d(wide, wide, 3, stride, 1, groups=wide, bias=False), nn.BatchNorm2d(wide),
            nn.ReLU6(), nn.Conv2d(wide, outputs, 1, bias=False), nn.BatchNorm2d(outputs))
        self.adds = stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.layers(x) if self.adds else self.layers(x)


def mobile_network():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, 2, 1), nn.Hardswish(), Inverted(8, 8, 1), Inverted(8, 16, 2),
        Inverted(16, 16, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10))


class Encoder(nn.Module):
    def __init__(self, width=64, heads=4):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.wide, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x):
        batch, tokens, width = x.shape

        def heads(layer):
            return layer(x).view(batch, tokens, self.heads, -1).transpose(1, 2)

        mixed = functional.scaled_dot_product_attention(
            heads(self.query), heads(self.key), heads(self.value))
        x = self.first(x + self.out(mixed.transpose(1, 2).reshape(batch, tokens, width)))
        return self.second(x + self.narrow(functional.gelu(self.wide(x))))


class Decoder(nn.Module):
    """One attention layer with a cache of keys and values, one token at a time."""

    width, heads, capacity = 32, 2, 12

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.out = (
            nn.Linear(self.width, self.width) for _ in range(4))
        for name in "keys", "values":
            self.register_buffer(
                name, torch.zeros(1, self.heads, self.capacity, self.width // self.heads))

    def split(self, layer, x):
        return layer(x).view(1, -1, self.heads, self.width // self.heads).transpose(1, 2)

    def forward(self, x, place, mask):
        # `place` is 1 at the index of the token. `mask` is −10,000 at indices without a token.
        for cache, layer in (self.keys, self.key), (self.values, self.value):
            cache[:] = cache * (1 - place) + self.split(layer, x) * place
        mixed = functional.scaled_dot_product_attention(
            self.split(self.query, x), self.keys, self.values, attn_mask=mask)
        return x + self.out(mixed.transpose(1, 2).reshape(1, 1, self.width))

    def whole(self, x):
        """The whole sequence at once. Each token attends to the tokens before it."""
        mixed = functional.scaled_dot_product_attention(
            self.split(self.query, x), self.split(self.key, x), self.split(self.value, x),
            is_causal=True)
        return x + self.out(mixed.transpose(1, 2).reshape(1, -1, self.width))


def ready(network, seed=0):
    """The network in evaluation mode, with statistics in its batch norms."""
    for part in network.modules():
        if isinstance(part, nn.BatchNorm2d):
            part.running_mean.normal_(0, 0.2)
            part.running_var.uniform_(0.5, 2)
    return network.eval()


NETWORKS = {
    # The network, its input, and the tolerance for float16, relative to the largest number.
    "residual": (residual_network, (1, 3, 64, 64), 0.01),
    "mobile": (mobile_network, (2, 3, 48, 48), 0.01),
    "encoder": (Encoder, (1, 16, 64), 0.01),
}


def convert(network, inputs, precision, target=ct.target.iOS18, **options):
    example = [torch.rand([4 if size is None else size for size in shape]) for shape in inputs]
    with torch.no_grad():
        traced = torch.jit.trace(network, example)
    return ct.convert(
        traced, inputs=[ct.TensorType(f"x{i}", shape) for i, shape in enumerate(inputs)],
        compute_precision=precision, minimum_deployment_target=target, **options)


def answer(model, *values, **options):
    named = {f"x{i}": value.numpy() for i, value in enumerate(values)}
    return next(iter(model.predict(named, **options).values()))


def departure(found, expected):
    expected = expected.numpy()
    assert found.shape == expected.shape
    return np.abs(found - expected).max() / max(1, np.abs(expected).max())


@pytest.fixture(autouse=True)
def same_numbers():
    torch.manual_seed(5)
    with torch.no_grad():
        yield


@pytest.mark.parametrize("precision", [FLOAT32, FLOAT16])
@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_gives_the_results_of_pytorch(name, precision):
    make, shape, share = NETWORKS[name]
    network = ready(make())
    model = convert(network, [shape], precision)
    for _ in range(3):
        x = torch.rand(shape)
        assert departure(answer(model, x), network(x)) <= (1e-4 if precision is FLOAT32 else share)


@pytest.mark.parametrize("precision", [FLOAT32, FLOAT16])
def test_a_style_network_runs_with_images_of_any_size(precision):
    network = StyleNetwork().eval()
    side = ct.RangeDim(16, 256, default=64)
    traced = torch.jit.trace(network, torch.rand(1, 3, 64, 64))
    model = ct.convert(
        traced, inputs=[ct.TensorType("x0", ct.Shape((1, 3, side, side)))],
        compute_precision=precision, minimum_deployment_target=ct.target.iOS16)
    for height, width in (64, 64), (32, 96), (200, 48):
        x = torch.rand(1, 3, height, width)
        found = departure(answer(model, x), network(x))
        assert found <= (1e-4 if precision is FLOAT32 else 0.02)


@pytest.mark.parametrize("precision", [FLOAT32, FLOAT16])
def test_tokens_one_by_one_give_the_results_of_the_whole_sequence(precision):
    network = Decoder().eval()
    capacity, split = network.capacity, network.width // network.heads
    tokens = torch.randn(1, 8, network.width)
    traced = torch.jit.trace(
        network, (tokens[:, :1], torch.zeros(1, 1, capacity, 1), torch.zeros(1, 1, 1, capacity)))
    shapes = (1, 1, network.width), (1, 1, capacity, 1), (1, 1, 1, capacity)
    model = ct.convert(
        traced, inputs=[ct.TensorType(f"x{i}", shape) for i, shape in enumerate(shapes)],
        states=[
            ct.StateType(
                ct.TensorType(shape=(1, network.heads, capacity, split), dtype=np.float16), name=name)
            for name in ("keys", "values")],
        compute_precision=precision, minimum_deployment_target=ct.target.iOS18)
    expected = network.whole(tokens)
    used, other = model.make_state(), model.make_state()
    for index in range(tokens.shape[1]):
        place, mask = torch.zeros(1, 1, capacity, 1), torch.full((1, 1, 1, capacity), -1e4)
        place[:, :, index] = 1
        mask[..., : index + 1] = 0
        found = answer(model, tokens[:, index : index + 1], place, mask, state=used)
        # coremltools makes float16 states in both modes.
        assert departure(found, expected[:, index : index + 1]) <= 2e-3
    assert np.abs(used.read_state("keys")).max() > 0
    assert np.abs(other.read_state("keys")).max() == 0


def blocks(model):
    return shrinking.linear_quantize_weights(
        model, shrinking.OptimizationConfig(
            shrinking.OpLinearQuantizerConfig(
                mode="linear_symmetric", dtype="int4", granularity="per_block", block_size=16,
                weight_threshold=100)))


def palettes(model):
    return shrinking.palettize_weights(
        model, shrinking.OptimizationConfig(
            shrinking.OpPalettizerConfig(mode="uniform", nbits=3, weight_threshold=100)))


def sparse(model):
    return shrinking.prune_weights(
        model, shrinking.OptimizationConfig(
            shrinking.OpMagnitudePrunerConfig(target_sparsity=0.5, weight_threshold=100)))


def kinds(model):
    return {op.op_type for op in model._mil_program.functions["main"].operations}


@pytest.mark.parametrize("shrink, kind", [
    (blocks, "constexpr_blockwise_shift_scale"), (palettes, "constexpr_lut_to_dense"),
    (sparse, "constexpr_sparse_to_dense")])
@pytest.mark.parametrize("name", ["mobile", "encoder"])
def test_a_compressed_model_gives_the_results_of_its_decoded_weights(name, shrink, kind):
    make, shape, _ = NETWORKS[name]
    small = shrink(convert(ready(make()), [shape], FLOAT32))
    assert kind in kinds(small)
    plain = shrinking.decompress_weights(small)
    assert kind not in kinds(plain)
    x = torch.rand(shape)
    assert departure(answer(small, x), torch.from_numpy(answer(plain, x))) <= 1e-4


def test_8_bit_weights_and_activations_are_close_to_pytorch():
    experimental = pytest.importorskip("coremltools.optimize.coreml.experimental")
    network = ready(residual_network()[:-1])
    shape = NETWORKS["residual"][1]
    model = convert(network, [shape], FLOAT16)
    samples = [torch.rand(shape) for _ in range(8)]
    model = experimental.linear_quantize_activations(
        model, shrinking.OptimizationConfig(
            experimental.OpActivationLinearQuantizerConfig(mode="linear_symmetric")),
        [{"x0": x.numpy()} for x in samples])
    model = shrinking.linear_quantize_weights(
        model, shrinking.OptimizationConfig(
            shrinking.OpLinearQuantizerConfig(mode="linear_symmetric", weight_threshold=100)))
    assert {"quantize", "dequantize"} <= kinds(model)
    for x in samples[:3]:
        assert departure(answer(model, x), network(x)) <= 0.1


def test_functions_of_one_package_share_weights(tmp_path):
    network = ready(nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 64)))
    second = ready(nn.Sequential(network[0], nn.Sigmoid(), network[2]))
    paths = []
    for index, one in enumerate((network, second)):
        paths.append(str(tmp_path / f"part{index}.mlpackage"))
        convert(one, [(2, 64)], FLOAT32).save(paths[-1])
    joined = ct.utils.MultiFunctionDescriptor()
    joined.add_function(paths[0], src_function_name="main", target_function_name="first")
    joined.add_function(paths[1], src_function_name="main", target_function_name="second")
    joined.default_function_name = "first"
    path = tmp_path / "joined.mlpackage"
    ct.utils.save_multifunction(joined, str(path))
    held = sum(file.stat().st_size for file in path.rglob("weight.bin"))
    assert held < 1.2 * 4 * sum(part.numel() for part in network.parameters())
    x = torch.randn(2, 64)
    for name, one in ("first", network), ("second", second), (None, network):
        model = ct.models.MLModel(str(path), function_name=name)
        assert departure(answer(model, x), one(x)) <= 1e-4
    with pytest.raises(Exception, match="third"):
        ct.models.MLModel(str(path), function_name="third").predict({"x0": x.numpy()})
