"""Networks for tokens and sounds, with the layers and sizes of the papers that they name."""

from typing import NamedTuple


def transformer(width, heads, hidden, norm_first):
    """Returns a layer of a transformer's encoder. With `norm_first`, norms come before attention and the products."""
    import torch
    from torch import nn

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
            self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
            self.products = nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))

        def attention(self, x):
            batch, length, _ = x.shape
            parts = [
                layer(x).view(batch, length, heads, width // heads).transpose(1, 2)
                for layer in (self.query, self.key, self.value)]
            joined = torch.nn.functional.scaled_dot_product_attention(*parts)
            return self.out(joined.transpose(1, 2).reshape(batch, length, width))

        def forward(self, x):
            if norm_first:
                x = x + self.attention(self.first(x))
                return x + self.products(self.second(x))
            x = self.first(x + self.attention(x))
            return self.second(x + self.products(x))

    return Layer()


def sentence_encoder(layers=4, width=512, heads=8, hidden=2048, vocabulary=30522):
    """BERT-small (Turc et al., arXiv:1908.08962) and the mean of its tokens, with length 1."""
    import torch
    from torch import nn

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.places = nn.Embedding(vocabulary, width), nn.Parameter(torch.randn(1, 128, width))
            self.norm = nn.LayerNorm(width)
            self.layers = nn.Sequential(*(transformer(width, heads, hidden, False) for _ in range(layers)))

        def forward(self, x):
            mean = self.layers(self.norm(self.words(x) + self.places)).mean(1)
            return nn.functional.normalize(mean, dim=-1)

    return Encoder()


def vision_transformer(layers, width=768, heads=12, hidden=3072, patch=16):
    """ViT-B/16 (Dosovitskiy et al., arXiv:2010.11929)."""
    import torch
    from torch import nn

    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.patches = nn.Conv2d(3, width, patch, patch)
            self.first = nn.Parameter(torch.randn(1, 1, width))
            self.places = nn.Parameter(torch.randn(1, 197, width) * 0.02)
            self.layers = nn.Sequential(*(transformer(width, heads, hidden, True) for _ in range(layers)))
            self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 1000)

        def forward(self, x):
            patches = self.patches(x).flatten(2).transpose(1, 2)
            x = torch.cat([self.first, patches], 1) + self.places
            return self.head(self.norm(self.layers(x))[:, 0])

    return Classifier()


def whisper_encoder(layers=4, width=384, heads=6, mels=80, length=1500):
    """The encoder of Whisper-tiny (Radford et al., arXiv:2212.04356)."""
    import torch
    from torch import nn

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Conv1d(mels, width, 3, padding=1)
            self.second = nn.Conv1d(width, width, 3, 2, padding=1)
            self.places = nn.Parameter(torch.randn(1, length, width) * 0.1)
            self.layers = nn.Sequential(*(transformer(width, heads, 4 * width, True) for _ in range(layers)))
            self.norm = nn.LayerNorm(width)

        def forward(self, x):
            gelu = nn.functional.gelu
            x = gelu(self.second(gelu(self.first(x)))).transpose(1, 2) + self.places
            return self.norm(self.layers(x))

    return Encoder()


def whisper_decoder(layers=4, width=384, heads=6, vocabulary=51865, place=223):
    """The decoder of Whisper-tiny, for one token after `place` others, whose keys and values are inputs, as are those of
    the encoder's result."""
    import torch
    from torch import nn

    def split(x):
        return x.view(1, 1, heads, width // heads).transpose(1, 2)

    def attend(query, keys, values):
        joined = nn.functional.scaled_dot_product_attention(split(query), keys, values)
        return joined.transpose(1, 2).reshape(1, 1, width)

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.query, self.key, self.value, self.out, self.other, self.last = (
                nn.Linear(width, width) for _ in range(6))
            self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
            self.products = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

        def forward(self, x, keys, values, cross_keys, cross_values):
            y = self.norms[0](x)
            key, value = split(self.key(y)), split(self.value(y))
            x = x + self.out(attend(self.query(y), torch.cat([keys, key], 2), torch.cat([values, value], 2)))
            x = x + self.last(attend(self.other(self.norms[1](x)), cross_keys, cross_values))
            return x + self.products(self.norms[2](x)), key, value

    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.places = nn.Embedding(vocabulary, width), nn.Parameter(torch.randn(448, width) * 0.1)
            self.layers, self.norm = nn.ModuleList(Layer() for _ in range(layers)), nn.LayerNorm(width)

        def forward(self, x, keys, values, cross_keys, cross_values):
            x = self.words(x) + self.places[place]
            found = []
            for index, layer in enumerate(self.layers):
                own = [part[index:index + 1] for part in (keys, values, cross_keys, cross_values)]
                x, key, value = layer(x, *own)
                found.append((key, value))
            keys, values = (torch.cat(part) for part in zip(*found))
            return nn.functional.linear(self.norm(x), self.words.weight), keys, values

    return Decoder()


def recurrent(width=512, layers=2):
    """A network of LSTM layers (Hochreiter and Schmidhuber, 1997)."""
    from torch import nn

    class Recurrent(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.LSTM(width, width, layers, batch_first=True)

        def forward(self, x):
            return self.layers(x)[0]

    return Recurrent()


class LanguageSizes(NamedTuple):
    """The sizes of a language model. The defaults are those of Qwen2.5-0.5B (arXiv:2412.15115), with 494 million weights."""

    width: int = 896
    heads: int = 14
    key_heads: int = 2
    hidden: int = 4864
    layers: int = 24
    vocabulary: int = 151936
    #: The largest number of tokens in the cache.
    length: int = 2048
    #: The base of the rotations' rates.
    base: float = 1e6
    epsilon: float = 1e-6

    @property
    def head(self):
        return self.width // self.heads


def language_model(sizes=LanguageSizes()):
    """A decoder with rotary embeddings, grouped heads and gated products. Its cache is a buffer: Core ML's state.

    The inputs are tokens, and a mask with a column for each token up to the last one. The result is for the last token.
    """
    import torch
    from torch import nn

    def norm(x, factors):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + sizes.epsilon) * factors

    def rotate(x, cosines, sines):
        first, second = x[..., :sizes.head // 2], x[..., sizes.head // 2:]
        return x * cosines + torch.cat([-second, first], -1) * sines

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            own = sizes.key_heads * sizes.head
            self.query, self.key, self.value = (nn.Linear(sizes.width, width) for width in (sizes.width, own, own))
            self.out = nn.Linear(sizes.width, sizes.width, bias=False)
            self.gate, self.up = (nn.Linear(sizes.width, sizes.hidden, bias=False) for _ in range(2))
            self.down = nn.Linear(sizes.hidden, sizes.width, bias=False)
            self.first, self.second = (nn.Parameter(torch.rand(sizes.width) + 0.5) for _ in range(2))

    class Language(nn.Module):
        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(sizes.vocabulary, sizes.width)
            self.words.weight.data.mul_(0.05)
            self.layers = nn.ModuleList(Layer() for _ in range(sizes.layers))
            self.last = nn.Parameter(torch.rand(sizes.width) + 0.5)
            cache = torch.zeros(sizes.layers, 1, sizes.key_heads, sizes.length, sizes.head, dtype=torch.float16)
            self.register_buffer("keys", cache)
            self.register_buffer("values", cache.clone())
            rates = sizes.base ** (-torch.arange(0, sizes.head, 2).float() / sizes.head)
            angles = torch.outer(torch.arange(sizes.length).float(), rates)
            self.register_buffer("cosines", torch.cat([angles.cos()] * 2, -1))
            self.register_buffer("sines", torch.cat([angles.sin()] * 2, -1))

        def forward(self, tokens, mask):
            count, end = tokens.shape[1], mask.shape[-1]
            begin = end - count
            x, cosines, sines = self.words(tokens), self.cosines[begin:end], self.sines[begin:end]
            for index, layer in enumerate(self.layers):
                y = norm(x, layer.first)
                query, key, value = (
                    part(y).view(1, count, heads, sizes.head).transpose(1, 2)
                    for part, heads in [
                        (layer.query, sizes.heads), (layer.key, sizes.key_heads), (layer.value, sizes.key_heads)])
                query = rotate(query, cosines, sines)
                self.keys[index, :, :, begin:end] = rotate(key, cosines, sines)
                self.values[index, :, :, begin:end] = value
                keys, values = (
                    cache[index, :, :, :end].repeat_interleave(sizes.heads // sizes.key_heads, 1).to(query.dtype)
                    for cache in (self.keys, self.values))
                found = nn.functional.scaled_dot_product_attention(query, keys, values, attn_mask=mask)
                x = x + layer.out(found.transpose(1, 2).reshape(1, count, sizes.width))
                y = norm(x, layer.second)
                x = x + layer.down(nn.functional.silu(layer.gate(y)) * layer.up(y))
            return nn.functional.linear(norm(x, self.last)[:, -1:], self.words.weight)

    return Language()
