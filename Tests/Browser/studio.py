"""Tests the studio in a real browser: a user's actions on each page, and error cases.

    python studio.py PROGRAM [NAME…]     runs the tests with one of the words in their names
                                         (SHOTS=FOLDER saves screenshots)

Needs Playwright from PyPI, and Debian's chromium (or the browser in CHROMIUM). Tests that need fetched models or
../shared are skipped with a message if these are missing.
"""
import contextlib, json, os, pathlib, re, shutil, signal, socket, subprocess, sys, tempfile, time, traceback, urllib.request

from playwright.sync_api import expect, sync_playwright

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PHOTO = ROOT / "Gallery/photos/astronaut.jpg"
SHARED = ROOT.parent / "shared"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
SHOTS = os.environ.get("SHOTS")
TESTS = []


def test(sentence, needs=()):
    def keep(body):
        TESTS.append((sentence, body, needs))
        return body
    return keep


class Studio:
    """The program with a separate data folder."""

    def __init__(self, program, data, *words):
        self.program, self.data, self.words = program, data, words
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "studio", "--port", str(self.port), "--data", self.data, *self.words],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.url = self.process.stdout.readline().split("open: ")[1].strip()

    def stop(self, how=signal.SIGINT):
        self.process.send_signal(how)
        return self.process.wait(60)

    def ask(self, path, body=None, method=None, **headers):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", body, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read()


class Visit:
    """A browser session with a page that may send requests only to the studio and must not log errors."""

    def __init__(self, browser, studio, **how):
        self.studio = studio
        self.context = browser.new_context(
            viewport={"width": 1360, "height": 900}, permissions=["camera"], accept_downloads=True, **how)
        self.page = self.context.new_page()
        self.complaints = []
        self.page.on("console", lambda m: m.type in ("error", "warning") and self.complaints.append(m.text))
        self.page.on("pageerror", lambda e: self.complaints.append(str(e)))
        self.page.on("request", lambda r: self.look(r.url))
        self.page.on("websocket", lambda s: self.look(s.url))

    def look(self, url):
        if not re.match(rf"(http|ws)://127\.0\.0\.1:{self.studio.port}/|blob:|data:", url):
            self.complaints.append(f"asked {url}")

    def go(self, page):
        self.page.goto(f"http://127.0.0.1:{self.studio.port}/#{page}")
        self.page.wait_for_selector(f"main[data-page={page}] > *")
        return self.page

    def choose(self, button, *files):
        with self.page.expect_file_chooser() as chooser:
            button.click()
        chooser.value.set_files([str(f) for f in files])

    def shot(self, name):
        if SHOTS:
            self.page.screenshot(path=f"{SHOTS}/{name}.png")

    def end(self, expected=()):
        left = [c for c in self.complaints if not any(e in c for e in expected)]
        self.context.close()
        assert not left, left


def until(page, script, timeout=30000):
    """Waits until a script is true. Playwright's own wait_for_function violates the pages' content security policy."""
    end = time.time() + timeout / 1000
    while not page.evaluate(script):
        assert time.time() < end, f"{script} did not come true"
        page.wait_for_timeout(50)


def add_photo(visit, file=PHOTO):
    visit.choose(visit.page.get_by_role("button", name="Choose photos"), file)
    visit.page.wait_for_selector("#stage .frame img")


def paint(visit, style="great-wave"):
    visit.page.click(f".tile[data-style={style}]")
    visit.page.wait_for_selector("#made")


# MARK: Paint

@test("A photo is painted, compared, mixed and downloaded with its settings")
def painting(visit):
    page = visit.go("paint")
    until(page, "document.querySelectorAll('.tile[data-style]').length >= 8")
    add_photo(visit)
    paint(visit)
    visit.shot("paint")
    page.locator(".divider").fill("20")
    page.locator("#strength").fill("0.5")
    with page.expect_download() as download:
        page.click("#download")
    data = pathlib.Path(download.value.path()).read_bytes()
    assert data[:3] == b"\xff\xd8\xff" and b"great-wave, strength 0.5" in data
    assert download.value.suggested_filename == "astronaut-great-wave.jpg"


@test("A painting that finishes before its request is answered is shown")
def late_answer(visit):
    page = visit.go("paint")
    add_photo(visit)

    def answer_late(route):
        response = route.fetch()
        time.sleep(2)
        route.fulfill(response=response)

    page.route("**/v1/stylize?*", answer_late)
    paint(visit)


@test("An added photo is shown painted soon after the network has finished")
def soon(visit):
    page = visit.go("paint")
    page.click(".tile[data-style=great-wave]")
    overheads = []
    for size in (512, 511, 510):
        begun = time.time()
        add_photo(visit, big_photo(size)) if not overheads else visit.choose(page.get_by_role("button", name="Add photos"), big_photo(size))
        until(page, f"document.querySelector('#made')?.textContent.startsWith('{size}') && document.querySelector('.frame .after img')?.complete")
        took = time.time() - begun
        jobs = page.evaluate("fetch('/v1/jobs', {headers: {'Atelier-Client': localStorage.getItem('client')}}).then((r) => r.json())")["jobs"]
        overheads.append(took - jobs[-1]["seconds"])
    print(f"    shown {', '.join(f'{o:.2f}' for o in overheads)} s after the network's time", flush=True)
    assert min(overheads) < 2


@test("A file that is not an image is refused with a message, and the page still works")
def bad_file(visit):
    page = visit.go("paint")
    with tempfile.NamedTemporaryFile(suffix=".jpg") as file:
        file.write(b"\xff\xd8\xff\xe0 no picture" * 50)
        file.flush()
        visit.choose(page.get_by_role("button", name="Choose photos"), file.name)
        expect(page.locator(".toast.bad")).to_contain_text("icture")
    add_photo(visit)
    paint(visit)
    visit.complaints = [c for c in visit.complaints if "422" not in c]


@test("A painting can be cancelled and started again")
def cancelling(visit):
    page = visit.go("paint")
    add_photo(visit, big_photo())
    page.select_option("#size", "0")
    page.click(".tile[data-style=starry-night]")
    page.locator(".busy button").first.click()
    expect(page.locator(".busy")).to_have_count(0, timeout=20000)
    assert page.locator("#made").count() == 0
    page.select_option("#size", "256")
    page.wait_for_selector("#made")


@test("A reload during painting loses neither photo nor painting")
def reload(visit):
    page = visit.go("paint")
    add_photo(visit)
    page.click(".tile[data-style=starry-night]")
    page.wait_for_selector(".busy")
    page.reload()
    page.wait_for_selector("#made")
    page.reload()
    page.wait_for_selector("#made")
    expect(page.get_by_role("heading", name="Earlier paintings")).to_be_visible()
    visit.shot("paint-again")


@test("Several photos are queued and all painted")
def several(visit):
    page = visit.go("paint")
    page.click(".tile[data-style=scream]")
    add_photo(visit)
    visit.choose(page.get_by_role("button", name="Add photos"), big_photo(900), big_photo(700))
    page.get_by_role("button", name="Paint all photos in this style").click()
    expect(page.locator(".holder .tile[aria-label*=Done]")).to_have_count(3, timeout=60000)


@test("A large photo first shows a small painting")
def large(visit):
    page = visit.go("paint")
    add_photo(visit, big_photo(4000))
    page.click(".tile[data-style=scream]")
    page.select_option("#size", "2048")
    begun = time.time()
    page.wait_for_selector(".divider", timeout=20000)
    visit.shot("paint-preview")
    print(f"    small painting of 12 megapixels after {time.time() - begun:.2f} s", flush=True)
    page.wait_for_selector("#made", timeout=120000)
    expect(page.locator("#made")).to_contain_text("2048 × 1536", timeout=120000)


@test("A dropped style model paints; a classifier is refused")
def own_style(visit):
    page = visit.go("paint")
    add_photo(visit)
    visit.choose(page.get_by_role("button", name="Your own style"), ROOT / "Gallery/scream/lite.mlmodel")
    page.wait_for_selector("#made")
    expect(page.locator(".toast").first).to_contain_text("is a new style")


@test("A package's folder and a zipped package become styles, and can be removed")
def own_package(visit):
    page = visit.go("paint")
    add_photo(visit)
    with tempfile.TemporaryDirectory() as place:
        package = pathlib.Path(place) / "Wave.mlpackage"
        inner = package / "Data/com.apple.CoreML"
        inner.mkdir(parents=True)
        (inner / "model.mlmodel").write_bytes((ROOT / "Gallery/great-wave/lite.mlmodel").read_bytes())
        (package / "Manifest.json").write_text(json.dumps({
            "fileFormatVersion": "1.0.0", "rootModelIdentifier": "M", "itemInfoEntries": {"M": {
                "author": "com.apple.CoreML", "description": "", "name": "model.mlmodel",
                "path": "com.apple.CoreML/model.mlmodel"}}}))
        visit.choose(page.locator("#own-package"), package)
        page.wait_for_selector("#made")
        expect(page.locator(".tile[data-style][aria-pressed=true]")).to_contain_text("Wave")
        packed = pathlib.Path(shutil.make_archive(str(pathlib.Path(place) / "Other"), "zip", place, "Wave.mlpackage"))
        visit.choose(page.locator("#own-style"), packed)
        expect(page.locator(".tile[data-style][aria-pressed=true]")).to_contain_text("Other")
        page.wait_for_selector("#made")
    for name in ("Wave", "Other"):
        page.get_by_role("button", name=f"Remove the style “{name}”").click()
        expect(page.locator(".tile[data-style]", has_text=re.compile(f"^{name}"))).to_have_count(0)


@test("Any painting becomes a style immediately", needs=["arbitrary"])
def any_painting(visit):
    page = visit.go("paint")
    add_photo(visit)
    visit.choose(page.locator("#any-painting"), ROOT / "Gallery/poppies/painting.jpg")
    page.wait_for_selector("#made")
    expect(page.locator(".tile[data-style][aria-pressed=true]")).to_contain_text("painting")
    visit.shot("paint-any")


@test("The progress bar follows the network's layers")
def bar(visit):
    page = visit.go("paint")
    add_photo(visit, big_photo())
    page.select_option("#size", "0")
    page.click(".tile[data-style=starry-night]")
    page.wait_for_selector(".busy progress[value]", timeout=60000)
    first = page.evaluate("document.querySelector('.busy progress').value")
    until(page, f"(document.querySelector('.busy progress')?.value ?? 1) > {first}")
    page.locator(".busy button").first.click()
    expect(page.locator(".busy")).to_have_count(0, timeout=20000)


@test("A photo can be painted using only the keyboard")
def keyboard(visit):
    page = visit.go("paint")
    with page.expect_file_chooser() as chooser:
        for _ in range(20):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.textContent") == "Choose photos":
                break
        page.keyboard.press("Enter")
    chooser.value.set_files(str(PHOTO))
    page.wait_for_selector("#stage .frame img")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.style") == "poppies":
            break
    page.keyboard.press("Enter")
    page.wait_for_selector("#made")
    page.locator(".divider").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.querySelector('.frame').style.getPropertyValue('--split')") == "51%"


# MARK: Live

@test("The camera is stylised, the style changes during the run, and a picture is saved")
def live(visit):
    page = visit.go("live")
    page.get_by_role("button", name="Use the camera").click()
    until(page, "parseFloat(document.querySelector('#live-fps').textContent) > 1", timeout=20000)
    before = pixels(page)
    page.click(".tile[data-style=starry-night]")
    page.wait_for_timeout(2500)
    assert pixels(page) != before
    page.get_by_text("float32 only").click()
    page.wait_for_timeout(4000)
    visit.shot("live")
    figures = {n: page.text_content(f"#live-{n}") for n in ("fps", "latency", "network", "dropped")}
    print(f"    {figures}", flush=True)
    with page.expect_download() as download:
        page.click("#live-shot")
    assert download.value.suggested_filename.startswith("live-starry-night")
    page.click("#live-stop")
    page.wait_for_selector(".invite")


def pixels(page):
    return page.evaluate("""(() => { const pen = new OffscreenCanvas(4, 4).getContext("2d", { willReadFrequently: true });
      pen.drawImage(document.querySelector(".frame canvas"), 300, 200, 4, 4, 0, 0, 4, 4); return pen.getImageData(0, 0, 4, 4).data.join(); })()""")


# MARK: Look

@test("A photo is classified, a quotation matches it, and a sticker is moved and saved", needs=["squeezenet"])
def look(visit):
    page = visit.go("look")
    visit.choose(page.get_by_role("button", name="Choose a photo"), cat())
    page.wait_for_selector("#guesses .guess")
    assert page.locator("#guesses .guess").count() == 5
    assert "—" not in page.text_content("#quotation footer") and "," in page.text_content("#quotation footer")
    page.get_by_role("button", name="Sticker 🎩").click()
    sticker = page.locator(".sticker")
    expect(sticker).to_be_focused()
    before = sticker.bounding_box()
    page.keyboard.press("ArrowRight")
    assert sticker.bounding_box()["x"] > before["x"]
    box = sticker.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 150, box["y"] + 120)
    page.mouse.up()
    assert abs(sticker.bounding_box()["x"] - box["x"]) > 50
    visit.shot("look")
    with page.expect_download() as download:
        page.click("#save-look")
    assert pathlib.Path(download.value.path()).read_bytes()[:4] == b"\x89PNG"


# MARK: Draw

@test("Three drawings train an emoji; a drawing is recognised, removed, exported")
def drawing(visit):
    page = visit.go("draw")

    def draw(shape):
        box = page.locator(".pad").bounding_box()
        for stroke in shape:
            points = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in stroke]
            page.mouse.move(*points[0])
            page.mouse.down()
            for point in points[1:]:
                page.mouse.move(*point, steps=4)
            page.mouse.up()

    house = lambda d: [[(.3, .5 + d), (.3, .8), (.7, .8), (.7, .5 + d), (.3, .5 + d)], [(.25, .5 + d), (.5, .2), (.75, .5 + d)]]
    wave = lambda d: [[(.2 + .06 * i, .5 + (.1 + d) * (-1) ** i) for i in range(11)]]
    for emoji, shape in (("🏠", house), ("🌈", wave)):
        page.get_by_role("radio", name=emoji).click()
        for d in (-.03, 0, .04):
            draw(shape(d))
            page.get_by_role("button", name="Teach").click()
            expect(page.locator(".pad")).to_be_visible()
    expect(page.locator(".examples img")).to_have_count(6, timeout=15000)
    draw(house(.02))
    page.get_by_role("button", name="What is it?").click()
    expect(page.locator("#drawn-answer")).to_have_text("🏠")
    visit.shot("draw")
    page.reload()
    expect(page.locator(".examples img")).to_have_count(6)
    page.locator(".examples button").first.click()
    expect(page.locator(".examples img")).to_have_count(5)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the taught model").click()
    assert len(pathlib.Path(download.value.path()).read_bytes()) > 50_000
    page.get_by_role("button", name="Delete all").click()
    expect(page.locator(".examples img")).to_have_count(0)


# MARK: Models

@test("A model shows its layers and times, and predicts from a form")
def models(visit):
    page = visit.go("models")
    page.get_by_role("button", name=re.compile("The Scream")).click()
    page.wait_for_selector("svg.graph rect")
    page.get_by_role("button", name="Time the layers").click()
    page.wait_for_selector(".scroll tbody tr")
    page.locator("input[type=file]").first.set_input_files(str(PHOTO))
    page.get_by_role("button", name="Predict").click()
    page.wait_for_selector("#answer img")
    visit.shot("models")


@test("A dropped table model predicts numbers; a damaged one is refused with a message", needs=["shared"])
def dropped(visit):
    page = visit.go("models")
    visit.choose(page.get_by_role("button", name="Choose a model"), SHARED / "models/classical/MarsHabitatPricer.mlmodel")
    expect(page.locator("h2").last).to_have_text("MarsHabitatPricer")
    page.get_by_role("button", name="Predict").click()
    page.wait_for_selector("#answer b")
    with tempfile.NamedTemporaryFile(suffix=".mlmodel") as file:
        file.write(b"\x08\x01\x12\xff\xff\xff")
        file.flush()
        visit.choose(page.get_by_role("button", name="Choose a model"), file.name)
        expect(page.locator(".toast.bad")).to_be_visible()
    page.get_by_role("button", name="Remove").click()
    visit.complaints = [c for c in visit.complaints if "422" not in c]


# MARK: Optimise

@test("A picture that is painted by optimisation grows on the screen, is stopped, downloaded and removed", needs=["vgg16"])
def optimising(visit):
    page = visit.go("optimize")
    page.get_by_role("button", name="Try the sample").click()
    page.wait_for_selector("#stage .frame img")
    visit.choose(page.locator("#own-painting"), ROOT / "Gallery/scream/painting.jpg")
    page.wait_for_selector("[data-painting=own-0][aria-pressed=true]")
    page.select_option("#size", "256")
    page.click("#start")
    until(page, "Number(document.querySelector('#growing')?.dataset.version) >= 1", timeout=60000)
    first = page.get_attribute("#growing", "data-version")
    until(page, f"Number(document.querySelector('#growing').dataset.version) > {first}", timeout=60000)
    visit.shot("optimize")
    # The painting continues while the page is closed. When the page opens again, it shows this painting.
    visit.go("draw")
    page = visit.go("optimize")
    page.wait_for_selector("#growing")
    page.click("#stop")
    page.wait_for_selector("#made[data-state=stopped]", timeout=60000)
    with page.expect_download() as download:
        page.click("#download")
    data = pathlib.Path(download.value.path()).read_bytes()
    assert data[:3] == b"\xff\xd8\xff" and b"painting, by optimisation (neighbors, good)" in data
    assert download.value.suggested_filename == "painting.jpg"
    page.locator(".holder .away").first.click()
    until(page, "!document.querySelector('#growing')")


# MARK: Train

def begin_training(visit, steps, name="Waves"):
    page = visit.go("train")
    if page.locator("#new-training").is_visible() and not page.locator("form").count():
        page.click("#new-training")
    page.fill("input[name=name]", name)
    visit.choose(page.locator("[data-choose=painting]"), ROOT / "Gallery/great-wave/painting.jpg")
    visit.choose(page.locator("[data-choose=photos]"), PHOTO, big_photo(700))
    visit.choose(page.locator("[data-choose=validation]"), PHOTO)
    page.select_option("select[name=algorithm]", "cnnLite")
    page.fill("input[name=density]", "64")
    page.fill("input[name=iterations]", str(steps))
    page.get_by_role("button", name="Start training").click()
    page.wait_for_selector("#training-state")
    return page


def step(page):
    return int(re.search(r"Step (\d+)", page.text_content("#training-state"))[1])


@test("A training is watched, paused, resumed, and becomes a style", needs=["vgg16"])
def training(visit):
    page = begin_training(visit, 24)
    until(page, "/Step ([2-9]|1\\d)/.test(document.querySelector('#training-state').textContent)", timeout=60000)
    page.get_by_role("button", name="Pause").click()
    page.wait_for_selector("#training-state[data-state=paused]", timeout=30000)
    page.reload()
    page.wait_for_selector("#training-state[data-state=paused]")
    page.get_by_role("button", name="Resume").click()
    page.wait_for_selector("#training-state[data-state=finished]", timeout=120000)
    page.wait_for_selector("#snapshots .tile")
    page.wait_for_selector(".chart path.style")
    visit.shot("train")
    page.fill("#more-steps", "28")
    page.get_by_role("button", name="More steps").click()
    until(page, "/Finished · Step 28/.test(document.querySelector('#training-state').textContent)", timeout=240000)
    page = visit.go("paint")
    expect(page.locator(".tile", has_text="Waves").first).to_be_visible()


@test("A training that was killed with the studio gives the same model when resumed", needs=["vgg16"])
def killed(visit):
    page = begin_training(visit, 60, "Undisturbed")
    page.wait_for_selector("#training-state[data-state=finished]", timeout=240000)
    link = page.get_by_role("link", name="Download the model").get_attribute("href")
    whole = visit.studio.ask(link)
    page = begin_training(visit, 60, "Killed")
    until(page, "/Step (3\\d)/.test(document.querySelector('#training-state').textContent)", timeout=120000)
    visit.studio.stop(signal.SIGKILL)
    visit.studio.start()
    page.reload()
    page.wait_for_selector("#training-state[data-state=paused]", timeout=20000)
    print(f"    killed; resumed from step {step(page)}", flush=True)
    page.get_by_role("button", name="Resume").click()
    page.wait_for_selector("#training-state[data-state=finished]", timeout=240000)
    link = page.get_by_role("link", name="Download the model").get_attribute("href")
    resumed = visit.studio.ask(link)
    names = (b"Undisturbed", b"Killed")
    assert whole.replace(*[names[0], b"?"])[-50000:] == resumed.replace(names[1], b"?")[-50000:], "the weights differ"
    visit.complaints = [c for c in visit.complaints if "ERR_CONNECTION" not in c and "WebSocket" not in c]


# MARK: Everywhere

@test("Every page fits a phone, also in dark mode")
def phone(visit):
    for scheme in ("light", "dark"):
        visit.page.set_viewport_size({"width": 390, "height": 844})
        visit.page.emulate_media(color_scheme=scheme)
        for name in ("paint", "optimize", "live", "train", "look", "draw", "models"):
            page = visit.go(name)
            page.wait_for_timeout(700)
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, f"{name} is {wide} pixels too wide"
            visit.shot(f"phone-{scheme}-{name}")


@test("Every page has a light and a dark mode")
def pictures(visit):
    for scheme in ("light", "dark"):
        visit.page.emulate_media(color_scheme=scheme)
        for name in ("paint", "optimize", "live", "train", "look", "draw", "models"):
            page = visit.go(name)
            page.wait_for_timeout(900)
            visit.shot(f"{scheme}-{name}")


@test("Every control has a name for screen readers, every image an alternative text")
def names(visit):
    for name in ("paint", "optimize", "live", "train", "look", "draw", "models"):
        page = visit.go(name)
        page.wait_for_timeout(400)
        nameless = page.evaluate("""[...document.querySelectorAll('button, a, input, select, textarea')].filter((e) =>
          e.offsetParent && !(e.textContent.trim() || e.ariaLabel || e.labels?.length || e.title || e.placeholder)).map((e) => e.outerHTML)""")
        assert not nameless, nameless
        assert page.locator("img:not([alt])").count() == 0


# MARK: Running

def big_photo(width=1600):
    """The sample photo, scaled to a size."""
    from PIL import Image
    file = pathlib.Path(tempfile.gettempdir()) / f"atelier-test-{width}.jpg"
    if not file.exists():
        Image.open(PHOTO).resize((width, width * 3 // 4)).save(file, quality=92)
    return file


def cat():
    found = SHARED / "pictures/photos/gcompris-farmanimals-cat.webp"
    return found if found.exists() else PHOTO


def missing(needs):
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "atelier"
    places = {"squeezenet": cache / "SqueezeNet.mlmodel", "vgg16": cache / "VGG16.mlmodel", "arbitrary": cache / "ArbitraryStylePredictor.onnx", "shared": SHARED / "models"}
    return [n for n in needs if not places[n].exists()]


def main():
    program, words = os.path.abspath(sys.argv[1]), sys.argv[2:]
    failed = left = 0
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as data:
        studio = Studio(program, data)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[
            "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream", "--no-sandbox"])
        for sentence, body, needs in TESTS:
            if words and not any(w in body.__name__ or w in sentence for w in words):
                continue
            if missing(needs):
                left += 1
                print(f"– {sentence}: left out, {', '.join(missing(needs))} is missing", flush=True)
                continue
            visit, begun = Visit(browser, studio), time.time()
            try:
                body(visit)
                visit.end()
                print(f"✔ {sentence} ({time.time() - begun:.1f} s)", flush=True)
            except Exception as error:
                failed += 1
                print(f"✘ {sentence}: {str(error)[:1500]}", flush=True)
                print("".join(traceback.format_exception(error)[-3:])[-600:], visit.complaints)
                with contextlib.suppress(Exception):
                    visit.shot(f"failed-{body.__name__}")
                    visit.context.close()
        browser.close()
        code = studio.stop()
        if code not in (0, 130):
            failed += 1
            print(f"✘ The studio ended with {code}")
    print(f"{failed} failed, {left} left out")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
