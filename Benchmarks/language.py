"""A language model of about 0.5 billion weights beside llama.cpp and PyTorch: its files, and a process that runs it.

usage: language.py RUNTIME FOLDER THREADS

RUNTIME is `atelier-` or `llama-` with a width of the weights (float16, int8, int4), or `pytorch`. The process speaks as
peers.py does, but answers requests such as `prefill 3` and `token 5`: predictions of all tokens of a prompt, and of one
token with those before it in the cache.
"""

import ctypes
import json
import os
import sys

import numpy

import peers
import sequences

SIZES = sequences.LanguageSizes()
#: The tokens of a prompt, and of the cache when one token is predicted.
PROMPT, CACHE = 512, 1024
WIDTHS = ("float16", "int8", "int4")
SEED = 40


def tokens():
    """Returns random tokens."""
    return numpy.random.default_rng(SEED).integers(0, SIZES.vocabulary, CACHE).astype(numpy.int32)


def mask(count, end):
    """Returns the mask for the last `count` of `end` tokens."""
    made = numpy.triu(numpy.full((count, end), -1e4, numpy.float16), end - count + 1)
    return made[None, None]


def module():
    """Returns the PyTorch module with the seeded weights."""
    import torch

    torch.manual_seed(SEED)
    return sequences.language_model(SIZES).eval()


def path(folder, kind):
    """Returns the path of a file: Atelier's or llama.cpp's of a width, or PyTorch's results."""
    names = {"reference": "language-reference.npz"}
    names |= {f"atelier-{width}": f"language-{width}.mlpackage" for width in WIDTHS}
    names |= {f"llama-{width}": f"language-{width}.gguf" for width in WIDTHS}
    return os.path.join(folder, names[kind])


def work():
    """Returns the multiply-adds of a prompt and of a token, and the weights that each of them reads."""
    own = 2 * SIZES.width * (SIZES.width + SIZES.key_heads * SIZES.head) + 3 * SIZES.width * SIZES.hidden
    last = SIZES.width * SIZES.vocabulary
    cache = 2 * SIZES.key_heads * SIZES.head * SIZES.layers

    def products(count, end):
        return count * SIZES.layers * own + last + 2 * SIZES.layers * SIZES.width * sum(range(end - count + 1, end + 1))

    return {
        "prefill": {"products": products(PROMPT, PROMPT), "weights": SIZES.layers * own + last, "cache": 0},
        "token": {"products": products(1, CACHE), "weights": SIZES.layers * own + last, "cache": cache * CACHE}}


# MARK: Files


def write_programs(folder):
    """Writes the ML Programs with weights of each width."""
    import coremltools
    import coremltools.optimize.coreml as optimize
    import torch

    made, first = module(), path(folder, "atelier-float16")
    if not os.path.exists(first):
        values = torch.zeros(1, 2, dtype=torch.int32), torch.zeros(1, 1, 2, 5)
        with torch.no_grad():
            traced = torch.jit.trace(made, values, check_trace=False)
        count, end = coremltools.RangeDim(1, 1024, 1), coremltools.RangeDim(1, SIZES.length, 1)
        half = numpy.float16
        coremltools.convert(
            traced, inputs=[
                coremltools.TensorType("tokens", (1, count), dtype=numpy.int32),
                coremltools.TensorType("mask", (1, 1, count, end), dtype=half)],
            outputs=[coremltools.TensorType("y", dtype=half)],
            states=[coremltools.StateType(coremltools.TensorType(shape=made.keys.shape, dtype=half), name=name)
                    for name in ("keys", "values")],
            minimum_deployment_target=coremltools.target.iOS18, skip_model_load=True).save(first)
        del traced
    del made
    for width in WIDTHS[1:]:
        if not os.path.exists(path(folder, f"atelier-{width}")):
            loaded = coremltools.models.MLModel(first, skip_model_load=True)
            settings = optimize.OpLinearQuantizerConfig(
                mode="linear_symmetric", dtype=width, granularity="per_block", block_size=32)
            optimize.linear_quantize_weights(loaded, optimize.OptimizationConfig(settings)).save(
                path(folder, f"atelier-{width}"))


def write_gguf(width, folder):
    """Writes the same weights as a file of llama.cpp, in blocks of 32 if they are quantised."""
    import gguf

    kind = {"float16": gguf.GGMLQuantizationType.F16, "int8": gguf.GGMLQuantizationType.Q8_0,
            "int4": gguf.GGMLQuantizationType.Q4_0}[width]
    file = path(folder, f"llama-{width}")
    writer = gguf.GGUFWriter(file + ".draft", "qwen2")
    writer.add_block_count(SIZES.layers)
    writer.add_context_length(SIZES.length)
    writer.add_embedding_length(SIZES.width)
    writer.add_feed_forward_length(SIZES.hidden)
    writer.add_head_count(SIZES.heads)
    writer.add_head_count_kv(SIZES.key_heads)
    writer.add_rope_freq_base(SIZES.base)
    writer.add_layer_norm_rms_eps(SIZES.epsilon)
    writer.add_vocab_size(SIZES.vocabulary)
    writer.add_tokenizer_model("no_vocab")
    names = {
        "query": "attn_q", "key": "attn_k", "value": "attn_v", "out": "attn_output", "gate": "ffn_gate",
        "up": "ffn_up", "down": "ffn_down", "first": "attn_norm", "second": "ffn_norm"}
    for name, value in module().named_parameters():
        value, words = value.detach().numpy(), name.split(".")
        title = {"words": "token_embd.weight", "last": "output_norm.weight"}.get(words[0]) or \
            f"blk.{words[1]}.{names[words[2]]}.{words[3] if len(words) > 3 else 'weight'}"
        if value.ndim == 2:
            writer.add_tensor(title, gguf.quants.quantize(value, kind), raw_dtype=kind)
        else:
            writer.add_tensor(title, value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    os.replace(file + ".draft", file)


def write_reference(folder):
    """Writes PyTorch's results in float32."""
    import torch

    made, found = module().float(), {}
    made.keys, made.values = made.keys.float(), made.values.float()
    with torch.inference_mode():
        for name, begin, end in [("rest", 0, CACHE - 1), ("token", CACHE - 1, CACHE), ("prefill", 0, PROMPT)]:
            values = tokens()[None, begin:end], mask(end - begin, end).astype(numpy.float32)
            found[name] = made(*map(torch.from_numpy, values)).numpy().ravel()
    numpy.savez(path(folder, "reference"), **found)


def write(runtime, folder):
    """Writes the files that a runtime needs, if they are missing."""
    if runtime.startswith("atelier") and not os.path.exists(path(folder, runtime)):
        write_programs(folder)
    if runtime.startswith("llama") and not os.path.exists(path(folder, runtime)):
        write_gguf(runtime.split("-")[1], folder)
    if not os.path.exists(path(folder, "reference")):
        write_reference(folder)


# MARK: Runtimes: functions that load the model, and return one that predicts the tokens from `begin` to `end`


def atelier(runtime, folder, threads):
    import atelier

    model = atelier.Model(path(folder, runtime), threads=threads)
    state, all = model.make_state(), tokens()
    return lambda begin, end: model.predict(
        {"tokens": all[None, begin:end].copy(), "mask": mask(end - begin, end)}, state)["y"]


def llama(runtime, folder, threads):
    import llama_cpp

    llama_cpp.llama_backend_init()
    model = llama_cpp.llama_model_load_from_file(
        path(folder, runtime).encode(), llama_cpp.llama_model_default_params())
    settings = llama_cpp.llama_context_default_params()
    settings.n_ctx, settings.n_batch, settings.n_ubatch = SIZES.length, CACHE, 512
    settings.n_threads = settings.n_threads_batch = threads
    context, all = llama_cpp.llama_init_from_model(model, settings), tokens()
    if not context:
        raise RuntimeError("llama.cpp does not load the model")

    def predict(begin, end):
        llama_cpp.llama_memory_seq_rm(llama_cpp.llama_get_memory(context), 0, begin, -1)
        part = (ctypes.c_int32 * (end - begin))(*all[begin:end])
        if llama_cpp.llama_decode(context, llama_cpp.llama_batch_get_one(part, end - begin)):
            raise RuntimeError("llama.cpp does not predict")
        return numpy.ctypeslib.as_array(llama_cpp.llama_get_logits_ith(context, -1), (SIZES.vocabulary,))
    return predict


def pytorch(runtime, folder, threads):
    import torch

    torch.set_num_threads(threads)
    made, all = module().to(torch.bfloat16), torch.from_numpy(tokens())

    def predict(begin, end):
        with torch.inference_mode():
            return made(all[None, begin:end], torch.from_numpy(mask(end - begin, end)).bfloat16()).float().numpy()
    return predict


if __name__ == "__main__":
    runtime, folder, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
    answers_file = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if threads == 0:
        write(runtime, folder)
        sys.exit()
    reference = numpy.load(path(folder, "reference"))
    load = {"atelier": atelier, "llama": llama, "pytorch": pytorch}[runtime.split("-")[0]]
    predict, loading, _ = peers.timed(lambda: load(runtime, folder, threads))
    spans, errors = {"prefill": (0, PROMPT), "token": (CACHE - 1, CACHE)}, {}

    def check(name, value):
        """Stores the mean squared error of a result, relative to PyTorch's in float32."""
        value, right = numpy.array(value, numpy.float32).ravel(), reference[name]
        errors[name] = float(numpy.sqrt(numpy.mean((value - right)**2) / numpy.mean(right**2)))

    found, first, _ = peers.timed(lambda: predict(*spans["prefill"]))
    check("prefill", found)
    predict(PROMPT, CACHE - 1)
    check("token", predict(*spans["token"]))
    print(json.dumps({"load": loading, "first": first, "errors": errors}), file=answers_file, flush=True)
    for line in sys.stdin:
        name, count = line.split()
        answers = [peers.timed(lambda: predict(*spans[name]))[1:] for _ in range(int(count))]
        print(json.dumps({
            "times": [one[0] for one in answers], "processor": [one[1] for one in answers],
            "memory": peers.peak()}), file=answers_file, flush=True)
