"""Sends frames through a studio's live WebSocket without a browser, as the page does, and reports the results.

    python Scripts/studio_frames.py PROGRAM [--frames 20000] [--rate 30] [--style starry-night] [--units all]

A simulated camera of 640 × 480 pixels produces frames at the given rate. The client has at most two frames in flight
and drops the others, as the page does. Fails if a frame is lost, if answers arrive out of order, or if the
server's memory increases by more than 5 % after the first thousand frames. Uses only Python's standard library.
"""
import argparse, base64, collections, json, os, pathlib, random, socket, statistics, struct, sys, threading, time, zlib

from studio_server import StudioServer

options = argparse.ArgumentParser()
options.add_argument("program")
options.add_argument("--frames", type=int, default=20000)
options.add_argument("--rate", type=float, default=30, help="frames a second")
options.add_argument("--style", default="starry-night")
options.add_argument("--units", default="all")
options.add_argument("--switch", type=int, default=0, help="change the style every N frames")
options = options.parse_args()

studio = StudioServer(options.program)


def ask(method, path, body=None):
    status, answer = studio.ask(method, path, body, {"Content-Type": "image/png"}, timeout=60)
    assert status < 300, (path, status, answer[:200])
    return answer


def resident():
    """Returns the server's resident memory in MB: in total, and without file-backed pages."""
    text = pathlib.Path(f"/proc/{studio.process.pid}/smaps_rollup").read_text()
    return [int(text.split(word)[1].split()[0]) / 1024 for word in ("Rss:", "Anonymous:")]


def frame(number):
    """Makes the JPEG of a frame: 640 × 480 pixels with moving bars, a disc and grain. The studio encodes it."""
    grain = random.Random(number).randbytes(640 * 3)
    rows = []
    for y in range(480):
        row = bytearray((x * 2 + y + number * 40) & 255 if x % 3 else (y * 3 ^ x) & 255 for x in range(640 * 3))
        half = int(max(0, 90 ** 2 - (y - 240) ** 2) ** .5)
        middle = 120 + number * 36
        row[3 * (middle - half):3 * (middle + half)] = bytes((240, 190, 60)) * (2 * half)
        for x in range(0, 640 * 3, 7): row[x] ^= grain[x] & 15
        rows.append(b"\0" + bytes(row))
    chunk = lambda kind, body: struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 640, 480, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(b"".join(rows), 1)) + chunk(b"IEND", b"")
    known = json.loads(ask("POST", "/v1/pictures", png))
    jpeg = ask("GET", f"/v1/pictures/{known['id']}?size=640")
    ask("DELETE", f"/v1/pictures/{known['id']}")
    return jpeg


FRAMES = [frame(number) for number in range(12)]
STYLES = [style["id"] for style in json.loads(ask("GET", "/v1/styles"))["styles"]]
link = socket.create_connection(("127.0.0.1", studio.port), 60)
link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
link.sendall((f"GET /v1/live?style={options.style}&units={options.units} HTTP/1.1\r\nHost: 127.0.0.1:{studio.port}\r\nUpgrade: websocket\r\n"
              f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}\r\n\r\n").encode())
stream = link.makefile("rb")
assert b"101" in stream.readline()
while stream.readline().strip(): pass


def send(opcode, body):
    mask = os.urandom(4)
    wide = (mask * (len(body) // 4 + 1))[:len(body)]
    masked = (int.from_bytes(body, "little") ^ int.from_bytes(wide, "little")).to_bytes(len(body), "little")
    size = bytes([128 | len(body)]) if len(body) < 126 else struct.pack(">BH", 254, len(body)) if len(body) < 65536 else struct.pack(">BQ", 255, len(body))
    link.sendall(bytes([128 | opcode]) + size + mask + masked)


def receive():
    opcode, size = stream.read(2)
    if size == 126: size, = struct.unpack(">H", stream.read(2))
    elif size == 127: size, = struct.unpack(">Q", stream.read(8))
    return opcode & 15, stream.read(size)


sent, late, network, errors, memory, told = collections.OrderedDict(), [], [], [], [], 0
gate = threading.Condition()
latencies, overtaken, disorder, last = [], 0, 0, 0
over = False


def listen():
    global overtaken, disorder, last
    while not over:
        try:
            opcode, body = receive()
        except (OSError, ValueError):
            return
        if opcode == 1:
            if json.loads(body)["type"] == "error": errors.append(json.loads(body)["message"])
            continue
        if opcode != 2: return
        number, milliseconds = struct.unpack("<If", body[:8])
        with gate:
            disorder += number <= last
            last = number
            while sent:
                first, begun = sent.popitem(last=False)
                if first == number:
                    latencies.append((time.monotonic() - begun) * 1000)
                    network.append(milliseconds)
                    break
                overtaken += 1
            gate.notify()


threading.Thread(target=listen, daemon=True).start()
start = time.monotonic()
due, dropped = start, 0
for number in range(1, options.frames + 1):
    due = max(due + 1 / options.rate, time.monotonic() - .2)
    time.sleep(max(0, due - time.monotonic()))
    if number % 1000 == 0:
        memory.append(resident())
        print(f"{number}: {len(latencies)} painted, {memory[-1][0]:.1f} MB, of it {memory[-1][1]:.1f} MB its own", flush=True)
    with gate:
        if len(sent) >= 2:
            dropped += 1
            continue
        sent[number] = time.monotonic()
    send(2, struct.pack("<I", number) + FRAMES[number % len(FRAMES)])
    if options.switch and number % options.switch == 0:
        send(1, json.dumps({"style": STYLES[number // options.switch % len(STYLES)]}).encode())
with gate: gate.wait_for(lambda: not sent, 10)
took = time.monotonic() - start
over = True
send(8, struct.pack(">H", 1000))
alive, code = studio.end()
lost = options.frames - dropped - overtaken - len(latencies)
grown = memory[-1][0] / memory[0][0] - 1 if len(memory) > 1 else 0
latencies.sort()
print(f"{options.frames} frames in {took:.0f} s: {len(latencies)} painted ({len(latencies) / took:.1f} a second), {dropped} dropped before they were sent,"
      f" {overtaken} overtaken in the server, {lost} lost, {disorder} out of order, errors: {errors[:2]}")
print(f"latency: median {statistics.median(latencies):.0f} ms, 99 of 100 within {latencies[len(latencies) * 99 // 100]:.0f} ms; network: median {statistics.median(network):.1f} ms")
print(f"memory: {memory[0][0]:.1f} MB after 1,000 frames, {memory[-1][0]:.1f} MB at the end ({grown:+.1%}); alive: {alive}, ended with {code}" if memory else "")
sys.exit(0 if alive and not lost and not disorder and not errors and grown < .05 and code in (0, 130) else 1)
