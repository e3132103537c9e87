import Foundation
import Imaging
import StyleTransfer
import Testing

@testable import Service
@testable import Studio

/// A studio on a free port, with a data folder of its own.
struct OpenStudio {
  let server: StudioServer
  let data: URL

  init(_ change: (inout StudioOptions) -> Void = { _ in }) throws {
    data = FileManager.default.temporaryDirectory.appendingPathComponent(
      "studio-\(UUID().uuidString)")
    var options = StudioOptions()
    options.port = 0
    options.data = data
    options.program = Self.program
    change(&options)
    server = try StudioServer(options)
    try server.start()
  }

  /// The program that runs in worker processes: the binary that `ATELIER_BIN` names, or else the binary that `make`
  /// builds.
  static let program: URL =
    ProcessInfo.processInfo.environment["ATELIER_BIN"].map { URL(fileURLWithPath: $0) }
    ?? URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../.build/release/atelier").standardizedFileURL

  /// Returns the location of a model in the gallery.
  static func model(_ path: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Gallery/\(path).mlmodel").standardizedFileURL
  }

  /// Returns the location of the small network of a style in the gallery.
  static func smallNetwork(_ style: String) throws -> URL {
    let gallery: URL = model("photos").deletingLastPathComponent()
    return try StyleGallery.entry(style, in: gallery).model(lite: true)
  }

  /// Returns the location of the large network of a style in the gallery.
  static func largeNetwork(_ style: String) throws -> URL {
    let gallery: URL = model("photos").deletingLastPathComponent()
    return try StyleGallery.entry(style, in: gallery).model(lite: false)
  }

  /// Uploads a model and returns its name.
  func upload(_ file: URL) async throws -> String {
    let answer = try await ask("POST", "/v1/models?name=own", body: try Data(contentsOf: file))
    #expect(answer.status == 201, "\(String(decoding: answer.body, as: UTF8.self))")
    let words = try JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
    return try #require(words?["id"] as? String)
  }

  func close() {
    server.stop()
    try? FileManager.default.removeItem(at: data)
  }

  func ask(
    _ method: String, _ path: String, headers: [String: String] = [:], body: Data = Data()
  ) async throws -> (status: Int, head: String, body: Data) {
    try await RawClient.ask(server.port, method, path, headers: headers, body: body)
  }

  func json(_ method: String, _ path: String, body: Data = Data()) async throws -> [String: Any] {
    let answer = try await ask(method, path, body: body)
    return try JSONSerialization.jsonObject(with: answer.body) as? [String: Any] ?? [:]
  }

  /// Returns the bytes of a small photo's file.
  static func photo(_ width: Int = 64, _ height: Int = 48) throws -> Data {
    try Picture(width: width, height: height) { pixels in
      for index in pixels.indices { pixels[index] = UInt8(truncatingIfNeeded: index &* 7 / 3) }
    }.encoded(as: .png)
  }
}

@Suite("The studio's HTTP interface", .serialized, .timeLimit(.minutes(20)))
struct StudioServerTests {
  @Test("The OpenAPI documents list exactly the existing addresses")
  func document() async throws {
    let studio = try Studio(StudioOptions())
    defer { studio.folder.empty() }
    var described: Set<String> = []
    for name in ["openapi.json", "inference.json"] {
      let bytes = try #require(studio.pages.bytes(name))
      let document = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
      let paths = try #require(document?["paths"] as? [String: [String: Any]])
      described.formUnion(paths.flatMap { path, methods in methods.keys.map { "\($0) \(path)" } })
    }
    let served = Set(studio.router().routes.map { "\($0.method.lowercased()) \($0.pattern)" })
    #expect(served.subtracting(described).sorted() == [])
    #expect(described.subtracting(served).sorted() == [])
  }

  @Test("The program contains every page; without images and models they take less than 300 kB")
  func pages() async throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../C/CStudioPages/pages").standardizedFileURL
    let names = try #require(FileManager.default.enumerator(atPath: folder.path))
      .compactMap { $0 as? String }.filter { $0.contains(".") }
    #expect(names.count > 12)
    var weight = 0
    let pages = Pages()
    for name in names {
      let bytes = try #require(pages.bytes(name), "run Scripts/list_pages.py: \(name)")
      #expect(Data(bytes) == (try Data(contentsOf: folder.appendingPathComponent(name))), "\(name)")
      if !["jpg", "mlmodel"].contains((name as NSString).pathExtension) { weight += bytes.count }
    }
    #expect(weight < 300_000)
  }

  @Test("A studio that ends answers all accepted requests, also those for uploaded models")
  func drain() async throws {
    let studio = try OpenStudio()
    defer { studio.close() }
    let own = try await studio.upload(OpenStudio.smallNetwork("scream"))
    let photo = try OpenStudio.photo(320, 240)
    let clients = try ["great-wave&network=small", own].flatMap { style in
      try (0..<6).map { _ in
        try RawClient.asking(
          studio.server.port, "POST", "/v1/stylize?style=\(style)", body: photo)
      }
    }
    defer { for client in clients { client.close() } }
    let server: StudioServer = studio.server
    let port: UInt16 = server.port
    async let isDone = RawClient.onThread { server.stop() }
    for client in clients {
      let answer = await client.answer()
      #expect(answer.status == 200)
    }
    #expect(await isDone)
    #expect(throws: (any Error).self) { try RawClient(port: port) }
  }

  @Test("A page is sent once, and not again while it is unchanged")
  func cached() async throws {
    let studio = try OpenStudio()
    defer { studio.close() }
    let page = try await studio.ask("GET", "/")
    #expect(page.status == 200)
    #expect(String(decoding: page.body, as: UTF8.self).contains("<title>Atelier</title>"))
    let tag = try #require(page.head.firstMatch(of: /ETag: (\S+)/)?.output.1)
    #expect(try await studio.ask("GET", "/", headers: ["If-None-Match": String(tag)]).status == 304)
  }

  @Test("Uploads are stored in a separate folder, which is deleted when the studio ends")
  func folder() async throws {
    let studio = try Studio(StudioOptions())
    let entry = try studio.pictures.add(OpenStudio.photo())
    #expect(FileManager.default.fileExists(atPath: studio.folder.location(entry.id).path))
    let rights = try FileManager.default.attributesOfItem(atPath: studio.folder.url.path)
    #expect((rights[.posixPermissions] as? NSNumber)?.intValue == 0o700)
    studio.folder.empty()
    #expect(!FileManager.default.fileExists(atPath: studio.folder.url.path))
  }

  @Test("A file that is not an image, and an image that is too large, are refused with a message")
  func badPictures() async throws {
    let studio = try OpenStudio { $0.pixels = 10_000 }
    defer { studio.close() }
    let text = try await studio.ask("POST", "/v1/pictures", body: Data("no picture".utf8))
    #expect(text.status == 422)
    let large = try await studio.ask("POST", "/v1/pictures", body: OpenStudio.photo(200, 100))
    #expect(large.status == 413)
    #expect(String(decoding: large.body, as: UTF8.self).contains("200 × 100"))
    #expect(try await studio.ask("POST", "/v1/pictures").status == 400)
    let small = try await studio.ask("POST", "/v1/pictures", body: OpenStudio.photo())
    #expect(small.status == 201)
  }

  @Test("A file that is not a model is refused, and no file remains")
  func badModels() async throws {
    let studio = try OpenStudio()
    defer { studio.close() }
    let before = try await studio.json("GET", "/v1/models")["models"] as? [Any]
    let text = try await studio.ask("POST", "/v1/models?name=x", body: Data("no model at all".utf8))
    #expect(text.status == 422)
    let after = try await studio.json("GET", "/v1/models")["models"] as? [Any]
    #expect(before?.count == after?.count)
  }

  @Test(
    "A package's files cannot be written outside its folder",
    arguments: [
      "../evil", "Data/../../evil", "/etc/passwd", "Data/.hidden", "Data/a b/c", "Other/x",
      "Data/a/b/c/d/e", "", "Manifest.json/x",
    ])
  func packagePaths(_ name: String) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let error = #expect(throws: HTTPError.self) {
      try PackageUpload.write(
        [
          .init(name: "file", fileName: "Manifest.json", data: Data("{}".utf8)),
          .init(name: "file", fileName: name, data: Data("x".utf8)),
        ], to: folder)
    }
    #expect(error?.code == "bad_package")
  }

  @Test("Invalid settings are refused with the valid ones")
  func badFields() async throws {
    let studio = try OpenStudio()
    defer { studio.close() }
    for (query, code) in [
      ("", "bad_field"), ("style=none", "no_model"), ("style=scream&size=8", "bad_field"),
      ("style=scream&strength=2", "bad_field"), ("style=scream&network=huge", "bad_field"),
      ("style=scream&format=bmp", "bad_field"), ("style=scream&strength=nan", "bad_field"),
    ] {
      let answer = try await studio.json("POST", "/v1/stylize?\(query)", body: OpenStudio.photo())
      let error = answer["error"] as? [String: Any]
      #expect(error?["code"] as? String == code, "\(query)")
    }
    #expect(try await studio.ask("POST", "/v1/nothing", body: Data([1])).status == 413)
    #expect(try await studio.ask("GET", "/v1/nothing").status == 404)
    #expect(try await studio.ask("PUT", "/v1/styles").status == 405)
  }

  @Test("A photo is painted at its size, and the result records how")
  func stylize() async throws {
    let studio = try OpenStudio()
    defer { studio.close() }
    let path = "/v1/stylize?style=great-wave&network=small&format=png&strength=0.5"
    let answer = try await studio.ask("POST", path, body: OpenStudio.photo())
    #expect(answer.status == 200)
    let picture = try Picture(data: answer.body)
    #expect((picture.width, picture.height) == (64, 48))
    let painter = try Picture.probe(data: answer.body).origin?.painter
    #expect(painter == "great-wave, small network, strength 0.5")
    #expect(try await studio.ask("POST", path, body: OpenStudio.photo()).body == answer.body)
  }

  @Test("A job can be watched, its result edited in several ways, and deleted")
  func job() async throws {
    let studio = try OpenStudio()
    defer { studio.close() }
    let headers = ["Prefer": "respond-async", "Atelier-Client": "me"]
    let begun = try await studio.ask(
      "POST", "/v1/stylize?style=great-wave&network=small", headers: headers,
      body: OpenStudio.photo())
    #expect(begun.status == 202)
    let id = try #require(
      (try JSONSerialization.jsonObject(with: begun.body) as? [String: Any])?["id"] as? String)
    var state = ""
    for _ in 0..<400 where state != "done" {
      state = try await studio.json("GET", "/v1/jobs/\(id)")["state"] as? String ?? ""
      usleep(25000)
    }
    #expect(state == "done")
    let painting = try await studio.ask("GET", "/v1/jobs/\(id)/painting?format=png").body
    let none = try await studio.ask("GET", "/v1/jobs/\(id)/painting?format=png&strength=0").body
    #expect(try Picture(data: none) == Picture(data: OpenStudio.photo()))
    #expect(try Picture(data: painting) != Picture(data: none))
    #expect(try await studio.ask("DELETE", "/v1/jobs/\(id)").status == 204)
    #expect(try await studio.ask("GET", "/v1/jobs/\(id)").status == 404)
  }

  @Test("Quotations match the recognised subject, and some match everything")
  func quotations() {
    let quotations = Quotations(Pages())
    #expect(quotations.all.count > 60)
    #expect(quotations.all.allSatisfy { !$0.author.isEmpty && !$0.source.isEmpty })
    let dog = quotations.fitting([("golden retriever", 0.8), ("Labrador retriever", 0.1)])
    #expect(dog.first?.author == "Rudyard Kipling")
    let tiger = quotations.fitting([("tiger, Panthera tigris", 0.9)])
    #expect(tiger.first?.text.hasPrefix("Tyger") == true)
    #expect(quotations.fitting([("quux", 1)]).first?.keywords.isEmpty == true)
    #expect(!quotations.fitting([]).isEmpty)
  }

  @Test("Drawings train the classifier, can be removed, and are recognised by the next studio")
  func drawings() async throws {
    let studio = try OpenStudio()
    defer { studio.close() }
    /// Returns the file of a drawing, which is a cross or a frame.
    func drawing(_ isCross: Bool, _ shift: Int) throws -> Data {
      try Picture(width: 28, height: 28) { pixels in
        for y in 0..<28 {
          for x in 0..<28 {
            let cross = abs(x - y + shift) < 2 || abs(27 - x - y + shift) < 2
            let frame = min(x, y, 27 - x, 27 - y) == 3 + shift
            for channel in 0..<3 {
              pixels[(y * 28 + x) * 3 + channel] = (isCross ? cross : frame) ? 255 : 0
            }
          }
        }
      }.encoded(as: .png)
    }
    #expect(
      try await studio.ask("POST", "/v1/updates/predict", body: drawing(true, 0)).status == 409)
    for shift in 0..<3 {
      for isCross in [true, false] {
        let answer = try await studio.ask(
          "POST", "/v1/updates/examples?label=\(isCross ? "cross" : "frame")",
          body: drawing(isCross, shift))
        #expect(answer.status == 201)
      }
    }
    for isCross in [true, false] {
      let answer = try await studio.json("POST", "/v1/updates/predict", body: drawing(isCross, -1))
      #expect(answer["label"] as? String == (isCross ? "cross" : "frame"))
    }
    let examples = try #require(
      try await studio.json("GET", "/v1/updates")["examples"] as? [[String: Any]])
    #expect(examples.count == 6)
    for example in examples where example["label"] as? String == "frame" {
      _ = try await studio.ask("DELETE", "/v1/updates/examples/\(example["id"] ?? "")")
    }
    let left = try await studio.json("POST", "/v1/updates/predict", body: drawing(false, -1))
    #expect(left["label"] as? String == "cross")
  }

  @Test(
    "Queued photos count against the memory until they are painted, and more than fit are refused")
  func waitingPhotos() async throws {
    let studio = try OpenStudio { $0.waitingBytes = 500_000 }
    defer { studio.close() }
    // Data after the end of an image are ignored, but they count as part of the upload.
    let photo = try OpenStudio.photo(900, 700) + Data(count: 100_000)
    let capacity: Int = 500_000 / photo.count
    var jobs: [String] = []
    var statuses: [Int] = []
    for number in 0..<(capacity + 6) {
      let answer = try await studio.ask(
        "POST", "/v1/stylize?style=great-wave&format=png",
        headers: ["Prefer": "respond-async", "Atelier-Client": "me-\(number)"], body: photo)
      statuses.append(answer.status)
      let words = try JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
      if let id = words?["id"] as? String { jobs.append(id) }
    }
    #expect(statuses.prefix(capacity) == ArraySlice(repeating: 202, count: capacity))
    #expect(statuses.contains(503))
    let metrics = String(decoding: try await studio.ask("GET", "/v1/metrics").body, as: UTF8.self)
    let held = try #require(metrics.firstMatch(of: /atelier_body_bytes (\d+)/)?.output.1)
    #expect(Int(held) ?? 0 >= photo.count)
    #expect(Int(held) ?? .max <= 500_000)
    for job in jobs { _ = try await studio.ask("DELETE", "/v1/jobs/\(job)") }
    for _ in 0..<600 where studio.server.studio.counts.now.counts.bodyBytes > 0 {
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(studio.server.studio.counts.now.counts.bodyBytes == 0)
  }

  @Test("A model's file is sent directly from the disk, without an increase in memory")
  func modelFile() async throws {
    let studio = try OpenStudio { $0.waitingBytes = 1000 }
    defer { studio.close() }
    let answer = try await studio.ask("GET", "/v1/models/scream/file")
    #expect(answer.status == 200)
    let file: Data = try Data(contentsOf: OpenStudio.largeNetwork("scream"))
    #expect(answer.body == file)
    // The client reads until the server closes the connection. No body follows the head.
    let head = try await studio.ask(
      "HEAD", "/v1/models/scream/file", headers: ["Connection": "close"])
    #expect(head.body.starts(with: Data("HTTP/1.1 200".utf8)))
    #expect(head.body.suffix(4) == Data("\r\n\r\n".utf8))
  }

  @Test("Of two trainings that start simultaneously, only one gets the machine")
  func oneTraining() async throws {
    let studio = try OpenStudio()
    defer { studio.close() }
    let service = studio.server.studio.trainings
    let results = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<16 {
        group.addTask { (try? service.claim("t-\(number)", "Style \(number)")) == true }
      }
      return await group.reduce(into: [Bool]()) { $0.append($1) }
    }
    #expect(results.count { $0 } == 1)
    let error = #expect(throws: HTTPError.self) { try service.claim("t-x", "Another") }
    #expect(error?.status == 409)
    #expect(error?.message.contains("is being trained") == true)
    for number in 0..<16 { service.release("t-\(number)") }
    #expect(try service.claim("t-x", "Another"))
    #expect(try !service.claim("t-x", "Another"))
    service.release("t-x")
  }
}
