"""Puts a studio under load for some minutes, with honest and hostile clients, and reports the results. Fails if an
honest client got a wrong answer, if the studio crashed, or if its memory grew.

    python Scripts/studio_load.py PROGRAM [--minutes 10] [--clients 8] [--hostile 2] [--heavy 3] [--mutants 1000] [--budget 1150]

The honest clients first run alone for 40 % of the time, which measures the cost of the hostile ones. Then all
clients run: 10 % of the time to warm up, in which the studio opens every model once, and 50 % to measure the
server's memory. The memory of its workers is reported separately; workers run uploaded models and end when idle. The
test fails if the mean memory of the last fifth of the measurement is more than 5 % above that of the first fifth.
With heavy clients, it fails instead if the memory exceeds the budget. Heavy clients use the requests for which the
studio reserves memory: queued photos of 40 MB, archives that declare huge sizes, a model of 200 MB that is
downloaded slowly. Uses only Python's standard library.
"""
import argparse, http.client, io, json, pathlib, random, socket, statistics, struct, sys, threading, time, zipfile, zlib

from studio_server import StudioServer

ROOT = pathlib.Path(__file__).resolve().parent.parent
PHOTO = (ROOT / "Gallery/photos/astronaut.jpg").read_bytes()
MODEL = (ROOT / "Examples/Scream.mlmodel").read_bytes()
options = argparse.ArgumentParser()
options.add_argument("program")
options.add_argument("--minutes", type=float, default=10)
options.add_argument("--clients", type=int, default=8)
options.add_argument("--hostile", type=int, default=2)
options.add_argument("--heavy", type=int, default=3)
options.add_argument("--budget", type=float, default=1150, help="the maximum memory of the server in MB")
options.add_argument("--mutants", type=int, default=1000)
options = options.parse_args()

studio = StudioServer(options.program)
ask = studio.ask


def resident(process=None):
    """Returns the resident memory of a process in MB, by default of the server."""
    try:
        status = pathlib.Path(f"/proc/{process or studio.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024
    except (OSError, IndexError):
        return 0


def workers():
    """Returns the resident memory of all the server's workers in MB."""
    try:
        # Each thread lists its child processes.
        lists = [file.read_text().split() for file in pathlib.Path(f"/proc/{studio.process.pid}/task").glob("*/children")]
    except OSError:
        return 0
    return sum(resident(child) for each in lists for child in each)


samples = {"warm": [], "alone": [], "beside": []}
reserved = []


def watch():
    while not stop.is_set():
        samples[phase].append((resident(), workers()))
        if options.heavy and len(samples[phase]) % 3 == 0:
            try:
                metrics = ask("GET", "/v1/metrics", timeout=20)[1].decode()
                reserved.append(int(metrics.split("\natelier_body_bytes ")[1].split()[0]) / 2**20)
            except (OSError, IndexError, http.client.HTTPException):
                pass
        stop.wait(1)


# MARK: Honest

REQUESTS = [
    ("POST", "/v1/stylize?style=great-wave&network=small&size=256&format=png", PHOTO),
    ("POST", "/v1/stylize?style=scream&network=small&size=192&format=png&colors=photo&units=cpuOnly", PHOTO),
    ("POST", "/v1/classify?top=3", PHOTO),
    ("GET", "/v1/styles", None),
    ("GET", "/v1/styles/starry-night/thumbnail?size=96", None),
    ("GET", "/js/paint.js", None),
]
expected, wrong, times = {}, [], {"warm": [], "alone": [], "beside": []}
phase, stop = "alone", threading.Event()


def content(path, body):
    if "classify" in path:
        return json.dumps(json.loads(body)["guesses"])
    if path == "/v1/styles":
        # Other clients upload and remove models meanwhile, so only the gallery's styles are compared.
        return [style for style in json.loads(body)["styles"] if style["origin"] == "gallery"]
    return body


def honest(number):
    order = random.Random(number)
    while not stop.is_set():
        method, path, body = order.choice(REQUESTS)
        begun, now = time.time(), phase
        try:
            status, answer = ask(method, path, body, {"Atelier-Client": f"honest-{number}", "Content-Type": "image/jpeg"})
        except OSError as error:
            wrong.append((path, repr(error)))
            continue
        if status != 200 or content(path, answer) != expected[path]:
            wrong.append((path, status, answer[:200]))
        elif "stylize" in path:
            times[now].append(time.time() - begun)


# MARK: Hostile

def png(width, height):
    """Makes a small PNG that declares the given size and contains 4 MB of zeros, compressed."""
    chunk = lambda kind, body: struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(bytes(1 << 22), 9)) + chunk(b"IEND", b"")


def raw(data, wait=0.2):
    with socket.create_connection(("127.0.0.1", studio.port), 5) as link:
        link.sendall(data)
        time.sleep(wait)
        link.settimeout(1)
        try:
            return link.recv(4096)
        except OSError:
            return b""


HOST = f"Host: 127.0.0.1:{studio.port}\r\n".encode()
mutants = crashes = 0
lock = threading.Lock()


def mutate(order, whole):
    bytes_ = bytearray(whole)
    for _ in range(order.randint(1, 12)):
        place = order.randrange(len(bytes_)) if order.random() < .5 else order.randrange(min(600, len(bytes_)))
        kind = order.random()
        if kind < .5: bytes_[place] = order.randrange(256)
        elif kind < .7: bytes_[place:place + order.randint(1, 64)] = b""
        elif kind < .9: bytes_[place:place] = order.randbytes(order.randint(1, 64))
        else: del bytes_[place:]
        if not bytes_: bytes_ = bytearray(b"x")
    return bytes(bytes_)


def hostile(number):
    global mutants
    order = random.Random(1000 + number)
    while not stop.is_set():
        if phase == "alone":
            time.sleep(.05)
            continue
        try:
            # Damaged files (kind 11) are drawn more often than the other kinds, because there are many of them.
            kind = order.randrange(11) if order.random() < .4 else 11
            if kind == 0: raw(b"POST /v1/stylize?style=scream HTTP/1.1\r\n" + HOST + b"Content-Length: 60000\r\n\r\n" + PHOTO[:30000], 0)
            elif kind == 1: raw(b"GET /v1/styles HTTP/1.1\r\n" + HOST + b"X: " + b"y" * order.choice([9000, 100000]) + b"\r\n\r\n")
            elif kind == 2: raw(b"POST /v1/models HTTP/1.1\r\n" + HOST + b"Content-Length: 99999999999\r\n\r\n")
            elif kind == 3: ask("POST", "/v1/models/squeezenet/predict", order.choice([b"{", b"[" * 100000, b'{"inputs": 3}', b'{"inputs": {"image": {"picture": "../../etc"}}}']), {"Content-Type": "application/json"})
            elif kind == 4: ask("POST", "/v1/stylize?style=scream", png(*order.choice([(60000, 60000), (2000000000, 2), (16000, 3900)])), {"Content-Type": "image/png"})
            elif kind == 5:
                assert ask("POST", "/v1/updates/examples?label=x", PHOTO, {"Origin": "http://evil.example", "Content-Type": "image/jpeg"})[0] == 403
                assert b"great-wave" not in raw(b"GET /v1/styles HTTP/1.1\r\nHost: evil.example\r\n\r\n")
            elif kind == 6: raw(b"GET /v1/live HTTP/1.1\r\n" + HOST + b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n" + order.randbytes(300))
            elif kind == 7: raw(order.randbytes(order.randint(1, 3000)))
            elif kind == 8:
                link = socket.create_connection(("127.0.0.1", studio.port), 5)
                link.sendall(b"POST /v1/pictures HTTP/1.1\r\n" + HOST + b"Content-Length: 1000\r\n\r\n")
                for _ in range(20):
                    link.sendall(b"x")
                    time.sleep(.05)
                link.close()
            elif kind == 9:
                link = http.client.HTTPConnection("127.0.0.1", studio.port, timeout=20)
                link.request("POST", "/v1/stylize?style=scream&size=512", PHOTO, {"Content-Type": "image/jpeg"})
                time.sleep(order.random() * .3)
                link.close()
            else:
                with lock:
                    mine = phase == "warm" or mutants < options.mutants
                    mutants += mine and phase == "beside"
                if not mine: continue
                if order.random() < .6:
                    ask("POST", "/v1/stylize?style=great-wave&network=small&size=64", mutate(order, PHOTO[:20000] if order.random() < .3 else PHOTO), {"Content-Type": "image/jpeg"})
                else:
                    status, answer = ask("POST", "/v1/models?name=m", mutate(order, MODEL), {"Content-Type": "application/octet-stream"})
                    if status == 201:
                        known = json.loads(answer)
                        if known["kind"] == "style":
                            ask("POST", f"/v1/stylize?style={known['id']}&size=64", PHOTO, {"Content-Type": "image/jpeg"})
                        ask("DELETE", f"/v1/models/{known['id']}")
        except (OSError, http.client.HTTPException):
            pass


# MARK: Heavy

def field(number, body):
    """Encodes a length-delimited field of a protobuf message."""
    def varint(value):
        out = b""
        while value > 127:
            out, value = out + bytes([value & 127 | 128]), value >> 7
        return out + bytes([value])
    return varint(number << 3 | 2) + varint(len(body)) + body


def large_photo():
    """Returns the photo with 40 MB of JPEG comments, which decoders skip."""
    comment = b"\xff\xfe\xff\xff" + bytes(65533)
    return PHOTO[:2] + comment * 610 + PHOTO[2:]


def overlapping(count=190, region=bytes(10 << 20)):
    """Makes a ZIP archive in which all files refer to the same bytes."""
    name = b"Data/a"
    local = struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, 0, 0, 0, 0, len(region), len(region), len(name), 0) + name
    central = b""
    for number in range(count):
        entry = b"Manifest.json" if number == 0 else f"Data/{number:03d}".encode()
        central += struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, 0, 0, 0, 0, 0, len(region), len(region), len(entry), 0, 0, 0, 0, 0, 0) + entry
    return local + region + central + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, count, count, len(central), len(local) + len(region), 0)


def packed(megabytes):
    """Makes a ZIP archive of zeros, which has a compression ratio of 1000."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("Manifest.json", "{}")
        for number in range(megabytes // 50):
            archive.writestr(f"Data/{number}", bytes(50 << 20))
    return file.getvalue()


heavy_counts = {}


def heavy(number, photo, archives, model):
    order = random.Random(2000 + number)
    while not stop.is_set():
        try:
            kind = order.random()
            if kind < .6:
                status, answer = ask("POST", f"/v1/stylize?style=great-wave&size={order.choice([512, 640])}", photo, {"Content-Type": "image/jpeg", "Prefer": "respond-async", "Atelier-Client": f"heavy-{order.random()}"})
                what = f"photo {status}"
                assert status in (202, 429, 503), (status, answer)
                if status != 202: time.sleep(.5)
            elif kind < .8:
                name, archive = order.choice(archives)
                status, answer = ask("POST", "/v1/models?name=z", archive, {"Content-Type": "application/zip"})
                what = f"{name} {status}"
                assert status in (413, 422, 503), (name, status, answer)
            else:
                # Downloads the model slowly, and disconnects before the end.
                with socket.create_connection(("127.0.0.1", studio.port), 20) as link:
                    link.sendall(f"GET /v1/models/{model}/file HTTP/1.1\r\n".encode() + HOST + b"\r\n")
                    for _ in range(100):
                        link.recv(1 << 18)
                        time.sleep(.02)
                what = "model taken"
        except (OSError, http.client.HTTPException) as error:
            what = type(error).__name__
        except AssertionError as error:
            what = "wrong"
            wrong.append(("heavy", error.args))
        with lock: heavy_counts[what] = heavy_counts.get(what, 0) + 1


for method, path, body in REQUESTS:
    status, answer = ask(method, path, body, {"Content-Type": "image/jpeg"})
    assert status == 200, (path, status, answer)
    expected[path] = content(path, answer)
threads = [threading.Thread(target=honest, args=(n,)) for n in range(options.clients - options.hostile)]
threads += [threading.Thread(target=hostile, args=(n,)) for n in range(options.hostile)]
if options.heavy:
    # Uploads the model with an unknown field of 200 MB, which readers skip.
    status, answer = ask("POST", "/v1/models?name=large", MODEL + field(4000, bytes(200 << 20)), {"Content-Type": "application/octet-stream"})
    assert status == 201, (status, answer)
    heavy_arguments = (large_photo(), [("overlapping", overlapping()), ("packed", packed(350)), ("too large", packed(450))], json.loads(answer)["id"])
    threads += [threading.Thread(target=heavy, args=(n, *heavy_arguments)) for n in range(options.heavy)]
threads.append(threading.Thread(target=watch))
for thread in threads: thread.start()
time.sleep(options.minutes * 24)
phase = "warm"
time.sleep(options.minutes * 6)
phase = "beside"
time.sleep(options.minutes * 30)
stop.set()
for thread in threads: thread.join(150)
for method, path, body in REQUESTS:
    if content(path, ask(method, path, body, {"Content-Type": "image/jpeg"})[1]) != expected[path]: wrong.append((path, "at the end"))
metrics = ask("GET", "/v1/metrics")[1].decode()
alive, code = studio.end()
medians = {name: statistics.median(all_) if all_ else float("nan") for name, all_ in times.items()}
print(f"honest answers: {sum(map(len, times.values()))} paintings, {len(wrong)} wrong {wrong[:3]}")
print(f"median of a painting: {medians['alone'] * 1000:.0f} ms alone, {medians['beside'] * 1000:.0f} ms with hostile clients: {medians['beside'] / medians['alone']:.2f} times")
fifth = max(1, len(samples["beside"]) // 5)
mean = lambda some, place: statistics.mean(sample[place] for sample in some) if some else float("nan")
before, after = mean(samples["beside"][:fifth], 0), mean(samples["beside"][-fifth:], 0)
print(f"mutants: {mutants}; alive: {alive}, ended with {code}")
parts = [mean(samples["beside"][len(samples["beside"]) * n // 10:len(samples["beside"]) * (n + 1) // 10], 0) for n in range(10)]
print("memory in ten parts of the second half:", ", ".join(f"{part:.0f}" for part in parts), "MB")
print(f"memory: {before:.0f} MB → {after:.0f} MB ({after / before - 1:+.1%}); honest clients alone {mean(samples['alone'], 0):.0f} MB, at most {max(s[0] for all_ in samples.values() for s in all_):.0f} MB;"
      f" workers {mean(samples['beside'], 1):.0f} MB in the mean, at most {max(s[1] for all_ in samples.values() for s in all_):.0f} MB")
most = max(s[0] for all_ in samples.values() for s in all_)
if options.heavy:
    print("heavy clients:", ", ".join(f"{what}: {count}" for what, count in sorted(heavy_counts.items())))
    print(f"reserved at most {max(reserved, default=0):.0f} MB; memory at most {most:.0f} MB of the budget's {options.budget:.0f} MB")
print("\n".join(line for line in metrics.splitlines() if not line.startswith("#")))
is_bounded = most < options.budget if options.heavy else after < before * 1.05
sys.exit(0 if alive and not wrong and code in (0, 130) and is_bounded else 1)
